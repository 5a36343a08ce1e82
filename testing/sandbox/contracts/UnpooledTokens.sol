// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// Everybody can get it; only one account and contracts, as pools are, can send it.
contract OneWayToken is ERC20 {
    address private immutable _insider;

    constructor(string memory name_, string memory symbol_, uint256 supply, address insider) ERC20(name_, symbol_) {
        _insider = insider;
        _mint(msg.sender, supply);
    }

    function _update(address from, address to, uint256 value) internal override {
        require(from == address(0) || from == _insider || from.code.length > 0, "TRANSFER_FAILED");
        super._update(from, to, value);
    }
}
