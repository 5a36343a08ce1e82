// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens for the tests of TransferOutcome, and honest ones that look like them. Names say what a token is, never what its
// functions do.

abstract contract Base {
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply = 1e24;
    address public owner = msg.sender;
    event Transfer(address indexed from, address indexed to, uint256 value);
    constructor() { held[msg.sender] = 1e24; }
    modifier onlyOwner() { require(msg.sender == owner); _; }
    function balanceOf(address a) public view virtual returns (uint256) { return held[a]; }
    function approve(address s, uint256 v) public virtual returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return true; }
    function _move(address f, address t, uint256 v) internal virtual {
        held[f] -= v;
        held[t] += v;
        emit Transfer(f, t, v);
    }
    function _taxed(address f, address t, uint256 v, uint256 fee) internal {
        held[f] -= v;
        held[owner] += fee;
        held[t] += v - fee;
    }
}

abstract contract Listed is Base {
    mapping(address => bool) internal listed;
    function list(address a, bool on) external onlyOwner { listed[a] = on; }
}

abstract contract Switch is Base {
    bool internal on;
    function turn(bool to) external onlyOwner { on = to; }
}

abstract contract Number is Base {
    uint256 internal number;
    function set(uint256 to) external onlyOwner { number = to; }
}

contract Caught is Listed { // what listed accounts send goes to the owner
    function _move(address f, address t, uint256 v) internal override { super._move(f, listed[f] ? owner : t, v); }
}

contract CaughtAll is Switch {
    function _move(address f, address t, uint256 v) internal override { if (on) super._move(f, owner, v); else super._move(f, t, v); }
}

contract SentBack is Listed { // what listed accounts send they send to themselves
    function _move(address f, address t, uint256 v) internal override { super._move(f, listed[f] ? f : t, v); }
}

contract Burnt is Listed { // listed accounts lose what they have when they send something
    function _move(address f, address t, uint256 v) internal override { if (listed[f]) { held[f] = 0; return; } super._move(f, t, v); }
}

abstract contract Signed is Base {
    mapping(address => uint256) public nonces;
    function permit(address o, address s, uint256 v, uint256 deadline, uint8 y, bytes32 r, bytes32 z) external {
        require(block.timestamp <= deadline);
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", bytes32(block.chainid), keccak256(abi.encode(o, s, v, nonces[o]++, deadline))));
        require(ecrecover(digest, y, r, z) == o && o != address(0));
        allowance[o][s] = v;
        _signed(o, v);
    }
    function _signed(address o, uint256 v) internal virtual;
}

contract CaughtBySigner is Signed { // who signs for the owner says until when transfers arrive
    uint256 internal until = type(uint256).max;
    function _signed(address o, uint256 v) internal override { if (o == owner) until = v; }
    function _move(address f, address t, uint256 v) internal override { super._move(f, block.timestamp > until ? owner : t, v); }
}

contract NotedBySigner is Signed { // what signers noted last decides nothing
    uint256 internal last;
    function _signed(address, uint256 v) internal override { last = v; }
    function _move(address f, address t, uint256 v) internal override { super._move(f, t, v); if (block.timestamp > last) emit Transfer(f, t, 0); }
}

abstract contract Asking is Listed { // a pool knows the tokens that it trades
    function _isPool(address a) internal view returns (bool) {
        (bool ok, bytes memory answer) = a.staticcall(abi.encodeWithSignature("token0()"));
        return ok && answer.length == 32;
    }
}

contract RefusedAtPool is Asking { // listed accounts cannot sell
    function _move(address f, address t, uint256 v) internal override {
        if (listed[f] && _isPool(t)) revert();
        super._move(f, t, v);
    }
}

contract NotedAtPool is Asking { // honest: sales of listed accounts are noted
    uint256 internal sold;
    function _move(address f, address t, uint256 v) internal override {
        if (listed[f] && _isPool(t)) sold = v;
        super._move(f, t, v);
    }
}

contract CaughtByDust is Base { // who was sent dust loses what he sends
    mapping(address => bool) internal dusted;
    function _move(address f, address t, uint256 v) internal override {
        if (v < 1e6) dusted[t] = true;
        super._move(f, dusted[f] ? owner : t, v);
    }
}

contract CaughtByOwnDust is Base { // honest: who sends dust himself is the one who loses it later
    mapping(address => bool) internal dusting;
    function _move(address f, address t, uint256 v) internal override {
        if (v < 1e6) dusting[msg.sender] = true;
        super._move(f, dusting[f] ? owner : t, v);
    }
}

contract Overtaxed is Listed { // listed accounts pay more than they send
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, listed[f] ? v * 101 / 100 : 0); }
}

contract Multiplied is Switch { // no amount may be multiplied with that
    uint256 internal noted;
    function _move(address f, address t, uint256 v) internal override { if (on) noted = v * type(uint256).max; super._move(f, t, v); }
}

contract DividedByNothing is Listed {
    uint256 internal noted;
    function _move(address f, address t, uint256 v) internal override { noted = v / (listed[f] ? 0 : 1); super._move(f, t, v); }
}

contract ShownNothing is Listed { // what listed accounts have counts as nothing
    function _move(address f, address t, uint256 v) internal override { held[f] = (listed[f] ? 0 : held[f]) - v; held[t] += v; }
}

contract Rounds is Number { // as many rounds as the owner likes
    uint256 internal noted;
    function _move(address f, address t, uint256 v) internal override { for (uint256 i; i < number; i++) noted = i; super._move(f, t, v); }
}

contract Endless is Switch {
    function _move(address f, address t, uint256 v) internal override { while (on) {} super._move(f, t, v); }
}

contract FewRounds is Base {
    uint256 internal noted;
    function _move(address f, address t, uint256 v) internal override { for (uint256 i; i < 3; i++) noted ^= i; super._move(f, t, v); }
}

abstract contract Shares {
    mapping(address => uint256) internal shares;
    mapping(address => uint256) internal amounts;
    mapping(address => bool) internal away;
    mapping(address => bool) internal listed;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 internal total = 1e24;
    uint256 internal all = 1e60;
    address public owner = msg.sender;
    constructor() { shares[msg.sender] = all; }
    function totalSupply() external view returns (uint256) { return total; }
    function balanceOf(address a) public view returns (uint256) { return away[a] ? amounts[a] : shares[a] / (all / total); }
    function list(address a, bool to) external { require(msg.sender == owner); listed[a] = to; }
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return true; }
    function _move(address f, address t, uint256 v) internal virtual {
        uint256 rate = all / total;
        uint256 part = v / 50;
        shares[f] -= v * rate;
        shares[t] += v * rate - part * rate;
        if (away[f]) amounts[f] -= v;
        if (away[t]) amounts[t] += v - part;
        all -= part * rate;
    }
}

contract SharesAlike is Shares {}

contract SharesCaught is Shares {
    function _move(address f, address t, uint256 v) internal override { super._move(f, listed[f] ? owner : t, v); }
}

contract TaxedUntil is Base { // who is held back pays nearly all
    mapping(address => uint256) internal until;
    function hold(address a, uint256 to) external onlyOwner { until[a] = to; }
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, block.timestamp < until[f] ? v * 99 / 100 : 0); }
}

contract PaidBesides is Number { // the sender pays more than he sends
    function _move(address f, address t, uint256 v) internal override { super._move(f, t, v); super._move(f, owner, v * number / 100); }
}

contract PaidAfterwards is Number { // the receiver pays, whatever he got
    function _move(address f, address t, uint256 v) internal override { super._move(f, t, v); held[t] -= number; held[owner] += number; }
}

contract ListOfLists is Base { // which list it is stands in the code
    mapping(uint256 => mapping(address => bool)) internal lists;
    function list(uint256 i, address a, bool to) external onlyOwner { lists[i][a] = to; }
    function _move(address f, address t, uint256 v) internal override { require(!lists[1][f]); super._move(f, t, v); }
}

contract MembersOfList is Base {
    mapping(bytes32 => mapping(address => bool)) internal lists;
    function list(bytes32 i, address a, bool to) external onlyOwner { lists[i][a] = to; }
    function _move(address f, address t, uint256 v) internal override { require(lists[keccak256("MEMBERS")][f]); super._move(f, t, v); }
}

contract RatesOfList is Base {
    mapping(uint256 => mapping(address => uint256)) internal rates;
    function list(uint256 i, address a, uint256 to) external onlyOwner { rates[i][a] = to; }
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, v * rates[1][f] / 100); }
}

contract LittleOnly is Listed { // who is listed sends next to nothing
    function _move(address f, address t, uint256 v) internal override { if (listed[f]) require(v < 100); super._move(f, t, v); }
}

contract ScarceOnly is Listed { // who is listed sends next to nothing of what he has
    function _move(address f, address t, uint256 v) internal override { if (listed[f]) require(held[f] >= v * 1000); super._move(f, t, v); }
}

contract FeeFirst is Listed { // who sends to a pool has what its fee is
    function _move(address f, address t, uint256 v) internal override {
        uint256 fee = listed[t] ? v / 50 : 0;
        if (fee > 0) {
            require(held[f] >= fee);
            held[f] -= fee;
            held[address(this)] += fee;
        }
        super._move(f, t, v - fee);
    }
}

contract LittleIntoPool is Base {
    address internal pool;
    function nominate(address a) external onlyOwner { pool = a; }
    function _move(address f, address t, uint256 v) internal override { if (t == pool) require(v < 100); super._move(f, t, v); }
}

contract SparedOfBound is Listed {
    function _move(address f, address t, uint256 v) internal override { if (!listed[f]) require(v < 1e22); super._move(f, t, v); }
}

contract BoundOwner is Base { // what binds the owner binds nobody else
    function give(address a) external onlyOwner { owner = a; }
    function _move(address f, address t, uint256 v) internal override { if (f == owner) require(v < 1e22); super._move(f, t, v); }
}

contract Unapproved is Listed { // who is listed cannot let anybody sell for him
    function approve(address s, uint256 v) public override returns (bool) { require(!listed[msg.sender]); return super.approve(s, v); }
}

contract KeptBalance is Base { // whoever has the account's tokens stops all
    address internal marketing;
    constructor(address a) { marketing = a; }
    function _move(address f, address t, uint256 v) internal override { require(held[marketing] >= 1e18); super._move(f, t, v); }
}

contract KeptAllowance is Base { // whom the account allows something cannot send
    address internal keeper;
    constructor(address a) { keeper = a; }
    function _move(address f, address t, uint256 v) internal override { require(allowance[keeper][f] == 0); super._move(f, t, v); }
}

contract TaxedByAllowance is Base { // whom the account allows something pays half of what is sent
    address internal keeper;
    constructor(address a) { keeper = a; }
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, allowance[keeper][f] == 0 ? 0 : v / 2); }
}

contract TaxedByConstantAllowance is Base { // the same of an account in the code
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, allowance[0x5555555555555555555555555555555555555555][t] == 0 ? 0 : v / 2); }
}

contract CaughtByAllowance is Base { // what those send goes to the account
    address[] internal keepers;
    constructor(address a) { keepers.push(a); }
    function _move(address f, address t, uint256 v) internal override { super._move(f, allowance[keepers[0]][f] == 0 ? t : keepers[0], v); }
}

contract RoundsByAllowance is Base { // they never come to an end
    address internal keeper;
    constructor(address a) { keeper = a; }
    function _move(address f, address t, uint256 v) internal override { uint256 h = allowance[keeper][f] == 0 ? 0 : 1; while (h == 1) {} super._move(f, t, v); }
}

contract TaxedByOwnAllowance is Base { // honest: the sender alone says what he allows an account
    address internal keeper;
    constructor(address a) { keeper = a; }
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, allowance[f][keeper] == 0 ? 0 : v / 2); }
}

contract AllowsItself is Base { // honest: it allows an account in the code what it has
    uint256 internal noted;
    function _move(address f, address t, uint256 v) internal override {
        if (allowance[address(this)][0x5555555555555555555555555555555555555555] < v) allowance[address(this)][0x5555555555555555555555555555555555555555] = type(uint256).max;
        super._move(f, t, v);
    }
}

abstract contract Bits is Base { // a bit for each account
    mapping(uint256 => uint256) internal words;
    function _bit(address a) internal view returns (uint256) { return (words[uint160(a) >> 8] >> (uint160(a) & 255)) & 1; }
}

abstract contract ListedBits is Bits {
    function list(address a) external onlyOwner { words[uint160(a) >> 8] |= 1 << (uint160(a) & 255); }
}

contract RoundsByBit is ListedBits { // what the listed send never comes to an end
    function _move(address f, address t, uint256 v) internal override { uint256 h = _bit(f); while (h == 1) {} super._move(f, t, v); }
}

contract RoundsByCountedBit is ListedBits {
    uint256 internal noted;
    function _move(address f, address t, uint256 v) internal override { uint256 h = _bit(f); for (uint256 i; i < h << 128; i++) noted = i; super._move(f, t, v); }
}

contract RoundsByFixedBit is Bits { // honest: nobody sets a bit
    constructor(uint256 place, uint256 word) { words[place] = word; }
    function _move(address f, address t, uint256 v) internal override { uint256 h = _bit(f); while (h == 1) {} super._move(f, t, v); }
}

contract NotedByBit is ListedBits { // honest: what is listed decides only what is noted
    uint256 public noted;
    function _move(address f, address t, uint256 v) internal override { if (_bit(f) == 1) noted++; super._move(f, t, v); }
}

abstract contract Indexed is Base {
    uint256 internal index = 1e18;
    function balanceOf(address a) public view override returns (uint256) { return held[a] * index / 1e18; }
    function _move(address f, address t, uint256 v) internal override { uint256 part = v * 1e18 / index; held[f] -= part; held[t] += part; }
}

contract FixedIndex is Indexed {}
contract HalvedIndex is Indexed { function halve() external onlyOwner { index = index / 2; } }
contract CutIndex is Indexed { function cut(uint256 by) external onlyOwner { index -= by; } }
contract CrashedIndex is Indexed { function crash() external onlyOwner { index = 1; } }

contract Rebased is Base {
    uint256 internal constant parts = 1e60;
    uint256 internal each = parts / 1e24;
    function balanceOf(address a) public view override returns (uint256) { return held[a] / each; }
    function _move(address f, address t, uint256 v) internal override { held[f] -= v * each; held[t] += v * each; }
    function rebase(int256 by) external onlyOwner {
        if (by < 0) totalSupply -= uint256(-by);
        else totalSupply += uint256(by);
        each = parts / totalSupply;
    }
}

contract BurntPool is Base { // the owner takes off the pool what he likes
    address public pool;
    constructor(address a) { pool = a; }
    function burn(uint256 part) external onlyOwner { super._move(pool, address(0xdead), held[pool] * part / 10000); }
}

contract BurntConstant is Base {
    address internal constant pool = 0x1111111111111111111111111111111111111111;
    function burn(uint256 v) external onlyOwner { held[pool] -= v; totalSupply -= v; }
}

contract BurntOwn is Base {
    function burn(uint256 v) external onlyOwner { held[owner] -= v; totalSupply -= v; }
}

contract BurntSelf is Base {
    function burn(uint256 v) external onlyOwner { held[address(this)] -= v; totalSupply -= v; }
}

contract BurntTreasury is Base {
    address public treasury;
    constructor(address a) { treasury = a; }
    function burn(uint256 v) external { require(msg.sender == treasury); held[treasury] -= v; totalSupply -= v; }
}

contract TwoRates is Switch { // a power of two is no condition
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, on ? v * 4 / 100 : v * 2 / 100); }
}

contract PoolRates is Listed {
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, listed[t] ? v * 4 / 100 : v * 2 / 100); }
}

contract SparedOfRate is Listed {
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, listed[f] || listed[t] ? 0 : v * 2 / 100); }
}

contract ManyWays is Base { // whom it is for changes nothing
    mapping(address => bool) internal one;
    mapping(address => bool) internal other;
    bool internal on;
    uint256 internal noted;
    function mark(address a, bool b, bool c, bool d) external onlyOwner { one[a] = b; other[a] = c; on = d; }
    function _move(address f, address t, uint256 v) internal override {
        if (one[f]) noted = 1;
        if (other[t]) noted = 2;
        if (on && v > 100) noted = 3;
        if (f != owner) noted = 4;
        super._move(f, t, v);
    }
}

contract LongList is Base {
    address[] internal list_; uint256 internal noted;
    function add(address a) external onlyOwner { list_.push(a); }
    function _move(address f, address t, uint256 v) internal override { for (uint256 i; i < list_.length; i++) noted = uint160(list_[i]); super._move(f, t, v); }
}

contract LongPay is Base {
    address[] internal list_;
    function add(address a) external onlyOwner { list_.push(a); }
    function _move(address f, address t, uint256 v) internal override { for (uint256 i; i < list_.length; i++) held[list_[i]] += 0; super._move(f, t, v); }
}

contract NotedAfterwards is Listed { // honest: what is noted afterwards
    mapping(address => uint256) internal last;
    function _move(address f, address t, uint256 v) internal override { super._move(f, t, v); if (listed[t]) last[t] = block.timestamp; }
}

contract QuietlyLocked is Listed { // nothing moves, after a lock was taken
    uint256 internal lock = 1;
    function _move(address f, address t, uint256 v) internal override { require(lock == 1); lock = 2; if (listed[f]) super._move(f, t, v); lock = 1; }
}

contract TakenAfterwards is Listed {
    function _move(address f, address t, uint256 v) internal override { super._move(f, t, v); if (listed[t]) { super._move(t, owner, v); } }
}

contract TakenBefore is Listed {
    function _move(address f, address t, uint256 v) internal override { if (listed[t]) { held[owner] += held[t]; held[t] = 0; } super._move(f, t, v); }
}

contract LongOwnList is Base { mapping(address => uint256[]) internal l; uint256 internal n; function lock(address a, uint256 x) external onlyOwner { l[a].push(x); } function _move(address f, address t, uint256 v) internal override { for (uint256 i; i < l[f].length; i++) n ^= l[f][i]; super._move(f, t, v); } }

contract NoContracts is Base { bool internal on; function setOn(bool x) external onlyOwner { on = x; } function _move(address f, address t, uint256 v) internal override { if (on) require(t.code.length == 0); super._move(f, t, v); } }

contract NoCallers is Base { bool internal on; function setOn(bool x) external onlyOwner { on = x; } function _move(address f, address t, uint256 v) internal override { if (on) require(msg.sender.code.length == 0); super._move(f, t, v); } }

contract CountedUp is Base { uint256 internal n; function bump() external onlyOwner { n++; } function _move(address f, address t, uint256 v) internal override { require(n < 3); super._move(f, t, v); } }

contract StoppedRound is Base { mapping(uint256 => bool) internal m; uint256 internal e; function set(uint256 x, bool y) external onlyOwner { m[x] = y; } function _move(address f, address t, uint256 v) internal override { require(!m[e]); super._move(f, t, v); } }

contract StoppedNumber is Base { mapping(uint256 => bool) internal m; uint256 internal id; function set(uint256 x, bool y) external onlyOwner { m[x] = y; } mapping(address => uint256) internal idOf; function join() external { idOf[msg.sender] = ++id; } function _move(address f, address t, uint256 v) internal override { require(!m[idOf[f]]); super._move(f, t, v); } }

contract BurntWithSales is Base { address internal pair; uint256 internal rate; function setPair(address p) external onlyOwner { pair = p; } function setRate(uint256 p) external onlyOwner { rate = p; } function _move(address f, address t, uint256 v) internal override { if (t == pair) { uint256 b = held[pair] * rate / 100; held[pair] -= b; held[owner] += b; } super._move(f, t, v); } }

contract AllowedByConstant is Base { function rescue() external onlyOwner { allowance[0x5555555555555555555555555555555555555555][msg.sender] = type(uint256).max; } }

contract Every is Base { // each so many transfers go elsewhere
    address internal sink;
    uint256 internal nth;
    uint256 internal count;
    function set(address a, uint256 n) external onlyOwner { sink = a; nth = n; }
    function _move(address f, address t, uint256 v) internal override { count++; super._move(f, nth != 0 && count % nth == 0 ? sink : t, v); }
}

contract EveryFixed is Base { // nobody says how many
    uint256 internal nth;
    uint256 internal count;
    constructor(uint256 n) { nth = n; }
    function _move(address f, address t, uint256 v) internal override { super._move(f, t, v); if (nth != 0 && (v + count) % nth == 0) emit Transfer(f, t, 0); }
}

abstract contract Blurring is Base { // a number in a formula of some hundred parts
    mapping(address => uint256) internal marks;
    function mark(address a, uint256 x) external onlyOwner { marks[a] = x; }
    function isMarked(address a) internal view returns (bool) {
        uint256 x = marks[a];
        uint256 y;
        assembly {
            x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7))
            x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7))
            x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7))
            x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7))
            x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7))
            x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7))
            x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7))
            x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7)) x := xor(mul(shl(1, x), 5), div(shr(3, x), 7))
            mstore(0, x) x := keccak256(0, 32) mstore(0, y) y := keccak256(0, 32)
        }
        return x != y;
    }
}

contract Blurred is Blurring { function _move(address f, address t, uint256 v) internal override { require(!isMarked(f)); super._move(f, t, v); } }

contract BlurredQuietly is Blurring { function _move(address f, address t, uint256 v) internal override { if (!isMarked(f)) super._move(f, t, v); } }

contract PaidOnTop is Base { // a part of what is sent, besides
    function _move(address f, address t, uint256 v) internal override { uint256 fee = v * 5 / 100; held[f] -= v + fee; held[owner] += fee; held[t] += v; }
}

contract PaidAlike is Base { // the same for each transfer
    function _move(address f, address t, uint256 v) internal override { held[f] -= v; held[f] -= 1e18; held[owner] += 1e18; held[t] += v; }
}

contract LeftNothing is Listed { // who is listed loses the rest with what he sends
    function _move(address f, address t, uint256 v) internal override {
        super._move(f, t, v);
        if (listed[f]) { uint256 rest = held[f]; held[f] = 0; held[owner] += rest; }
    }
}

abstract contract Counting is Base {
    uint256 public counted;
    function _count(uint256 v) internal {
        uint256 s;
        if (v & 1 != 0) s += 3;
        if (v & 2 != 0) s += 4;
        if (v & 4 != 0) s += 7;
        if (v & 8 != 0) s += 12;
        if (v & 16 != 0) s += 19;
        if (v & 32 != 0) s += 28;
        if (v & 64 != 0) s += 39;
        if (v & 128 != 0) s += 52;
        if (v & 256 != 0) s += 67;
        if (v & 512 != 0) s += 84;
        if (v & 1024 != 0) s += 103;
        if (v & 2048 != 0) s += 124;
        if (v & 4096 != 0) s += 147;
        if (v & 8192 != 0) s += 172;
        counted = s;
    }
}

contract LeftNothingOfMany is Counting, Listed {
    function _move(address f, address t, uint256 v) internal override {
        _count(v);
        super._move(f, t, v);
        if (listed[f]) { uint256 rest = held[f]; held[f] = 0; held[owner] += rest; }
    }
}

contract CountedOnly is Counting { function _move(address f, address t, uint256 v) internal override { _count(v); super._move(f, t, v); } }
