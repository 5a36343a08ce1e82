// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ArmedToken} from "./TrapTokens.sol";

/// A word of bits for each 256 accounts says who may sell, once a bit that its owner writes says that it shall.
contract BitmapToken is ArmedToken {
    uint256 private _mode;
    mapping(uint256 word => uint256) private _bits;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function write(uint256 word, uint256 bits) external onlyOwner {
        if (word == type(uint256).max) _mode = bits;
        else _bits[word] = bits;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (_isSale(from, to) && _mode & 1 == 1) {
            uint256 place = uint160(from);
            require((_bits[place >> 8] >> (place & 255)) & 1 == 1, "TRANSFER_FAILED");
        }
        super._update(from, to, value);
    }
}

/// Only contracts that its owner knows receive it; he knows the pool, today.
contract ReceiverToken is ArmedToken {
    mapping(address account => bool) private _known;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function setKnown(address account, bool known) external onlyOwner {
        _known[account] = known;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (pair != address(0) && to.code.length > 0) require(_known[to], "unknown contract");
        super._update(from, to, value);
    }
}

/// Each account sells once in its life.
contract OneSaleToken is ArmedToken {
    mapping(address account => bool) private _sold;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        if (_isSale(from, to)) {
            require(!_sold[from], "TRANSFER_FAILED");
            _sold[from] = true;
        }
        super._update(from, to, value);
    }
}

/// Whose salted hash its owner marks cannot sell.
contract HashListToken is ArmedToken {
    bytes32 private immutable _salt = keccak256(abi.encode(block.timestamp, msg.sender));
    mapping(bytes32 hash => bool) private _marks;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function mark(bytes32 hash, bool marked) external onlyOwner {
        _marks[hash] = marked;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!_marks[keccak256(abi.encodePacked(from, _salt))], "TRANSFER_FAILED");
        super._update(from, to, value);
    }
}
