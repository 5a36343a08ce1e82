// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens for the tests of Refusal. Names say whom a transfer calls.

abstract contract Base {
    mapping(address => uint256) public balanceOf;
    uint256 public totalSupply = 1e24;
    address owner = msg.sender;

    modifier onlyOwner() { require(msg.sender == owner); _; }

    constructor() payable { balanceOf[msg.sender] = 1e24; }

    function transfer(address to, uint256 v) external returns (bool) { _move(msg.sender, to, v); return true; }

    function _move(address f, address to, uint256 v) internal virtual { balanceOf[f] -= v; balanceOf[to] += v; }
}

interface IParty { function onTokens(address from, uint256 v) external; }

contract ToldReceiver is Base {
    function _move(address f, address to, uint256 v) internal override { super._move(f, to, v); IParty(to).onTokens(f, v); }
}

contract ToldRegistry is Base {
    IParty constant registry = IParty(0x1111111111111111111111111111111111111111);
    function _move(address f, address to, uint256 v) internal override { super._move(f, to, v); registry.onTokens(f, v); }
}

contract ToldEither is Base { // the receiver, or somebody else
    IParty constant registry = IParty(0x1111111111111111111111111111111111111111);
    function _move(address f, address to, uint256 v) internal override {
        super._move(f, to, v);
        (v > 1e18 ? registry : IParty(to)).onTokens(f, v);
    }
}

contract PaidSender is Base { // what it was brought is paid to who brought it, and nobody takes more
    mapping(address => uint256) dues;
    function bring() external payable { dues[msg.sender] += msg.value; }
    function _move(address f, address to, uint256 v) internal override {
        super._move(f, to, v);
        uint256 due = dues[f];
        dues[f] = 0;
        payable(f).transfer(due);
    }
}

contract PaidShare is Base { // whoever sends much takes it from those who come after
    function _move(address f, address to, uint256 v) internal override { super._move(f, to, v); payable(f).transfer(v / 100); }
}

contract PaidPrice is Base {
    uint256 price;
    function setPrice(uint256 p) external onlyOwner { price = p; }
    function _move(address f, address to, uint256 v) internal override { super._move(f, to, v); payable(f).transfer(price); }
}

contract PaidBonus is Base { // the owner says what single accounts are paid
    mapping(address => uint256) bonus;
    function setBonus(address a, uint256 b) external onlyOwner { bonus[a] = b; }
    function _move(address f, address to, uint256 v) internal override { super._move(f, to, v); payable(f).transfer(bonus[f]); }
}

contract DrainedSender is PaidSender {
    function drain() external onlyOwner { payable(owner).transfer(address(this).balance); }
}

contract DestructibleSender is PaidSender {
    function end() external onlyOwner { selfdestruct(payable(owner)); }
}

// Tokens that move several amounts at once, given in memory.

contract Batch is Base { // each amount is taken off whoever calls
    function batch(address[] memory to, uint256[] memory v) public {
        for (uint256 i = 0; i < to.length; i++) _move(msg.sender, to[i], v[i]);
    }
}

contract OwnersBatch is Base { // what all get is taken off the owner at once
    function batch(address[] memory to, uint256[] memory v) public onlyOwner {
        uint256 sum;
        for (uint256 i = 0; i < to.length; i++) { balanceOf[to[i]] += v[i]; sum += v[i]; }
        balanceOf[msg.sender] -= sum;
    }
}

contract SwappedBatch is Base { // the account is another one by the time it is written
    function batch(address[] memory to, uint256 v) public onlyOwner {
        for (uint256 i = 0; i + 1 < to.length; i++) {
            uint256 had = balanceOf[to[i]];
            to[i] = to[i + 1];
            balanceOf[to[i]] = had;
        }
        balanceOf[msg.sender] -= v;
    }
}
