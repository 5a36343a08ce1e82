// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Tokens that a bridge may mint and burn, and bridges that differ in what they can call, for the tests of CallableFunctions.

contract Bridged {
  mapping(address => uint256) public balanceOf;
  uint256 public totalSupply;
  mapping(address => mapping(address => uint256)) public allowance;
  address internal immutable bridge = msg.sender;
  function name() external pure returns (string memory) { return "J"; }
  function symbol() external pure returns (string memory) { return "J"; }
  function decimals() external pure returns (uint8) { return 18; }
  function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
  function transfer(address to, uint256 amount) external returns (bool) { balanceOf[msg.sender] -= amount; balanceOf[to] += amount; return true; }
  function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; balanceOf[f] -= v; balanceOf[t] += v; return true; }
  function mint(address to, uint256 v) external { require(msg.sender == bridge); totalSupply += v; balanceOf[to] += v; }
  function burn(address from, uint256 v) external { require(msg.sender == bridge); totalSupply -= v; balanceOf[from] -= v; }
}
abstract contract Bridge {
  address internal constant messenger = 0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa;
  modifier relayed() { require(msg.sender == messenger); _; }
}
contract Minting is Bridge { function relay(Bridged t, address to, uint256 v) external relayed { t.mint(to, v); } }
contract Burning is Bridge {
  function relay(Bridged t, address to, uint256 v) external relayed { t.mint(to, v); }
  function take(Bridged t, address from, uint256 v) external relayed { t.burn(from, v); }
}
contract CallingAnything is Bridge {
  function relay(Bridged t, address to, uint256 v) external relayed { t.mint(to, v); }
  function run(address to, bytes calldata how) external relayed { (bool ok, ) = to.call(how); require(ok); }
}
contract Delegating is Bridge {
  function relay(Bridged t, address to, uint256 v) external relayed { t.mint(to, v); }
  function run(address to, bytes calldata how) external relayed { (bool ok, ) = to.delegatecall(how); require(ok); }
}
