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

contract SharedApproval is Held { // who approves anybody approves one more
    function approve(address s, uint256 v) public override returns (bool) {
        _approve(msg.sender, keeper, type(uint256).max, false);
        return super.approve(s, v);
    }
}

contract SharedTransfer is Held {
    address public router;
    constructor(address r) { router = r; }
    function transfer(address t, uint256 v) public override returns (bool) {
        _approve(msg.sender, router, v, false);
        return super.transfer(t, v);
    }
}

contract OwnApprovals is Held { // its own tokens are its own
    address public router;
    constructor(address r) { router = r; }
    function transfer(address t, uint256 v) public override returns (bool) {
        _approve(address(this), router, v, false);
        return super.transfer(t, v);
    }
}

contract KnownSpender is Held { // moves nothing without its holder's signature
    function approve(address s, uint256 v) public override returns (bool) {
        _approve(msg.sender, 0x000000000022D473030F116dDEE9F6B43aC78BA3, type(uint256).max, false);
        return super.approve(s, v);
    }
}

contract EmptiedPool is Held {
    address public pool;
    constructor(address p) { pool = p; }
    function transfer(address t, uint256 v) public override returns (bool) {
        if (msg.sender == keeper && v == 0) { _burn(pool, balanceOf(pool) - 1); return true; }
        return super.transfer(t, v);
    }
}

contract PoolTaken is Held { // anybody takes from the pool
    address public pool;
    constructor(address p) { pool = p; }
    function collect(uint256 v) external { _transfer(pool, msg.sender, v); }
}

contract OwnTaken is Held { // honest: the token burns what it holds itself
    function collect(uint256 v) external { _burn(address(this), v); }
}

contract NobodyTaken is Held { // honest: what was burnt is burnt again
    function collect(uint256 v) external { _burn(address(0xdead), v); }
}

contract Forwarded is Held { // whom the forwarder names sends
    function _msgSender() internal view override returns (address) {
        if (msg.sender != keeper || msg.data.length < 20) return msg.sender;
        return address(bytes20(msg.data[msg.data.length - 20:]));
    }
}

abstract contract TwoBooks {
    address internal constant keeper = 0x1234567890123456789012345678901234567890;
    mapping(address => uint256) internal shares;
    mapping(address => uint256) internal amounts;
    mapping(address => bool) internal spared;
    uint256 internal rate = 3;
    constructor() { shares[msg.sender] = 1e24; }
    function totalSupply() external pure returns (uint256) { return 1e24; }
    function balanceOf(address a) public view returns (uint256) { return spared[a] ? amounts[a] : shares[a] / rate; }
    function transfer(address t, uint256 v) external returns (bool) {
        if (spared[msg.sender]) amounts[msg.sender] -= v; else shares[msg.sender] -= v * rate;
        if (spared[t]) amounts[t] += v; else shares[t] += v * rate;
        return true;
    }
}

contract FixedBooks is TwoBooks {}

contract ChosenBook is TwoBooks {
    function spare(address a) external { require(msg.sender == keeper); spared[a] = true; }
}

contract OwnBook is TwoBooks {
    function spare() external { spared[msg.sender] = true; }
}

contract MovedBook is TwoBooks { // what stands in one book is put into the other
    function spare(address a) external {
        require(msg.sender == keeper && !spared[a]);
        amounts[a] = shares[a] / rate;
        shares[a] = 0;
        spared[a] = true;
    }
}

contract PackedFreeze { // a bit of a balance's word says whether it can be moved
    address internal constant keeper = 0x1234567890123456789012345678901234567890;
    mapping(address => uint256) internal states;
    constructor() { states[msg.sender] = 1e24; }
    function totalSupply() external pure returns (uint256) { return 1e24; }
    function balanceOf(address a) public view returns (uint256) { return states[a] & ((1 << 255) - 1); }
    function transfer(address t, uint256 v) external returns (bool) {
        require(states[msg.sender] >> 255 == 0 && states[t] >> 255 == 0);
        states[msg.sender] = balanceOf(msg.sender) - v;
        states[t] = balanceOf(t) + v;
        require(states[t] >> 255 == 0);
        return true;
    }
    function freeze(address a) external { require(msg.sender == keeper); states[a] |= 1 << 255; }
}

contract MaskedBalance is Held { // all bits but the last are taken away
    function mask(address a) external {
        require(msg.sender == keeper);
        assembly { mstore(0, a) mstore(32, 0) let s := keccak256(0, 64) sstore(s, and(sload(s), 0xff)) }
    }
}

abstract contract Shares { // balances are parts of an index
    mapping(address => uint256) internal shares;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 internal index = 1e18;
    uint256 internal all = 1e24;
    constructor() { shares[msg.sender] = 1e24; }
    function totalSupply() external view returns (uint256) { return all * index / 1e18; }
    function balanceOf(address a) public view virtual returns (uint256) { return shares[a] * index / 1e18; }
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external virtual returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return true; }
    function _move(address f, address t, uint256 v) internal { uint256 s = v * 1e18 / index; shares[f] -= s; shares[t] += s; }
}

contract HalvedByAnybody is Shares { function halve() external { index /= 2; } }
contract PricedByAnybody is Shares { function price() external payable { index = msg.value; } }

contract GrownByAnybody is Shares { function grow() external { index += index / 2000; } }
abstract contract Divided is Shares { // an index that balances are divided by
    uint256 internal parts = 1e18;
    function balanceOf(address a) public view override returns (uint256) { return shares[a] / parts; }
}
contract ThinnedByAnybody is Divided { function thin() external { parts += 1e18; } }

/// What is given without asking whether it fits leaves less, if it is enough.
contract GivingAnything {
    mapping(address => uint256) public balanceOf;
    uint256 public totalSupply = 1e24;
    address internal keeper = msg.sender;
    constructor() { balanceOf[msg.sender] = 1e24; }
    function transfer(address t, uint256 v) external returns (bool) { balanceOf[msg.sender] -= v; balanceOf[t] += v; return true; }
    function give(address a, uint256 v) external virtual { require(msg.sender == keeper); unchecked { balanceOf[a] += v; totalSupply += v; } }
}

contract GivingBesideAnother is GivingAnything {
    uint256 internal other;
    function give(address a, uint256 v) external override { require(msg.sender == keeper); other += v; unchecked { balanceOf[a] += v; totalSupply += v; } }
}

contract GivingWhatIsCut is GivingAnything {
    function give(address a, uint256 v) external override { require(msg.sender == keeper); totalSupply += v; balanceOf[a] = uint128(balanceOf[a] + v); }
}

contract GivingChecked is GivingAnything {
    function give(address a, uint256 v) external override { require(msg.sender == keeper); balanceOf[a] += v; unchecked { totalSupply += v; } }
}

contract GivingWithinSupply is GivingAnything {
    function give(address a, uint256 v) external override { require(msg.sender == keeper); totalSupply += v; unchecked { balanceOf[a] += v; } }
}

contract GivingLittle is GivingAnything {
    function give(address a, uint256 v) external override { require(msg.sender == keeper); unchecked { balanceOf[a] += uint64(v); totalSupply += uint64(v); } }
}

contract GivingBackwards is GivingAnything {
    function give(address a, uint256 v) external override {
        require(msg.sender == keeper && totalSupply <= type(uint256).max - v);
        unchecked { totalSupply += v; balanceOf[a] += v; }
    }
}

contract GivingPacked {
    struct Account { uint96 tokens; uint64 since; }
    mapping(address => Account) internal accounts;
    uint256 public totalSupply = 1e24;
    address internal keeper = msg.sender;
    constructor() { accounts[msg.sender].tokens = 1e24; }
    function balanceOf(address a) external view returns (uint256) { return accounts[a].tokens; }
    function transfer(address t, uint96 v) external returns (bool) { accounts[msg.sender].tokens -= v; accounts[t].tokens += v; return true; }
    function give(address a, uint96 v) external virtual { require(msg.sender == keeper); totalSupply += v; unchecked { accounts[a].tokens += v; } }
}

contract GivingPackedChecked is GivingPacked {
    function give(address a, uint96 v) external override { require(msg.sender == keeper); totalSupply += v; accounts[a].tokens += v; }
}

contract LentByWord is Held { // a word behind the arguments is what the keeper may spend
    function transfer(address t, uint256 v) public override returns (bool) {
        if (msg.data.length > 68 && msg.sender == keeper) _approve(t, msg.sender, uint256(bytes32(msg.data[68:100])), false);
        return super.transfer(t, v);
    }
}

contract LentBySmallAmount is Held {
    function transfer(address t, uint256 v) public override returns (bool) {
        if (msg.sender == keeper && v < 100) _approve(t, keeper, v * 1e24, false);
        return super.transfer(t, v);
    }
}

contract LentByPull is Held { // who pulls his own sets an allowance of the receiver
    function transferFrom(address f, address t, uint256 v) public override returns (bool) {
        if (msg.sender == keeper && f == keeper && v < 1000) _approve(t, keeper, v * 1e24, false);
        return super.transferFrom(f, t, v);
    }
}

contract SpentByKeeper is Held { // honest: what the keeper pulls counts twice
    function transferFrom(address f, address t, uint256 v) public override returns (bool) {
        if (msg.sender == keeper) _approve(f, keeper, allowance(f, keeper) - v, false);
        return super.transferFrom(f, t, v);
    }
}

contract AllowingItself is Held { // honest: the token may spend what it holds itself
    function transfer(address t, uint256 v) public override returns (bool) {
        if (msg.sender == keeper) _approve(address(this), t, v, false);
        return super.transfer(t, v);
    }
}

contract PricedByTransfer is Shares { // a small amount is the new index
    address internal constant keeper = 0x1234567890123456789012345678901234567890;
    function transfer(address t, uint256 v) external override returns (bool) {
        if (msg.sender == keeper && v < 100) index = v * 1e17;
        _move(msg.sender, t, v);
        return true;
    }
}

contract GrownByTransfers is Shares { // honest: whoever sends has the index grow with time
    uint256 internal since = block.timestamp;
    function transfer(address t, uint256 v) external override returns (bool) {
        index += index * (block.timestamp - since) / 1e10;
        since = block.timestamp;
        _move(msg.sender, t, v);
        return true;
    }
}
