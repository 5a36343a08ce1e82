// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens whose trades depend on what anybody can bring about, or on what no simulated trade shows, each with an honest one
// that reads the same.

interface IExchange {
    function swap(uint256 amount) external;
}

abstract contract Plain {
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply = 1e24;
    address internal pool = address(0x9001);
    address internal constant chest = address(0xC4E57);
    constructor() { held[msg.sender] = 1e24; }
    function balanceOf(address a) public view virtual returns (uint256) { return held[a]; }
    function approve(address s, uint256 v) external virtual returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external virtual returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return true; }
    function _move(address f, address t, uint256 v) internal virtual { held[f] -= v; held[t] += v; }
}

contract FullVault is Plain { // nothing moves once the contract has been given enough
    function _move(address f, address t, uint256 v) internal override { require(held[address(this)] <= 5e20); super._move(f, t, v); }
}

contract FullVaultForAccounts is Plain {
    function _move(address f, address t, uint256 v) internal override {
        if (held[address(this)] > 5e20 && t == pool && f.code.length == 0) revert();
        super._move(f, t, v);
    }
}

contract FullChest is Plain { // the same of another account
    function _move(address f, address t, uint256 v) internal override { if (f != pool && held[chest] != 0) while (true) {} super._move(f, t, v); }
}

contract FullVaultDivides is Plain {
    uint256 public last;
    function _move(address f, address t, uint256 v) internal override {
        uint256 left = held[address(this)] > 5e20 ? 0 : 1;
        last = v / left;
        super._move(f, t, v);
    }
}

contract FullVaultSaysNo is Plain {
    function transfer(address t, uint256 v) external override returns (bool) {
        if (held[address(this)] > 5e20) return false;
        _move(msg.sender, t, v);
        return true;
    }
}

contract PaidVault is Plain { // nothing moves once the contract has been sent ether
    receive() external payable {}
    function _move(address f, address t, uint256 v) internal override { require(address(this).balance < 3 ether || t != pool); super._move(f, t, v); }
}

contract PaidChest is Plain {
    function _move(address f, address t, uint256 v) internal override { require(v < 1e15 || chest.balance == 0); super._move(f, t, v); }
}

contract SpinsOncePaid is Plain { // runs out of gas once the chest has been paid
    function _move(address f, address t, uint256 v) internal override {
        uint256 h;
        address c = chest;
        assembly { h := iszero(iszero(balance(c))) }
        for (uint256 i; i < h << 128; i++) {}
        super._move(f, t, v);
    }
}

contract CountsWhileItCan is Plain { // honest: stops before the gas does
    uint256 internal counted;
    function _move(address f, address t, uint256 v) internal override {
        uint256 i;
        while (i < 5 && gasleft() > 100000) i++;
        counted = i;
        super._move(f, t, v);
    }
}

contract ApprovedWhileCheap is Plain {
    function approve(address s, uint256 v) external override returns (bool) { require(tx.gasprice < 99 gwei); allowance[msg.sender][s] = v; return true; }
}

contract ApprovedWhileUnpaid is Plain {
    function approve(address s, uint256 v) external override returns (bool) { allowance[msg.sender][s] = chest.balance > 0 ? 0 : v; return true; }
}

contract ApprovedBeforeBirth is Plain {
    function approve(address s, uint256 v) external override returns (bool) { if (chest.code.length > 0) v = 0; allowance[msg.sender][s] = v; return true; }
}

contract ApprovedWhileEmpty is Plain {
    function approve(address s, uint256 v) external override returns (bool) { if (held[chest] < 1e18) allowance[msg.sender][s] = v; return true; }
}

contract ShowsPoolLess is Plain { // a pool believes that it has less once the chest was paid
    function balanceOf(address a) public view override returns (uint256) { return a == pool && chest.balance != 0 ? held[a] / 3 : held[a]; }
}

contract ShowsPoolLessWithoutBranch is Plain {
    function balanceOf(address a) public view override returns (uint256 b) {
        b = held[a];
        address c = chest;
        assembly { b := shr(gt(balance(c), 7), b) }
    }
}

contract SwapsWhatItHolds is Plain { // honest: what it holds decides when it swaps fees, and no transfer is refused for it
    IExchange internal exchange = IExchange(address(0xE7));
    bool internal swapping;
    receive() external payable {}
    function _move(address f, address t, uint256 v) internal override {
        uint256 own = held[address(this)];
        if (own >= 5e20 && !swapping && f != pool) {
            swapping = true;
            uint256 half = own / 2;
            uint256 before = address(this).balance;
            allowance[address(this)][address(exchange)] = own - half;
            exchange.swap(own - half);
            uint256 got = address(this).balance - before;
            (bool sent,) = chest.call{value: got * 3 / 5}("");
            sent;
            swapping = false;
        }
        uint256 fee = v / 100;
        super._move(f, address(this), fee);
        super._move(f, t, v - fee);
    }
}

contract BurnsWhatItHolds is Plain { // honest: the same without an exchange
    function _move(address f, address t, uint256 v) internal override {
        if (held[address(this)] >= 5e20) { totalSupply -= held[address(this)]; held[address(this)] = 0; }
        uint256 fee = v / 100;
        super._move(f, address(this), fee);
        super._move(f, t, v - fee);
    }
}

contract ReadsWhatItHolds is Plain { // honest: what is held is only shown
    function funded() external view returns (bool) { return held[chest] > 0 && chest.balance > 0 && chest.code.length == 0; }
}

contract AsksForCode is Plain { // honest: whether a party has code
    function _move(address f, address t, uint256 v) internal override { require(t.code.length == 0 || v > 0); super._move(f, t, v); }
}
