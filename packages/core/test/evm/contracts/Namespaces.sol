// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens whose variables are in namespaces (ERC-7201), as OpenZeppelin's upgradeable ones are.

import {AccessControlUpgradeable} from "@openzeppelin/contracts-upgradeable/access/AccessControlUpgradeable.sol";
import {OwnableUpgradeable} from "@openzeppelin/contracts-upgradeable/access/OwnableUpgradeable.sol";
import {ERC20Upgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/ERC20Upgradeable.sol";
import {ERC20PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/extensions/ERC20PausableUpgradeable.sol";
import {ERC20PermitUpgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/extensions/ERC20PermitUpgradeable.sol";

contract Permitted is ERC20PermitUpgradeable, OwnableUpgradeable { // signs for a name that is kept in storage
    function initialize(string memory name, string calldata symbol, address owner) external initializer {
        __ERC20_init(name, symbol);
        __ERC20Permit_init(name);
        __Ownable_init(owner);
    }
    function mint(address to, uint256 v) external onlyOwner { _mint(to, v); }
}

contract Roles is ERC20PausableUpgradeable, ERC20PermitUpgradeable, AccessControlUpgradeable {
    bytes32 public constant MINTER_ROLE = keccak256("MINTER_ROLE");
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");
    function initialize(string memory name, string calldata symbol, address admin) external initializer {
        __ERC20_init(name, symbol);
        __ERC20Permit_init(name);
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
    }
    function pause() external onlyRole(PAUSER_ROLE) { _pause(); }
    function unpause() external onlyRole(PAUSER_ROLE) { _unpause(); }
    function mint(address to, uint256 v) external onlyRole(MINTER_ROLE) { _mint(to, v); }
    function _update(address f, address t, uint256 v) internal override(ERC20Upgradeable, ERC20PausableUpgradeable) { super._update(f, t, v); }
}
