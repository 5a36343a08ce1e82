// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Does what either of two accounts says.
contract PairPuppet {
  address public owner;
  address public backup;

  function execute(address target, bytes calldata data) external {
    require(msg.sender == owner || msg.sender == backup);
    (bool ok, ) = target.call(data);
    require(ok);
  }
}

/// The same, asked in a function of its own.
contract AskingPuppet {
  address public owner;
  address public backup;

  function isAllowed() internal view returns (bool) {
    return msg.sender == owner || msg.sender == backup;
  }

  function execute(address target, bytes calldata data) external {
    require(isAllowed());
    (bool ok, ) = target.call(data);
    require(ok);
  }
}

/// The same, of both answers at once.
contract MixingPuppet {
  address public owner;
  address public backup;

  function execute(address target, bytes calldata data) external {
    bool isAllowed;
    assembly {
      isAllowed := or(eq(caller(), sload(0)), eq(caller(), sload(1)))
    }
    require(isAllowed);
    (bool ok, ) = target.call(data);
    require(ok);
  }
}

/// Written the other way round.
contract RefusingPuppet {
  address public owner;
  address public backup;

  modifier onlyThem() {
    if (msg.sender != owner && msg.sender != backup) revert();
    _;
  }

  function execute(address target, bytes calldata data) external onlyThem {
    (bool ok, ) = target.call(data);
    require(ok);
  }
}

/// Everything that the owner of one may do another account may, too.
contract PairOwned {
  address public owner;
  address public backup;
  uint256 public rate;

  function setRate(uint256 next) external {
    require(msg.sender == owner || msg.sender == backup);
    rate = next;
  }

  function transferOwnership(address next) external {
    bool isAllowed;
    assembly {
      isAllowed := or(eq(caller(), sload(0)), eq(caller(), sload(1)))
    }
    require(isAllowed);
    owner = next;
  }
}

/// The same, by branches.
contract PairBranching {
  address public owner;
  address public backup;

  function transferOwnership(address next) external {
    require(msg.sender == owner || msg.sender == backup);
    owner = next;
  }
}
