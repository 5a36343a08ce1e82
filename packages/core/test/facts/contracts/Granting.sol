// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {AccessManaged} from "@openzeppelin/contracts/access/manager/AccessManaged.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

bytes32 constant MINTER = keccak256("MINTER_ROLE");

contract TellingToken is ERC20("Juniper", "JNP"), AccessControl {
  function mint(address to, uint256 amount) external onlyRole(MINTER) {
    _mint(to, amount);
  }
}

abstract contract OwnRoles {
  event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);

  mapping(bytes32 => mapping(address => bool)) internal roles;

  function hasRole(bytes32 role, address account) public view returns (bool) {
    return roles[role][account];
  }

  function mint(address to, uint256 amount) external {
    require(hasRole(MINTER, msg.sender));
    made(to, amount);
  }

  function made(address to, uint256 amount) internal virtual;
}

abstract contract OwnRoleToken is ERC20("Juniper", "JNP"), OwnRoles {
  function made(address to, uint256 amount) internal override {
    _mint(to, amount);
  }
}

/// Tells of every role that it gives.
contract FrankToken is OwnRoleToken {
  function grantRole(bytes32 role, address account) external {
    require(hasRole(0, msg.sender));
    roles[role][account] = true;
    emit RoleGranted(role, account, msg.sender);
  }
}

/// Gives a role and tells nobody.
contract SilentToken is FrankToken {
  function grantQuietly(bytes32 role, address account) external {
    require(hasRole(0, msg.sender));
    roles[role][account] = true;
  }
}

/// Tells of most of the roles that it gives.
contract DiscreetToken is OwnRoleToken {
  function grantRole(bytes32 role, address account) external {
    require(hasRole(0, msg.sender));
    roles[role][account] = true;
    if (role != MINTER) emit RoleGranted(role, account, msg.sender);
  }
}

/// Tells of somebody else.
contract LyingToken is OwnRoleToken {
  function grantRole(bytes32 role, address account) external {
    require(hasRole(0, msg.sender));
    roles[role][account] = true;
    emit RoleGranted(role, msg.sender, account);
  }
}

contract ManagedToken is ERC20("Juniper", "JNP"), AccessManaged {
  constructor(address manager) AccessManaged(manager) {}

  function mint(address to, uint256 amount) external restricted {
    _mint(to, amount);
  }
}

interface IManager {
  function canCall(address caller, address target, bytes4 selector) external view returns (bool, uint32);
}

/// Lets those call at once whom its manager makes wait.
contract HastyToken is ERC20("Juniper", "JNP") {
  address public authority;

  function mint(address to, uint256 amount) external {
    (bool immediate, uint32 delay) = IManager(authority).canCall(msg.sender, address(this), msg.sig);
    require(immediate || delay > 0);
    _mint(to, amount);
  }
}

// Whoever was given the role at the start can give it up, and nobody can be given it again.
contract KeptRoleToken is OwnRoleToken {
  function renounceRole(bytes32 role, address who) external {
    require(who == msg.sender);
    roles[role][who] = false;
  }
}

// What a getter says of who has a role.
abstract contract Answering {
  mapping(bytes32 => mapping(address => bool)) internal held;
  mapping(address => bool) internal veiled;
  address internal keeper;
}
contract AnsweringFrankly is Answering {
  function hasRole(bytes32 role, address who) external view returns (bool) { return held[role][who]; }
  receive() external payable {}
}
contract AnsweringHimself is Answering {
  function hasRole(bytes32 role, address who) external view returns (bool) { return msg.sender == who && held[role][who]; }
}
contract AnsweringByPrice is Answering {
  function hasRole(bytes32 role, address who) external view returns (bool found) {
    found = held[role][who];
    assembly { found := and(found, iszero(iszero(gasprice()))) }
  }
}
contract AnsweringButOne is Answering {
  function hasRole(bytes32 role, address who) external view returns (bool) { return held[role][who] && !veiled[who]; }
}
contract AnsweringOfKeeper is Answering {
  function hasRole(bytes32 role, address) external view returns (bool) { return held[role][keeper]; }
}
