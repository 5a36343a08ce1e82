// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens whose allowances are given by signatures that another contract checks.

interface Checker {
    function isValidSignatureNow(address signer, bytes32 digest, bytes memory signature) external view returns (bool);
    function isInvalid(address signer, bytes32 digest, bytes memory signature) external view returns (bool);
}

abstract contract Base {
    Checker constant CHECKER = Checker(0x4444444444444444444444444444444444444444);
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

contract Checked is Base {
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        require(CHECKER.isValidSignatureNow(o, _hash(o, s, v, d), signature));
        allowance[o][s] = v;
    }
}

contract CheckedParts is Base { // a signature in parts
    function permit(address o, address s, uint256 v, uint256 d, uint8 y, bytes32 r, bytes32 x) public {
        require(CHECKER.isValidSignatureNow(o, _hash(o, s, v, d), abi.encodePacked(r, x, y)));
        allowance[o][s] = v;
    }
}

contract CheckedBoth is Base { // the owner signs, too
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        bytes32 hash = _hash(o, s, v, d);
        require(CHECKER.isValidSignatureNow(o, hash, signature) && CHECKER.isValidSignatureNow(owner, hash, signature));
        allowance[o][s] = v;
    }
}

contract CheckedEither is Base { // the owner's signature is enough
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        bytes32 hash = _hash(o, s, v, d);
        require(CHECKER.isValidSignatureNow(o, hash, signature) || CHECKER.isValidSignatureNow(owner, hash, signature));
        allowance[o][s] = v;
    }
}

contract CheckedSpender is Base { // the spender signs
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        require(CHECKER.isValidSignatureNow(s, _hash(o, s, v, d), signature));
        allowance[o][s] = v;
    }
}

contract CheckedNot is Base { // whoever did not sign
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        require(!CHECKER.isValidSignatureNow(o, _hash(o, s, v, d), signature));
        allowance[o][s] = v;
    }
}

contract CheckedOther is Base { // something else is asked
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        require(CHECKER.isInvalid(o, _hash(o, s, v, d), signature));
        allowance[o][s] = v;
    }
}

contract CheckedNamed is Base { // the caller names the hash
    function permit(address o, address s, uint256 v, bytes32 hash, bytes memory signature) public {
        require(CHECKER.isValidSignatureNow(o, hash, signature));
        allowance[o][s] = v;
    }
}

contract CheckedAgain is Base { // what was signed once will do for ever
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        require(CHECKER.isValidSignatureNow(o, keccak256(abi.encode(o, s, v, d)), signature));
        allowance[o][s] = v;
    }
}

contract CheckedAnyway is Base { // why it failed is taken for an answer
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        (, bytes memory said) = address(CHECKER).staticcall(abi.encodeCall(Checker.isValidSignatureNow, (o, _hash(o, s, v, d), signature)));
        require(said.length >= 32 && abi.decode(said, (uint256)) != 0);
        allowance[o][s] = v;
    }
}
