// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens for the tests of TransferHook, whose transfers call another contract, and contracts for those of FixedAnswer.

interface IHook {
    function take(address from, address to, uint256 v) external returns (uint256);
    function check(uint256 v) external view returns (bool);
}

abstract contract Base {
    mapping(address => uint256) public balanceOf;
    uint256 public totalSupply = 1e24;
    address owner = msg.sender;
    IHook hook;

    modifier onlyOwner() { require(msg.sender == owner); _; }

    constructor() payable { balanceOf[msg.sender] = 1e24; }

    function transfer(address to, uint256 v) external returns (bool) { _move(msg.sender, to, v); return true; }

    function _move(address f, address to, uint256 v) internal virtual { balanceOf[f] -= v; balanceOf[to] += v; }
}

contract Silent is Base {} // calls nobody

contract Taking is Base { // what goes is what the hook answers, and the owner replaces it
    function setHook(IHook h) external onlyOwner { hook = h; }
    function _move(address f, address to, uint256 v) internal override {
        balanceOf[f] -= hook.take(f, to, v);
        balanceOf[to] += v;
    }
}

contract Checking is Base { // asked about the amount alone
    function setHook(IHook h) external onlyOwner { hook = h; }
    function _move(address f, address to, uint256 v) internal override {
        require(hook.check(v));
        super._move(f, to, v);
    }
}

contract Attempting is Base { // goes on where the hook fails
    function setHook(IHook h) external onlyOwner { hook = h; }
    function _move(address f, address to, uint256 v) internal override {
        address(hook).call(abi.encodeCall(IHook.take, (f, to, v)));
        super._move(f, to, v);
    }
}

contract Kept is Base { // nobody replaces the hook
    function _move(address f, address to, uint256 v) internal override {
        hook.take(f, to, v);
        super._move(f, to, v);
    }
}

contract Anybodys is Base { // everybody replaces the hook
    function setHook(IHook h) external { hook = h; }
    function _move(address f, address to, uint256 v) internal override {
        hook.take(f, to, v);
        super._move(f, to, v);
    }
}

contract Answering { // one function a way to answer
    uint256 kept = 7;
    uint256 set;
    uint256 count;
    mapping(address => bool) listed;

    function setNumber(uint256 v) external { set = v; }
    function setListed(address a, bool yes) external { listed[a] = yes; }

    function same(uint256 v) external pure returns (uint256) { return v; }
    function half(uint256 v) external pure returns (uint256) { return v / 2; }
    function bounded(uint256 v) external pure returns (uint256) { require(v < 1e24); return v; }
    function plusKept(uint256 v) external view returns (uint256) { return v + kept; }
    function counting(uint256) external { count++; }
    function counted(uint256) external view returns (uint256) { return count; }
    function plusSet(uint256 v) external view returns (uint256) { return v + set; }
    function belowSet(uint256 v) external view returns (uint256) { require(v < set); return v; }
    function unlisted(address a) external view returns (uint256) { require(!listed[a]); return 1; }
    function gassed(uint256 v) external view returns (uint256) { return gasleft() > 1e5 ? v : 0; }
    function asking(IHook h, uint256 v) external view returns (bool) { return h.check(v); }
    function noting(uint256 v) external { set = v; }
}

contract AnsweringOne { // by who asks
    address owner;
    function setOwner(address a) external { owner = a; }
    function ofOwner(uint256 v) external view returns (uint256) { return msg.sender == owner ? v : 0; }
}

contract AnsweringLeaving { // until it is gone
    function leave() external { selfdestruct(payable(address(0))); }
    function same(uint256 v) external pure returns (uint256) { return v; }
}

contract AnsweringLate {
    function timed(uint256 v) external view returns (uint256) { require(block.timestamp > 1e9); return v; }
    function dated(uint256 v) external view returns (uint256) { return v + block.timestamp; }
}
