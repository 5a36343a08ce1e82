// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens for the tests of TransferProof: some that let everybody transfer, and near misses of them. Names say what a token
// is, never what its functions do.

abstract contract Book {
    address internal constant keeper = 0x1234567890123456789012345678901234567890;
    uint256 public totalSupply = 1e24;
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) public allowance;
    event Transfer(address indexed from, address indexed to, uint256 value);

    function balanceOf(address a) public view virtual returns (uint256) { return held[a]; }

    function approve(address s, uint256 v) public virtual returns (bool) {
        allowance[msg.sender][s] = v;
        return true;
    }

    function transfer(address t, uint256 v) public virtual returns (bool) {
        move(msg.sender, t, v);
        return true;
    }

    function transferFrom(address f, address t, uint256 v) public virtual returns (bool) {
        allowance[f][msg.sender] -= v;
        move(f, t, v);
        return true;
    }

    function move(address f, address t, uint256 v) internal virtual {
        held[f] -= v;
        held[t] += v;
        emit Transfer(f, t, v);
    }
}

contract Checked is Book {}

contract Cautious is Book {
    function move(address f, address t, uint256 v) internal override {
        require(t != address(0) && t != address(this) && f != t && v > 0, "refused");
        super.move(f, t, v);
    }
}

contract Silent {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    function approve(address s, uint256 v) external { allowance[msg.sender][s] = v; }
    function transfer(address t, uint256 v) external { move(msg.sender, t, v); }
    function transferFrom(address f, address t, uint256 v) external {
        if (f != msg.sender && allowance[f][msg.sender] != type(uint256).max) allowance[f][msg.sender] -= v;
        move(f, t, v);
    }
    function move(address f, address t, uint256 v) private {
        require(balanceOf[f] >= v);
        unchecked { balanceOf[f] -= v; balanceOf[t] += v; }
    }
}

contract Counting is Book {
    mapping(address => uint256) public sent;
    uint256 public count;
    function move(address f, address t, uint256 v) internal override {
        unchecked { count++; sent[f] += v; }
        if (count % 7 == 0) emit Transfer(f, t, count);
        super.move(f, t, v);
    }
}

contract Bounded is Book {
    function move(address f, address t, uint256 v) internal override {
        require(v < 1 << 96, "too much");
        super.move(f, t, v);
    }
}

contract WholeRefused is Book {
    function move(address f, address t, uint256 v) internal override {
        require(held[f] > v);
        super.move(f, t, v);
    }
}

contract WalletBounded is Book {
    function move(address f, address t, uint256 v) internal override {
        super.move(f, t, v);
        require(held[t] <= 1e22);
    }
}

contract UnitFee is Book {
    function move(address f, address t, uint256 v) internal override {
        held[f] -= v;
        held[t] += v - 1;
    }
}

contract TruncatedKey is Book {
    function move(address f, address t, uint256 v) internal override {
        held[f] -= v;
        held[address(uint160(t) & type(uint152).max)] += v;
    }
}

contract MemoryByAmount is Book {
    function move(address f, address t, uint256 v) internal override {
        assembly { mstore(add(0x80, v), 1) }
        super.move(f, t, v);
    }
}

contract MemoryForOthers is Book {
    function move(address f, address t, uint256 v) internal override {
        if (f != keeper) assembly { mstore(0xffffffff, 1) }
        super.move(f, t, v);
    }
}

contract HashForOthers is Book {
    uint256 public hash;
    function move(address f, address t, uint256 v) internal override {
        if (f != keeper) assembly { sstore(2, keccak256(0, 0xffffff)) }
        super.move(f, t, v);
    }
}

contract ReturnDataForOthers is Book {
    function move(address f, address t, uint256 v) internal override {
        if (f != keeper) assembly { returndatacopy(0, 0, 1) }
        super.move(f, t, v);
    }
}

contract OtherBalance is Book {
    mapping(address => uint256) internal shown;
    function balanceOf(address a) public view override returns (uint256) { return shown[a]; }
}

contract ZeroForOthers is Book {
    function balanceOf(address a) public view override returns (uint256) { return a == keeper ? 0 : held[a]; }
}

contract ApprovedForKeeper is Book {
    function approve(address s, uint256 v) public override returns (bool) {
        if (msg.sender == keeper) allowance[msg.sender][s] = v;
        return true;
    }
}

contract ApprovedInPart is Book {
    function approve(address s, uint256 v) public override returns (bool) {
        allowance[msg.sender][s] = v / 2;
        return true;
    }
}

contract OtherAllowance is Book {
    mapping(address => mapping(address => uint256)) internal leave;
    function transferFrom(address f, address t, uint256 v) public override returns (bool) {
        leave[f][msg.sender] -= v;
        move(f, t, v);
        return true;
    }
}

contract DoubleSpent is Book {
    function transferFrom(address f, address t, uint256 v) public override returns (bool) {
        allowance[f][msg.sender] -= v;
        unchecked { allowance[f][msg.sender] -= v; }
        move(f, t, v);
        return true;
    }
}

contract ClearedAllowance is Book {
    function transfer(address t, uint256 v) public override returns (bool) {
        allowance[t][keeper] = 0;
        return super.transfer(t, v);
    }
}

contract SaysFalse is Book {
    function transfer(address t, uint256 v) public override returns (bool) {
        super.transfer(t, v);
        return msg.sender == keeper;
    }
}

contract GasAsked is Book {
    function move(address f, address t, uint256 v) internal override {
        require(gasleft() > 200000);
        super.move(f, t, v);
    }
}

contract TimeAsked is Book {
    function move(address f, address t, uint256 v) internal override {
        require(block.timestamp < 2000000000);
        super.move(f, t, v);
    }
}

contract OriginAsked is Book {
    function move(address f, address t, uint256 v) internal override {
        require(tx.origin == f);
        super.move(f, t, v);
    }
}

contract CodeAsked is Book {
    function move(address f, address t, uint256 v) internal override {
        require(t.code.length == 0);
        super.move(f, t, v);
    }
}

contract PairNamed is Book {
    address private constant pair = keeper;
    function move(address f, address t, uint256 v) internal override {
        require(t != pair || f == address(0x99));
        super.move(f, t, v);
    }
}

contract Listed is Book {
    mapping(address => bool) public banned;
    function move(address f, address t, uint256 v) internal override {
        require(!banned[f]);
        super.move(f, t, v);
    }
}

contract Endless is Book {
    uint256 public rounds;
    function move(address f, address t, uint256 v) internal override {
        for (uint256 i = 0; i < rounds; i++) assembly { sstore(add(0x1000, i), i) }
        super.move(f, t, v);
    }
}

contract Costly is Book {
    function move(address f, address t, uint256 v) internal override {
        assembly {
            for { let i := 0 } lt(i, 80) { i := add(i, 1) } { sstore(add(0x1000, i), timestamp()) }
        }
        super.move(f, t, v);
    }
}

contract WrittenAnywhere is Book {
    uint256 public place;
    function move(address f, address t, uint256 v) internal override {
        super.move(f, t, v);
        uint256 at = place;
        assembly { sstore(at, 0) }
    }
}

contract WrittenElsewhere is Book {
    function move(address f, address t, uint256 v) internal override {
        super.move(f, t, v);
        held[keeper] += 1;
    }
}

contract WrittenBySelf is Book {
    function move(address f, address t, uint256 v) internal override {
        super.move(f, t, v);
        if (v == 0) held[t] = 0;
    }
}

contract StaleSum is Book {
    function move(address f, address t, uint256 v) internal override {
        uint256 before = held[t];
        held[f] -= v;
        held[t] = before + v;
    }
}

contract Unchecked is Book {
    function move(address f, address t, uint256 v) internal override {
        unchecked { held[f] -= v; held[t] += v; }
    }
}

contract SwappedHash {
    uint256 public totalSupply;
    mapping(address => mapping(address => uint256)) public allowance;
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function entry(address a) private pure returns (uint256 at) {
        assembly { mstore(0, a) mstore(32, 7) at := keccak256(0, 64) }
    }
    function balanceOf(address a) external view returns (uint256 v) {
        assembly { mstore(0, 7) mstore(32, a) v := sload(keccak256(0, 64)) }
    }
    function transfer(address t, uint256 v) external returns (bool) { move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) {
        allowance[f][msg.sender] -= v;
        move(f, t, v);
        return true;
    }
    function move(address f, address t, uint256 v) private {
        (uint256 one, uint256 other) = (entry(f), entry(t));
        uint256 has; uint256 gets;
        assembly { has := sload(one) }
        require(has >= v);
        assembly { sstore(one, sub(has, v)) gets := sload(other) sstore(other, add(gets, v)) }
    }
}

contract PaidFor is Book {
    function transfer(address t, uint256 v) public override returns (bool) { return super.transfer(t, v); }
    function transferFrom(address f, address t, uint256 v) public override returns (bool) {
        require(msg.data.length > 100);
        return super.transferFrom(f, t, v);
    }
}

contract Called is Book {
    function move(address f, address t, uint256 v) internal override {
        super.move(f, t, v);
        (bool done,) = keeper.call("");
        done;
    }
}

contract Destroyed is Book {
    function close() external { require(msg.sender == keeper); selfdestruct(payable(keeper)); }
}

contract Delegating is Book {
    function run(address a) external { require(msg.sender == keeper); (bool done,) = a.delegatecall(""); done; }
}

contract Transient is Book {
    function move(address f, address t, uint256 v) internal override {
        assembly { if tload(0) { revert(0, 0) } tstore(0, 1) }
        super.move(f, t, v);
    }
}

contract NewInstruction is Book {
    function move(address f, address t, uint256 v) internal override {
        if (f != keeper) assembly { mcopy(0, 0, 32) }
        super.move(f, t, v);
    }
}

/// Moves the votes of delegates, which it keeps in numbers that may be too small.
contract Voting is Book {
    uint256 private spare;
    mapping(address => address) public delegates;
    mapping(address => uint256) public getVotes;

    function delegate(address to) external {
        shift(delegates[msg.sender], to, held[msg.sender]);
        delegates[msg.sender] = to;
    }

    function move(address f, address t, uint256 v) internal override {
        super.move(f, t, v);
        shift(delegates[f], delegates[t], v);
    }

    function shift(address f, address t, uint256 v) private {
        if (f == t || v == 0) return;
        if (f != address(0)) getVotes[f] -= v;
        if (t != address(0)) getVotes[t] += v;
    }
}

/// Calls its list of those who have bought their delegates.
contract ListingBuyers is Book {
    mapping(address => uint256) public delegates;

    function move(address f, address t, uint256 v) internal override {
        require(delegates[f] == 0);
        if (f.code.length > 0) delegates[t] = 1;
        super.move(f, t, v);
    }
}

/// Answers balances for delegates, so that who has none can send.
contract BalancesAsDelegates is Book {
    function delegates(address a) external view returns (uint256) { return held[a]; }

    function move(address f, address t, uint256 v) internal override {
        require(held[f] == 0);
        super.move(f, t, v);
    }
}

/// Lets its keeper name the delegate of anybody, and nobody with one can send.
contract DelegatesOfKeeper is Book {
    mapping(address => uint256) public delegates;

    function appoint(address a) external {
        require(msg.sender == keeper);
        delegates[a] = 1;
    }

    function move(address f, address t, uint256 v) internal override {
        require(delegates[f] == 0);
        super.move(f, t, v);
    }
}

abstract contract Roll is Book {
    mapping(address => bool) public member;
    address internal registrar;

    function enrol(address[] calldata accounts, bool isMember) external {
        require(msg.sender == registrar);
        for (uint256 i = 0; i < accounts.length; i++) member[accounts[i]] = isMember;
    }
}

contract Members is Roll {
    function move(address f, address t, uint256 v) internal override {
        require(member[f] && member[t]);
        super.move(f, t, v);
    }

    function issue(address t, uint256 v) external {
        require(msg.sender == registrar && member[t]);
        held[t] += v;
        totalSupply += v;
    }

    function redeem(address f, uint256 v) external {
        require(msg.sender == registrar);
        held[f] -= v;
        totalSupply -= v;
    }
}

/// Anybody may receive it.
contract MembersSend is Roll {
    function move(address f, address t, uint256 v) internal override {
        require(member[f]);
        super.move(f, t, v);
    }
}

/// Anybody may send it.
contract MembersReceive is Roll {
    function move(address f, address t, uint256 v) internal override {
        require(member[t]);
        super.move(f, t, v);
    }
}

/// One of both is enough.
contract EitherMember is Roll {
    function move(address f, address t, uint256 v) internal override {
        require(member[f] || member[t]);
        super.move(f, t, v);
    }
}

/// Takes all from who is no member.
contract OthersPay is Roll {
    function move(address f, address t, uint256 v) internal override {
        require(member[t]);
        if (member[f]) super.move(f, t, v);
        else {
            held[f] -= v;
            held[registrar] += v;
        }
    }
}

/// Takes from a list who has received.
contract Once is Roll {
    function move(address f, address t, uint256 v) internal override {
        require(member[f] && member[t]);
        member[t] = false;
        super.move(f, t, v);
    }
}

/// Keeps those that send and those that receive in one word.
contract TwoRights is Book {
    mapping(address => uint256) public rights;

    function move(address f, address t, uint256 v) internal override {
        require(rights[f] & 1 != 0 && rights[t] & 2 != 0);
        super.move(f, t, v);
    }
}

/// Sells to anybody, who cannot send it.
contract Presale is Roll {
    function move(address f, address t, uint256 v) internal override {
        require(member[f] && member[t]);
        super.move(f, t, v);
    }

    function buy() external payable {
        held[msg.sender] += msg.value;
    }
}

/// The registrar sells to anybody, of whom another account is a member.
contract WrongBuyer is Roll {
    function move(address f, address t, uint256 v) internal override {
        require(member[f] && member[t]);
        super.move(f, t, v);
    }

    function sell(address t, address other, uint256 v) external {
        require(msg.sender == registrar && member[other]);
        held[t] += v;
    }
}

/// Enlists whoever is given some after it was given.
contract LateList is Roll {
    function move(address f, address t, uint256 v) internal override {
        require(member[f] && member[t]);
        super.move(f, t, v);
    }

    function give(address t, uint256 v) external {
        held[t] += v;
        require(!member[t]);
    }
}

/// Adds to balances by a bare payment.
contract Paid is Roll {
    function move(address f, address t, uint256 v) internal override {
        require(member[f] && member[t]);
        super.move(f, t, v);
    }

    receive() external payable {
        held[msg.sender] += msg.value;
    }
}
