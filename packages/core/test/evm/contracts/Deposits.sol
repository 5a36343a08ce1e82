// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Contracts that keep what others put in, for the tests of Custody. Names say what one is, never what its functions do.

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

abstract contract Owned {
    address public owner = msg.sender;
    modifier onlyOwner() { require(msg.sender == owner); _; }
}

contract Pool is Owned {
    IERC20 public token;
    mapping(address => uint256) public deposits;
    uint256 public total;
    constructor(IERC20 t) { token = t; }
    function deposit(uint256 v) external { token.transferFrom(msg.sender, address(this), v); deposits[msg.sender] += v; total += v; }
    function withdraw(uint256 v) external { deposits[msg.sender] -= v; total -= v; token.transfer(msg.sender, v); }
}

contract Swept is Pool {
    constructor(IERC20 t) Pool(t) {}
    function rescue(IERC20 t, address to, uint256 v) external onlyOwner { t.transfer(to, v); }
}

contract OwnSwept is Pool {
    constructor(IERC20 t) Pool(t) {}
    function skim() external onlyOwner { token.transfer(msg.sender, token.balanceOf(address(this))); }
}

contract SweptByAnybody is Pool { // who calls is nobody appointed
    constructor(IERC20 t) Pool(t) {}
    function rescue(IERC20 t, address to, uint256 v) external { t.transfer(to, v); }
}

contract Let is Pool {
    constructor(IERC20 t) Pool(t) {}
    function lend(IERC20 t, address to, uint256 v) external onlyOwner { t.approve(to, v); }
}

contract Sparing is Pool {
    constructor(IERC20 t) Pool(t) {}
    function rescue(IERC20 t, address to, uint256 v) external onlyOwner { require(t != token); t.transfer(to, v); }
}

contract SparingAnother is Pool {
    IERC20 public reward;
    constructor(IERC20 t) Pool(t) {}
    function rescue(IERC20 t, address to, uint256 v) external onlyOwner { require(t != reward); t.transfer(to, v); }
}

contract SparingSome is Pool {
    mapping(IERC20 => bool) public spared;
    constructor(IERC20 t) Pool(t) {}
    function rescue(IERC20 t, address to, uint256 v) external onlyOwner { require(!spared[t]); t.transfer(to, v); }
}

contract Surplus is Pool {
    constructor(IERC20 t) Pool(t) {}
    function skim(address to) external onlyOwner { token.transfer(to, token.balanceOf(address(this)) - total); }
}

contract Booked is Pool {
    uint256 public fees;
    constructor(IERC20 t) Pool(t) {}
    function collect(address to) external onlyOwner { uint256 v = fees; fees = 0; token.transfer(to, v); }
}

contract Refunding is Pool {
    constructor(IERC20 t) Pool(t) {}
    function refund(address to) external onlyOwner { uint256 v = deposits[to]; deposits[to] = 0; token.transfer(to, v); }
}

contract Sharing is Pool { // pays those who are entered
    address[] public members;
    constructor(IERC20 t) Pool(t) {}
    function share(uint256 i, uint256 v) external onlyOwner { token.transfer(members[i], v); }
}

contract Funded is Pool {
    constructor(IERC20 t) Pool(t) {}
    function fund(uint256 v) external onlyOwner { token.transferFrom(msg.sender, address(this), v); }
}

contract Migrating is Pool { // anybody may hand all of it to whom the owner says
    address public migrator;
    constructor(IERC20 t) Pool(t) {}
    function setMigrator(address m) external onlyOwner { migrator = m; }
    function migrate() external { token.approve(migrator, token.balanceOf(address(this))); }
}

contract Replaced is Pool {
    constructor(IERC20 t) Pool(t) {}
    function setToken(IERC20 t) external onlyOwner { token = t; }
}

contract SetOnce is Pool {
    constructor(IERC20 t) Pool(t) {}
    function setToken(IERC20 t) external onlyOwner { require(address(token) == address(0)); token = t; }
}

contract Pools is Owned {
    struct Kind { IERC20 token; uint256 weight; }
    Kind[] public kinds;
    mapping(uint256 => mapping(address => uint256)) public deposits;
    function add(IERC20 t, uint256 w) external onlyOwner { kinds.push(Kind(t, w)); }
    function deposit(uint256 i, uint256 v) external { kinds[i].token.transferFrom(msg.sender, address(this), v); deposits[i][msg.sender] += v; }
    function withdraw(uint256 i, uint256 v) external { deposits[i][msg.sender] -= v; kinds[i].token.transfer(msg.sender, v); }
}

contract ReplacedPools is Pools {
    function set(uint256 i, IERC20 t, uint256 w) external onlyOwner { kinds[i] = Kind(t, w); }
}

contract SparingPools is Pools {
    function rescue(IERC20 t, address to, uint256 v) external onlyOwner {
        for (uint256 i = 0; i < kinds.length; i++) require(t != kinds[i].token);
        t.transfer(to, v);
    }
}

contract SparingForAWhile is Pools {
    uint256 public immutable end = block.timestamp + 90 days;
    function rescue(IERC20 t, address to, uint256 v) external onlyOwner {
        if (block.timestamp < end) for (uint256 i = 0; i < kinds.length; i++) require(t != kinds[i].token);
        t.transfer(to, v);
    }
}

contract Bank is Owned {
    mapping(address => uint256) public deposits;
    function deposit() external payable { deposits[msg.sender] += msg.value; }
    function withdraw(uint256 v) external { deposits[msg.sender] -= v; payable(msg.sender).transfer(v); }
}

contract DrainedBank is Bank {
    function drain(address payable to) external onlyOwner { to.transfer(address(this).balance); }
}

contract Shop is Owned { // sells at a price, and buys back
    uint256 public price = 3;
    mapping(address => uint256) public bought;
    function buy() external payable { bought[msg.sender] += msg.value * price; }
    function sell(uint256 v) external { bought[msg.sender] -= v; payable(msg.sender).transfer(v / price); }
}

contract DrainedShop is Shop {
    function collect() external onlyOwner { payable(owner).transfer(address(this).balance); }
}

contract PricedShop is Shop {
    function setPrice(uint256 p) external onlyOwner { require(p > 0); price = p; }
}

contract ClosedShop is Owned { // sells, and buys nothing back
    uint256 public price = 3;
    mapping(address => uint256) public bought;
    function buy() external payable { bought[msg.sender] += msg.value * price; }
    function use(uint256 v) external { bought[msg.sender] -= v; }
    function setPrice(uint256 p) external onlyOwner { price = p; }
    function collect() external onlyOwner { payable(owner).transfer(address(this).balance); }
}

contract OwnersShop is Owned { // buys nothing back but by its owner's leave
    uint256 public price = 3;
    mapping(address => uint256) public bought;
    function buy() external payable { bought[msg.sender] += msg.value * price; }
    function undo(uint256 v) external onlyOwner { bought[msg.sender] -= v; payable(msg.sender).transfer(v / price); }
    function collect() external onlyOwner { payable(owner).transfer(address(this).balance); }
}

contract PassingShop is Owned { // keeps nothing of what is paid; what it buys back with was its owner's
    mapping(address => uint256) public bought;
    function buy() external payable { bought[msg.sender] += msg.value; payable(owner).transfer(msg.value); }
    function sell(uint256 v) external { bought[msg.sender] -= v; payable(msg.sender).transfer(v); }
    function fund() external payable onlyOwner {}
    function collect() external onlyOwner { payable(owner).transfer(address(this).balance); }
}

contract TollPool is Owned { // keeps a part of what is taken out
    IERC20 public token;
    uint256 public toll;
    uint256 public tolls;
    mapping(address => uint256) public deposits;
    constructor(IERC20 t) { token = t; }
    function deposit(uint256 v) external { token.transferFrom(msg.sender, address(this), v); deposits[msg.sender] += v; }
    function withdraw(uint256 v) external { deposits[msg.sender] -= v; uint256 kept = v * toll / 100; tolls += kept; token.transfer(msg.sender, v - kept); }
    function collect() external onlyOwner { uint256 v = tolls; tolls = 0; token.transfer(owner, v); }
}

contract TolledPool is TollPool {
    constructor(IERC20 t) TollPool(t) {}
    function setToll(uint256 t) external onlyOwner { toll = t; }
}

contract CappedTollPool is TollPool {
    constructor(IERC20 t) TollPool(t) {}
    function setToll(uint256 t) external onlyOwner { require(t <= 10); toll = t; }
}

contract BuyBack is Owned { // a token that is sold and bought back at prices that its owner says
    uint256 public sellPrice;
    uint256 public buyPrice = 1;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    constructor() { totalSupply = 1000 ether; balanceOf[address(this)] = totalSupply; }
    function transfer(address to, uint256 v) public returns (bool) { _move(msg.sender, to, v); return true; }
    function setPrices(uint256 s, uint256 b) external onlyOwner { sellPrice = s; buyPrice = b; }
    function buy() external payable { _move(address(this), msg.sender, msg.value / buyPrice); }
    function sell(uint256 v) external { _move(msg.sender, address(this), v); payable(msg.sender).transfer(v * sellPrice); }
    function _move(address from, address to, uint256 v) internal { balanceOf[from] -= v; balanceOf[to] += v; }
}

contract Shares is Owned { // pays as much of what it has as of all shares
    IERC20 public token;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    constructor(IERC20 t) { token = t; }
    function deposit(uint256 v) external {
        uint256 had = token.balanceOf(address(this));
        token.transferFrom(msg.sender, address(this), v);
        uint256 s = totalSupply == 0 ? v : v * totalSupply / had;
        totalSupply += s;
        balanceOf[msg.sender] += s;
    }
    function withdraw(uint256 s) external {
        uint256 v = token.balanceOf(address(this)) * s / totalSupply;
        balanceOf[msg.sender] -= s;
        totalSupply -= s;
        token.transfer(msg.sender, v);
    }
    function transfer(address to, uint256 s) external returns (bool) { balanceOf[msg.sender] -= s; balanceOf[to] += s; return true; }
}

contract SweptShares is Shares {
    constructor(IERC20 t) Shares(t) {}
    function rescue(IERC20 t, uint256 v) external onlyOwner { t.transfer(owner, v); }
}

contract SparingShares is Shares {
    constructor(IERC20 t) Shares(t) {}
    function rescue(IERC20 t, uint256 v) external onlyOwner { require(t != token); t.transfer(owner, v); }
}

contract EarningShares is Shares { // anybody may hand most of it to whom the owner says
    address public keeper;
    uint256 public part = 95;
    constructor(IERC20 t) Shares(t) {}
    function setKeeper(address k) external onlyOwner { keeper = k; }
    function earn() external { token.transfer(keeper, token.balanceOf(address(this)) * part / 100); }
}

contract Secrets is Owned { // for whoever says what hashes to the key
    struct Parcel { address from; uint256 amount; }
    mapping(bytes32 => Parcel) public parcels;
    function leave(bytes32 k) external payable { require(parcels[k].amount == 0); parcels[k] = Parcel(msg.sender, msg.value); }
    function fetch(bytes32 s) external { bytes32 k = keccak256(abi.encode(s)); uint256 v = parcels[k].amount; parcels[k].amount = 0; payable(msg.sender).transfer(v); }
}

contract DrainedSecrets is Secrets {
    function drain() external onlyOwner { payable(owner).transfer(address(this).balance); }
}

contract Parcels is Owned { // for whoever is written down with it, whoever asks
    struct Parcel { address from; uint256 amount; }
    IERC20 public token;
    mapping(uint256 => Parcel) public parcels;
    constructor(IERC20 t) { token = t; }
    function leave(uint256 k, uint256 v) external { require(parcels[k].amount == 0); token.transferFrom(msg.sender, address(this), v); parcels[k] = Parcel(msg.sender, v); }
    function back(uint256 k) external { Parcel storage p = parcels[k]; uint256 v = p.amount; p.amount = 0; token.transfer(p.from, v); }
}

contract DrainedParcels is Parcels {
    constructor(IERC20 t) Parcels(t) {}
    function drain(uint256 v) external onlyOwner { token.transfer(owner, v); }
}

contract Orders is Owned { // what is paid for stays paid
    mapping(uint256 => uint256) public paid;
    function order(uint256 k) external payable { paid[k] = msg.value; }
    function deliver(uint256 k) external onlyOwner { uint256 v = paid[k]; paid[k] = 0; payable(msg.sender).transfer(v); }
    function collect() external onlyOwner { payable(owner).transfer(address(this).balance); }
}

contract Humans is Owned { // for accounts without code
    mapping(address => uint256) public deposits;
    modifier onlyHuman() { require(msg.sender == tx.origin); _; }
    function deposit() external payable onlyHuman { deposits[msg.sender] += msg.value; }
    function withdraw(uint256 v) external onlyHuman { deposits[msg.sender] -= v; payable(msg.sender).transfer(v); }
}

contract DrainedHumans is Humans {
    function drain() external onlyOwner { payable(owner).transfer(address(this).balance); }
}

contract ChangeGiving is Bank { // gives back what comes with the call, and lets an account know by next to nothing
    function ping(address payable who) external payable onlyOwner { who.transfer(1); }
    function give(address payable who) external payable onlyOwner { who.transfer(msg.value); }
}

contract Library_ is Pool { // SafeERC20, which says what it does in assembly
    using SafeERC20 for IERC20;
    constructor(IERC20 t) Pool(t) {}
    function rescue(IERC20 t, address to, uint256 v) external onlyOwner { t.safeTransfer(to, v); }
}

contract Encoded is Pool { // as SafeERC20 did before: the words are put together and copied
    constructor(IERC20 t) Pool(t) {}
    function rescue(IERC20 t, address to, uint256 v) external onlyOwner {
        (bool ok,) = address(t).call(abi.encodeWithSelector(t.transfer.selector, to, v));
        require(ok);
    }
}

contract Commanded is Pool {
    constructor(IERC20 t) Pool(t) {}
    function command(address t, bytes calldata data) external onlyOwner { (bool ok,) = t.call(data); require(ok); }
}

contract Charging is Pool { // takes from whom it is told
    constructor(IERC20 t) Pool(t) {}
    function charge(address from, address to, uint256 v) external onlyOwner { token.transferFrom(from, to, v); }
}

contract ChargingOnOrder is Pool { // takes from whom it is told, if he signed
    constructor(IERC20 t) Pool(t) {}
    function charge(address from, uint256 v, uint8 y, bytes32 r, bytes32 s) external onlyOwner {
        require(ecrecover(keccak256(abi.encode(from, v)), y, r, s) == from);
        token.transferFrom(from, address(this), v);
    }
}

contract Spending is Owned { // nobody but the owner gives it an allowance
    IERC20 public token;
    function charge(address from, address to, uint256 v) external onlyOwner { token.transferFrom(from, to, v); }
}

contract Staked is Owned { // keeps what is put in in its own books
    mapping(address => uint256) public balanceOf;
    mapping(address => uint256) public stakes;
    uint256 public totalSupply = 1e24;
    constructor() { balanceOf[msg.sender] = 1e24; }
    function transfer(address to, uint256 v) external returns (bool) { _move(msg.sender, to, v); return true; }
    function stake(uint256 v) external { _move(msg.sender, address(this), v); stakes[msg.sender] += v; }
    function unstake(uint256 v) external { stakes[msg.sender] -= v; _move(address(this), msg.sender, v); }
    function _move(address f, address to, uint256 v) internal { balanceOf[f] -= v; balanceOf[to] += v; }
}

contract DrainedStakes is Staked {
    function drain(address to, uint256 v) external onlyOwner { _move(address(this), to, v); }
}

contract Spread is Owned { // gives away what is its own
    mapping(address => uint256) public balanceOf;
    uint256 public totalSupply = 1e24;
    constructor() { balanceOf[address(this)] = 1e24; }
    function transfer(address to, uint256 v) external returns (bool) { _move(msg.sender, to, v); return true; }
    function spread(address to, uint256 v) external onlyOwner { _move(address(this), to, v); }
    function _move(address f, address to, uint256 v) internal { balanceOf[f] -= v; balanceOf[to] += v; }
}
