// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {OwnedToken} from "./OwnedTokens.sol";

/// A timelock with the functions of OpenZeppelin's, compiled from code of its own.
contract RoleTimelock is AccessControl {
    bytes32 public constant PROPOSER_ROLE = keccak256("PROPOSER_ROLE");
    bytes32 public constant EXECUTOR_ROLE = keccak256("EXECUTOR_ROLE");
    bytes32 public constant CANCELLER_ROLE = keccak256("CANCELLER_ROLE");
    uint256 internal constant DONE = 1;

    event CallScheduled(
        bytes32 indexed id,
        uint256 indexed index,
        address target,
        uint256 value,
        bytes data,
        bytes32 predecessor,
        uint256 delay
    );
    event Cancelled(bytes32 indexed id);

    mapping(bytes32 id => uint256) internal _times;
    uint256 private _minDelay;

    constructor(uint256 minDelay, address proposer) {
        _minDelay = minDelay;
        _grantRole(DEFAULT_ADMIN_ROLE, address(this));
        _grantRole(PROPOSER_ROLE, proposer);
        _grantRole(EXECUTOR_ROLE, proposer);
        _grantRole(CANCELLER_ROLE, proposer);
    }

    modifier onlyRoleOrOpenRole(bytes32 role) {
        if (!hasRole(role, address(0))) _checkRole(role, msg.sender);
        _;
    }

    function getMinDelay() public view returns (uint256) {
        return _minDelay;
    }

    function getTimestamp(bytes32 id) public view returns (uint256) {
        return _times[id];
    }

    function schedule(address target, uint256 value, bytes calldata data, bytes32 before, bytes32 salt, uint256 delay)
        external
        onlyRole(PROPOSER_ROLE)
    {
        bytes32 id = keccak256(abi.encode(target, value, data, before, salt));
        _plan(id, delay);
        emit CallScheduled(id, 0, target, value, data, before, delay);
    }

    function scheduleBatch(
        address[] calldata targets,
        uint256[] calldata values,
        bytes[] calldata data,
        bytes32 before,
        bytes32 salt,
        uint256 delay
    ) external onlyRole(PROPOSER_ROLE) {
        bytes32 id = keccak256(abi.encode(targets, values, data, before, salt));
        _plan(id, delay);
        for (uint256 i; i < targets.length; i++) {
            emit CallScheduled(id, i, targets[i], values[i], data[i], before, delay);
        }
    }

    function cancel(bytes32 id) external onlyRole(CANCELLER_ROLE) {
        require(_times[id] > DONE);
        delete _times[id];
        emit Cancelled(id);
    }

    function execute(address target, uint256 value, bytes calldata data, bytes32 before, bytes32 salt)
        external
        payable
        onlyRoleOrOpenRole(EXECUTOR_ROLE)
    {
        bytes32 id = keccak256(abi.encode(target, value, data, before, salt));
        require(_isReady(id, data) && _follows(before));
        (bool ok,) = target.call{value: value}(data);
        require(ok);
        _times[id] = DONE;
    }

    function executeBatch(
        address[] calldata targets,
        uint256[] calldata values,
        bytes[] calldata data,
        bytes32 before,
        bytes32 salt
    ) external payable onlyRoleOrOpenRole(EXECUTOR_ROLE) {
        bytes32 id = keccak256(abi.encode(targets, values, data, before, salt));
        require(_isBatchReady(id) && _follows(before));
        for (uint256 i; i < targets.length; i++) {
            (bool ok,) = targets[i].call{value: values[i]}(data[i]);
            require(ok);
        }
        _times[id] = DONE;
    }

    function updateDelay(uint256 minDelay) external {
        require(msg.sender == address(this));
        _minDelay = minDelay;
    }

    function _plan(bytes32 id, uint256 delay) private {
        require(_times[id] == 0 && delay >= _minDelay);
        _times[id] = _timeOf(delay);
    }

    function _follows(bytes32 before) private view returns (bool) {
        return before == 0 || _times[before] == DONE;
    }

    function _timeOf(uint256 delay) internal view virtual returns (uint256) {
        return block.timestamp + delay;
    }

    function _isReady(bytes32 id, bytes calldata) internal view virtual returns (bool) {
        return _times[id] > DONE && _times[id] <= block.timestamp;
    }

    function _isBatchReady(bytes32 id) internal view virtual returns (bool) {
        return _times[id] > DONE && _times[id] <= block.timestamp;
    }
}

/// Asks for a plan before one call, and for none before several.
contract HastyBatchTimelock is RoleTimelock {
    constructor(uint256 minDelay, address proposer) RoleTimelock(minDelay, proposer) {}

    function _isBatchReady(bytes32 id) internal view override returns (bool) {
        return _times[id] != DONE;
    }
}

/// Asks whether something was planned, and not for when.
contract PlannedTimelock is RoleTimelock {
    constructor(uint256 minDelay, address proposer) RoleTimelock(minDelay, proposer) {}

    function _isReady(bytes32 id, bytes calldata) internal view override returns (bool) {
        return _times[id] > DONE;
    }
}

/// Takes no plan with less than the delay, and keeps each as due at once.
contract BackdatingTimelock is RoleTimelock {
    constructor(uint256 minDelay, address proposer) RoleTimelock(minDelay, proposer) {}

    function _timeOf(uint256) internal view override returns (uint256) {
        return block.timestamp;
    }
}

/// Lets its administrator go ahead by the function that makes others wait.
contract PrivilegedTimelock is RoleTimelock {
    constructor(uint256 minDelay, address proposer) RoleTimelock(minDelay, proposer) {
        _grantRole(DEFAULT_ADMIN_ROLE, proposer);
    }

    function _isReady(bytes32 id, bytes calldata data) internal view override returns (bool) {
        return hasRole(DEFAULT_ADMIN_ROLE, msg.sender) || super._isReady(id, data);
    }
}

/// Makes everything wait but one function.
contract ExemptingTimelock is RoleTimelock {
    constructor(uint256 minDelay, address proposer) RoleTimelock(minDelay, proposer) {}

    function _isReady(bytes32 id, bytes calldata data) internal view override returns (bool) {
        return bytes4(data) == bytes4(keccak256("mint(address,uint256)")) || super._isReady(id, data);
    }
}

/// Compound's timelock, which looks at no clock when it does what was queued.
contract TimelessQueue {
    address public admin;
    uint256 public delay;
    mapping(bytes32 id => bool) public queuedTransactions;

    constructor(address admin_, uint256 delay_) {
        admin = admin_;
        delay = delay_;
    }

    function setDelay(uint256 delay_) external {
        require(msg.sender == address(this));
        delay = delay_;
    }

    function queueTransaction(address target, uint256 value, string memory signature, bytes memory data, uint256 eta)
        external
        returns (bytes32 id)
    {
        require(msg.sender == admin && eta >= block.timestamp + delay);
        id = keccak256(abi.encode(target, value, signature, data, eta));
        queuedTransactions[id] = true;
    }

    function cancelTransaction(address target, uint256 value, string memory signature, bytes memory data, uint256 eta)
        external
    {
        require(msg.sender == admin);
        queuedTransactions[keccak256(abi.encode(target, value, signature, data, eta))] = false;
    }

    function executeTransaction(address target, uint256 value, string memory signature, bytes memory data, uint256 eta)
        external
        payable
        returns (bytes memory result)
    {
        require(msg.sender == admin);
        bytes32 id = keccak256(abi.encode(target, value, signature, data, eta));
        require(queuedTransactions[id]);
        queuedTransactions[id] = false;
        bytes memory call_ =
            bytes(signature).length == 0 ? data : abi.encodePacked(bytes4(keccak256(bytes(signature))), data);
        bool ok;
        (ok, result) = target.call{value: value}(call_);
        require(ok);
    }
}

/// Does what one key tells it; signs for it, too.
contract Proxyholder {
    address private immutable _key;

    constructor(address key) {
        _key = key;
    }

    function run(address target, bytes calldata data) external {
        require(msg.sender == _key);
        (bool ok,) = target.call(data);
        require(ok);
    }
}

interface ISafe {
    function setFallbackHandler(address handler) external;
}

/// What a new Safe runs to take a fallback handler.
contract HandlerSetup {
    function handle(address handler) external {
        ISafe(address(this)).setFallbackHandler(handler);
    }
}

/// Mints for an address that is not its owner.
contract SecondSlotToken is OwnedToken {
    address private _maker;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address maker)
        OwnedToken(name_, symbol_, supply, owner_)
    {
        _maker = maker;
    }

    function mint(address to, uint256 amount) external {
        require(msg.sender == _maker);
        _mint(to, amount);
    }
}

/// Owns itself, and calls whom one key says.
contract SelfOwnedToken is OwnedToken {
    address private immutable _maker;

    constructor(string memory name_, string memory symbol_, uint256 supply, address maker)
        OwnedToken(name_, symbol_, supply, msg.sender)
    {
        _maker = maker;
        _transferOwnership(address(this));
    }

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }

    function execute(address target, bytes calldata data) external {
        require(msg.sender == _maker);
        (bool ok,) = target.call(data);
        require(ok);
    }
}

/// OpenZeppelin's timelock, with a call that goes past it.
contract SidesteppingTimelock is TimelockController {
    constructor(uint256 minDelay, address[] memory proposers)
        TimelockController(minDelay, proposers, proposers, address(0))
    {}

    function execute(address target, uint256 value, bytes calldata data, bytes32 before, bytes32 salt)
        public
        payable
        override
        onlyRoleOrOpenRole(EXECUTOR_ROLE)
    {
        if (bytes4(data) == bytes4(keccak256("mint(address,uint256)"))) {
            (bool ok,) = target.call{value: value}(data);
            require(ok);
            return;
        }
        super.execute(target, value, data, before, salt);
    }
}
