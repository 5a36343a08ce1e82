// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A wallet that does for anybody what it is asked.
contract OpenWallet {
    function execute(address target, uint256 value, bytes calldata data) external {
        (bool ok,) = target.call{value: value}(data);
        require(ok, "call failed");
    }

    receive() external payable {}
}

/// The same for its owner alone.
contract OwnedWallet {
    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function execute(address target, uint256 value, bytes calldata data) external {
        require(msg.sender == owner, "not the owner");
        (bool ok,) = target.call{value: value}(data);
        require(ok, "call failed");
    }

    receive() external payable {}
}

/// Run in a Safe's own storage while it is set up: enters a module and an owner where the Safe's lists do not name them.
contract UnlistedEntry {
    address internal _singleton;
    mapping(address => address) internal _modules;
    mapping(address => address) internal _owners;

    function enter(address account) external {
        _modules[account] = address(1);
        _owners[account] = address(1);
    }
}
