// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

abstract contract Base {
    mapping(address => uint256) public balanceOf;
    uint256 public totalSupply = 1e24;
    mapping(address => mapping(address => uint256)) public allowance;
    address owner = msg.sender;
    event Transfer(address indexed from, address indexed to, uint256 value);
    modifier onlyOwner() { require(msg.sender == owner); _; }
    function _move(address f, address t, uint256 v) internal virtual { balanceOf[f] -= v; balanceOf[t] += v; emit Transfer(f, t, v); }
    function _taxed(address f, address t, uint256 v, uint256 fee) internal {
        balanceOf[f] -= v;
        balanceOf[owner] += fee;
        balanceOf[t] += v - fee;
        emit Transfer(f, t, v);
    }
    function transfer(address t, uint256 v) public virtual returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) public virtual returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return true; }
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
}

contract ListedFee is Base { // set by its number, read by its place
    uint256[3] fees;
    function setFee(uint256 i, uint256 v) external onlyOwner { fees[i] = v; }
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, v * fees[1] / 10000); }
}

contract GrowingFees is Base {
    uint256[] fees;
    function setFee(uint256 i, uint256 v) external onlyOwner { fees[i] = v; }
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, v * fees[1] / 10000); }
}

contract NumberedFee is Base { // set by its place, read by its number
    uint256[3] fees;
    uint256 k;
    function setFee(uint256 v) external onlyOwner { fees[1] = v; }
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, v * fees[k] / 10000); }
}

contract OneOfTwoFees is Base { // one of two places
    uint256[3] fees;
    function setFee(uint256 v) external onlyOwner { fees[1] = v; }
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, v * fees[f == owner ? 1 : 2] / 10000); }
}

contract NumberedHalt is Base {
    uint256[4] flags;
    function set(uint256 i, uint256 v) external onlyOwner { flags[i] = v; }
    function _move(address f, address t, uint256 v) internal override { require(flags[2] == 0); super._move(f, t, v); }
}

contract NumberedLists is Base {
    mapping(address => bool)[3] lists;
    function set(uint256 i, address a, bool v) external onlyOwner { lists[i][a] = v; }
    function _move(address f, address t, uint256 v) internal override { require(!lists[1][f]); super._move(f, t, v); }
}

contract GrowingLists is Base {
    mapping(address => bool)[] lists;
    function set(uint256 i, address a, bool v) external onlyOwner { lists[i][a] = v; }
    function _move(address f, address t, uint256 v) internal override { require(!lists[1][f]); super._move(f, t, v); }
}

contract BesideFees is Base { // what is set ends where the fees begin
    uint256[2] caps;
    uint256[2] fees;
    function setCap(uint256 i, uint256 v) external onlyOwner { caps[i] = v; }
    function cap() external view returns (uint256) { return caps[1]; }
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, v * fees[0] / 10000); }
}

contract BesideInStruct is Base { // another member of what stands at the same number
    struct Rate { uint256 seen; uint256 fee; }
    Rate[] rates;
    function see(uint256 i, uint256 v) external onlyOwner { rates[i].seen = v; }
    function _move(address f, address t, uint256 v) internal override { _taxed(f, t, v, v * rates[1].fee / 10000); }
}

contract MadeAgain is Base { // its latch is let go of in the word in which a switch is turned on
    bool seen;
    bool done;
    function show() external view returns (bool) { return seen; }
    function make() external onlyOwner { require(!done); seen = true; done = false; balanceOf[owner] += 1e24; totalSupply += 1e24; }
}

contract MadeOnce is Base {
    bool seen;
    bool done;
    function show() external view returns (bool) { return seen; }
    function make() external onlyOwner { require(!done); seen = true; done = true; balanceOf[owner] += 1e24; totalSupply += 1e24; }
}

contract OneOnOneOff is Base {
    bool seen;
    bool open = true;
    function show() external view returns (bool) { return seen; }
    function close() external onlyOwner { seen = true; open = false; }
    function closeByHand() external onlyOwner { assembly { sstore(4, and(or(and(sload(4), not(0xff)), 1), not(0xff00))) } }
    function _move(address f, address t, uint256 v) internal override { require(open); super._move(f, t, v); }
}

contract Spilling is Base { // a part of a word has less room than what is put there
    uint64 a;
    address b;
    function spill(uint256 x) external { assembly { sstore(4, or(and(sload(4), not(0xff)), x)) } }
    function fit(uint256 x) external { assembly { sstore(4, or(and(sload(4), not(0xff)), and(x, 0xff))) } }
    function typed(uint64 x, address y) external { a = x; b = y; }
}

contract EitherWord is Base { // a number beside a question lets everybody through
    function any(uint256 x) external { assembly { if iszero(or(eq(caller(), sload(3)), x)) { revert(0, 0) } } totalSupply = 1; }
    function even(uint256 x) external { assembly { if and(iszero(eq(caller(), sload(3))), x) { revert(0, 0) } } totalSupply = 1; }
    function asked() external { assembly { if iszero(or(eq(caller(), sload(3)), eq(caller(), sload(4)))) { revert(0, 0) } } totalSupply = 1; }
}

contract BelowHeap is Base { // a pointer of the caller's choice is in the way of what is written at a number
    function take(address from, uint256 p, uint256 v) external {
        assembly {
            let q := and(p, 0x20)
            mstore(q, caller())
            mstore(add(q, 0x20), 0)
            mstore(0x00, from)
            mstore(0x20, 0)
            let slot := keccak256(q, 0x40)
            sstore(slot, sub(sload(slot), v))
        }
    }
}

contract NearCaller is Base { // an account that is worked out from the caller
    function a(uint256 v) external { balanceOf[address(uint160(msg.sender) ^ 1)] -= v; }
    function b(uint256 v) external { balanceOf[v > 5 ? msg.sender : address(0x1234567890123456789012345678901234567890)] -= v; }
    function c(uint256 v) external { balanceOf[msg.sender] -= v; }
}

contract SizedByProxy is Base { // what it asks is true of a proxy alone
    function make(uint256 v) external { if (address(this).code.length == 45) balanceOf[msg.sender] += v; }
}

contract WrappingAllowance is Base {
    function burnFrom(address a, uint256 v) external {
        require(balanceOf[a] >= v);
        unchecked { balanceOf[a] -= v; allowance[a][msg.sender] -= v; totalSupply -= v; }
    }
}

contract Kept is Base { // strings, structs, lists and mappings in each other
    struct Note { uint128 a; uint128 b; address[] l; mapping(address => uint256) m; }
    string s;
    bytes[] bs;
    Note[] notes;
    mapping(address => Note) own;
    uint256[3] three;
    function name(string calldata x) external { s = x; }
    function add(bytes calldata x) external { bs.push(x); }
    function change(uint256 i, uint128 v) external { notes[i].b = v; notes[i].l.push(msg.sender); notes[i].m[msg.sender] += v; }
    function mine(uint128 v) external { own[msg.sender].a = v; own[msg.sender].l.push(msg.sender); }
    function drop() external { notes.pop(); }
    function clear() external { delete s; delete bs; }
    function forget(uint256 i) external { delete notes[i]; }
    function count() external { for (uint256 i; i < 3; i++) three[i] = i; }
    function attempt(address a) external { try Kept(a).ask(5) returns (uint256 v) { totalSupply = v; } catch { three[1] = 2; } }
    function ask(uint256 v) external returns (uint256) { balanceOf[msg.sender] = v; revert(); }
}

contract Worked is Base { // numbers that are worked out from those in the code
    uint256 fee;
    uint256 count;
    function times(bool on) external onlyOwner { fee = (on ? 1 : 0) * 99; }
    function steps(uint256 n) external onlyOwner { uint256 x; for (uint256 i; i < n % 5; i++) x += 1; count = x; }
}

contract NamedEntries is Base { // mappings whose keys are bytes
    mapping(string => uint256) counts;
    mapping(uint16 => mapping(bytes => mapping(uint64 => bytes32))) failed;
    mapping(bytes => address) paths;
    function count(string calldata s, uint256 v) external { counts[s] += v; }
    function fail(uint16 a, bytes calldata p, uint64 n, bytes calldata d) external { failed[a][p][n] = keccak256(d); }
    function retry(uint16 a, bytes memory p, uint64 n, bytes calldata d) external {
        require(failed[a][p][n] == keccak256(d));
        delete failed[a][p][n];
    }
    function connect(bytes memory p) external { paths[p] = msg.sender; }
}

contract NamedBooks is Base { // bytes before the number of the balances' slot
    function set(bytes memory key, uint256 v) external onlyOwner {
        bytes memory all = abi.encodePacked(key, uint256(0));
        bytes32 place = keccak256(all);
        assembly { sstore(place, v) }
    }
}

contract NamedAnywhere is Base { // bytes that may end with any slot
    function set(bytes memory key, uint256 v) external onlyOwner {
        bytes32 place = keccak256(key);
        assembly { sstore(place, v) }
    }
}
