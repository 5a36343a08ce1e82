// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Hands every call on to code that it keeps in a variable of its own, in slot 1.
abstract contract SlotProxy {
  address internal owner;
  address internal logic;

  fallback() external payable {
    address to = logic;
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

contract OwnedSlotProxy is SlotProxy {
  function replace(address next) external {
    require(msg.sender == owner);
    logic = next;
  }
}

contract ShutSlotProxy is SlotProxy {}

contract OpenSlotProxy is SlotProxy {
  function replace(address next) external {
    logic = next;
  }
}

/// Has a function of its own beside the code that it hands everything else on to.
contract FixedProxy {
  address private immutable logic = msg.sender;
  uint256 public count;

  function add() external {
    count++;
  }

  fallback() external payable {
    address to = logic;
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
