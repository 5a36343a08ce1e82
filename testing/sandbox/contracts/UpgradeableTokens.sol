// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20Upgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/ERC20Upgradeable.sol";
import {OwnableUpgradeable} from "@openzeppelin/contracts-upgradeable/access/OwnableUpgradeable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";

/// The logic behind the transparent, the beacon and the minimal proxy: a fixed supply without an owner.
contract LogicToken is ERC20Upgradeable {
    constructor() {
        _disableInitializers();
    }

    function initialize(string memory name_, string memory symbol_, uint256 supply, address to) external initializer {
        __ERC20_init(name_, symbol_);
        _mint(to, supply);
    }
}

/// An implementation that anybody can initialise, since its constructor does not lock it.
contract OpenUupsToken is ERC20Upgradeable, OwnableUpgradeable, UUPSUpgradeable {
    function initialize(string memory name_, string memory symbol_, uint256 supply, address owner_)
        external
        initializer
    {
        __ERC20_init(name_, symbol_);
        __Ownable_init(owner_);
        _mint(owner_, supply);
    }

    function _authorizeUpgrade(address) internal override onlyOwner {}
}

/// The same with a locked implementation, as it should be.
contract UupsToken is OpenUupsToken {
    constructor() {
        _disableInitializers();
    }
}
