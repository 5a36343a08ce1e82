// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Roles of its own: the account comes first, and nothing answers to OpenZeppelin's functions.
contract OwnScheme {
    mapping(address account => mapping(bytes32 role => bool)) private held;
    uint256 public price;

    constructor() {
        held[msg.sender]["setter"] = true;
    }

    function give(bytes32 role, address account) external {
        require(held[msg.sender]["giver"]);
        held[account][role] = true;
    }

    function setPrice(uint256 price_) external {
        require(held[msg.sender]["setter"]);
        price = price_;
    }
}
