// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// A plain ERC-721 with everything minted at its creation.
contract Collectible is ERC721 {
    constructor(string memory name_, string memory symbol_, address[] memory holders) ERC721(name_, symbol_) {
        for (uint256 i; i < holders.length; i++) _mint(holders[i], i + 1);
    }
}
