// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens of which there is only so much.

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";
import {ERC20Capped} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Capped.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

contract Capped is ERC20Capped, Ownable { // the cap is written into the code
    constructor() ERC20("C", "C") ERC20Capped(1000) Ownable(msg.sender) {}
    function mint(address to, uint256 v) external onlyOwner { _mint(to, v); }
}

contract CappedBurnable is ERC20Burnable, ERC20Capped, Ownable { // what is burnt can be made again
    constructor() ERC20("C", "C") ERC20Capped(1000) Ownable(msg.sender) {}
    function mint(address to, uint256 v) external onlyOwner { _mint(to, v); }
    function _update(address f, address t, uint256 v) internal override(ERC20, ERC20Capped) { super._update(f, t, v); }
}

abstract contract Books {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply; // slot 2
    address public owner; // slot 3
    uint256 public cap; // slot 4
    modifier onlyOwner() { require(msg.sender == owner); _; }
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return true; }
    function _move(address f, address t, uint256 v) internal { balanceOf[f] -= v; balanceOf[t] += v; }
    function _mint(address t, uint256 v) internal { totalSupply += v; balanceOf[t] += v; }
}

contract KeptCap is Books { // asked before, of a variable that nobody sets
    function mint(address t, uint256 v) external onlyOwner { require(totalSupply + v <= cap); _mint(t, v); }
}

contract StrictCap is Books {
    function mint(address t, uint256 v) external onlyOwner { require(totalSupply + v < cap); _mint(t, v); }
}

contract RaisedCap is Books { // the owner raises it
    function setCap(uint256 v) external onlyOwner { cap = v; }
    function mint(address t, uint256 v) external onlyOwner { require(totalSupply + v <= cap); _mint(t, v); }
}

contract SteppedCap is Books { // asked before what is made is added
    function mint(address t, uint256 v) external onlyOwner { require(totalSupply <= cap); _mint(t, v); }
}

contract EntryCap is Books { // bounds one call
    function mint(address t, uint256 v) external onlyOwner { require(v <= cap); _mint(t, v); }
}

contract WrappingCap is Books { // what wraps is below any cap
    function mint(address t, uint256 v) external onlyOwner {
        unchecked { require(totalSupply + v <= cap); totalSupply += v; balanceOf[t] += v; }
    }
}

contract SparedCap is Books { // not asked of everybody
    function mint(address t, uint256 v) external onlyOwner { require(t == owner || totalSupply + v <= cap); _mint(t, v); }
}

contract UncountedCap is Books { // enters more than it counts
    function mint(address t, uint256 v) external onlyOwner { require(totalSupply + v <= cap); _mint(t, v); balanceOf[t] += 1; }
}

contract OtherCap is Books { // another function asks nothing
    function mint(address t, uint256 v) external onlyOwner { require(totalSupply + v <= cap); _mint(t, v); }
    function issue(address t, uint256 v) external onlyOwner { _mint(t, v); }
}
