// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface IRegistry {
  function ownerOf(address account) external view returns (address);
}

abstract contract Rated {
  uint256 public rate;

  function owner() public view virtual returns (address);

  function setRate(uint256 next) external {
    require(msg.sender == owner());
    rate = next;
  }
}

/// Its owner is whom another contract names.
contract LentToken is Rated {
  IRegistry internal registry;

  function owner() public view override returns (address) {
    return registry.ownerOf(address(this));
  }
}

/// Its owner is one of several, whoever's turn it is.
contract TakingTurns is Rated {
  mapping(uint256 => address) internal owners;
  uint256 internal turn;

  function owner() public view override returns (address) {
    return owners[turn];
  }

  function next() external {
    turn++;
  }
}

/// Has no owner for some time.
contract Pausing is Rated {
  address internal keeper;
  uint256 internal until;

  function owner() public view override returns (address) {
    return block.timestamp < until ? address(0) : keeper;
  }
}
