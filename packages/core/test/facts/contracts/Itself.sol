// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Tokens of which only the token itself may make more, and that differ in who can make it call itself, for the tests of OwnCallers.

interface IReceiver { function onApprovalReceived(address from, uint256 v, bytes calldata what) external returns (bytes4); }

abstract contract Ledger {
  mapping(address => uint256) public balanceOf;
  uint256 public totalSupply;
  mapping(address => mapping(address => uint256)) public allowance;
  address public owner; // 3
  address internal keeper; // 4
  address internal sink; // 5
  address internal immutable here = address(this);
  function name() external pure returns (string memory) { return "J"; }
  function symbol() external pure returns (string memory) { return "J"; }
  function decimals() external pure returns (uint8) { return 18; }
  function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
  function transfer(address to, uint256 amount) external returns (bool) { balanceOf[msg.sender] -= amount; balanceOf[to] += amount; return true; }
  function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; balanceOf[f] -= v; balanceOf[t] += v; return true; }
  function run(address what, bytes memory how) internal { (bool ok, ) = what.call(how); require(ok); }
}
abstract contract AskingItself is Ledger {
  function mint(address to, uint256 v) external { require(msg.sender == address(this)); totalSupply += v; balanceOf[to] += v; }
}
abstract contract AskingOwner is Ledger {
  function transferOwnership(address to) external { require(msg.sender == owner); owner = to; }
  function mint(address to, uint256 v) external { require(msg.sender == owner); totalSupply += v; balanceOf[to] += v; }
}

// Anybody makes it call.
contract CallsForAnybody is AskingItself { function approveAndCall(address what, uint256 v, bytes calldata how) external { allowance[msg.sender][what] = v; run(what, how); } }
contract CallsItsImmutable is AskingItself { function poke(bytes calldata how) external { run(here, how); } }
contract OwnsItselfForAnybody is AskingOwner { function approveAndCall(address what, uint256 v, bytes calldata how) external { allowance[msg.sender][what] = v; run(what, how); } }
contract CallsSink is AskingItself { // who sets the sink may set the token
  function setSink(address to) external { require(msg.sender == keeper); sink = to; }
  function poke(bytes calldata how) external { run(sink, how); }
}

// The keeper does.
contract CallsForKeeper is AskingItself { function go(address what, bytes calldata how) external { require(msg.sender == keeper); run(what, how); } }
contract OwnsItselfForKeeper is AskingOwner { function go(address what, bytes calldata how) external { require(msg.sender == keeper); run(what, how); } }

// Nobody does.
contract CallsNothing is AskingItself {}
contract CallsWithItself is AskingItself { function go(address what, bytes calldata how) external { require(msg.sender == address(this)); run(what, how); } }
contract CallsOneFunction is AskingItself { function approveAndCall(address what, uint256 v, bytes calldata how) external { allowance[msg.sender][what] = v; IReceiver(what).onApprovalReceived(msg.sender, v, how); } }
contract PaysAnybody is AskingItself { function pay(address to) external payable { (bool ok, ) = to.call{value: msg.value}(""); require(ok); } }
contract OwnsItself is AskingOwner {}

// A role of its own.
contract HasRoleForAnybody is Ledger {
  mapping(bytes32 => mapping(address => bool)) internal roles; // 6
  event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);
  function hasRole(bytes32 role, address who) public view returns (bool) { return roles[role][who]; }
  function getRoleAdmin(bytes32) external pure returns (bytes32) { return 0; }
  function mint(address to, uint256 v) external { require(hasRole(keccak256("MINTER_ROLE"), msg.sender)); totalSupply += v; balanceOf[to] += v; }
  function approveAndCall(address what, uint256 v, bytes calldata how) external { allowance[msg.sender][what] = v; run(what, how); }
}
