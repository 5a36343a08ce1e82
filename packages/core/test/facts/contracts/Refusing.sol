// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Tokens that an account takes for itself, and that differ in whether it can send them on, for the tests of HeldTransfers.

abstract contract Taken {
  mapping(address => uint256) public balanceOf;
  mapping(address => mapping(address => uint256)) public allowance;
  mapping(address => bool) internal banned;
  uint256 public totalSupply;
  event Transfer(address indexed from, address indexed to, uint256 value);
  event Approval(address indexed owner, address indexed spender, uint256 value);
  // From the contract's own balance, so that there is another holder.
  function claim() external { give(address(this), 1e20); give(msg.sender, 1e20); emit Transfer(address(this), msg.sender, 1e20); }
  function airdrop(address to) external { give(to, 1e20); emit Transfer(address(this), to, 1e20); }
  function ban(address who) external { banned[who] = true; }
  function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; emit Approval(msg.sender, s, v); return true; }
  function give(address to, uint256 v) internal { totalSupply += v; balanceOf[to] += v; }
  function move(address to, uint256 v) internal { balanceOf[msg.sender] -= v; balanceOf[to] += v; emit Transfer(msg.sender, to, v); }
}
contract Freezing is Taken { function transfer(address to, uint256 v) external returns (bool) { require(!banned[msg.sender]); move(to, v); return true; } }
contract FreezingSilently is Taken { function transfer(address to, uint256 v) external returns (bool) { if (!banned[msg.sender]) move(to, v); return true; } }
contract FreezingByFalse is Taken { function transfer(address to, uint256 v) external returns (bool) { if (banned[msg.sender]) return false; move(to, v); return true; } }
contract ReturningNothing is Taken { function transfer(address to, uint256 v) external { move(to, v); } }
contract Halted is Taken { bool internal open; function start() external { open = true; } function transfer(address to, uint256 v) external returns (bool) { require(open); move(to, v); return true; } }
contract Paced is Taken { mapping(address => uint256) internal last; function mint() external { give(msg.sender, 1e20); emit Transfer(address(0), msg.sender, 1e20); } function transfer(address to, uint256 v) external returns (bool) { require(last[msg.sender] != block.number); last[msg.sender] = block.number; move(to, v); return true; } }
contract Debt is Taken { function transfer(address, uint256) external pure returns (bool) { revert(); } }
