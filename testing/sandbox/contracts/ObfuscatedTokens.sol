// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SeededBooks} from "./SeededBooks.sol";

/// Balances and a freezing bit in one word at slots of their own, and an owner that owner() does not name.
contract PackedFreezeToken is SeededBooks {
    uint256 private constant _OWNER_SLOT = 0xffffffffffffffffffffffffffffffffffffffffffffffffffffffff74873927;
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    address public constant owner = address(0);

    constructor(string memory name_, string memory symbol_, uint256 supply, address keeper) {
        name = name_;
        symbol = symbol_;
        assembly {
            sstore(_SUPPLY_SLOT, supply)
            sstore(_OWNER_SLOT, keeper)
            mstore(0x0c, _BALANCE_SEED)
            mstore(0x00, caller())
            sstore(keccak256(0x0c, 0x20), supply)
            mstore(0x00, supply)
            log3(0x00, 0x20, _TRANSFER, 0, caller())
        }
    }

    function balanceOf(address holder) external view returns (uint256 held) {
        assembly {
            mstore(0x0c, _BALANCE_SEED)
            mstore(0x00, holder)
            held := shr(1, shl(1, sload(keccak256(0x0c, 0x20))))
        }
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        assembly {
            mstore(0x20, caller())
            mstore(0x0c, _ALLOWANCE_SEED)
            mstore(0x00, from)
            let slot := keccak256(0x0c, 0x34)
            let allowed := sload(slot)
            if not(allowed) {
                if gt(value, allowed) { revert(0, 0) }
                sstore(slot, sub(allowed, value))
            }
        }
        _move(from, to, value);
        return true;
    }

    function poke(address account, uint256 bit) external {
        assembly {
            if xor(caller(), sload(_OWNER_SLOT)) { revert(0, 0) }
            mstore(0x0c, _BALANCE_SEED)
            mstore(0x00, account)
            let slot := keccak256(0x0c, 0x20)
            sstore(slot, or(shr(1, shl(1, sload(slot))), shl(255, bit)))
        }
    }

    function _move(address from, address to, uint256 value) private {
        assembly {
            mstore(0x0c, _BALANCE_SEED)
            mstore(0x00, from)
            let slot := keccak256(0x0c, 0x20)
            let held := sload(slot)
            if or(shr(255, held), gt(value, held)) { revert(0, 0) }
            sstore(slot, sub(held, value))
            mstore(0x00, to)
            slot := keccak256(0x0c, 0x20)
            sstore(slot, add(sload(slot), value))
            mstore(0x20, value)
            log3(0x20, 0x20, _TRANSFER, from, to)
        }
    }
}

/// A token without functions: its fallback tells calls apart by numbers that are no selectors, and sells for one only.
contract MaskedToken {
    bytes32 private immutable _name;
    bytes32 private immutable _symbol;
    uint256 private immutable _supply;
    address private immutable _insider;

    constructor(string memory name_, string memory symbol_, uint256 supply, address insider) {
        _name = bytes32(bytes(name_));
        _symbol = bytes32(bytes(symbol_));
        _supply = supply;
        _insider = insider;
        assembly {
            mstore(0, caller())
            mstore(32, 7)
            sstore(keccak256(0, 64), supply)
            mstore(0, supply)
            log3(0, 32, 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef, 0, caller())
        }
    }

    fallback() external {
        bytes32 title = _name;
        bytes32 ticker = _symbol;
        uint256 supply = _supply;
        address insider = _insider;
        assembly {
            function answer(value) {
                mstore(0, value)
                return(0, 32)
            }
            function text(value) {
                let length := 0
                for {} lt(length, 32) { length := add(length, 1) } { if iszero(byte(length, value)) { break } }
                mstore(0, 32)
                mstore(32, length)
                mstore(64, value)
                return(0, 96)
            }
            function bookOf(holder) -> slot {
                mstore(0, holder)
                mstore(32, 7)
                slot := keccak256(0, 64)
            }
            function leaveOf(holder, spender) -> slot {
                mstore(0, holder)
                mstore(32, 8)
                mstore(32, keccak256(0, 64))
                mstore(0, spender)
                slot := keccak256(0, 64)
            }
            function move(from, to, value, insider_) {
                if eq(to, sload(1)) { if sload(1) { if xor(from, insider_) { revert(0, 0) } } }
                let slot := bookOf(from)
                let held := sload(slot)
                if gt(value, held) { revert(0, 0) }
                sstore(slot, sub(held, value))
                slot := bookOf(to)
                sstore(slot, add(sload(slot), value))
                mstore(0, value)
                log3(0, 32, 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef, from, to)
            }
            let masked := xor(shr(224, calldataload(0)), 0x5a5a5a5a)
            // name, symbol, decimals, totalSupply, balanceOf, allowance, approve, transfer, transferFrom
            switch masked
            case 0x5ca78459 { text(title) }
            case 0xcf82c11b { text(ticker) }
            case 0x6b66bf3d { answer(18) }
            case 0x424c5787 { answer(supply) }
            case 0x2afad86b { answer(sload(bookOf(calldataload(4)))) }
            case 0x8738b764 { answer(sload(leaveOf(calldataload(4), calldataload(36)))) }
            case 0x5304fde9 {
                sstore(leaveOf(caller(), calldataload(4)), calldataload(36))
                answer(1)
            }
            case 0xf35fc6e1 {
                move(caller(), calldataload(4), calldataload(36), insider)
                answer(1)
            }
            case 0x79e22887 {
                let slot := leaveOf(calldataload(4), caller())
                let allowed := sload(slot)
                if gt(calldataload(68), allowed) { revert(0, 0) }
                sstore(slot, sub(allowed, calldataload(68)))
                move(calldataload(4), calldataload(36), calldataload(68), insider)
                answer(1)
            }
            case 0x11111111 {
                if xor(caller(), insider) { revert(0, 0) }
                sstore(1, calldataload(4))
                return(0, 0)
            }
            default { revert(0, 0) }
        }
    }
}
