// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens whose transfers ask for a switch or a list somewhere else than in the transfer itself.

abstract contract Base {
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply = 1e24;
    address public owner = msg.sender;
    event Transfer(address indexed from, address indexed to, uint256 value);
    constructor() { held[msg.sender] = 1e24; }
    modifier onlyOwner() { require(msg.sender == owner); _; }
    function balanceOf(address a) public view virtual returns (uint256) { return held[a]; }
    function approve(address s, uint256 v) external virtual returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return true; }
    function _move(address f, address t, uint256 v) internal virtual {
        require(balanceOf(f) >= v);
        held[f] -= v;
        held[t] += v;
        emit Transfer(f, t, v);
    }
}

contract Open is Base {}

contract HiddenSwitch is Base { // nobody has anything while it is on
    bool public stopped;
    function setStopped(bool s) external onlyOwner { stopped = s; }
    function balanceOf(address a) public view override returns (uint256) { return stopped ? 0 : held[a]; }
}

contract HiddenSwitchSpared is Base { // one of the two ways to send is left open
    bool public stopped;
    function setStopped(bool s) external onlyOwner { stopped = s; }
    function balanceOf(address a) public view override returns (uint256) { return stopped ? 0 : held[a]; }
    function _move(address f, address t, uint256 v) internal override {
        if (f != msg.sender) require(balanceOf(f) >= v);
        held[f] -= v;
        held[t] += v;
    }
}

contract OtherBook is Base { // nothing is hidden by showing something else
    mapping(address => bool) public away;
    mapping(address => uint256) internal shares;
    function setAway(address a, bool s) external onlyOwner { away[a] = s; }
    function balanceOf(address a) public view override returns (uint256) { return away[a] ? shares[a] : held[a]; }
    function _move(address f, address t, uint256 v) internal override {
        if (away[f]) shares[f] -= v;
        else held[f] -= v;
        if (away[t]) shares[t] += v;
        else held[t] += v;
    }
}

contract HiddenList is Base { // who is on the list has nothing
    mapping(address => bool) public away;
    function setAway(address a, bool s) external onlyOwner { away[a] = s; }
    function balanceOf(address a) public view override returns (uint256) { return away[a] ? 0 : held[a]; }
}

contract HiddenMembers is Base { // who is on no list has nothing
    mapping(address => bool) public member;
    function setMember(address a, bool s) external onlyOwner { member[a] = s; }
    function balanceOf(address a) public view override returns (uint256) { return member[a] ? held[a] : 0; }
}

contract HiddenStart is Base { // nobody has anything before a moment
    uint256 public start;
    function setStart(uint256 s) external onlyOwner { start = s; }
    function balanceOf(address a) public view override returns (uint256) { return block.timestamp < start ? 0 : held[a]; }
}

contract HiddenFixed is Base { // nobody can turn it
    bool public stopped;
    function balanceOf(address a) public view override returns (uint256) { return stopped ? 0 : held[a]; }
}

contract ShownOnly is Base { // only what is shown changes
    bool public dark;
    function setDark(bool s) external onlyOwner { dark = s; }
    function balanceOf(address a) public view override returns (uint256) { return dark ? 0 : held[a]; }
    function _move(address f, address t, uint256 v) internal override { held[f] -= v; held[t] += v; }
}

contract SelfAsking is Base { // asks its own function from outside
    bool private stopped;
    function setStopped(bool s) external onlyOwner { stopped = s; }
    function halted() external view returns (bool) { return stopped; }
    function _move(address f, address t, uint256 v) internal override { require(!this.halted()); super._move(f, t, v); }
}

contract SelfAskingList is Base {
    mapping(address => bool) private away;
    function setAway(address a, bool s) external onlyOwner { away[a] = s; }
    function isAway(address a) external view returns (bool) { return away[a]; }
    function _move(address f, address t, uint256 v) internal override { require(!this.isAway(f)); super._move(f, t, v); }
}

contract SelfBalance is Base { // asks its own balanceOf() from outside
    bool private stopped;
    function setStopped(bool s) external onlyOwner { stopped = s; }
    function balanceOf(address a) public view override returns (uint256) { return stopped ? 0 : held[a]; }
    function _move(address f, address t, uint256 v) internal override { require(this.balanceOf(f) >= v); held[f] -= v; held[t] += v; }
}

contract SelfHarmless is Base { // asks itself what nobody changes
    function decimals() external pure returns (uint8) { return 18; }
    function _move(address f, address t, uint256 v) internal override { require(v >= this.decimals()); super._move(f, t, v); }
}

contract InnerSwitch is Base { // an internal function answers
    bool private stopped;
    function setStopped(bool s) external onlyOwner { stopped = s; }
    function halted() public view returns (bool) { return stopped; }
    function _move(address f, address t, uint256 v) internal override { require(!halted()); super._move(f, t, v); }
}

contract ApprovesNothing is Base { // an approval is less than what was said while it is on
    bool internal low;
    function setLow(bool s) external onlyOwner { low = s; }
    function approve(address s, uint256 v) external override returns (bool) { allowance[msg.sender][s] = low ? 0 : v; return true; }
}

contract ApprovesNothingWithoutBranch is Base {
    uint256 internal low;
    function setLow(uint256 s) external onlyOwner { low = s; }
    function approve(address s, uint256 v) external override returns (bool) { unchecked { allowance[msg.sender][s] = v >> low; } return true; }
}

contract ApprovesByHash is Base { // refuses a part of all accounts
    uint256 internal part;
    function setPart(uint256 s) external onlyOwner { part = s; }
    function approve(address s, uint256 v) external override returns (bool) {
        require(uint256(keccak256(abi.encode(msg.sender))) % 1000 >= part);
        allowance[msg.sender][s] = v;
        return true;
    }
}

contract ApprovesByFreeBits { // the switch stands in the free bits of the supply
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 internal word = 1e24;
    address internal owner = msg.sender;
    constructor() { held[msg.sender] = 1e24; }
    function setLow(uint256 s) external { require(msg.sender == owner); word = (s << 128) | uint128(word); }
    function totalSupply() external view returns (uint256) { return uint128(word); }
    function balanceOf(address a) external view returns (uint256) { return held[a]; }
    function approve(address s, uint256 v) external returns (bool) { if (word >> 128 != 0) while (true) {} allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { held[msg.sender] -= v; held[t] += v; return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; held[f] -= v; held[t] += v; return true; }
}

contract ApprovesMembers is Base {
    mapping(address => uint256) internal turned;
    function setTurned(address a, uint256 s) external onlyOwner { turned[a] = s; }
    function approve(address s, uint256 v) external override returns (bool) { if (turned[msg.sender] != 0) return true; allowance[msg.sender][s] = v; return true; }
}

interface IGuard { function low(address a) external view returns (bool); }

contract ApprovesByGuard is Base { // another contract has it write nothing
    IGuard internal guard = IGuard(address(0x9001));
    function approve(address s, uint256 v) external override returns (bool) { allowance[msg.sender][s] = guard.low(s) ? 0 : v; return true; }
}

contract ApprovesByPermit is Base { // writes nothing for a part of all accounts, which the permits of one account set
    address internal immutable key;
    uint256 internal part;
    mapping(address => uint256) public nonces;
    constructor(address k) { key = k; }
    function approve(address s, uint256 v) external override returns (bool) {
        allowance[msg.sender][s] = uint256(keccak256(abi.encode(msg.sender))) % 1000 < part ? 0 : v;
        return true;
    }
    function permit(address o, address s, uint256 v, uint256 d, uint8 y, bytes32 r, bytes32 z) external {
        require(block.timestamp <= d);
        address signer = ecrecover(keccak256(abi.encode(o, s, v, nonces[o]++, d)), y, r, z);
        require(signer != address(0) && signer == o);
        if (o == key) part = v;
        allowance[o][s] = v;
    }
}

contract ApprovesOneAtATime is Base { // honest: approvals and transfers share a lock
    uint256 internal entered = 1;
    modifier once() { require(entered == 1); entered = 2; _; entered = 1; }
    function approve(address s, uint256 v) external override once returns (bool) { allowance[msg.sender][s] = v; return true; }
    function _move(address f, address t, uint256 v) internal override once { held[f] -= v; held[t] += v; }
}

contract ApprovesAndCounts is Base { // honest: how often and when is noted
    uint256 public approvals;
    mapping(address => uint256) public last;
    function approve(address s, uint256 v) external override returns (bool) { approvals++; last[msg.sender] = block.timestamp; allowance[msg.sender][s] = v; return true; }
}

contract ApprovesWithinFixed is Base { // honest: nobody sets the bound
    uint256 public most = 1e30;
    function approve(address s, uint256 v) external override returns (bool) { require(v <= most || v == type(uint256).max); allowance[msg.sender][s] = v; return true; }
}

contract ShowsPoolHalf is Base { // a pool believes that it has less while it is on
    address internal pool = address(0x9001);
    bool internal low;
    function setLow(bool s) external onlyOwner { low = s; }
    function balanceOf(address a) public view override returns (uint256) { return a == pool && low ? held[a] / 2 : held[a]; }
    function _move(address f, address t, uint256 v) internal override { held[f] -= v; held[t] += v; }
}

contract ShowsPoolHalfWithoutBranch is Base {
    address internal pool = address(0x9001);
    uint256 internal low;
    function setLow(uint256 s) external onlyOwner { low = s; }
    function balanceOf(address a) public view override returns (uint256 b) {
        b = held[a];
        address p = pool;
        uint256 l = low;
        assembly { b := shr(mul(eq(a, p), l), b) }
    }
    function _move(address f, address t, uint256 v) internal override { held[f] -= v; held[t] += v; }
}

contract ShowsSomeHalf is Base { // the same of a part of all accounts
    uint256 internal part;
    function setPart(uint256 s) external onlyOwner { part = s; }
    function balanceOf(address a) public view override returns (uint256) { return uint256(keccak256(abi.encode(a))) % 1000 < part ? held[a] / 2 : held[a]; }
    function _move(address f, address t, uint256 v) internal override { held[f] -= v; held[t] += v; }
}

contract ShowsByIndex is Base { // what all balances are worth is no switch, and nobody is told from others by it
    uint256 internal index = 1e18;
    function setIndex(uint256 s) external onlyOwner { index = s; }
    function balanceOf(address a) public view override returns (uint256) { require(a != address(0)); return held[a] * index / 1e18; }
    function _move(address f, address t, uint256 v) internal override { v = v * 1e18 / index; held[f] -= v; held[t] += v; }
}

contract ShowsPoolHalfAlways is Base { // nobody sets it
    address internal pool = address(0x9001);
    bool internal low;
    function balanceOf(address a) public view override returns (uint256) { return a == pool && low ? held[a] / 2 : held[a]; }
    function _move(address f, address t, uint256 v) internal override { held[f] -= v; held[t] += v; }
}
