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

abstract contract Asking is Base { // what is answered is put where something was `before`
    function _recovered(bytes32 hash, uint8 y, bytes32 r, bytes32 x, uint256 before) internal view returns (address signer) {
        assembly {
            let m := mload(0x40)
            mstore(m, hash) mstore(add(m, 0x20), y) mstore(add(m, 0x40), r) mstore(add(m, 0x60), x)
            mstore(0, before)
            pop(staticcall(gas(), 1, m, 0x80, 0, 0x20))
            signer := mload(0)
        }
    }
    function _vouched(address o, bytes32 hash, bytes32 sig, uint256 before) internal view returns (bool ok, bytes32 said) {
        assembly {
            let m := mload(0x40)
            mstore(m, shl(224, 0x1626ba7e)) mstore(add(m, 4), hash) mstore(add(m, 0x24), 0x40) mstore(add(m, 0x44), 0x20) mstore(add(m, 0x64), sig)
            mstore(0, before)
            ok := staticcall(gas(), o, m, 0x84, 0, 0x20)
            said := mload(0)
        }
    }
}

contract LeftSigner is Asking { // where nobody signed, nothing is answered, and who is asked for is still there
    function permit(address o, address s, uint256 v, uint256 d, uint8 y, bytes32 r, bytes32 x) public {
        require(_recovered(_hash(o, s, v, d), y, r, x, uint160(o)) == o);
        allowance[o][s] = v;
    }
}

contract ClearedSigner is Asking { // nothing is there
    function permit(address o, address s, uint256 v, uint256 d, uint8 y, bytes32 r, bytes32 x) public {
        address signer = _recovered(_hash(o, s, v, d), y, r, x, 0);
        require(signer != address(0) && signer == o);
        allowance[o][s] = v;
    }
}

contract LeftVoucher is Asking { // an account without code answers nothing, and what is asked for is still there
    function permit(address o, address s, uint256 v, uint256 d, bytes32 sig) public {
        (bool ok, bytes32 said) = _vouched(o, _hash(o, s, v, d), sig, 0x1626ba7e << 224);
        require(ok && said == bytes32(bytes4(0x1626ba7e)));
        allowance[o][s] = v;
    }
}

contract ClearedVoucher is Asking { // as much as that is asked for
    function permit(address o, address s, uint256 v, uint256 d, bytes32 sig) public {
        (bool ok, bytes32 said) = _vouched(o, _hash(o, s, v, d), sig, 0);
        require(ok && said == bytes32(bytes4(0x1626ba7e)));
        allowance[o][s] = v;
    }
}

contract OthersHash is Asking { // a contract vouches for a hash that the caller names
    function permit(address o, address s, uint256 v, bytes32 hash, bytes32 sig) public {
        (bool ok, bytes32 said) = _vouched(o, hash, sig, 0);
        require(ok && said == bytes32(bytes4(0x1626ba7e)));
        allowance[o][s] = v;
    }
}

interface Voucher { function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4); }

contract CopiedVoucher is Base { // what it answers is copied, and long enough
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        (bool ok, bytes memory said) = o.staticcall(abi.encodeWithSelector(Voucher.isValidSignature.selector, _hash(o, s, v, d), signature));
        require(ok && said.length >= 32 && abi.decode(said, (bytes32)) == bytes32(Voucher.isValidSignature.selector));
        allowance[o][s] = v;
    }
}

contract CalledVoucher is Base { // as the compiler asks
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        require(Voucher(o).isValidSignature(_hash(o, s, v, d), signature) == Voucher.isValidSignature.selector);
        allowance[o][s] = v;
    }
}

contract SpendersVoucher is Base { // the spender's contract is asked
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        require(SignatureChecker.isValidSignatureNow(s, _hash(o, s, v, d), signature));
        allowance[o][s] = v;
    }
}

contract EitherVoucher is Base { // one of two is enough
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        bytes32 hash = _hash(o, s, v, d);
        require(SignatureChecker.isValidSignatureNow(o, hash, signature) || SignatureChecker.isValidSignatureNow(owner, hash, signature));
        allowance[o][s] = v;
    }
}

contract NamedHash is Base { // what was signed for something else will do
    function permit(address o, address s, uint256 v, bytes32 hash, bytes memory signature) public {
        require(SignatureChecker.isValidSignatureNow(o, hash, signature));
        allowance[o][s] = v;
    }
}

contract UncountedHash is Base { // again and again
    function permit(address o, address s, uint256 v, uint256 d, bytes memory signature) public {
        require(SignatureChecker.isValidSignatureNow(o, keccak256(abi.encode(o, s, v, d)), signature));
        allowance[o][s] = v;
    }
}

contract HiddenHash is Base { // of what could not be followed
    mapping(uint256 => bytes) public texts;
    function setText(uint256 d, bytes calldata text) external { texts[d] = text; }
    function permit(address o, address s, uint256 v, uint256 d, uint8 y, bytes32 r, bytes32 x) public {
        require(ecrecover(keccak256(texts[d]), y, r, x) == o);
        allowance[o][s] = v;
    }
}

contract LeftAndMore is Asking { // what is still there begins with what is asked for
    function permit(address o, address s, uint256 v, uint256 d, bytes32 sig) public {
        (bool ok, bytes32 said) = _vouched(o, _hash(o, s, v, d), sig, (0x1626ba7e << 224) + 1);
        require(ok && bytes4(said) == 0x1626ba7e);
        allowance[o][s] = v;
    }
}

contract SometimesSigned is Base { // for some numbers the spender is not signed
    function permit(address o, address s, uint256 v, uint256 d, uint8 y, bytes32 r, bytes32 x) public {
        require(ecrecover(_hash(o, d == 7 ? address(0) : s, v, d), y, r, x) == o);
        allowance[o][s] = v;
    }
}

contract NothingInCommon is Base { // neither signed, but the numbers by which they differ share no bit
    function permit(address o, address s, uint256 v, uint256 d, uint8[2] calldata y, bytes32[2] calldata r, bytes32[2] calldata x) public {
        bytes32 hash = _hash(o, s, v, d);
        address one = ecrecover(hash, y[0], r[0], x[0]);
        address other = ecrecover(hash, y[1], r[1], x[1]);
        assembly { if and(xor(one, o), xor(other, o)) { revert(0, 0) } }
        allowance[o][s] = v;
    }
}

contract OneOfBoth is Base { // one of two signatures of the holder
    function permit(address o, address s, uint256 v, uint256 d, uint8[2] calldata y, bytes32[2] calldata r, bytes32[2] calldata x) public {
        bytes32 hash = _hash(o, s, v, d);
        require(ecrecover(hash, y[0], r[0], x[0]) == o || ecrecover(hash, y[1], r[1], x[1]) == o);
        allowance[o][s] = v;
    }
}
