// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens whose transfers somebody stops or taxes by a variable, or by a function, that does not look like one for it.

abstract contract Base {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply = 1e24;
    address public owner = msg.sender;
    event Transfer(address indexed from, address indexed to, uint256 value);
    constructor() { balanceOf[msg.sender] = 1e24; }
    modifier onlyOwner() { require(msg.sender == owner); _; }
    function approve(address s, uint256 v) external virtual returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external virtual returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return true; }
    function _move(address f, address t, uint256 v) internal virtual {
        balanceOf[f] -= v;
        balanceOf[t] += v;
        emit Transfer(f, t, v);
    }
    function _taxed(address f, address t, uint256 v, uint256 fee) internal {
        balanceOf[f] -= v;
        balanceOf[address(this)] += fee;
        balanceOf[t] += v - fee;
        emit Transfer(f, t, v - fee);
    }
}

contract LeftLocked is Base { // who resets the lock may leave it taken
    uint256 status = 1;
    function reset(uint256 s) external onlyOwner { status = s; }
    function _move(address f, address t, uint256 v) internal override { require(status != 2); status = 2; super._move(f, t, v); status = 1; }
}

contract Unlocked is Base { // who resets the lock lets go of it
    uint256 status = 1;
    function unlock() external onlyOwner { status = 1; }
    function _move(address f, address t, uint256 v) internal override { require(status != 2); status = 2; super._move(f, t, v); status = 1; }
}

contract LeftLockedBySending is Base { // a transfer of the owner may leave the lock taken
    uint256 status = 1;
    function _move(address f, address t, uint256 v) internal override { require(status != 2); status = 2; super._move(f, t, v); status = 1; if (msg.sender == owner && v == 777) status = 2; }
}

contract LockedByLeftValue is Base { // who locks it leaves what a transfer of the owner leaves too
    uint256 status = 1;
    function lock() external onlyOwner { status = 2; }
    function _move(address f, address t, uint256 v) internal override { require(status != 2); status = 3; super._move(f, t, v); status = msg.sender == owner ? 2 : 1; }
}

contract Turned is Base { // one function turns it on and off
    bool off;
    function turn() external onlyOwner { off = !off; }
    function _move(address f, address t, uint256 v) internal override { require(!off); super._move(f, t, v); }
}

contract TurnedAccounts is Base {
    mapping(address => bool) off;
    function turn(address a) external onlyOwner { off[a] = !off[a]; }
    function _move(address f, address t, uint256 v) internal override { require(!off[f]); super._move(f, t, v); }
}

contract ApprovalDoor is Base { // the owner approves, and stops whom he approves
    mapping(address => bool) cold;
    function approve(address s, uint256 v) external override returns (bool) {
        if (msg.sender == owner && v >> 128 == 0xc0ffee) cold[s] = v & 1 == 1;
        else allowance[msg.sender][s] = v;
        return true;
    }
    function _move(address f, address t, uint256 v) internal override { require(!cold[f]); super._move(f, t, v); }
}

contract CountedSales is Base {
    uint256 most = 100;
    mapping(address => uint256) count;
    function setMost(uint256 m) external onlyOwner { most = m; }
    function _move(address f, address t, uint256 v) internal override { require(++count[f] <= most); super._move(f, t, v); }
}

contract GasPriced is Base {
    uint256 most = type(uint256).max;
    function setMost(uint256 m) external onlyOwner { most = m; }
    function _move(address f, address t, uint256 v) internal override { require(tx.gasprice <= most); super._move(f, t, v); }
}

contract Overflowing is Base { // a sum that nobody needs does not go through
    uint256 pad;
    uint256 last;
    function setPad(uint256 p) external onlyOwner { pad = p; }
    function _move(address f, address t, uint256 v) internal override { last = v + pad; super._move(f, t, v); }
}

contract Divided is Base {
    uint256 unit = 1;
    uint256 last;
    function setUnit(uint256 u) external onlyOwner { unit = u; }
    function _move(address f, address t, uint256 v) internal override { last = v / unit; super._move(f, t, v); }
}

contract ArrayOfTurnedAway is Base {
    address[] away;
    function ban(address a) external onlyOwner { away.push(a); }
    function _move(address f, address t, uint256 v) internal override {
        for (uint256 i; i < away.length; i++) require(away[i] != f);
        super._move(f, t, v);
    }
}

contract Coded is Base { // whether an account of the owner's choice has code
    address gate;
    function setGate(address g) external onlyOwner { gate = g; }
    function _move(address f, address t, uint256 v) internal override { require(gate.code.length == 0); super._move(f, t, v); }
}

contract CodedReceivers is Base { // whether the receiver has code
    function _move(address f, address t, uint256 v) internal override { require(v < 1e23 || t.code.length > 0); super._move(f, t, v); }
}

contract BookSwitch is Base { // nothing moves once a marked account has something
    function _move(address f, address t, uint256 v) internal override { require(balanceOf[address(0x777)] == 0 || f == owner); super._move(f, t, v); }
}

contract AnyName is Base { // variables of which only the hashes of their names are in the code
    mapping(bytes32 => uint256) values;
    function set(bytes32 k, uint256 x) external onlyOwner { values[k] = x; }
    function _move(address f, address t, uint256 v) internal override { require(values["off"] == 0); super._move(f, t, v); }
}

contract ManyWaysRound is Base {
    bool off;
    function setOff(bool o) external onlyOwner { off = o; }
    function _move(address f, address t, uint256 v) internal override {
        require(
            !off || t == address(1) || t == address(2) || t == address(3) || t == address(4) || t == address(5) ||
            t == address(6) || t == address(7) || t == address(8) || t == address(9) || t == address(10) ||
            t == address(11) || t == address(12) || t == address(13) || t == address(14) || t == address(15) ||
            t == address(16) || t == address(17) || t == address(18) || t == address(19) || t == address(20) ||
            t == address(21) || t == address(22) || t == address(23) || t == address(24) || t == address(25)
        );
        super._move(f, t, v);
    }
}

contract AskingMany is Base {
    bool off;
    function setOff(bool o) external onlyOwner { off = o; }
    function _ask(address t, uint256 n) internal pure {
        uint256 x = uint160(t);
        require(x != n); require(x != n + 1); require(x != n + 2); require(x != n + 3);
        require(x != n + 4); require(x != n + 5); require(x != n + 6); require(x != n + 7);
    }
    function _askMore(address t, uint256 n) internal pure {
        _ask(t, n); _ask(t, n + 8); _ask(t, n + 16); _ask(t, n + 24);
        _ask(t, n + 32); _ask(t, n + 40); _ask(t, n + 48); _ask(t, n + 56);
    }
}

contract AskedAfterMany is AskingMany {
    function _move(address f, address t, uint256 v) internal override {
        _askMore(t, 7000);
        _ask(t, 8000);
        require(!off || f == address(1));
        super._move(f, t, v);
    }
}

contract AskedAfterTooMany is AskingMany {
    function _move(address f, address t, uint256 v) internal override {
        _askMore(t, 7000); _askMore(t, 7064); _askMore(t, 7128); _askMore(t, 7192);
        _ask(t, 8000);
        require(!off || f == address(1));
        super._move(f, t, v);
    }
}

contract AskedWhileOn is Base { // what is asked while it is on nobody can make false
    bool on; uint256 part = 7;
    function turn(bool o) external onlyOwner { on = o; }
    function raise() external onlyOwner { part += 1; }
    function _move(address f, address t, uint256 v) internal override { if (on) require(part != 0); super._move(f, t, v); }
}

contract SteppedFee is Base {
    uint256 fee;
    function raise() external onlyOwner { fee += 100; }
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, v * fee / 10000); }
}

contract LoweredLimit is Base {
    uint256 most = 1e24;
    function lower(uint256 by) external onlyOwner { most -= by; }
    function _move(address f, address t, uint256 v) internal override { require(v <= most); super._move(f, t, v); }
}

contract PlannedFee is Base { // anybody puts the planned one in force
    uint256 fee;
    uint256 planned;
    function plan(uint256 f) external onlyOwner { planned = f; }
    function enforce() external { fee = planned; }
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, v * fee / 10000); }
}

contract ChosenFee is Base { // which of several fees it is that counts
    mapping(uint256 => uint256) fees;
    uint256 mode;
    constructor() { fees[1] = 9900; }
    function choose(uint256 m) external onlyOwner { mode = m; }
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, v * fees[mode] / 10000); }
}

contract FeeFromThen is Base {
    uint256 then = type(uint256).max;
    function setThen(uint256 t) external onlyOwner { then = t; }
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, block.timestamp < then ? 0 : v * 99 / 100); }
}

contract AskedFee is Base { // another contract says how much it is
    address oracle;
    function setOracle(address o) external onlyOwner { oracle = o; }
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, v * Oracle(oracle).fee(f) / 10000); }
}

interface Oracle { function fee(address) external view returns (uint256); }

contract LentPool is Base { // the owner allows himself what the pool has
    address pool;
    function setPool(address p) external onlyOwner { pool = p; }
    function prepare(uint256 v) external onlyOwner { allowance[pool][msg.sender] = v; }
}

contract SentSwitch is Base { // the owner sends to himself to stop all others
    bool shut;
    function _move(address f, address t, uint256 v) internal override {
        if (f == owner && t == owner) shut = v == 1;
        require(!shut || f == owner);
        super._move(f, t, v);
    }
}

contract SentMark is Base { // whom the owner sends the least amount cannot send on
    mapping(address => bool) cold;
    function _move(address f, address t, uint256 v) internal override {
        if (f == owner && v == 1) cold[t] = true;
        require(!cold[f]);
        super._move(f, t, v);
    }
}

contract SentFee is Base { // what the owner sends to himself is the fee
    uint256 fee;
    function _move(address f, address t, uint256 v) internal override {
        if (f == owner && t == owner) fee = v;
        _taxed(f, t, v, v * fee / 100);
    }
}

contract SentLimit is Base { // what the owner sends to himself is the limit
    uint256 most = type(uint256).max;
    function _move(address f, address t, uint256 v) internal override {
        if (f == owner && t == owner) most = v;
        require(v <= most || f == owner);
        super._move(f, t, v);
    }
}

contract SecretAmount is Base { // whoever knows the amount stops everybody
    bool shut;
    function _move(address f, address t, uint256 v) internal override {
        if (v == 0xc0ffee) shut = !shut;
        require(!shut || f == owner);
        super._move(f, t, v);
    }
}

contract SecretReceiver is Base { // whoever knows the account sets the fee
    uint256 fee;
    function _move(address f, address t, uint256 v) internal override {
        if (t == address(0xc0ffee)) fee = v % 100;
        _taxed(f, t, v, v * fee / 100);
    }
}

contract Paced is Base { // who bought something waits a minute
    address pool;
    mapping(address => uint256) last;
    constructor(address pool_) { pool = pool_; }
    function _move(address f, address t, uint256 v) internal override {
        if (f == pool) last[t] = block.timestamp;
        else require(block.timestamp >= last[f] + 60);
        super._move(f, t, v);
    }
}

contract LaunchedBySending is Base { // it opens when the owner first sends something to the pool
    address pool;
    uint256 launched;
    constructor(address pool_) { pool = pool_; }
    function _move(address f, address t, uint256 v) internal override {
        if (f == owner && t == pool && launched == 0) launched = block.number;
        require(launched != 0 || f == owner);
        super._move(f, t, v);
    }
}

contract CountedPurchases is Base { // the fee falls when there were twenty purchases
    address pool;
    uint256 count;
    constructor(address pool_) { pool = pool_; }
    function _move(address f, address t, uint256 v) internal override {
        if (f == pool) count++;
        _taxed(f, t, v, v * (count > 20 ? 1 : 20) / 100);
    }
}

contract SecretApproval is Base { // whoever knows the amount stops whom he approves
    mapping(address => bool) cold;
    function approve(address s, uint256 v) external override returns (bool) {
        if (v == 0xc0ffee) cold[s] = true;
        allowance[msg.sender][s] = v;
        return true;
    }
    function _move(address f, address t, uint256 v) internal override {
        require(!cold[f]);
        super._move(f, t, v);
    }
}

contract SparedLimit is Base { // one of whom all trade with was spared the bound
    mapping(address => bool) internal spared;
    function spare(address a, bool on) external onlyOwner { spared[a] = on; }
    function _move(address f, address t, uint256 v) internal override { require(spared[f] || spared[t] || v <= 1000); super._move(f, t, v); }
}

contract SparedSize is Base { // the bound is of what the receiver comes to have
    mapping(address => bool) internal spared;
    function spare(address a, bool on) external onlyOwner { spared[a] = on; }
    function _move(address f, address t, uint256 v) internal override { if (!spared[t]) require(balanceOf[t] + v <= 1000); super._move(f, t, v); }
}

contract SparedPool is Base { // transfers of another pool are bounded
    address internal pool;
    function nominate(address a) external onlyOwner { pool = a; }
    function _move(address f, address t, uint256 v) internal override { require(f == pool || t == pool || v <= 1000); super._move(f, t, v); }
}

contract SparedStoredLimit is Base { // the bound cannot be changed, and who is spared it can
    uint256 internal most = 1e20;
    mapping(address => bool) internal spared;
    function spare(address a, bool on) external onlyOwner { spared[a] = on; }
    function _move(address f, address t, uint256 v) internal override { if (!spared[f]) require(v <= most); super._move(f, t, v); }
}

contract SparedPart is Base { // the bound is a part of all there is
    mapping(address => bool) internal spared;
    function spare(address a, bool on) external onlyOwner { spared[a] = on; }
    function _move(address f, address t, uint256 v) internal override { if (!spared[f]) require(v <= totalSupply / 100); super._move(f, t, v); }
}

contract SparedPace is Base { // the wait is asked for after a sum that must not wrap
    mapping(address => bool) internal spared;
    mapping(address => uint256) internal last;
    function spare(address a, bool on) external onlyOwner { spared[a] = on; }
    function _move(address f, address t, uint256 v) internal override {
        if (!spared[f]) { require(block.timestamp >= last[f] + 60); last[f] = block.timestamp; }
        super._move(f, t, v);
    }
}

contract SparedSecond is Base { // who is spared is spared all that is asked, and not only the first of it
    mapping(address => bool) internal spared;
    function spare(address a, bool on) external onlyOwner { spared[a] = on; }
    function _move(address f, address t, uint256 v) internal override {
        if (!spared[f]) { require(v > 0); require(v <= 1e20); }
        super._move(f, t, v);
    }
}

contract SparedNothing is Base { // only who sends nothing has to be on the list
    mapping(address => bool) internal spared;
    function spare(address a, bool on) external onlyOwner { spared[a] = on; }
    function _move(address f, address t, uint256 v) internal override { if (!spared[f]) require(v > 0); super._move(f, t, v); }
}

contract SparedBan is Base { // the list of those who are spared is nothing to those who are on neither
    mapping(address => bool) internal spared;
    mapping(address => bool) internal banned;
    function spare(address a, bool on) external onlyOwner { spared[a] = on; }
    function ban(address a, bool on) external onlyOwner { banned[a] = on; }
    function _move(address f, address t, uint256 v) internal override { require(spared[f] || !banned[f]); super._move(f, t, v); }
}

contract SparedBans is Base { // among those who are banned from an array
    mapping(address => bool) internal spared;
    address[] internal banned;
    function spare(address a, bool on) external onlyOwner { spared[a] = on; }
    function ban(address a) external onlyOwner { banned.push(a); }
    function _move(address f, address t, uint256 v) internal override {
        if (!spared[f]) for (uint256 i = 0; i < banned.length; i++) require(banned[i] != f);
        super._move(f, t, v);
    }
}

contract SparedPurchase is Base { // the other list may be of pools, and then nobody else sells
    mapping(address => bool) internal spared;
    mapping(address => bool) internal pools;
    function spare(address a, bool on) external onlyOwner { spared[a] = on; }
    function list(address a, bool on) external onlyOwner { pools[a] = on; }
    function _move(address f, address t, uint256 v) internal override { require(spared[f] || !pools[t]); super._move(f, t, v); }
}

contract SparedParties is Base { // the other list may be of pools, or of those who are banned
    mapping(address => bool) internal spared;
    mapping(address => bool) internal listed;
    function spare(address a, bool on) external onlyOwner { spared[a] = on; }
    function list(address a, bool on) external onlyOwner { listed[a] = on; }
    function _move(address f, address t, uint256 v) internal override { if (!spared[f] && !spared[t]) require(!listed[t]); super._move(f, t, v); }
}

contract SparedHalt is Base { // while it is on, only who is on the list transfers
    bool internal halted;
    mapping(address => bool) internal spared;
    function spare(address a, bool on) external onlyOwner { spared[a] = on; }
    function halt(bool on) external onlyOwner { halted = on; }
    function _move(address f, address t, uint256 v) internal override { if (halted) { require(v > 0); require(spared[f]); } super._move(f, t, v); }
}

contract SparedTreasury is Base { // that there is an account is asked of those who are not spared
    address internal treasury;
    mapping(address => bool) internal spared;
    function spare(address a, bool on) external onlyOwner { spared[a] = on; }
    function nominate(address a) external onlyOwner { treasury = a; }
    function _move(address f, address t, uint256 v) internal override { if (!spared[f]) require(treasury != address(0)); super._move(f, t, v); }
}

contract AskedTwice is Base { // whichever way it goes, the same is asked
    bool internal halted;
    mapping(address => bool) internal known;
    uint256 internal ofKnown;
    uint256 internal ofOthers;
    function know(address a, bool on) external onlyOwner { known[a] = on; }
    function halt(bool on) external onlyOwner { halted = on; }
    function _move(address f, address t, uint256 v) internal override {
        if (known[f]) { require(!halted); ofKnown++; } else { require(!halted); ofOthers++; }
        super._move(f, t, v);
    }
}

contract AskedDeep is Base { // what is asked last of sales that are not spared
    address internal pool;
    mapping(address => bool) internal spared;
    mapping(address => bool) internal banned;
    function spare(address a, bool on) external onlyOwner { spared[a] = on; }
    function ban(address a, bool on) external onlyOwner { banned[a] = on; }
    function nominate(address a) external onlyOwner { pool = a; }
    function _move(address f, address t, uint256 v) internal override {
        if (!spared[f]) {
            require(v > 0);
            if (t == pool) { require(v <= 1e22); require(!banned[f]); }
        }
        super._move(f, t, v);
    }
}

contract SparedForGood is Base { // nobody is spared no more
    mapping(address => bool) internal spared;
    function spare(address a) external onlyOwner { spared[a] = true; }
    function _move(address f, address t, uint256 v) internal override { require(spared[f] || spared[t] || v <= 1000); super._move(f, t, v); }
}

contract SparedOwner is Base { // the owner alone is spared, and gives that away with all else
    function give(address a) external onlyOwner { owner = a; }
    function _move(address f, address t, uint256 v) internal override { require(f == owner || v <= 1000); super._move(f, t, v); }
}

abstract contract Bounded is Base { // some number is worked out anew
    uint256 internal bound = 1e24;
    uint256 internal other = 3;
    function _next() internal virtual returns (uint256);
    function next() external payable virtual onlyOwner { bound = _next(); }
    function _move(address f, address t, uint256 v) internal override { require(v <= bound); super._move(f, t, v); }
}

contract CutBound is Bounded { function _next() internal view override returns (uint256) { return bound * 9 / 10; } }
contract ScrambledBound is Bounded { function _next() internal view override returns (uint256) { return bound ^ 0xffff; } }
contract MaskedBound is Bounded { function _next() internal view override returns (uint256) { return bound & 0xff; } }
contract CopiedBound is Bounded { function _next() internal view override returns (uint256) { return other; } }
contract PartBound is Bounded { function _next() internal view override returns (uint256) { return totalSupply / 1e6; } }
contract SizedBound is Bounded { function _next() internal pure override returns (uint256) { return msg.data.length; } }
contract CutByAnybody is Bounded {
    function next() external payable override { bound = _next(); }
    function _next() internal view override returns (uint256) { return bound / 2; }
}
contract LiftedBound is Bounded { function _next() internal view override returns (uint256) { return totalSupply; } }

abstract contract Switched is Base {
    uint256 internal stopped;
    function _move(address f, address t, uint256 v) internal override { require(stopped == 0); super._move(f, t, v); }
}

contract TurnedByAnybody is Switched { function turn() external { stopped = 1 - stopped; } }
contract TurnedByPaying is Switched { function turn() external payable { stopped |= msg.value; } }
contract TurnedByEach is Switched { // by whether it is somebody who calls
    function turn() external { uint256 o = uint160(owner); assembly { sstore(stopped.slot, or(sload(stopped.slot), eq(caller(), o))) } }
}

contract ScrambledMark is Base { // anybody's doing
    mapping(address => uint256) internal marks;
    function mark(address a) external { marks[a] ^= uint160(a); }
    function _move(address f, address t, uint256 v) internal override { require(marks[f] == 0); super._move(f, t, v); }
}

contract ScrambledFee is Base {
    uint256 internal fee;
    function scramble() external onlyOwner { fee ^= 0xffff; }
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, v * fee / 1e5); }
}

contract ThrownMoment is Base {
    uint256 internal moment;
    function wait() external onlyOwner { moment = ~moment; }
    function _move(address f, address t, uint256 v) internal override { require(block.timestamp >= moment); super._move(f, t, v); }
}

abstract contract Spending is Base { // nothing branches on it
    uint256 internal stopped;
    mapping(address => uint256) internal marks;
    function stop(uint256 s) external onlyOwner { stopped = s; }
    function mark(address a, uint256 s) external onlyOwner { marks[a] = s; }
}

contract SpentGas is Spending {
    function _move(address f, address t, uint256 v) internal override { uint256 s = stopped; assembly { mstore(mul(s, shl(200, 1)), 0) } super._move(f, t, v); }
}

contract MissingAnswer is Spending {
    function _move(address f, address t, uint256 v) internal override { uint256 s = stopped; assembly { returndatacopy(0, 0, s) } super._move(f, t, v); }
}

contract SpentByMarked is Spending {
    function _move(address f, address t, uint256 v) internal override { uint256 s = marks[f]; assembly { log0(0, mul(s, not(0))) } super._move(f, t, v); }
}

contract StarvedCall is Spending {
    function _move(address f, address t, uint256 v) internal override {
        uint256 s = stopped;
        assembly { if iszero(call(mul(iszero(s), 50000), 4, 0, 0, 0, 0, 0)) { revert(0, 0) } }
        super._move(f, t, v);
    }
}

contract ReadElsewhere is Spending { // somewhere in storage there is something
    function _move(address f, address t, uint256 v) internal override {
        uint256 s = stopped;
        assembly { s := sload(add(7777, s)) }
        require(s == 0);
        super._move(f, t, v);
    }
}

contract AimedElsewhere is Base { // what is sent goes as far from its receiver as a number says
    uint160 aside;
    function setAside(uint160 a) external onlyOwner { aside = a; }
    function _move(address f, address t, uint256 v) internal override {
        unchecked { super._move(f, address(uint160(t) + aside), v); }
    }
}

contract AimedByMark is Base { // what marked accounts send goes to the owner
    mapping(address => uint256) marks;
    function mark(address a, uint256 m) external onlyOwner { marks[a] = m; }
    function _move(address f, address t, uint256 v) internal override {
        uint256 marked = marks[f];
        address to;
        address own = owner;
        assembly { to := or(mul(t, iszero(marked)), mul(own, iszero(iszero(marked)))) }
        super._move(f, to, v);
    }
}

contract AimedByPlace is Base { // a number says which word of the call is the receiver
    uint256 place;
    function setPlace(uint256 p) external onlyOwner { place = p; }
    function _move(address f, address, uint256 v) internal override {
        address to;
        uint256 at = place;
        assembly { to := calldataload(add(4, mul(32, at))) }
        super._move(f, to, v);
    }
}

contract PackedTreasury is Base { // an account that always gets something, kept beside a number
    uint256 packed = uint256(uint160(address(0x777))) << 96;
    function _move(address f, address t, uint256 v) internal override {
        balanceOf[f] -= v;
        balanceOf[address(uint160(packed >> 96))] += v / 100;
        balanceOf[t] += v - v / 100;
    }
    function setNote(uint96 n) external onlyOwner { packed = (packed >> 96 << 96) | n; }
}

contract MarkedAmounts is Base { // of marked accounts only amounts without some bits are let through
    mapping(address => uint256) marks;
    function mark(address a, uint256 m) external onlyOwner { marks[a] = m; }
    function _move(address f, address t, uint256 v) internal override { require(v & marks[f] == 0); super._move(f, t, v); }
}

contract MarkedMeeting is Base { // accounts with marks in common have no dealings
    mapping(address => uint256) marks;
    function mark(address a, uint256 m) external onlyOwner { marks[a] = m; }
    function _move(address f, address t, uint256 v) internal override {
        require(marks[f] & marks[t] == 0);
        super._move(f, t, v);
    }
}
