// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Contracts that move no tokens of their own, for the tests of Service. Names say what one is, never what its functions do.

interface IToken {
    function transfer(address to, uint256 v) external returns (bool);
    function transferFrom(address from, address to, uint256 v) external returns (bool);
    function mint(address to, uint256 v) external;
}

interface IHeld {
    function balanceOf(address account) external view returns (uint256);
}

interface IRates {
    function rate() external view returns (uint256);
}

interface IRegistry {
    function allows(address account) external returns (bool);
}

abstract contract Owned {
    address public owner = msg.sender;
    modifier onlyOwner() { require(msg.sender == owner); _; }
}

contract Bank {
    mapping(address => uint256) public deposits;
    function deposit() external payable { deposits[msg.sender] += msg.value; }
    function withdraw(uint256 v) external { deposits[msg.sender] -= v; payable(msg.sender).transfer(v); }
}

contract OwnedBank is Owned, Bank { // whose owner has nothing to say
    uint256 public note;
    function setNote(uint256 n) external onlyOwner { note = n; }
}

contract ShutBank is Owned {
    mapping(address => uint256) public deposits;
    bool public shut;
    function deposit() external payable { deposits[msg.sender] += msg.value; }
    function withdraw(uint256 v) external { require(!shut); deposits[msg.sender] -= v; payable(msg.sender).transfer(v); }
    function setShut(bool s) external onlyOwner { shut = s; }
}

contract Turns { // what is open is up to those who play
    bool public taken;
    uint256 public pot;
    function play() external payable { require(!taken); taken = true; pot += msg.value; }
    function leave() external { require(taken); taken = false; payable(msg.sender).transfer(1); }
}

contract OwnersTurns is Owned, Turns { // the owner moves on what others move on, too
    function reset() external onlyOwner { taken = true; }
}

contract Guarded { // shut while it is entered
    mapping(address => uint256) public deposits;
    uint256 private entered = 1;
    modifier once() { require(entered == 1); entered = 2; _; entered = 1; }
    function deposit() external payable { deposits[msg.sender] += msg.value; }
    function withdraw(uint256 v) external once { deposits[msg.sender] -= v; payable(msg.sender).transfer(v); }
}

contract GuardedByOwner is Owned, Guarded { // what the owner does is done while it is shut, too
    uint256 public note;
    function setNote(uint256 n) external onlyOwner once { note = n; }
}

contract LeftEntered is Owned { // the owner may leave it entered
    mapping(address => uint256) public deposits;
    uint256 private entered = 1;
    function deposit() external payable { deposits[msg.sender] += msg.value; }
    function withdraw(uint256 v) external { require(entered == 1); entered = 2; deposits[msg.sender] -= v; payable(msg.sender).transfer(v); entered = 1; }
    function enter() external onlyOwner { entered = 2; }
}

contract Sale is Owned {
    IToken public immutable token;
    address payable public immutable wallet;
    uint256 public immutable rate;
    constructor(IToken t, address payable w, uint256 r) { token = t; wallet = w; rate = r; }
    function buy() external payable virtual { token.transfer(msg.sender, msg.value * rate); wallet.transfer(msg.value); }
}

contract TimedSale is Sale {
    uint256 public start;
    constructor(IToken t, address payable w, uint256 r) Sale(t, w, r) {}
    function buy() external payable override { require(block.timestamp >= start); token.transfer(msg.sender, msg.value * rate); wallet.transfer(msg.value); }
    function setStart(uint256 s) external onlyOwner { start = s; }
}

contract MembersSale is Sale {
    mapping(address => bool) public member;
    constructor(IToken t, address payable w, uint256 r) Sale(t, w, r) {}
    function buy() external payable override { require(member[msg.sender]); token.transfer(msg.sender, msg.value * rate); wallet.transfer(msg.value); }
    function setMember(address a, bool m) external onlyOwner { member[a] = m; }
}

contract JoinedSale is Sale { // anybody enters himself
    mapping(address => bool) public member;
    constructor(IToken t, address payable w, uint256 r) Sale(t, w, r) {}
    function buy() external payable override { require(member[msg.sender]); token.transfer(msg.sender, msg.value * rate); wallet.transfer(msg.value); }
    function join() external { member[msg.sender] = true; }
}

contract BarringSale is Sale {
    mapping(address => bool) public barred;
    constructor(IToken t, address payable w, uint256 r) Sale(t, w, r) {}
    function buy() external payable override { require(!barred[msg.sender]); token.transfer(msg.sender, msg.value * rate); wallet.transfer(msg.value); }
    function bar(address a) external onlyOwner { barred[a] = true; }
}

contract CappedSale is Sale {
    uint256 public most = 10 ether;
    constructor(IToken t, address payable w, uint256 r) Sale(t, w, r) {}
    function buy() external payable override { require(msg.value <= most); token.transfer(msg.sender, msg.value * rate); wallet.transfer(msg.value); }
    function setMost(uint256 m) external onlyOwner { most = m; }
}

contract FixedCapSale is Sale {
    uint256 public sold;
    constructor(IToken t, address payable w, uint256 r) Sale(t, w, r) {}
    function buy() external payable override { sold += msg.value; require(sold <= 100 ether); token.transfer(msg.sender, msg.value * rate); wallet.transfer(msg.value); }
}

contract PricedSale is Sale {
    uint256 public price = 1;
    constructor(IToken t, address payable w, uint256 r) Sale(t, w, r) {}
    function buy() external payable override { token.transfer(msg.sender, msg.value / price); wallet.transfer(msg.value); }
    function setPrice(uint256 p) external onlyOwner { price = p; }
}

contract MakingSale is Sale { // the owner has another contract make tokens
    constructor(IToken t, address payable w, uint256 r) Sale(t, w, r) {}
    function grant(address a, uint256 v) external onlyOwner { token.mint(a, v); }
}

contract AskingSale is Sale { // another contract is asked whether to go on
    IRegistry public immutable registry;
    constructor(IToken t, address payable w, uint256 r, IRegistry g) Sale(t, w, r) { registry = g; }
    function buy() external payable override { require(registry.allows(msg.sender)); token.transfer(msg.sender, msg.value * rate); wallet.transfer(msg.value); }
}

contract MeasuringSale is Sale { // the token is asked how much is left
    constructor(IToken t, address payable w, uint256 r) Sale(t, w, r) {}
    function buy() external payable override {
        require(IHeld(address(token)).balanceOf(address(this)) >= msg.value * rate);
        token.transfer(msg.sender, msg.value * rate);
        wallet.transfer(msg.value);
    }
}

contract PricingSale is Sale { // another contract is asked what it costs
    IRates public immutable rates;
    constructor(IToken t, address payable w, IRates r) Sale(t, w, 1) { rates = r; }
    function buy() external payable override { token.transfer(msg.sender, msg.value * rates.rate()); wallet.transfer(msg.value); }
}

contract Destructible is Owned, Bank { // what is not due goes to the owner, too
    function end() external onlyOwner { selfdestruct(payable(owner)); }
}

contract Pools is Owned { // one of several is shut
    struct Pool { bool shut; uint256 total; }
    mapping(uint256 => Pool) public pools;
    mapping(uint256 => mapping(address => uint256)) public deposits;
    function deposit(uint256 i) external payable { require(!pools[i].shut); deposits[i][msg.sender] += msg.value; }
    function withdraw(uint256 i, uint256 v) external { deposits[i][msg.sender] -= v; payable(msg.sender).transfer(v); }
    function shut(uint256 i) external onlyOwner { pools[i].shut = true; }
}

contract Credited is Owned, Bank {
    function credit(address a, uint256 v) external onlyOwner { deposits[a] += v; }
}

contract PaidCredit is Owned, Bank { // who credits brings it along
    function credit(address a) external payable onlyOwner { deposits[a] += msg.value; }
}

contract MovedCredit is Owned, Bank { // as much is taken off another entry
    function move(address from, address to, uint256 v) external onlyOwner { deposits[from] -= v; deposits[to] += v; }
}

contract Docked is Owned, Bank {
    function dock(address a, uint256 v) external onlyOwner { deposits[a] -= v; }
}

contract Refunding is Owned, Bank { // what is taken off an entry is paid to its account
    function refund(address a) external onlyOwner { uint256 v = deposits[a]; deposits[a] = 0; payable(a).transfer(v); }
}

contract Noted is Owned, Bank { // a number that nothing is paid by
    mapping(address => uint256) public score;
    function setScore(address a, uint256 s) external onlyOwner { score[a] = s; }
}

contract Allotted is Owned { // only the owner pays out
    IToken public immutable token;
    mapping(address => uint256) public due;
    constructor(IToken t) { token = t; }
    function allot(address a, uint256 v) external onlyOwner { due[a] += v; }
    function pay(address a) external onlyOwner { uint256 v = due[a]; due[a] = 0; token.transfer(a, v); }
}

contract Register is Owned { // nobody deals with it
    mapping(address => bool) public listed;
    function set(address a, bool l) external onlyOwner { listed[a] = l; }
}

contract ShutLedger is Owned { // it has balanceOf(), and moves nothing
    mapping(address => uint256) public balanceOf;
    bool public shut;
    function deposit() external payable { balanceOf[msg.sender] += msg.value; }
    function withdraw(uint256 v) external { require(!shut); balanceOf[msg.sender] -= v; payable(msg.sender).transfer(v); }
    function setShut(bool s) external onlyOwner { shut = s; }
}

contract Answering is Owned { // what it does not name may be a token's functions
    mapping(address => uint256) public deposits;
    bool public shut;
    function deposit() external payable { deposits[msg.sender] += msg.value; }
    function withdraw(uint256 v) external { deposits[msg.sender] -= v; payable(msg.sender).transfer(v); }
    fallback(bytes calldata) external returns (bytes memory) { return abi.encode(deposits[msg.sender]); }
}

contract Nameless { // all of it is what it does not name
    mapping(address => uint256) private paid;
    receive() external payable { paid[msg.sender] += msg.value; }
}
