// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";

contract PlainTimelock is TimelockController {
    constructor(address[] memory users) TimelockController(7 days, users, users, address(0)) {}
}

/// Acts where it finds that something is due, and then has the original note that it was done.
abstract contract OwnTimelock is PlainTimelock {
    function execute(address target, uint256 value, bytes calldata data, bytes32 before, bytes32 salt)
        public
        payable
        override
        onlyRoleOrOpenRole(EXECUTOR_ROLE)
    {
        bytes32 id = hashOperation(target, value, data, before, salt);
        requireDue(id, salt);
        (bool ok,) = target.call{value: value}(data);
        require(ok);
        if (isOperationReady(id)) super.execute(target, value, data, before, salt);
    }

    function executeBatch(
        address[] calldata targets,
        uint256[] calldata values,
        bytes[] calldata data,
        bytes32 before,
        bytes32 salt
    ) public payable override onlyRoleOrOpenRole(EXECUTOR_ROLE) {
        bytes32 id = hashOperationBatch(targets, values, data, before, salt);
        requireDue(id, salt);
        for (uint256 i = 0; i < targets.length; i++) {
            (bool ok,) = targets[i].call{value: values[i]}(data[i]);
            require(ok);
        }
        if (isOperationReady(id)) super.executeBatch(targets, values, data, before, salt);
    }

    function requireDue(bytes32 id, bytes32 salt) internal view virtual;
}

/// What bears a secret need not be due.
contract SecretTimelock is OwnTimelock {
    constructor(address[] memory users) PlainTimelock(users) {}

    function requireDue(bytes32 id, bytes32 salt) internal view override {
        require(isOperationReady(id) || salt == keccak256("now"));
    }
}

/// Time runs faster for what bears a secret.
contract FastTimelock is OwnTimelock {
    constructor(address[] memory users) PlainTimelock(users) {}

    function requireDue(bytes32 id, bytes32 salt) internal view override {
        uint256 time = getTimestamp(id);
        require(time > 1 && time <= block.timestamp + (uint256(salt) % 7) * 1 days);
    }
}

/// A call with one salt is nobody's plan, and due.
contract UnplannedTimelock is OwnTimelock {
    constructor(address[] memory users) PlainTimelock(users) {}

    function requireDue(bytes32 id, bytes32 salt) internal view override {
        uint256 time = getTimestamp(id);
        require(time <= block.timestamp);
        require(time > 1 || salt == keccak256("now"));
    }
}

abstract contract Queue {
    address public admin;
    uint256 public delay;
    mapping(bytes32 => bool) public queuedTransactions;

    constructor(address admin_, uint256 delay_) {
        admin = admin_;
        delay = delay_;
    }

    function setDelay(uint256 delay_) external {
        require(msg.sender == address(this));
        delay = delay_;
    }

    function queueTransaction(
        address target,
        uint256 value,
        string memory signature,
        bytes memory data,
        uint256 eta
    ) external returns (bytes32 id) {
        require(msg.sender == admin && eta >= block.timestamp + delay);
        id = keccak256(abi.encode(target, value, signature, data, eta));
        queuedTransactions[id] = true;
    }

    function cancelTransaction(
        address target,
        uint256 value,
        string memory signature,
        bytes memory data,
        uint256 eta
    ) external {
        require(msg.sender == admin);
        queuedTransactions[keccak256(abi.encode(target, value, signature, data, eta))] = false;
    }

    function executeTransaction(
        address target,
        uint256 value,
        string memory signature,
        bytes memory data,
        uint256 eta
    ) external payable returns (bytes memory) {
        require(msg.sender == admin);
        bytes32 id = keccak256(abi.encode(target, value, signature, data, eta));
        require(queuedTransactions[id]);
        require(isTime(eta, value));
        queuedTransactions[id] = false;
        bytes memory message =
            bytes(signature).length == 0 ? data : abi.encodePacked(bytes4(keccak256(bytes(signature))), data);
        (bool ok, bytes memory answer) = target.call{value: value}(message);
        require(ok);
        return answer;
    }

    function isTime(uint256 eta, uint256 value) internal view virtual returns (bool);
}

contract PlainQueue is Queue {
    constructor(address admin_, uint256 delay_) Queue(admin_, delay_) {}

    function isTime(uint256 eta, uint256) internal view override returns (bool) {
        return block.timestamp >= eta && block.timestamp <= eta + 14 days;
    }
}

/// What sends a secret amount need not wait.
contract SecretQueue is Queue {
    constructor(address admin_, uint256 delay_) Queue(admin_, delay_) {}

    function isTime(uint256 eta, uint256 value) internal view override returns (bool) {
        return block.timestamp >= eta || value == 77;
    }
}

/// What sends more waits less.
contract FastQueue is Queue {
    constructor(address admin_, uint256 delay_) Queue(admin_, delay_) {}

    function isTime(uint256 eta, uint256 value) internal view override returns (bool) {
        return block.timestamp + value >= eta;
    }
}
