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
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
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
