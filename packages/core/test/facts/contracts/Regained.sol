// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Storage: slot 0 and 1 are the books, variables of the contracts begin at slot 2.
abstract contract Books {
  mapping(address => uint256) public balanceOf;
  uint256 public totalSupply;
  address public owner;

  function transfer(address to, uint256 amount) external virtual returns (bool) {
    balanceOf[msg.sender] -= amount;
    balanceOf[to] += amount;
    return true;
  }

  function renounceOwnership() external {
    require(msg.sender == owner);
    owner = address(0);
  }
}

contract Once is Books {
  uint256 private stage;

  function start() external {
    require(stage == 0);
    stage = 1;
    owner = msg.sender;
  }
}

/// Every third call hands it to the caller.
contract Counting is Books {
  uint256 private stage;

  function start() external {
    if (stage % 3 == 0) owner = msg.sender;
    stage += 1;
  }
}

/// What it asks and what it does once share a word; what it is told to do it does each time.
contract Errand {
  bool private open; // slot 0
  bool private ready;
  uint240 private padding;
  address private keeper;

  function run(address to, bytes calldata data) external {
    require(open);
    if (!ready) {
      ready = true;
      keeper = msg.sender;
    }
    (bool ok, ) = to.call(data);
    require(ok);
  }
}

contract SetUp {
  bool private ready; // slot 0
  address private keeper;

  function set(address to) external {
    require(!ready);
    ready = true;
    keeper = to;
    (bool ok, ) = to.call("");
    require(ok);
  }
}
