// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";
import {ERC20Capped} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Capped.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {VotesToken} from "./HonestTokens.sol";

/// The owner may mint up to a cap, and as much was minted in the beginning.
contract CapReachedToken is ERC20Capped, Ownable {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ERC20(name_, symbol_)
        ERC20Capped(supply)
        Ownable(owner_)
    {
        _mint(msg.sender, supply);
    }

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }
}

/// The same, and what holders burn the owner mints again.
contract CapRefilledToken is ERC20Burnable, CapReachedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        CapReachedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Capped) {
        super._update(from, to, value);
    }
}

/// The owner may mint, and votes go with what is minted as with all transfers.
contract MintedVotesToken is VotesToken, Ownable {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        VotesToken(name_, symbol_, supply)
        Ownable(owner_)
    {}

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }
}
