// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens whose allowances are given by signatures that come as bytes.

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

abstract contract Base {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) public nonces;
    uint256 public totalSupply = 1e24;
    address public owner = msg.sender;
    constructor() { balanceOf[msg.sender] = 1e24; }
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return true; }
    function _move(address f, address t, uint256 v) internal { balanceOf[f] -= v; balanceOf[t] += v; }
    function _hash(address o, address s, uint256 v, uint256 d) internal returns (bytes32) { return keccak256(abi.encode(o, s, v, nonces[o]++, d, block.chainid, address(this))); }
}

contract BytesPermit is Base {
    function permit(address o, address s, uint256 v, uint256 d, bytes calldata signature) external {
        require(block.timestamp <= d);
        require(ECDSA.recover(_hash(o, s, v, d), signature) == o);
        allowance[o][s] = v;
    }
}

contract MemoryPermit is Base {
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        require(block.timestamp <= d);
        require(ECDSA.recover(_hash(o, s, v, d), signature) == o);
        allowance[o][s] = v;
    }
}

contract ContractPermit is Base { // contracts vouch for themselves
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        require(block.timestamp <= d);
        require(SignatureChecker.isValidSignatureNow(o, _hash(o, s, v, d), signature));
        allowance[o][s] = v;
    }
}

contract SplitPermit is Base { // takes the bytes apart itself
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        require(block.timestamp <= d && signature.length == 65);
        bytes32 r; bytes32 x; uint8 y;
        assembly { r := mload(add(signature, 0x20)) x := mload(add(signature, 0x40)) y := byte(0, mload(add(signature, 0x60))) }
        address signer = ecrecover(_hash(o, s, v, d), y, r, x);
        require(signer != address(0) && signer == o);
        allowance[o][s] = v;
    }
}

contract OwnersPermit is Base { // somebody else signs
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        require(ECDSA.recover(_hash(o, s, v, d), signature) == owner);
        allowance[o][s] = v;
    }
}

contract AnybodysPermit is Base { // whoever signed is not asked
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        require(ECDSA.recover(_hash(o, s, v, d), signature) != address(0));
        allowance[o][s] = v;
    }
}

contract EitherPermit is Base { // the holder signs, or the owner does
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        address signer = ECDSA.recover(_hash(o, s, v, d), signature);
        require(signer == o || signer == owner);
        allowance[o][s] = v;
    }
}

contract SpendersPermit is Base { // the spender signs
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        require(ECDSA.recover(_hash(o, s, v, d), signature) == s);
        allowance[o][s] = v;
    }
}
