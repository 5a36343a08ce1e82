// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens whose owner moves what accounts have, for the tests of Balance and Making. Names say what one does, never how its
// functions are called.

abstract contract Base {
    uint256 public totalSupply = 1e24;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    address public owner = msg.sender;
    constructor() { balanceOf[msg.sender] = 1e24; }
    modifier onlyOwner() { require(msg.sender == owner); _; }
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address to, uint256 v) external returns (bool) { _move(msg.sender, to, v); return true; }
    function transferFrom(address f, address to, uint256 v) external returns (bool) {
        allowance[f][msg.sender] -= v;
        _move(f, to, v);
        return true;
    }
    function _move(address f, address to, uint256 v) internal { balanceOf[f] -= v; balanceOf[to] += v; }
}

contract Once is Base {
    function give(address a, uint256 v) external onlyOwner { balanceOf[msg.sender] -= v; balanceOf[a] += v; }
}

contract Twice is Base { // for one amount that is taken off two are added
    function give(address a, address b, uint256 v) external onlyOwner { balanceOf[msg.sender] -= v; balanceOf[a] += v; balanceOf[b] += v; }
}

contract TwiceForTwo is Base {
    function give(address a, address b, uint256 v) external onlyOwner { _move(msg.sender, a, v); _move(msg.sender, b, v); }
}

contract Halves is Base {
    function give(address a, uint256 v) external onlyOwner { uint256 part = v / 100; balanceOf[msg.sender] -= v; balanceOf[a] += v - part; balanceOf[owner] += part; }
}

contract Either is Base { // what is added on one way is taken off on the other
    function give(address a, uint256 v, bool t) external onlyOwner { if (t) balanceOf[msg.sender] -= v; else balanceOf[a] += v; }
}

contract Unless is Base { // little is not taken off
    function give(address a, uint256 v) external onlyOwner { if (v > 5) balanceOf[msg.sender] -= v; balanceOf[a] += v; }
}

contract Checked is Base {
    function give(address a, uint256 v) external onlyOwner { require(v > 5); balanceOf[msg.sender] -= v; balanceOf[a] += v; }
}

contract Rounds is Base { // taken off once, and added in every round
    function give(address[] calldata a, uint256 v) external onlyOwner { balanceOf[msg.sender] -= v; for (uint256 i = 0; i < a.length; i++) balanceOf[a[i]] += v; }
}

contract EachRound is Base {
    function give(address[] calldata a, uint256 v) external onlyOwner { for (uint256 i = 0; i < a.length; i++) { balanceOf[msg.sender] -= v; balanceOf[a[i]] += v; } }
}

contract Sides is Base { // one of two gets it, and nobody else loses anything
    function give(address a, address b, uint256 v, bool t) external onlyOwner { balanceOf[msg.sender] -= v; if (t) balanceOf[a] += v; else balanceOf[b] += v; }
}
