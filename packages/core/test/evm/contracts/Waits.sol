// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A timelock like Compound's, of the functions that count.
abstract contract Queue {
  address public admin;
  address public pendingAdmin;
  uint256 public delay;
  mapping(bytes32 => bool) public queuedTransactions;

  function setDelay(uint256 delay_) external {
    require(msg.sender == address(this));
    delay = delay_;
  }

  function acceptAdmin() external {
    require(msg.sender == pendingAdmin);
    admin = msg.sender;
    pendingAdmin = address(0);
  }

  function setPendingAdmin(address next) external {
    require(msg.sender == address(this));
    pendingAdmin = next;
  }

  function idOf(address target, uint256 value, string memory signature, bytes memory data, uint256 eta)
    internal
    pure
    returns (bytes32)
  {
    return keccak256(abi.encode(target, value, signature, data, eta));
  }

  function requireWait(address target, uint256 eta) internal view virtual;

  function queueTransaction(address target, uint256 value, string memory signature, bytes memory data, uint256 eta)
    external
    returns (bytes32 id)
  {
    require(msg.sender == admin);
    requireWait(target, eta);
    id = idOf(target, value, signature, data, eta);
    queuedTransactions[id] = true;
  }

  function cancelTransaction(address target, uint256 value, string memory signature, bytes memory data, uint256 eta)
    external
    virtual
  {
    require(msg.sender == admin);
    queuedTransactions[idOf(target, value, signature, data, eta)] = false;
  }

  function executeTransaction(address target, uint256 value, string memory signature, bytes memory data, uint256 eta)
    external
    payable
    returns (bytes memory)
  {
    require(msg.sender == admin);
    bytes32 id = idOf(target, value, signature, data, eta);
    require(queuedTransactions[id]);
    require(block.timestamp >= eta && block.timestamp <= eta + 14 days);
    queuedTransactions[id] = false;
    bytes memory message =
      bytes(signature).length == 0 ? data : abi.encodePacked(bytes4(keccak256(bytes(signature))), data);
    (bool ok, bytes memory answer) = target.call{value: value}(message);
    require(ok);
    return answer;
  }
}

contract PatientQueue is Queue {
  function requireWait(address, uint256 eta) internal view override {
    require(eta >= block.timestamp + delay);
  }
}

/// Nothing that is done to one contract has to wait.
contract FavouringQueue is Queue {
  address public favourite;

  function requireWait(address target, uint256 eta) internal view override {
    require(eta >= block.timestamp + delay || target == favourite);
  }
}

/// The same, asked the other way round.
contract ExceptingQueue is Queue {
  address public favourite;

  function requireWait(address target, uint256 eta) internal view override {
    if (target != favourite) require(eta >= block.timestamp + delay);
  }
}

/// What it seems to take back is planned, for whatever time.
contract RecallingQueue is PatientQueue {
  function cancelTransaction(address target, uint256 value, string memory signature, bytes memory data, uint256 eta)
    external
    override
  {
    require(msg.sender == admin);
    queuedTransactions[idOf(target, value, signature, data, eta)] = true;
  }
}

/// Lets its admin make it call itself, which nothing else may.
contract SelfCallingQueue is PatientQueue {
  function manage(bytes calldata data) external {
    require(msg.sender == admin);
    (bool ok, ) = address(this).call(data);
    require(ok);
  }
}

/// Calls a function of its own that anybody may call.
contract CountingQueue is PatientQueue {
  uint256 public count;

  function add() external {
    count++;
  }

  function addTwice() external {
    this.add();
    this.add();
  }
}

/// A timelock like OpenZeppelin's, of the functions that count.
abstract contract Planner {
  bytes32 public constant PROPOSER_ROLE = keccak256("PROPOSER_ROLE");
  bytes32 public constant EXECUTOR_ROLE = keccak256("EXECUTOR_ROLE");
  bytes32 public constant GUARDIAN_ROLE = keccak256("GUARDIAN_ROLE");
  mapping(bytes32 => mapping(address => bool)) private _roles;
  mapping(bytes32 => uint256) private _timestamps;
  uint256 private _minDelay;

  function hasRole(bytes32 role, address account) public view returns (bool) {
    return _roles[role][account];
  }

  function getMinDelay() public view virtual returns (uint256) {
    return _minDelay;
  }

  function updateDelay(uint256 next) external virtual {
    require(msg.sender == address(this));
    _minDelay = next;
  }

  function isBrief(uint256 wait) internal view virtual returns (bool);

  function hashOperation(address target, uint256 value, bytes calldata data, bytes32 before, bytes32 salt)
    public
    pure
    returns (bytes32)
  {
    return keccak256(abi.encode(target, value, data, before, salt));
  }

  function schedule(address target, uint256 value, bytes calldata data, bytes32 before, bytes32 salt, uint256 wait)
    external
  {
    require(_roles[PROPOSER_ROLE][msg.sender]);
    bytes32 id = hashOperation(target, value, data, before, salt);
    require(_timestamps[id] == 0);
    require(!isBrief(wait));
    _timestamps[id] = dateOf(wait);
  }

  function dateOf(uint256 wait) internal view virtual returns (uint256) {
    return block.timestamp + wait;
  }

  function cancel(bytes32 id) external {
    require(_roles[PROPOSER_ROLE][msg.sender]);
    delete _timestamps[id];
  }

  function execute(address target, uint256 value, bytes calldata data, bytes32 before, bytes32 salt) external payable {
    require(_roles[EXECUTOR_ROLE][msg.sender]);
    bytes32 id = hashOperation(target, value, data, before, salt);
    uint256 time = _timestamps[id];
    require(time > 1 && time <= block.timestamp);
    (bool ok, ) = target.call{value: value}(data);
    require(ok);
    _timestamps[id] = 1;
  }
}

contract PatientPlanner is Planner {
  function isBrief(uint256 wait) internal view override returns (bool) {
    return wait < getMinDelay();
  }
}

/// Keeps how long it waits beside something else.
contract PackedPlanner is PatientPlanner {
  struct Settings {
    address keeper;
    uint64 minDelay;
  }

  Settings private _settings;

  function getMinDelay() public view override returns (uint256) {
    return _settings.minDelay;
  }

  function updateDelay(uint256 next) external override {
    require(msg.sender == address(this));
    _settings.minDelay = uint64(next);
  }
}

/// A wait so long that the time begins at zero again.
contract WrappingPlanner is Planner {
  function isBrief(uint256 wait) internal view override returns (bool) {
    return wait < getMinDelay();
  }

  function dateOf(uint256 wait) internal view override returns (uint256) {
    unchecked {
      return block.timestamp + wait;
    }
  }
}

/// Guardians wait for nothing.
contract GuardedPlanner is Planner {
  function isBrief(uint256 wait) internal view override returns (bool) {
    return wait < getMinDelay() && !hasRole(GUARDIAN_ROLE, msg.sender);
  }
}

/// One account waits for nothing.
contract HurriedPlanner is Planner {
  address public guardian;

  function isBrief(uint256 wait) internal view override returns (bool) {
    return msg.sender != guardian && wait < getMinDelay();
  }
}
