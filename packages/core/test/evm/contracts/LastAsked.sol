// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens whose transfers are refused by something that is kept, and ask last what the account of a party is like.

abstract contract Plain {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply = 1e24;
    address public owner = msg.sender;
    constructor() { balanceOf[msg.sender] = 1e24; }
    modifier onlyOwner() { require(msg.sender == owner); _; }
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return true; }
    function _check(address f, address t, uint256 v) internal view virtual;
    function _move(address f, address t, uint256 v) private {
        _check(f, t, v);
        balanceOf[f] -= v;
        balanceOf[t] += v;
    }
}

contract PausedForAccounts is Plain {
    bool paused;
    function pause(bool to) external onlyOwner { paused = to; }
    function _check(address f, address, uint256) internal view override { if (paused && f.code.length == 0) revert(); }
}

contract PausedForTheRich is Plain {
    bool paused;
    function pause(bool to) external onlyOwner { paused = to; }
    function _check(address f, address, uint256) internal view override { require(!paused || f.balance <= 1 gwei); }
}

contract PausedIntoContracts is Plain {
    bool paused;
    function pause(bool to) external onlyOwner { paused = to; }
    function _check(address, address t, uint256) internal view override { if (paused) require(t.code.length < 24); }
}

contract ListedAccounts is Plain {
    mapping(address => bool) listed;
    function list(address a, bool to) external onlyOwner { listed[a] = to; }
    function _check(address f, address, uint256) internal view override { require(!listed[f] || f.code.length > 0); }
}

contract MembersOrContracts is Plain {
    mapping(address => bool) members;
    function admit(address a, bool to) external onlyOwner { members[a] = to; }
    function _check(address f, address, uint256) internal view override { require(members[f] || f.code.length > 0); }
}

contract BoundedAccounts is Plain {
    uint256 most = type(uint256).max;
    function bound(uint256 to) external onlyOwner { most = to; }
    function _check(address f, address, uint256 v) internal view override { if (v > most) require(f.code.length > 0); }
}

contract BoundedTheRich is Plain {
    uint256 most = type(uint256).max;
    function bound(uint256 to) external onlyOwner { most = to; }
    function _check(address f, address, uint256 v) internal view override { require(v <= most || f.balance == 0); }
}

contract NobodyPauses is Plain { // no function sets it
    bool paused;
    function _check(address f, address, uint256) internal view override { if (paused && f.code.length == 0) revert(); }
}

contract FixedBound is Plain { // the bound stands in the code
    function _check(address f, address, uint256 v) internal view override { require(v <= 1e24 || f.code.length > 0); }
}

contract OnlyUnpauses is Plain { // nobody can turn it on again
    bool paused = true;
    function unpause() external onlyOwner { paused = false; }
    function _check(address f, address, uint256) internal view override { if (paused && f.code.length == 0) revert(); }
}

contract NotesContracts is Plain { // what is kept decides what is noted, and refuses nothing
    bool watching;
    uint256 public seen;
    function watch(bool to) external onlyOwner { watching = to; }
    function note(address f) external { if (watching && f.code.length > 0) seen++; }
    function _check(address, address, uint256) internal view override {}
}
