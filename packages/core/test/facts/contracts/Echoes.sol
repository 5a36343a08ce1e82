// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Does what its owner says, and lets anybody make it call itself.
contract EchoingPuppet {
  address public owner;

  function execute(address target, bytes calldata data) external {
    require(msg.sender == owner);
    (bool ok, ) = target.call(data);
    require(ok);
  }

  function echo(bytes calldata data) external {
    (bool ok, ) = address(this).call(data);
    require(ok);
  }
}
