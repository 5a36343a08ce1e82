// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

abstract contract Books {
  mapping(address => uint256) public balanceOf;
  uint256 public totalSupply;
  mapping(address => mapping(address => uint256)) public allowance;
  address internal _owner; // 3
  address internal keeper; // 4
  mapping(address => bool) internal trusted; // 5
  bool internal veiled; // 6
  function name() external pure returns (string memory) { return "J"; }
  function symbol() external pure returns (string memory) { return "J"; }
  function decimals() external pure returns (uint8) { return 18; }
  function owner() public view virtual returns (address) { return _owner; }
  function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
  function transfer(address to, uint256 amount) external virtual returns (bool) { balanceOf[msg.sender] -= amount; balanceOf[to] += amount; return true; }
  function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; balanceOf[f] -= v; balanceOf[t] += v; return true; }
  function make(address to, uint256 v) internal { totalSupply += v; balanceOf[to] += v; }
  function renounceOwnership() external { require(msg.sender == _owner); _owner = address(0); }
}
/// The owner is one of those who may.
contract OrTrusted is Books {
  function mint(address to, uint256 v) external { require(msg.sender == _owner || trusted[msg.sender]); make(to, v); }
  function trust(address who) external { require(msg.sender == _owner); trusted[who] = true; }
}
/// Says that he is gone once he wants it to.
contract Veiled is Books {
  function owner() public view override returns (address) { return veiled ? address(0) : _owner; }
  function veil() external { require(msg.sender == _owner); veiled = true; }
  function mint(address to, uint256 v) external { require(msg.sender == _owner); make(to, v); }
}
/// Says so from the beginning.
contract Denied is Books {
  function owner() public pure override returns (address) { return address(0); }
  function mint(address to, uint256 v) external { require(msg.sender == _owner); make(to, v); }
}
/// Somebody else says who chooses the code that it runs.
contract Plugged is Books {
  address public plugin; // 7
  function setPlugin(address next) external { require(msg.sender == _owner); plugin = next; }
  function appoint(address next) external { require(msg.sender == keeper); _owner = next; }
  function run() external { (bool ok, ) = plugin.delegatecall(""); require(ok); }
}
