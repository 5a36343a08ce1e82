// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";

/// Keeps positions of Uniswap V3 for its owner, who takes them out whenever he likes.
contract PositionKeeper {
    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function take(IERC721 positions, uint256 id) external {
        require(msg.sender == owner);
        positions.transferFrom(address(this), owner, id);
    }
}

/// Says of any two tokens that it made the pair that it was told of.
contract VouchingFactory {
    address private immutable _pair;

    constructor(address pair) {
        _pair = pair;
    }

    function getPair(address, address) external view returns (address) {
        return _pair;
    }
}
