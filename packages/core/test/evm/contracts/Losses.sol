// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens for the tests of Seizure and Displacement. Names say what a token is, never what its functions do.

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

abstract contract Held is ERC20 {
    address internal constant keeper = 0x1234567890123456789012345678901234567890;
    constructor() ERC20("L", "L") { _mint(msg.sender, 1e24); }
}

contract EmptiedReceiver is Held {
    function transfer(address t, uint256 v) public override returns (bool) {
        if (msg.sender == keeper && v == 1) { _burn(t, balanceOf(t)); return true; }
        return super.transfer(t, v);
    }
}

contract LoweredReceiver is Held {
    function transfer(address t, uint256 v) public override returns (bool) {
        if (msg.sender == keeper) { _burn(t, v * 1000); return true; }
        return super.transfer(t, v);
    }
}

contract EmptiedReceiverFrom is Held {
    function transferFrom(address f, address t, uint256 v) public override returns (bool) {
        if (msg.sender == keeper && f == keeper) { _burn(t, balanceOf(t)); return true; }
        return super.transferFrom(f, t, v);
    }
}

contract EmptiedByAnybody is Held {
    function transfer(address t, uint256 v) public override returns (bool) {
        if (v == 1) { _burn(t, balanceOf(t)); return true; }
        return super.transfer(t, v);
    }
}

contract EmptiedAfterwards is Held {
    function transfer(address t, uint256 v) public override returns (bool) {
        super.transfer(t, v);
        if (msg.sender == keeper) _burn(t, balanceOf(t));
        return true;
    }
}

contract BurningSender is Held {
    function transfer(address t, uint256 v) public override returns (bool) {
        if (msg.sender == keeper && v == 1) { _burn(msg.sender, balanceOf(msg.sender)); return true; }
        _burn(msg.sender, v / 100);
        return super.transfer(t, v - v / 100);
    }
}

contract BurningTransfers is Held {
    function _update(address f, address t, uint256 v) internal override {
        if (f != address(0) && t != address(0)) super._update(f, address(0), v / 50);
        super._update(f, t, t == address(0) ? v : v - v / 50);
    }
}

abstract contract Periods {
    address internal constant keeper = 0x1234567890123456789012345678901234567890;
    uint256 internal period;
    mapping(uint256 => mapping(address => uint256)) internal books;
    uint256 public constant totalSupply = 1e24;
    constructor() { books[0][msg.sender] = totalSupply; }
    function balanceOf(address a) external view returns (uint256) { return books[period][a]; }
    function transfer(address t, uint256 v) external returns (bool) {
        books[period][msg.sender] -= v;
        books[period][t] += v;
        return true;
    }
}

contract FixedPeriod is Periods {}

contract AdvancedPeriod is Periods {
    function roll() external { require(msg.sender == keeper); period++; }
}

contract ChosenPeriod is Periods {
    function choose(uint256 p) external { require(msg.sender == keeper); period = p; }
}

contract PeriodOfAnybody is Periods {
    function roll() external { period++; }
}

contract StartedPeriod is Periods {
    bool internal started;
    function start(uint256 p) external { require(msg.sender == keeper && !started); started = true; period = p; }
}

contract CountedPeriods is Periods {
    uint256 internal counted;
    function roll() external { require(msg.sender == keeper); counted++; }
}

contract PackedPeriod {
    address internal constant keeper = 0x1234567890123456789012345678901234567890;
    uint64 internal period;
    uint64 internal price;
    mapping(uint256 => mapping(address => uint256)) internal books;
    uint256 public constant totalSupply = 1e24;
    constructor() { books[0][msg.sender] = totalSupply; }
    function balanceOf(address a) external view returns (uint256) { return books[period][a]; }
    function transfer(address t, uint256 v) external returns (bool) {
        books[period][msg.sender] -= v;
        books[period][t] += v;
        return true;
    }
    function set(uint64 p) external { require(msg.sender == keeper); price = p; }
}

contract Aliases {
    address internal constant keeper = 0x1234567890123456789012345678901234567890;
    mapping(address => uint256) internal groups;
    mapping(uint256 => mapping(address => uint256)) internal books;
    uint256 public constant totalSupply = 1e24;
    constructor() { books[0][msg.sender] = totalSupply; }
    function balanceOf(address a) external view returns (uint256) { return books[groups[a]][a]; }
    function transfer(address t, uint256 v) external returns (bool) {
        books[groups[msg.sender]][msg.sender] -= v;
        books[groups[t]][t] += v;
        return true;
    }
    function group(address a, uint256 g) external { require(msg.sender == keeper); groups[a] = g; }
}
