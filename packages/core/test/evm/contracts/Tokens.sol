// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens for the tests of StorageFlow, TokenFlow and Conservation. Names say what a token is, never what its functions do.

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC20Votes} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import {ERC20Pausable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Pausable.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {ERC20Upgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/ERC20Upgradeable.sol";
import {OwnableUpgradeable} from "@openzeppelin/contracts-upgradeable/access/OwnableUpgradeable.sol";

contract FixedSupply is ERC20 {
    constructor() ERC20("F", "F") { _mint(msg.sender, 1e24); }
}

contract FixedBurnPermit is ERC20, ERC20Burnable, ERC20Permit {
    constructor() ERC20("F", "F") ERC20Permit("F") { _mint(msg.sender, 1e24); }
}

contract FixedVotes is ERC20, ERC20Permit, ERC20Votes {
    constructor() ERC20("F", "F") ERC20Permit("F") { _mint(msg.sender, 1e24); }
    function _update(address a, address b, uint256 v) internal override(ERC20, ERC20Votes) { super._update(a, b, v); }
    function nonces(address o) public view override(ERC20Permit, Nonces) returns (uint256) { return super.nonces(o); }
}

contract OwnerMint is ERC20, Ownable {
    constructor() ERC20("M", "M") Ownable(msg.sender) {}
    function mint(address to, uint256 v) external onlyOwner { _mint(to, v); }
}

contract RoleMint is ERC20, ERC20Pausable, AccessControl {
    bytes32 constant MINTER = keccak256("MINTER");
    constructor() ERC20("M", "M") { _grantRole(DEFAULT_ADMIN_ROLE, msg.sender); }
    function mint(address to, uint256 v) external onlyRole(MINTER) { _mint(to, v); }
    function pause() external onlyRole(DEFAULT_ADMIN_ROLE) { _pause(); }
    function unpause() external onlyRole(DEFAULT_ADMIN_ROLE) { _unpause(); }
    function _update(address a, address b, uint256 v) internal override(ERC20, ERC20Pausable) { super._update(a, b, v); }
}

contract UpgradeableFixed is ERC20Upgradeable {
    function initialize() external initializer { __ERC20_init("U", "U"); _mint(msg.sender, 1e24); }
}

contract UpgradeableMint is ERC20Upgradeable, OwnableUpgradeable {
    function initialize() external initializer { __ERC20_init("U", "U"); __Ownable_init(msg.sender); }
    function mint(address to, uint256 v) external onlyOwner { _mint(to, v); }
}

contract Vault is ERC4626 {
    constructor(IERC20 a) ERC20("V", "V") ERC4626(a) {}
}

abstract contract Base {
    string public name = "B";
    string public symbol = "B";
    uint8 public decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    address public owner;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() { owner = msg.sender; totalSupply = 1e24; balanceOf[msg.sender] = 1e24; }
    modifier onlyOwner() { require(msg.sender == owner); _; }

    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address to, uint256 v) external virtual returns (bool) { _move(msg.sender, to, v); return true; }
    function transferFrom(address f, address to, uint256 v) external virtual returns (bool) {
        if (allowance[f][msg.sender] != type(uint256).max) allowance[f][msg.sender] -= v;
        _move(f, to, v);
        return true;
    }
    function _move(address f, address to, uint256 v) internal virtual { balanceOf[f] -= v; balanceOf[to] += v; emit Transfer(f, to, v); }
}

contract Plain is Base {}

contract HiddenKeeper is Base {
    address private _keeper = msg.sender;
    function sync(uint256 v) external { require(msg.sender == _keeper); balanceOf[_keeper] += v; }
}

contract ConstantKeeper is Base {
    function rescue(uint256 v) external { if (msg.sender != 0x1111111111111111111111111111111111111111) revert(); balanceOf[msg.sender] = v; }
}

contract BurnThatMints is Base {
    function burn(uint256 v) external onlyOwner { balanceOf[msg.sender] += v; totalSupply += v; }
}

contract MintThatBurns is Base {
    function mint(uint256 v) external { balanceOf[msg.sender] -= v; totalSupply -= v; }
}

contract CheckedBurn is Base {
    function burn(uint256 v) external { require(balanceOf[msg.sender] >= v); unchecked { balanceOf[msg.sender] -= v; totalSupply -= v; } }
}

contract WrappingBurn is Base {
    function burn(uint256 v) external onlyOwner { unchecked { balanceOf[msg.sender] -= v; } }
}

contract CreatingTransfer is Base {
    function _move(address f, address to, uint256 v) internal override { if (f == owner) { balanceOf[to] += v; } else { balanceOf[f] -= v; balanceOf[to] += v; } }
}

contract DoubleCredit is Base {
    function _move(address f, address to, uint256 v) internal override { balanceOf[f] -= v; balanceOf[to] += v; if (f == owner) balanceOf[owner] += v; }
}

contract Airdrop is Base {
    function airdrop(address[] calldata to, uint256[] calldata v) external { for (uint256 i = 0; i < to.length; i++) { balanceOf[msg.sender] -= v[i]; balanceOf[to[i]] += v[i]; } }
}

contract Taxed is Base {
    uint256 public fee = 5;
    mapping(address => bool) public exempt;
    mapping(address => bool) public bot;
    bool public open;
    uint256 public maxTx = 1e23;
    function setFee(uint256 f) external onlyOwner { fee = f; }
    function setBot(address a, bool b) external onlyOwner { bot[a] = b; }
    function setMax(uint256 m) external onlyOwner { maxTx = m; }
    function launch() external onlyOwner { open = true; }
    function _move(address f, address to, uint256 v) internal override {
        require(!bot[f] && !bot[to], "bot");
        require(open || f == owner, "closed");
        require(v <= maxTx || f == owner, "max");
        uint256 t = exempt[f] ? 0 : v * fee / 100;
        balanceOf[f] -= v;
        balanceOf[to] += v - t;
        if (t > 0) balanceOf[address(this)] += t;
        emit Transfer(f, to, v);
    }
}

contract SilentFreeze is Base {
    mapping(address => bool) public frozen;
    function freeze(address a, bool b) external onlyOwner { frozen[a] = b; }
    function transfer(address to, uint256 v) external override returns (bool) { if (frozen[msg.sender]) return false; _move(msg.sender, to, v); return true; }
}

contract Clawback is Base {
    function settle(address f, uint256 v) external onlyOwner { balanceOf[f] -= v; balanceOf[owner] += v; }
}

contract AllowanceBypass is Base {
    function transferFrom(address f, address to, uint256 v) external override returns (bool) {
        if (msg.sender != owner) allowance[f][msg.sender] -= v;
        _move(f, to, v);
        return true;
    }
}

contract AnySlot is Base {
    function set(uint256 s, uint256 v) external onlyOwner { assembly { sstore(s, v) } }
}

contract UncheckedArray is Base {
    uint256[] public data;
    function set(uint256 i, uint256 v) external onlyOwner { assembly { mstore(0, data.slot) sstore(add(keccak256(0, 32), i), v) } }
}

contract HashedSlot is Base {
    // The number may be keccak256(abi.encode(somebody, 4)), so that this writes somebody's balance; the code cannot tell.
    function set(uint256 v) external onlyOwner { assembly { sstore(0x8a9e2a6e1a8d6d6e2b1a1f0c0e5a7c9d3b5f7e9a1c3d5e7f9b1d3f5a7c9e1b4f, v) } }
}

contract Lists is Base {
    struct Item { address who; uint96 amount; bytes note; }
    uint256[] public data;
    Item[] public items;
    mapping(bytes32 => uint256[]) public byKey;
    uint256[8] public last;
    function push(uint256 v) external { data.push(v); }
    function put(uint256 i, uint256 v) external { data[i] = v; }
    function drop() external { data.pop(); }
    function clear() external { delete data; }
    function add(uint96 v, bytes calldata note) external { items.push(Item(msg.sender, v, note)); }
    function note(uint256 i, bytes calldata n) external { items[i].note = n; }
    function remove(uint256 i) external { items[i] = items[items.length - 1]; items.pop(); }
    function file(bytes32 k, uint256 v) external { byKey[k].push(v); }
    function keep(uint256 i, uint256 v) external { last[i] = v; }
    function rename(string calldata n) external onlyOwner { name = n; }
}

contract Delegates is Base {
    address public plugin;
    function setPlugin(address p) external onlyOwner { plugin = p; }
    function run(bytes calldata d) external { (bool ok,) = plugin.delegatecall(d); require(ok); }
}

contract Multicall is Base {
    function multicall(bytes[] calldata d) external { for (uint256 i; i < d.length; i++) { (bool ok,) = address(this).delegatecall(d[i]); require(ok); } }
}

contract PackedBalances {
    struct Account { uint128 balance; uint64 since; bool frozen; }
    mapping(address => Account) internal a;
    uint256 public totalSupply;
    address public owner;
    function balanceOf(address x) external view returns (uint256) { return a[x].balance; }
    function transfer(address to, uint256 v) external returns (bool) {
        require(!a[msg.sender].frozen);
        a[msg.sender].balance -= uint128(v);
        a[to].balance += uint128(v);
        return true;
    }
    function issue(address to, uint128 v) external { require(msg.sender == owner); a[to].balance += v; totalSupply += v; }
    function freeze(address x, bool f) external { require(msg.sender == owner); a[x].frozen = f; }
}

contract ForeignBooks {
    Plain books;
    constructor() { books = new Plain(); }
    function totalSupply() external view returns (uint256) { return books.totalSupply(); }
    function balanceOf(address a) external view returns (uint256) { return books.balanceOf(a); }
    function transfer(address to, uint256 v) external returns (bool) { return books.transferFrom(msg.sender, to, v); }
}

contract Assembly { // keeps its books as Solady does
    function totalSupply() public view returns (uint256 r) { assembly { r := sload(0x05345cdf77eb68f44c) } }
    function balanceOf(address o) public view returns (uint256 r) { assembly { mstore(0x0c, 0x87a211a2) mstore(0x00, o) r := sload(keccak256(0x0c, 0x20)) } }
    function transfer(address to, uint256 v) public returns (bool) {
        assembly {
            mstore(0x0c, 0x87a211a2) mstore(0x00, caller())
            let s := keccak256(0x0c, 0x20) let b := sload(s)
            if gt(v, b) { revert(0, 0) }
            sstore(s, sub(b, v))
            mstore(0x00, to)
            let t := keccak256(0x0c, 0x20)
            sstore(t, add(sload(t), v))
        }
        return true;
    }
}

contract AssemblyMint is Assembly {
    function mint(address to, uint256 v) external {
        assembly {
            if iszero(eq(caller(), sload(not(0x8b78c6d8)))) { revert(0, 0) }
            let b := sload(0x05345cdf77eb68f44c) let n := add(b, v)
            if lt(n, b) { revert(0, 0) }
            sstore(0x05345cdf77eb68f44c, n)
            mstore(0x0c, 0x87a211a2) mstore(0x00, to)
            let t := keccak256(0x0c, 0x20)
            sstore(t, add(sload(t), v))
        }
    }
}

contract WrappedEther is Base {
    function deposit() external payable { balanceOf[msg.sender] += msg.value; totalSupply += msg.value; }
    function withdraw(uint256 v) external { balanceOf[msg.sender] -= v; totalSupply -= v; payable(msg.sender).transfer(v); }
}

contract OneTimeMint is Base {
    bool public done;
    function issue(address to, uint256 v) external onlyOwner { require(!done); done = true; balanceOf[to] += v; totalSupply += v; }
}

contract LockedMint is Base { // may be called again and again: the lock is open when it ends
    uint256 private lock = 1;
    function issue(address to, uint256 v) external onlyOwner { require(lock == 1); lock = 2; balanceOf[to] += v; totalSupply += v; lock = 1; }
}

contract OpenMint is Base {
    function issue(address to, uint256 v) external { balanceOf[to] += v; totalSupply += v; }
}

contract Faucet is Base { // the same for everybody, as often as they like
    function claim() external { balanceOf[msg.sender] += 1e21; totalSupply += 1e21; }
}

contract FaucetOnce is Base { // once each: how many anybody is, no code tells
    mapping(address => bool) public claimed;
    function claim() external { require(!claimed[msg.sender]); claimed[msg.sender] = true; balanceOf[msg.sender] += 1e21; totalSupply += 1e21; }
}

contract YearlyMint is Base { // anybody may bring about what is due
    uint256 public due = 1;
    function release() external { require(block.timestamp >= due); due = block.timestamp + 365 days; balanceOf[owner] += 1e21; totalSupply += 1e21; }
}

contract MisnamedMint is Base {
    function increaseAllowance(address to, uint256 v) external onlyOwner { balanceOf[to] += v; }
}

contract JoinedMint is Base { // everybody may join
    mapping(address => bool) public joined;
    function join() external { joined[msg.sender] = true; }
    function issue(uint256 v) external { require(joined[msg.sender]); balanceOf[msg.sender] += v; totalSupply += v; }
}

interface IAuthority { function canCall(address src, address dst, bytes4 sig) external view returns (bool); }

contract AuthorityMint is Base {
    IAuthority public authority;
    function isAuthorized(address src, bytes4 sig) internal view returns (bool) {
        if (src == address(this)) return true;
        else if (src == owner) return true;
        else if (address(authority) == address(0)) return false;
        else return authority.canCall(src, address(this), sig);
    }
    function issue(address to, uint256 v) external { require(isAuthorized(msg.sender, msg.sig)); balanceOf[to] += v; totalSupply += v; }
}

contract Switched is Base {
    bool public stopped;
    function setStopped(bool s) external onlyOwner { stopped = s; }
    function _move(address f, address to, uint256 v) internal override { require(!stopped); super._move(f, to, v); }
}

contract OpenSwitch is Base {
    bool public stopped;
    function stop() external { stopped = true; }
    function _move(address f, address to, uint256 v) internal override { require(!stopped); super._move(f, to, v); }
}

contract Reentrant is Base { // not entered twice, and nobody's to stop
    uint256 private lock = 1;
    function poke() external onlyOwner { lock = 2; lock = 1; }
    function _move(address f, address to, uint256 v) internal override { require(lock == 1); lock = 2; super._move(f, to, v); lock = 1; }
}

contract Scheduled is Base {
    uint256 public start;
    function setStart(uint256 s) external onlyOwner { start = s; }
    function _move(address f, address to, uint256 v) internal override { require(block.timestamp >= start); super._move(f, to, v); }
}

contract ScheduledOnce is Base {
    uint256 public immutable start = block.timestamp + 1 days;
    function _move(address f, address to, uint256 v) internal override { require(block.timestamp >= start); super._move(f, to, v); }
}

contract Spared is Base { // a list of those whom the switch spares
    bool public open;
    mapping(address => bool) public early;
    function launch() external onlyOwner { open = true; }
    function setEarly(address a, bool b) external onlyOwner { early[a] = b; }
    function _move(address f, address to, uint256 v) internal override { require(open || early[f]); super._move(f, to, v); }
}

contract SparedAgain is Base { // what was opened can be shut, and only who is on the list goes on
    bool public open;
    mapping(address => bool) public early;
    function setOpen(bool b) external onlyOwner { open = b; }
    function setEarly(address a, bool b) external onlyOwner { early[a] = b; }
    function _move(address f, address to, uint256 v) internal override { require(open || early[f]); super._move(f, to, v); }
}

contract SparedSince is Base { // opens when that is noted
    uint256 public start = type(uint256).max;
    mapping(address => bool) public early;
    function launch() external onlyOwner { start = block.timestamp; }
    function setEarly(address a, bool b) external onlyOwner { early[a] = b; }
    function _move(address f, address to, uint256 v) internal override { require(block.timestamp >= start || early[f]); super._move(f, to, v); }
}

contract SparedUntil is Base { // a start that can be put off
    uint256 public start;
    mapping(address => bool) public early;
    function setStart(uint256 t) external onlyOwner { start = t; }
    function setEarly(address a, bool b) external onlyOwner { early[a] = b; }
    function _move(address f, address to, uint256 v) internal override { require(block.timestamp >= start || early[f]); super._move(f, to, v); }
}

contract BannedAgain is Base { // what was opened to all can be shut again, to those alone who are on the list
    bool public open;
    mapping(address => bool) public banned;
    function setOpen(bool b) external onlyOwner { open = b; }
    function setBanned(address a, bool b) external onlyOwner { banned[a] = b; }
    function _move(address f, address to, uint256 v) internal override { require(open || !banned[f]); super._move(f, to, v); }
}

contract BannedAtFirst is Base { // until it is opened to all, for good
    bool public open;
    mapping(address => bool) public banned;
    function launch() external onlyOwner { open = true; }
    function setBanned(address a, bool b) external onlyOwner { banned[a] = b; }
    function _move(address f, address to, uint256 v) internal override { require(open || !banned[f]); super._move(f, to, v); }
}

contract BannedSince is Base { // from when that is noted
    uint256 public start = type(uint256).max;
    mapping(address => bool) public banned;
    function launch() external onlyOwner { start = block.timestamp; }
    function setBanned(address a, bool b) external onlyOwner { banned[a] = b; }
    function _move(address f, address to, uint256 v) internal override { require(block.timestamp < start || !banned[f]); super._move(f, to, v); }
}

contract Levelled is Base { // a number of each account's own, and how much of it is too much
    mapping(address => uint8) public level;
    uint8 public most = 3;
    function setLevel(address a, uint8 l) external onlyOwner { level[a] = l; }
    function _move(address f, address to, uint256 v) internal override { require(level[f] <= most); super._move(f, to, v); }
}

contract Filtered is Base { // one of a few bits of which each account has one
    uint256 public filter;
    function setFilter(uint256 b) external onlyOwner { filter = b; }
    function _move(address f, address to, uint256 v) internal override {
        require(filter & (1 << (uint256(keccak256(abi.encode(f))) % 256)) == 0);
        super._move(f, to, v);
    }
}

contract Ordered is Base { // accounts by their numbers
    uint160 public last = type(uint160).max;
    function setLast(uint160 l) external onlyOwner { last = l; }
    function _move(address f, address to, uint256 v) internal override { require(uint160(f) <= last); super._move(f, to, v); }
}

contract CodeBanned is Base { // accounts by their code
    bytes32 public code;
    function setCode(bytes32 c) external onlyOwner { code = c; }
    function _move(address f, address to, uint256 v) internal override { require(f.codehash != code); super._move(f, to, v); }
}

contract GasBound is Base { // as much as nobody sends
    uint256 public least;
    function setLeast(uint256 l) external onlyOwner { least = l; }
    function _move(address f, address to, uint256 v) internal override { require(gasleft() > least); super._move(f, to, v); }
}

contract Encumbered is Base { // what an account has to have besides, though it keeps it
    mapping(address => uint256) public lien;
    function setLien(address a, uint256 l) external onlyOwner { lien[a] = l; }
    function _move(address f, address to, uint256 v) internal override { balanceOf[f] = balanceOf[f] - v - lien[f] + lien[f]; balanceOf[to] += v; }
}

contract StoppedBySupply is Base { // when there is too much of it
    function dilute(uint256 v) external onlyOwner { totalSupply += v; }
    function _move(address f, address to, uint256 v) internal override { require(totalSupply < 2e24); super._move(f, to, v); }
}

contract Decaying is Base { // something goes besides what is sent
    mapping(address => uint256) public since;
    uint256 public rate;
    function setRate(uint256 r) external onlyOwner { rate = r; }
    function _move(address f, address to, uint256 v) internal override {
        balanceOf[f] -= (block.timestamp - since[f]) * rate;
        since[f] = block.timestamp;
        super._move(f, to, v);
    }
}

contract SoldTwice is Base { // asked for once, taken twice, and what is less than nothing is a lot
    function sell(uint256 v) external {
        require(balanceOf[msg.sender] >= v);
        unchecked { balanceOf[msg.sender] -= v; balanceOf[msg.sender] -= v; }
    }
}

contract SoldAfter is Base { // asked for before it was sent away
    function sell(uint256 v) external {
        require(balanceOf[msg.sender] >= v);
        _move(msg.sender, owner, v);
        unchecked { balanceOf[msg.sender] -= v; }
    }
}

contract SoldOften is Base { // asked for once, taken in a loop
    function sell(uint256 v, uint256 n) external {
        require(balanceOf[msg.sender] >= v);
        unchecked { for (uint256 i = 0; i < n; i++) balanceOf[msg.sender] -= v; }
    }
}

contract SoldForAnother is Base { // asked of something else
    mapping(address => uint256) public points;
    function score(uint256 v) external { points[msg.sender] = v; }
    function sell(uint256 v) external {
        require(points[msg.sender] >= v);
        unchecked { balanceOf[msg.sender] -= v; }
    }
}

contract SoldFromStock is Base { // given before it is taken, of what there was found to be enough
    function buy() external payable {
        uint256 v = msg.value * 5;
        require(balanceOf[address(this)] >= v);
        balanceOf[msg.sender] += v;
        unchecked { balanceOf[address(this)] -= v; }
    }
}

contract FrozenByTurns is Base { // each list while the switch is on its side
    bool public frozen;
    mapping(address => bool) public unfrozen;
    mapping(address => bool) public cold;
    function setFrozen(bool b) external onlyOwner { frozen = b; }
    function setUnfrozen(address a, bool b) external onlyOwner { unfrozen[a] = b; }
    function setCold(address a, bool b) external onlyOwner { cold[a] = b; }
    function _move(address f, address to, uint256 v) internal override {
        if (frozen) require(unfrozen[f]);
        else require(!cold[f]);
        super._move(f, to, v);
    }
}

contract AskedTogether is Base { // an answer that one of two decides, by hand
    uint256 public stopped;
    uint256 private moves;
    mapping(address => bool) public away;
    function setStopped(uint256 b) external onlyOwner { stopped = b; }
    function setAway(address a, bool b) external onlyOwner { away[a] = b; }
    function _move(address f, address to, uint256 v) internal override {
        bool ok;
        bool isAway = away[f];
        assembly {
            ok := iszero(sload(stopped.slot))
            if ok { ok := iszero(isAway) }
            sstore(moves.slot, add(sload(moves.slot), 1))
            if iszero(ok) { revert(0, 0) }
        }
        super._move(f, to, v);
    }
}

contract CountedTotal is Base { // a sum that all transfers change, and its owner does, too: it may go with what he burns
    uint256 private left = 1e28;
    function take(uint256 v) external onlyOwner { left = (left - v) % 1e30; }
    function _move(address f, address to, uint256 v) internal override {
        require(left >= v);
        left = (left - v) % 1e30;
        super._move(f, to, v);
    }
}

contract Accrued is Base { // adds up in half a word, as compilers before version 0.8.16 ask that it does not wrap
    uint256 private sum;
    uint256 private at;
    function accrue() external onlyOwner { _accrue(); }
    function _accrue() private {
        uint256 most = type(uint224).max;
        uint256 before = sum;
        uint256 more;
        assembly {
            more := mul(7, sub(timestamp(), sload(at.slot)))
            if gt(before, sub(most, more)) { revert(0, 0) }
        }
        sum = before + more;
        at = block.timestamp;
    }
    function _move(address f, address to, uint256 v) internal override { _accrue(); super._move(f, to, v); }
}

contract Members is Base {
    mapping(address => bool) public member;
    function setMember(address a, bool b) external onlyOwner { member[a] = b; }
    function _move(address f, address to, uint256 v) internal override { require(member[f]); super._move(f, to, v); }
}

contract TimeLocks is Base {
    mapping(address => uint256) public until;
    function hold(address a, uint256 t) external onlyOwner { until[a] = t; }
    function _move(address f, address to, uint256 v) internal override { require(until[f] < block.timestamp); super._move(f, to, v); }
}

contract OwnLocks is Base { // everybody locks what is his own
    mapping(address => uint256) public until;
    function hold(uint256 t) external { until[msg.sender] = t; }
    function _move(address f, address to, uint256 v) internal override { require(until[f] < block.timestamp); super._move(f, to, v); }
}

contract TurnedAway is Base {
    address public away;
    function setAway(address a) external onlyOwner { away = a; }
    function _move(address f, address to, uint256 v) internal override { require(to != away); super._move(f, to, v); }
}

contract MaxWallet is Base {
    uint256 public max = 1e23;
    bool public limited = true;
    function setMax(uint256 m) external onlyOwner { max = m; }
    function unlimit() external onlyOwner { limited = false; }
    function _move(address f, address to, uint256 v) internal override { if (limited && f != owner) require(balanceOf[to] + v <= max); super._move(f, to, v); }
}

contract FixedLimit is Base {
    uint256 public immutable max = 1e23;
    function _move(address f, address to, uint256 v) internal override { require(v <= max); super._move(f, to, v); }
}

contract LiftedLimit is Base { // to the supply, and nothing else
    uint256 public max = 1e23;
    function lift() external onlyOwner { max = totalSupply; }
    function _move(address f, address to, uint256 v) internal override { require(v <= max); super._move(f, to, v); }
}

contract Cooldown is Base {
    uint256 public pause_;
    mapping(address => uint256) public last;
    function setPause(uint256 p) external onlyOwner { pause_ = p; }
    function _move(address f, address to, uint256 v) internal override { require(last[f] + pause_ <= block.timestamp); last[f] = block.timestamp; super._move(f, to, v); }
}

contract UncheckedTax is Base {
    uint8 public fee; // beside the owner in its word
    function setFee(uint8 f) external onlyOwner { fee = f; }
    function hand(address o) external onlyOwner { owner = o; }
    function _move(address f, address to, uint256 v) internal override {
        require(balanceOf[f] >= v); unchecked { uint256 t = v * fee / 100; balanceOf[f] -= v; balanceOf[to] += v - t; balanceOf[address(this)] += t; }
    }
}

contract FixedTax is Base {
    function _move(address f, address to, uint256 v) internal override {
        uint256 t = v * 5 / 100;
        balanceOf[f] -= v;
        balanceOf[to] += v - t;
        balanceOf[address(this)] += t;
    }
}

contract Burner is Base {
    mapping(address => bool) public bridge;
    function setBridge(address a, bool b) external onlyOwner { bridge[a] = b; }
    function burn(address f, uint256 v) external { require(bridge[msg.sender]); balanceOf[f] -= v; totalSupply -= v; }
}

contract OwnBurner is Base {
    function burn(uint256 v) external { balanceOf[msg.sender] -= v; totalSupply -= v; }
    function burnFrom(address f, uint256 v) external { allowance[f][msg.sender] -= v; balanceOf[f] -= v; totalSupply -= v; }
}

contract AnybodysBurner is Base {
    function burn(address f, uint256 v) external { balanceOf[f] -= v; totalSupply -= v; }
}

contract Treasury is Base { // takes from whomever it makes the treasurer
    address public treasurer;
    function setTreasurer(address t) external onlyOwner { treasurer = t; }
    function spend(address to, uint256 v) external onlyOwner { balanceOf[treasurer] -= v; balanceOf[to] += v; }
}

contract Granted is Base {
    function grant(address f, address s, uint256 v) external onlyOwner { allowance[f][s] = v; }
}

contract Signed is Base { // a permit of its own kind
    mapping(address => uint256) public nonces;
    function allow(address o, address s, uint256 v, uint8 y, bytes32 a, bytes32 b) external {
        bytes32 h = keccak256(abi.encode(o, s, v, nonces[o]++));
        require(ecrecover(h, y, a, b) == o);
        allowance[o][s] = v;
    }
}

contract Permitted is Base { // lets Permit2 through, which asks its own signatures
    function transferFrom(address f, address to, uint256 v) external override returns (bool) {
        if (msg.sender != 0x000000000022D473030F116dDEE9F6B43aC78BA3) allowance[f][msg.sender] -= v;
        _move(f, to, v);
        return true;
    }
}

contract CreditFirst is Base { // as tokens of 2017: what is asked before the credit holds after it
    function transferFrom(address f, address to, uint256 v) external override returns (bool) {
        require(balanceOf[f] >= v && allowance[f][msg.sender] >= v);
        unchecked {
            require(balanceOf[to] + v >= balanceOf[to]);
            balanceOf[to] += v;
            balanceOf[f] -= v;
            allowance[f][msg.sender] -= v;
        }
        return true;
    }
}

contract DebitTwice is Base { // what is asked before a debit need not hold after it
    function transferFrom(address f, address to, uint256 v) external override returns (bool) {
        require(balanceOf[f] >= v && allowance[f][msg.sender] >= v);
        unchecked {
            allowance[f][msg.sender] -= v;
            balanceOf[f] -= v;
            balanceOf[f] -= v;
            require(balanceOf[to] + v >= balanceOf[to]);
            balanceOf[to] += v;
        }
        return true;
    }
}

contract PricedMint is Base {
    uint256 public price = 3;
    function setPrice(uint256 p) external onlyOwner { price = p; }
    function buy() external payable { uint256 v = msg.value / price; totalSupply += v; balanceOf[msg.sender] += v; }
}

contract FixedPriceMint is Base {
    function buy() external payable { uint256 v = msg.value * 3; totalSupply += v; balanceOf[msg.sender] += v; }
}

contract Receipts is Base { // for another token, which the owner can take
    IERC20 public token;
    function deposit(uint256 v) external { token.transferFrom(msg.sender, address(this), v); totalSupply += v; balanceOf[msg.sender] += v; }
    function withdraw(uint256 v) external { balanceOf[msg.sender] -= v; totalSupply -= v; token.transfer(msg.sender, v); }
    function rescue(IERC20 t, address to, uint256 v) external onlyOwner { t.transfer(to, v); }
}

contract FixedExchange is Base { // sells what is its own, and buys it back
    uint256 public asked = 4;
    uint256 public bid = 3;
    constructor() { balanceOf[msg.sender] = 0; balanceOf[address(this)] = 1e24; }
    function buy() external payable { _move(address(this), msg.sender, msg.value / asked); }
    function sell(uint256 v) external { _move(msg.sender, address(this), v); payable(msg.sender).transfer(v * bid); }
}

contract Exchange is FixedExchange {
    function setPrices(uint256 b, uint256 a) external onlyOwner { bid = b; asked = a; }
}

contract EmptiedExchange is FixedExchange {
    function withdraw(uint256 v) external onlyOwner { payable(owner).transfer(v); }
}

contract OwnersExchange is Base { // sells, and buys nothing back
    uint256 public asked = 4;
    constructor() { balanceOf[msg.sender] = 0; balanceOf[address(this)] = 1e24; }
    function buy() external payable { _move(address(this), msg.sender, msg.value / asked); }
    function setPrice(uint256 a) external onlyOwner { asked = a; }
    function withdraw(uint256 v) external onlyOwner { payable(owner).transfer(v); }
}

abstract contract Shared { // a part of what is moved makes all shares worth more, but not to those who are left out
    uint256 public totalSupply = 1e24;
    uint256 internal _shares = type(uint256).max - type(uint256).max % 1e24;
    mapping(address => uint256) internal _held;
    mapping(address => uint256) internal _fixed;
    mapping(address => bool) public isOut;
    address[] internal _out;
    mapping(address => mapping(address => uint256)) public allowance;
    address public owner;
    modifier onlyOwner() { require(msg.sender == owner); _; }
    constructor() { owner = msg.sender; _held[msg.sender] = _shares; }
    function balanceOf(address a) public view returns (uint256) { return isOut[a] ? _fixed[a] : _held[a] / _rate(); }
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address to, uint256 v) external returns (bool) { _move(msg.sender, to, v); return true; }
    function transferFrom(address f, address to, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; _move(f, to, v); return true; }
    function leaveOut(address a) external onlyOwner { require(!isOut[a]); _fixed[a] = balanceOf(a); isOut[a] = true; _out.push(a); }
    function _rate() internal view returns (uint256) {
        uint256 s = _shares;
        uint256 t = totalSupply;
        for (uint256 i = 0; i < _out.length; i++) {
            if (_held[_out[i]] > s || _fixed[_out[i]] > t) return _shares / totalSupply;
            s -= _held[_out[i]];
            t -= _fixed[_out[i]];
        }
        return s / t;
    }
    function _move(address f, address to, uint256 v) internal {
        uint256 r = _rate();
        uint256 fee = v / 20;
        _held[f] -= v * r;
        _held[to] += (v - fee) * r;
        if (isOut[f]) _fixed[f] -= v;
        if (isOut[to]) _fixed[to] += v - fee;
        _shares -= fee * r;
    }
    function _forget(address a) internal {
        require(isOut[a]);
        for (uint256 i = 0; i < _out.length; i++) {
            if (_out[i] == a) { _out[i] = _out[_out.length - 1]; _fixed[a] = 0; isOut[a] = false; _out.pop(); break; }
        }
    }
}

contract LeavingOut is Shared {}

contract LettingIn is Shared { // with the shares of then, which are worth more by what the others' are worth less
    function letIn(address a) external onlyOwner { _forget(a); }
}

contract LettingInFairly is Shared { // with as many shares as what he has is worth now
    function letIn(address a) external onlyOwner { uint256 s = _fixed[a] * _rate(); _forget(a); _shares = _shares - _held[a] + s; _held[a] = s; }
}

contract Rescuing is Base { // keeps nothing for others: what is sent to it by mistake is given back
    function rescue(IERC20 t, address to, uint256 v) external onlyOwner { t.transfer(to, v); }
}

interface IHook { function check(address f, address to) external; }

contract Hooked is Base {
    IHook public hook;
    function _move(address f, address to, uint256 v) internal override { hook.check(f, to); super._move(f, to, v); }
}

contract NotAToken {
    address owner = msg.sender;
    bool public stopped;
    function setStopped(bool s) external { require(msg.sender == owner); stopped = s; }
    function transfer(address to, uint256 v) external { require(!stopped); payable(to).transfer(v); }
}
