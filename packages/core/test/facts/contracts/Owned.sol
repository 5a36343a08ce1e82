// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Storage: slot 0 and 1 are the books, variables of the contracts begin at slot 2.
abstract contract Books {
  mapping(address => uint256) public balanceOf;
  uint256 public totalSupply;

  function transfer(address to, uint256 amount) external virtual returns (bool) {
    balanceOf[msg.sender] -= amount;
    balanceOf[to] += amount;
    return true;
  }

  function transferFrom(address from, address to, uint256 amount) external virtual returns (bool) {
    require(from == msg.sender);
    balanceOf[from] -= amount;
    balanceOf[to] += amount;
    return true;
  }
}

contract Plain is Books {
  address public owner;

  function transferOwnership(address next) external {
    require(msg.sender == owner);
    owner = next;
  }

  function renounceOwnership() external {
    require(msg.sender == owner);
    owner = address(0);
  }
}

/// The well-known trick: the owner seems to be gone and comes back.
contract Locking is Books {
  address private _owner;
  address private _previousOwner;
  uint256 private _lockTime;

  modifier onlyOwner() {
    require(_owner == msg.sender);
    _;
  }

  function owner() external view returns (address) {
    return _owner;
  }

  function renounceOwnership() external onlyOwner {
    _owner = address(0);
  }

  function lock(uint256 time) external onlyOwner {
    _previousOwner = _owner;
    _owner = address(0);
    _lockTime = block.timestamp + time;
  }

  function unlock() external {
    require(_previousOwner == msg.sender);
    require(block.timestamp > _lockTime);
    _owner = _previousOwner;
  }
}

contract Keeper is Books {
  address public owner;
  address private keeper;

  function renounceOwnership() external {
    require(msg.sender == owner);
    owner = address(0);
  }

  function reclaim() external {
    require(msg.sender == keeper);
    owner = msg.sender;
  }
}

contract ImmutableKeeper is Books {
  address public owner;
  address private immutable keeper = msg.sender;

  function renounceOwnership() external {
    require(msg.sender == owner);
    owner = address(0);
  }

  function reclaim() external {
    require(msg.sender == keeper);
    owner = msg.sender;
  }
}

contract TwoStep is Books {
  address public owner;
  address public pendingOwner;

  function transferOwnership(address next) external {
    require(msg.sender == owner);
    pendingOwner = next;
  }

  function acceptOwnership() external {
    require(msg.sender == pendingOwner);
    owner = pendingOwner;
    delete pendingOwner;
  }

  function renounceOwnership() external {
    require(msg.sender == owner);
    owner = address(0);
  }
}

contract Anybody is Books {
  address public owner;

  function setOwner(address next) external {
    owner = next;
  }
}

/// The owner and what says that it was initialised share a word.
contract Initialised is Books {
  address public owner;
  bool public initialized;

  function initialize(address first) external {
    require(!initialized);
    initialized = true;
    owner = first;
  }

  function setOwner(address next) external {
    require(msg.sender == owner);
    owner = next;
  }
}

contract Resettable is Books {
  address public owner;
  bool public initialized;

  function initialize(address first) external {
    require(!initialized);
    initialized = true;
    owner = first;
  }

  function reset() external {
    initialized = false;
  }
}

contract EitherOf is Books {
  address public owner;
  address private second;

  function setOwner(address next) external {
    require(msg.sender == owner || msg.sender == second);
    owner = next;
  }
}

contract Listed is Books {
  address public owner;
  mapping(address => bool) private appointed;

  function setOwner(address next) external {
    require(appointed[msg.sender]);
    owner = next;
  }

  function appoint(address who) external {
    require(msg.sender == owner);
    appointed[who] = true;
  }
}

contract Asking is Books {
  address public owner;
  address public authority;

  function setOwner(address next) external {
    (bool ok, bytes memory answer) = authority.staticcall(abi.encode(msg.sender));
    require(ok && abi.decode(answer, (bool)));
    owner = next;
  }
}

contract Unreentrant is Books {
  address public owner;
  bool public initialized;
  uint256 private status;

  modifier nonReentrant() {
    require(status == 1);
    status = 2;
    _;
    status = 1;
  }

  function initialize(address first) external nonReentrant {
    require(!initialized);
    initialized = true;
    owner = first;
  }

  function setOwner(address next) external nonReentrant {
    require(msg.sender == owner);
    owner = next;
  }

  function mint() external nonReentrant {
    totalSupply += 1;
  }
}

contract Fixed is Books {
  address public constant owner = 0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa;
}

/// Runs code that comes with the call.
contract Executing is Books {
  address public owner;

  function execute(address code, bytes calldata data) external {
    require(msg.sender == owner);
    (bool ok, ) = code.delegatecall(data);
    require(ok);
  }
}

contract ExecutingForAll is Books {
  function execute(address code, bytes calldata data) external {
    (bool ok, ) = code.delegatecall(data);
    require(ok);
  }
}

/// Runs code whose address is in a variable that the owner sets.
contract PluggedIn is Books {
  address public owner;
  address public plugin;

  function setPlugin(address next) external {
    require(msg.sender == owner);
    plugin = next;
  }

  function run() external {
    (bool ok, ) = plugin.delegatecall("");
    require(ok);
  }
}

/// The same, but nothing sets the variable after it was set once.
contract PluggedOnce is Books {
  address public plugin;

  function setPlugin(address next) external {
    require(plugin == address(0));
    plugin = next;
  }

  function run() external {
    (bool ok, ) = plugin.delegatecall("");
    require(ok);
  }
}

library Sums {
  function add(uint256 a, uint256 b) external pure returns (uint256) {
    return a + b;
  }
}

contract Linked is Books {
  function sum(uint256 a, uint256 b) external pure returns (uint256) {
    return Sums.add(a, b);
  }
}

contract Batching is Books {
  function multicall(bytes[] calldata calls) external {
    for (uint256 i = 0; i < calls.length; i++) {
      (bool ok, ) = address(this).delegatecall(calls[i]);
      require(ok);
    }
  }
}

interface IRule {
  function allowed(address from, address to) external view returns (bool);
}

contract Ruled is Books {
  IRule public rule;

  function transfer(address to, uint256 amount) external override returns (bool) {
    require(rule.allowed(msg.sender, to));
    balanceOf[msg.sender] -= amount;
    balanceOf[to] += amount;
    return true;
  }
}

contract RuledForEver is Books {
  IRule private immutable rule = IRule(msg.sender);

  function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
    require(rule.allowed(from, to));
    balanceOf[from] -= amount;
    balanceOf[to] += amount;
    return true;
  }
}

contract Notifying is Books {
  function transfer(address to, uint256 amount) external override returns (bool) {
    balanceOf[msg.sender] -= amount;
    balanceOf[to] += amount;
    (bool ok, ) = to.call("");
    return ok;
  }
}

/// Calls a precompiled contract on the way, which is none of another's code.
contract Hashing is Books {
  bytes32 public last;

  function transfer(address to, uint256 amount) external override returns (bool) {
    last = sha256(abi.encode(to, amount));
    balanceOf[msg.sender] -= amount;
    balanceOf[to] += amount;
    return true;
  }
}
