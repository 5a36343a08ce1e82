// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Does what its owner says.
contract Puppet {
  address public owner;

  function execute(address target, bytes calldata data) external {
    require(msg.sender == owner);
    (bool ok, ) = target.call(data);
    require(ok);
  }
}

/// Does what its owner says, and anybody can become that.
contract OpenPuppet {
  address public owner;

  function execute(address target, bytes calldata data) external {
    require(msg.sender == owner);
    (bool ok, ) = target.call(data);
    require(ok);
  }

  function setOwner(address next) external {
    owner = next;
  }
}

/// Does what its owner says, who was appointed by somebody else.
contract AppointedPuppet {
  address public owner;
  address public chair;

  function execute(address target, bytes calldata data) external {
    require(msg.sender == owner);
    (bool ok, ) = target.call(data);
    require(ok);
  }

  function appoint(address next) external {
    require(msg.sender == chair);
    owner = next;
  }
}

/// Does what anybody says.
contract Relay {
  function execute(address target, bytes calldata data) external {
    (bool ok, ) = target.call(data);
    require(ok);
  }
}

/// Acts by rules of its own, and once a day does what its owner says.
contract Machine {
  address public owner;
  address public token;
  mapping(address => uint256) public dueTo;

  function claim() external {
    uint256 amount = dueTo[msg.sender];
    require(amount > 0);
    dueTo[msg.sender] = 0;
    (bool ok, ) = token.call(abi.encodeWithSignature("mint(address,uint256)", msg.sender, amount));
    require(ok);
  }

  function execute(address target, bytes calldata data) external {
    require(msg.sender == owner);
    (bool ok, ) = target.call(data);
    require(ok);
  }
}

/// Says that it is a governor, and does what its owner says.
contract FalseGovernor is Puppet {
  uint256 public constant votingDelay = 1;
  uint256 public constant votingPeriod = 50_400;
}

/// An EIP-1967 proxy that answers transfer() itself.
contract TwoFacedProxy {
  mapping(address => uint256) private balances;
  address private helper;

  function transfer(address to, uint256 amount) external returns (bool) {
    (bool ok, ) = helper.call(abi.encode(to, amount));
    balances[to] += amount;
    return ok;
  }

  fallback() external payable {
    bytes32 slot = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      switch ok
      case 0 { revert(0, returndatasize()) }
      default { return(0, returndatasize()) }
    }
  }
}
