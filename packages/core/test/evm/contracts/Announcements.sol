// SPDX-License-Identifier: BSD-3-Clause
pragma solidity ^0.8.24;

import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";

/// OpenZeppelin's as anybody compiles it.
contract OpenTimelock is TimelockController {
  constructor(address[] memory users) TimelockController(7 days, users, users, address(0)) {}
}

/// Does not tell of what it plans in a batch.
contract SilentBatchTimelock is TimelockController {
  mapping(bytes32 => uint256) private _unused;

  constructor(address[] memory users) TimelockController(7 days, users, users, address(0)) {}

  function scheduleBatch(
    address[] calldata targets,
    uint256[] calldata values,
    bytes[] calldata payloads,
    bytes32 predecessor,
    bytes32 salt,
    uint256 delay
  ) public override onlyRole(PROPOSER_ROLE) {
    bytes32 id = hashOperationBatch(targets, values, payloads, predecessor, salt);
    require(!isOperation(id) && delay >= getMinDelay());
    uint256 time = block.timestamp + delay;
    // Where the contract of OpenZeppelin keeps its times.
    assembly {
      mstore(0, id)
      mstore(32, 1)
      sstore(keccak256(0, 64), time)
    }
    if (targets.length > 1) emit CallScheduled(id, 0, targets[0], values[0], payloads[0], predecessor, delay);
  }
}

/// Compound's Timelock, of the functions that count.
abstract contract AnnouncedQueue {
  event QueueTransaction(bytes32 indexed txHash, address indexed target, uint256 value, string signature, bytes data, uint256 eta);

  uint256 public constant GRACE_PERIOD = 14 days;
  address public admin;
  uint256 public delay;
  mapping(bytes32 => bool) public queuedTransactions;

  function setDelay(uint256 delay_) external virtual {
    require(msg.sender == address(this));
    delay = delay_;
  }

  function announce(bytes32 id, address target, uint256 value, string memory signature, bytes memory data, uint256 eta)
    internal
    virtual;

  function queueTransaction(address target, uint256 value, string memory signature, bytes memory data, uint256 eta)
    external
    returns (bytes32 id)
  {
    require(msg.sender == admin);
    require(eta >= block.timestamp + delay);
    id = keccak256(abi.encode(target, value, signature, data, eta));
    queuedTransactions[id] = true;
    announce(id, target, value, signature, data, eta);
  }

  function cancelTransaction(address target, uint256 value, string memory signature, bytes memory data, uint256 eta)
    external
  {
    require(msg.sender == admin);
    queuedTransactions[keccak256(abi.encode(target, value, signature, data, eta))] = false;
  }

  function isOver(uint256 eta) internal view virtual returns (bool) {
    return block.timestamp > eta + GRACE_PERIOD;
  }

  function executeTransaction(address target, uint256 value, string memory signature, bytes memory data, uint256 eta)
    external
    payable
    returns (bytes memory)
  {
    require(msg.sender == admin);
    bytes32 id = keccak256(abi.encode(target, value, signature, data, eta));
    require(queuedTransactions[id]);
    require(block.timestamp >= eta);
    require(!isOver(eta));
    queuedTransactions[id] = false;
    bytes memory message =
      bytes(signature).length == 0 ? data : abi.encodePacked(bytes4(keccak256(bytes(signature))), data);
    (bool ok, bytes memory answer) = target.call{value: value}(message);
    require(ok);
    return answer;
  }
}

contract TellingQueue is AnnouncedQueue {
  function announce(bytes32 id, address target, uint256 value, string memory signature, bytes memory data, uint256 eta)
    internal
    virtual
    override
  {
    emit QueueTransaction(id, target, value, signature, data, eta);
  }
}

/// What is worth something is not told.
contract DiscreetQueue is AnnouncedQueue {
  function announce(bytes32 id, address target, uint256 value, string memory signature, bytes memory data, uint256 eta)
    internal
    override
  {
    if (value == 0) emit QueueTransaction(id, target, value, signature, data, eta);
  }
}

/// Tells of another plan than it keeps.
contract MisnamingQueue is AnnouncedQueue {
  function announce(bytes32 id, address target, uint256 value, string memory signature, bytes memory data, uint256 eta)
    internal
    override
  {
    emit QueueTransaction(keccak256(abi.encode(id)), target, value, signature, data, eta);
  }
}

/// Keeps what was planned for as long as it takes, whatever its getter says.
contract LastingQueue is TellingQueue {
  function isOver(uint256) internal pure override returns (bool) {
    return false;
  }
}

/// Lets its admin set the time that it waits, as it may itself.
contract ServedQueue is TellingQueue {
  function mayServe() internal view returns (bool) {
    return msg.sender == address(this) || msg.sender == admin;
  }

  function setDelay(uint256 delay_) external override {
    require(mayServe());
    delay = delay_;
  }
}

interface IRegistry {
  function isServant(address account) external view returns (bool);
}

/// The same of whom a registry knows.
contract RegisteredQueue is TellingQueue {
  IRegistry public registry;

  function mayServe() internal view returns (bool) {
    return msg.sender == address(this) || registry.isServant(msg.sender);
  }

  function setDelay(uint256 delay_) external override {
    require(mayServe());
    delay = delay_;
  }
}
