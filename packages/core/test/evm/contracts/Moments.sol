// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens for the tests of Moments, whose transfers go where a word in memory says. Names say what a token is, never what its
// functions do.

abstract contract Base {
    mapping(address => uint256) internal held;
    uint256 public totalSupply = 1e24;
    address internal constant sink = 0x1feBA664945Bf9FE1e9DE1B5Eb446500502Ff9b9;
    event Transfer(address indexed from, address indexed to, uint256 value);
    constructor() { held[msg.sender] = 1e24; }
    function balanceOf(address a) external view returns (uint256) { return held[a]; }
    function transfer(address t, uint256 v) external returns (bool) {
        address[2] memory receivers = [t, sink];
        t = receivers[_which(v)];
        held[msg.sender] -= v;
        held[t] += v;
        emit Transfer(msg.sender, t, v);
        return true;
    }
    function _bit(bool b) internal pure returns (uint256 r) { assembly { r := b } }
    function _which(uint256 v) internal view virtual returns (uint256);
}

contract ByAmount is Base { // no clock
    function _which(uint256 v) internal pure override returns (uint256) { return _bit(v > 1e18); }
}

contract FromThen is Base { // elsewhere from a moment on
    function _which(uint256) internal view override returns (uint256) { return _bit(block.timestamp > 2000000000); }
}

contract EachPeriod is Base { // elsewhere on the last ten days of each sixty
    function _which(uint256) internal view override returns (uint256) { return _bit((block.timestamp / 1 days) % 60 >= 50); }
}

contract FromBlock is Base { // elsewhere from a block on
    function _which(uint256) internal view override returns (uint256) { return _bit(block.number >= 30000000); }
}

contract EveryOtherDay is Base { // elsewhere on every other day, which nothing is compared with
    function _which(uint256) internal view override returns (uint256) { return (block.timestamp / 1 days) & 1; }
}
