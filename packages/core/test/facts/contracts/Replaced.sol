// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

abstract contract Handing {
  function hand(address to) internal {
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      switch ok
      case 0 { revert(0, returndatasize()) }
      default { return(0, returndatasize()) }
    }
  }
}

abstract contract Slots {
  bytes32 internal constant place = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
  bytes32 internal constant admins = 0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103;

  function read(bytes32 at) internal view returns (address found) {
    assembly { found := sload(at) }
  }

  function write(bytes32 at, address to) internal {
    assembly { sstore(at, to) }
  }
}

abstract contract OfSlot is Handing, Slots {
  fallback() external payable {
    hand(read(place));
  }
}

/// Its administrator is in the code, whatever the slot says.
contract OfConstant is OfSlot {
  address private immutable admin = msg.sender;
  function upgradeTo(address next) external {
    if (msg.sender == admin) write(place, next);
    else hand(read(place));
  }
}

/// Its administrator is who the slot says.
contract OfAdmin is OfSlot {
  function upgradeTo(address next) external {
    if (msg.sender == read(admins)) write(place, next);
    else hand(read(place));
  }
  function changeAdmin(address next) external {
    if (msg.sender == read(admins)) write(admins, next);
    else hand(read(place));
  }
}

/// Somebody else names the administrator.
contract OfAnother is OfSlot {
  address private immutable other = msg.sender;
  function upgradeTo(address next) external {
    require(msg.sender == read(admins));
    write(place, next);
  }
  function appoint(address next) external {
    require(msg.sender == other);
    write(admins, next);
  }
}

contract OfNobody is OfSlot {}

/// Replaces itself from behind the proxy, without saying what slot it is for.
contract ReplacesItself is Slots {
  address public owner;
  function upgradeTo(address next) external {
    require(msg.sender == owner);
    write(place, next);
  }
}

contract NamesAdmin is Slots {
  address public owner;
  function appoint(address next) external {
    require(msg.sender == owner);
    write(admins, next);
  }
}

/// The standard way asks the owner, another way somebody else.
contract Migrates is Slots {
  address public owner;
  address private keeper;
  function proxiableUUID() external pure returns (bytes32) { return place; }
  function upgradeToAndCall(address next, bytes calldata) external payable {
    require(msg.sender == owner);
    write(place, next);
  }
  function migrate(address next) external {
    require(msg.sender == keeper);
    write(place, next);
  }
}

contract Standard is Slots {
  address public owner;
  function proxiableUUID() external pure returns (bytes32) { return place; }
  function upgradeToAndCall(address next, bytes calldata) external payable {
    require(msg.sender == owner);
    write(place, next);
  }
}

contract MigratesByRole is Slots {
  address public owner;
  mapping(address => bool) private trusted;
  function proxiableUUID() external pure returns (bytes32) { return place; }
  function upgradeToAndCall(address next, bytes calldata) external payable {
    require(msg.sender == owner || trusted[msg.sender]);
    write(place, next);
  }
  function trust(address who) external { require(msg.sender == owner); trusted[who] = true; }
}

/// Keeps its code in a variable, slot 1, which the next one takes himself.
contract TwoSteps is Handing {
  address internal owner;
  address internal logic;
  address internal next;
  function propose(address to) external { require(msg.sender == owner); next = to; }
  function accept() external { require(msg.sender == next); logic = next; }
  fallback() external payable { hand(logic); }
}

contract Reappointed is Handing {
  address internal owner;
  address internal logic;
  address internal keeper;
  function replace(address to) external { require(msg.sender == owner); logic = to; }
  function appoint(address to) external { require(msg.sender == keeper); owner = to; }
  fallback() external payable { hand(logic); }
}

contract Appointed is Handing {
  address internal owner;
  address internal logic;
  function replace(address to) external { require(msg.sender == owner); logic = to; }
  function transferOwnership(address to) external { require(msg.sender == owner); owner = to; }
  fallback() external payable { hand(logic); }
}

/// Its getters tell of an administrator who is not asked.
contract Pretending is Handing {
  address internal owner;
  address internal logic;
  function comptrollerImplementation() external view returns (address) { return logic; }
  function admin() external pure returns (address) { return address(0); }
  function replace(address to) external { require(msg.sender == owner); logic = to; }
  fallback() external payable { hand(logic); }
}

contract Beacon {
  address public owner;
  address public implementation;
  function upgradeTo(address to) external { require(msg.sender == owner); implementation = to; }
}

/// Another one than its owner is asked.
contract BeaconOfAnother {
  address public owner;
  address public implementation;
  address private keeper;
  function upgradeTo(address to) external { require(msg.sender == keeper); implementation = to; }
}

contract BeaconOfAnyAnswer {
  address private immutable first = msg.sender;
  mapping(address => address) private byCaller;
  function owner() external pure returns (address) { return address(0); }
  function implementation() external view returns (address) { address own = byCaller[msg.sender]; return own == address(0) ? first : own; }
  function set(address who, address to) external { require(msg.sender == first); byCaller[who] = to; }
}

/// Asks who calls, behind the contract that is linked to it.
library Backdoor {
  function run(mapping(address => uint256) storage balances, uint256 amount) external {
    balances[msg.sender] += amount;
  }
}

contract Linked {
  mapping(address => uint256) public balanceOf;

  function poke(uint256 amount) external {
    Backdoor.run(balanceOf, amount);
  }
}

/// Writes where it is told to.
contract WritesAnywhere {
  address public owner;
  function set(bytes32 at, bytes32 what) external {
    require(msg.sender == owner);
    assembly { sstore(at, what) }
  }
}

/// The same before it hands calls on.
contract OfPlaces is Handing, Slots {
  address private immutable admin = msg.sender;
  fallback() external payable {
    if (msg.sender == admin) assembly { sstore(calldataload(0), calldataload(32)) }
    else hand(read(place));
  }
}

/// Asks the beacon that its slot says.
contract OfBeacon is Handing, Slots {
  fallback() external payable {
    hand(Answering(read(0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50)).implementation());
  }
}

interface Answering { function implementation() external view returns (address); }

/// Puts another beacon into the place of a proxy's.
contract MovesBeacon is Slots {
  address public owner;
  function move(address next) external {
    require(msg.sender == owner);
    write(0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50, next);
  }
}

/// Runs what it keeps, and writes where it is told to.
contract RunsKept is WritesAnywhere {
  address private code;
  function run() external {
    (bool ok, ) = code.delegatecall("");
    require(ok);
  }
}

/// The owner and somebody else are asked.
contract BeaconOfTwo {
  address public owner;
  address public implementation;
  address private keeper;
  function upgradeTo(address to) external { require(msg.sender == owner || msg.sender == keeper); implementation = to; }
}

/// A list is asked, whoever the owner is.
contract BeaconOfList {
  address public owner;
  address public implementation;
  mapping(address => bool) private trusted;
  function upgradeTo(address to) external { require(trusted[msg.sender]); implementation = to; }
  function trust(address who) external { require(trusted[msg.sender]); trusted[who] = true; }
}

/// Is replaced by whom it gave a role, which whoever has another role gives.
contract ByRole is Slots {
  mapping(bytes32 => mapping(address => bool)) private held;
  mapping(bytes32 => bytes32) private givers;
  event RoleGranted(bytes32 indexed role, address indexed account, address indexed by);
  function supportsInterface(bytes4) external pure returns (bool) { return true; }
  function hasRole(bytes32 role, address who) public view returns (bool) { return held[role][who]; }
  function getRoleAdmin(bytes32 role) public view returns (bytes32) { return givers[role]; }
  function ask(bytes32 role) internal view {
    require(held[role][msg.sender]);
  }
  function grantRole(bytes32 role, address who) external {
    ask(givers[role]);
    held[role][who] = true;
    emit RoleGranted(role, who, msg.sender);
  }
  function proxiableUUID() external pure returns (bytes32) { return place; }
  function upgradeToAndCall(address next, bytes calldata) external payable virtual {
    ask(keccak256("UPGRADER_ROLE"));
    write(place, next);
  }
}

/// Has roles, and is replaced by whoever is on a list.
contract ByList is ByRole {
  mapping(address => bool) private trusted;
  function upgradeToAndCall(address next, bytes calldata) external payable override {
    require(trusted[msg.sender]);
    write(place, next);
  }
}
