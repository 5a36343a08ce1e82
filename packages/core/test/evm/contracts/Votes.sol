// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens that keep votes for the delegates of their holders: as OpenZeppelin 5 does, as 4 did (Listed), and as COMP (Counted).

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC20Votes} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";
import {OwnableUpgradeable} from "@openzeppelin/contracts-upgradeable/access/OwnableUpgradeable.sol";
import {ERC20Upgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/ERC20Upgradeable.sol";
import {ERC20PermitUpgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/extensions/ERC20PermitUpgradeable.sol";
import {ERC20VotesUpgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/extensions/ERC20VotesUpgradeable.sol";
import {NoncesUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/NoncesUpgradeable.sol";

contract Standard is ERC20, ERC20Burnable, ERC20Permit, ERC20Votes {
    address public owner = msg.sender;
    constructor() ERC20("A", "A") ERC20Permit("A") {}
    function mint(address to, uint256 v) external { require(msg.sender == owner); _mint(to, v); }
    function _update(address f, address t, uint256 v) internal override(ERC20, ERC20Votes) { super._update(f, t, v); }
    function nonces(address who) public view override(ERC20Permit, Nonces) returns (uint256) { return super.nonces(who); }
}

contract Timed is Standard { // in seconds
    function clock() public view override returns (uint48) { return uint48(block.timestamp); }
    function CLOCK_MODE() public pure override returns (string memory) { return "mode=timestamp"; }
}

contract Upgradeable is ERC20Upgradeable, ERC20PermitUpgradeable, ERC20VotesUpgradeable, OwnableUpgradeable {
    function initialize(string memory n, string memory s) external initializer { __ERC20_init(n, s); __ERC20Permit_init(n); __Ownable_init(msg.sender); }
    function mint(address to, uint256 v) external onlyOwner { _mint(to, v); }
    function _update(address f, address t, uint256 v) internal override(ERC20Upgradeable, ERC20VotesUpgradeable) { super._update(f, t, v); }
    function nonces(address who) public view override(ERC20PermitUpgradeable, NoncesUpgradeable) returns (uint256) { return super.nonces(who); }
}

abstract contract Base {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply = 1e24;
    address public owner = msg.sender;
    mapping(address => address) public delegates;
    event Transfer(address indexed from, address indexed to, uint256 value);
    constructor() { balanceOf[msg.sender] = 1e24; }
    modifier onlyOwner() { require(msg.sender == owner); _; }
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return true; }
    function delegate(address to) external {
        (address before, uint256 v) = (delegates[msg.sender], balanceOf[msg.sender]);
        delegates[msg.sender] = to;
        _vote(before, to, v);
    }
    function _move(address f, address t, uint256 v) internal {
        balanceOf[f] -= v;
        balanceOf[t] += v;
        emit Transfer(f, t, v);
        _vote(delegates[f], delegates[t], v);
    }
    function _make(address t, uint256 v) internal {
        totalSupply += v;
        balanceOf[t] += v;
        emit Transfer(address(0), t, v);
    }
    function _burn(address f, uint256 v) internal {
        totalSupply -= v;
        balanceOf[f] -= v;
        emit Transfer(f, address(0), v);
    }
    function _vote(address from, address to, uint256 v) internal {
        if (from == to || v == 0) return;
        if (from != address(0)) _lower(from, v);
        if (to != address(0)) _raise(to, v);
    }
    function _raise(address to, uint256 v) internal virtual;
    function _lower(address from, uint256 v) internal virtual;
}

abstract contract Listed is Base {
    struct Checkpoint { uint32 fromBlock; uint224 votes; }
    mapping(address => Checkpoint[]) internal _checkpoints;
    function _raise(address to, uint256 v) internal override { _write(_checkpoints[to], _add, v); }
    function _lower(address from, uint256 v) internal override { _write(_checkpoints[from], _subtract, v); }
    function _add(uint256 a, uint256 b) internal pure returns (uint256) { return a + b; }
    function _subtract(uint256 a, uint256 b) internal pure returns (uint256) { return a - b; }
    function _short(uint256 v) internal pure returns (uint224) { require(v <= type(uint224).max); return uint224(v); }
    function _write(Checkpoint[] storage all, function(uint256, uint256) pure returns (uint256) op, uint256 v) internal {
        uint256 n = all.length;
        Checkpoint memory last = n == 0 ? Checkpoint(0, 0) : all[n - 1];
        uint256 next = op(last.votes, v);
        if (n > 0 && last.fromBlock == block.number) all[n - 1].votes = _short(next);
        else {
            require(block.number <= type(uint32).max);
            all.push(Checkpoint({fromBlock: uint32(block.number), votes: _short(next)}));
        }
    }
}

contract Fixed is Listed {}

contract Minted is Listed {
    function mint(address t, uint256 v) external onlyOwner { _make(t, v); _vote(address(0), delegates[t], v); }
    function burn(uint256 v) external { _burn(msg.sender, v); _vote(delegates[msg.sender], address(0), v); }
}

contract Unmatched is Listed { // takes votes from whom its owner names
    function strip(address to, uint256 v) external onlyOwner { _lower(to, v); }
}

contract Crossed is Listed { // takes votes from those to whom it gives tokens
    function mint(address t, uint256 v) external onlyOwner { _make(t, v); _lower(delegates[t], v); }
}

contract Astray is Listed { // burns its owner's, and takes the votes of others
    function burn(address whose, uint256 v) external onlyOwner { _burn(msg.sender, v); _lower(delegates[whose], v); }
}

contract Halves is Listed { // does one or the other
    function burn(address whose, uint256 v, bool votes) external onlyOwner {
        if (votes) _lower(delegates[whose], v);
        else _burn(whose, v);
    }
}

contract Twice is Listed { // burns its owner's once, and takes as many votes twice
    function burn(uint256 v) external onlyOwner { _burn(msg.sender, v); _lower(delegates[msg.sender], v); _lower(delegates[msg.sender], v); }
}

contract Rounds is Listed { // the same, as often as its owner likes
    function burn(uint256 v, uint256 n) external onlyOwner { _burn(msg.sender, v); for (uint256 i; i < n; ++i) _lower(delegates[msg.sender], v); }
}

contract Anew is Listed { // goes on from the first that was kept
    function mint(address t, uint256 v) external onlyOwner {
        _make(t, v);
        Checkpoint[] storage all = _checkpoints[delegates[t]];
        all.push(Checkpoint({fromBlock: uint32(block.number), votes: _short(all[0].votes + v)}));
    }
}

contract Emptied is Listed { // puts nothing on top
    function mint(address t, uint256 v) external onlyOwner {
        _make(t, v);
        _checkpoints[delegates[t]].push(Checkpoint({fromBlock: uint32(block.number), votes: 0}));
    }
}

contract Appointed is Listed { // has votes taken from whom its owner put in nobody's place
    function set(address whose, address to) external onlyOwner { delegates[whose] = to; }
    function mint(address t, uint256 v) external onlyOwner { _make(t, v); _vote(delegates[address(0)], delegates[t], v); }
}

contract Swept is Listed { // hands out all that it holds itself
    function sweep(address to) external onlyOwner { _move(address(this), to, balanceOf[address(this)]); }
}

contract SweptTwice is Listed { // hands out all that it holds once, and takes as many votes twice
    function sweep(address to) external onlyOwner {
        uint256 v = balanceOf[address(this)];
        _move(address(this), to, v);
        _lower(delegates[address(this)], v);
    }
}

contract SweptAstray is Listed { // burns all that it holds, and takes the votes of others
    function sweep(address whose) external onlyOwner {
        uint256 v = balanceOf[address(this)];
        _burn(address(this), v);
        _lower(delegates[whose], v);
    }
}

contract SweptInPart is Listed { // what votes go down by is what it held before a part of it was burnt
    function sweep(address whose) external onlyOwner {
        uint256 v = balanceOf[whose];
        _burn(whose, v / 2);
        _burn(whose, balanceOf[whose]);
        _lower(delegates[whose], v);
        _lower(delegates[whose], v / 2);
    }
}

contract GivenBack is Listed { // takes tokens with their votes, and gives back the tokens alone
    function strip(address whose, uint256 v) external onlyOwner {
        _burn(whose, v);
        _lower(delegates[whose], v);
        _make(whose, v);
    }
}

abstract contract Counted is Base {
    struct Checkpoint { uint32 fromBlock; uint96 votes; }
    mapping(address => mapping(uint32 => Checkpoint)) public checkpoints;
    mapping(address => uint32) public numCheckpoints;
    function _raise(address to, uint256 v) internal override { _write(to, _last(to) + uint96(v)); }
    function _lower(address from, uint256 v) internal override { _write(from, _last(from) - uint96(v)); }
    function _last(address who) internal view returns (uint96) {
        uint32 n = numCheckpoints[who];
        return n > 0 ? checkpoints[who][n - 1].votes : 0;
    }
    function _write(address who, uint96 votes) internal {
        uint32 n = numCheckpoints[who];
        if (n > 0 && checkpoints[who][n - 1].fromBlock == uint32(block.number)) checkpoints[who][n - 1].votes = votes;
        else {
            checkpoints[who][n] = Checkpoint(uint32(block.number), votes);
            numCheckpoints[who] = n + 1;
        }
    }
}

contract CountedMint is Counted {
    function mint(address t, uint256 v) external onlyOwner {
        require(v <= type(uint96).max);
        _make(t, v);
        _vote(address(0), delegates[t], v);
    }
}

contract CountedOn is Counted { // counts on without keeping anything
    function mint(address t, uint256 v) external onlyOwner {
        require(v <= type(uint96).max);
        _make(t, v);
        numCheckpoints[delegates[t]]++;
    }
}

contract Noted is Base { // notes when it was that somebody's votes last changed, and asks that it be over
    mapping(address => uint256) internal _votes;
    mapping(address => uint256) internal _at;
    function _raise(address to, uint256 v) internal override { _note(to); _votes[to] += v; }
    function _lower(address from, uint256 v) internal override { _note(from); unchecked { _votes[from] -= v; } }
    function _note(address who) internal { require(block.timestamp >= _at[who]); _at[who] = block.timestamp; }
    function touch(address who) external onlyOwner { _at[who] = block.timestamp; }
}

contract NotedAhead is Noted { function punish(address who) external onlyOwner { _at[who] = block.timestamp + 1000 days; } }
contract NotedElse is Noted { function confuse(address who) external onlyOwner { _at[who] = block.timestamp; _at[address(1)] = block.number; } }

contract Waiting is Base { // has somebody wait for a day from when it was noted
    mapping(address => uint256) internal _at;
    function _raise(address to, uint256) internal view override { _check(to); }
    function _lower(address from, uint256) internal view override { _check(from); }
    function _check(address who) internal view { require(block.timestamp >= _at[who] + 1 days); }
    function touch(address who) external onlyOwner { _at[who] = block.timestamp; }
}

contract Blocks is Base { // asks for blocks where seconds were noted
    mapping(address => uint256) internal _at;
    function _raise(address to, uint256) internal override { require(block.number >= _at[to]); }
    function _lower(address from, uint256) internal override { require(block.number >= _at[from]); }
    function touch(address who) external onlyOwner { _at[who] = block.timestamp; }
}
