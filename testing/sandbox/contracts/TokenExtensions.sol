// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC1363} from "@openzeppelin/contracts/token/ERC20/extensions/ERC1363.sol";
import {ERC20FlashMint} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20FlashMint.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// OpenZeppelin's token that tells a receiver who asks for it (EIP-1363).
contract PayableToken is ERC1363 {
    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }
}

/// OpenZeppelin's token that lends what it mints, for one transaction (EIP-3156).
contract FlashToken is ERC20FlashMint {
    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }
}

/// Whoever has a holder's signature sends for him, once (EIP-3009).
contract AuthorizedToken is ERC20, EIP712 {
    bytes32 private constant _TYPE = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    mapping(address holder => mapping(bytes32 nonce => bool)) public authorizationState;

    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) EIP712(name_, "1") {
        _mint(msg.sender, supply);
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        require(block.timestamp > validAfter && block.timestamp < validBefore, "not now");
        require(!authorizationState[from][nonce], "used");
        bytes32 hash = _hashTypedDataV4(keccak256(abi.encode(_TYPE, from, to, value, validAfter, validBefore, nonce)));
        require(ECDSA.recover(hash, v, r, s) == from, "bad signature");
        authorizationState[from][nonce] = true;
        _transfer(from, to, value);
    }
}

/// Sends to many at once.
contract BatchToken is ERC20 {
    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }

    function batchTransfer(address[] calldata to, uint256[] calldata values) external returns (bool) {
        require(to.length == values.length);
        for (uint256 i; i < to.length; i++) _transfer(msg.sender, to[i], values[i]);
        return true;
    }
}

/// Remembers what everybody had at each moment that somebody marks.
contract SnapshotToken is ERC20 {
    uint256 public current;
    mapping(address account => mapping(uint256 id => uint256)) private _past;
    mapping(address account => uint256) private _noted;

    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }

    function snapshot() external returns (uint256) {
        return ++current;
    }

    function balanceOfAt(address account, uint256 id) external view returns (uint256) {
        return id <= _noted[account] ? _past[account][id] : balanceOf(account);
    }

    function _update(address from, address to, uint256 value) internal override {
        _note(from);
        _note(to);
        super._update(from, to, value);
    }

    function _note(address account) private {
        if (account == address(0) || _noted[account] >= current) return;
        _noted[account] = current;
        _past[account][current] = balanceOf(account);
    }
}
