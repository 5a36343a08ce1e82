// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @notice Many plain reads in one call. It stands at the zero address by a state override and is called from there, as
/// a call without a sender is: a contract that it calls sees the same sender and the same origin as in the plain call.
/// What differs is the code of the zero address and the gas.
///
/// The plan is packed. Per read 1 byte of kind (0 code, 1 balance, 2 call) and 20 bytes of address; a call has 1 byte of
/// length and its data after these. The answer has per read a byte and what belongs to it:
/// code: 1, 3 bytes of length, the bytes. balance: 1, 32 bytes. call: 1 (returned) or 2 (reverted), 3 bytes of length,
/// the bytes; 0 where the call took half of its gas or gave more than 8,192 bytes. An answer is cut off before the gas
/// is used up: what is missing was not read.
contract StateLens {
    uint256 private constant CALL_GAS = 1_000_000;
    uint256 private constant RESERVE = 2_500_000;

    fallback() external payable {
        assembly {
            // Whoever else calls the zero address finds an account without code.
            if or(caller(), address()) { stop() }
            // A call of the plan runs in a frame that is reverted, so that no read sees what another one wrote.
            if eq(byte(0, calldataload(0)), 0xff) {
                let size := sub(calldatasize(), 21)
                calldatacopy(64, 21, size)
                let before := gas()
                let ok := call(CALL_GAS, shr(96, calldataload(1)), 0, 64, size, 0, 0)
                let used := sub(before, gas())
                let came := returndatasize()
                // A frame in it that ran out of gas took most of it, whatever the call made of that.
                if or(gt(came, 8192), gt(used, div(CALL_GAS, 2))) {
                    mstore8(0, 0)
                    revert(0, 1)
                }
                mstore8(0, sub(2, ok))
                mstore8(1, shr(16, came))
                mstore8(2, shr(8, came))
                mstore8(3, came)
                returndatacopy(4, 0, came)
                revert(0, add(4, came))
            }
            let out := 0x2000
            for { let at := 0 } lt(at, calldatasize()) {} {
                if lt(gas(), RESERVE) { break }
                let head := calldataload(at)
                let account := and(shr(88, head), 0xffffffffffffffffffffffffffffffffffffffff)
                switch byte(0, head)
                case 0 {
                    let size := extcodesize(account)
                    mstore8(out, 1)
                    mstore8(add(out, 1), shr(16, size))
                    mstore8(add(out, 2), shr(8, size))
                    mstore8(add(out, 3), size)
                    extcodecopy(account, add(out, 4), 0, size)
                    out := add(out, add(4, size))
                    at := add(at, 21)
                }
                case 1 {
                    mstore8(out, 1)
                    mstore(add(out, 1), balance(account))
                    out := add(out, 33)
                    at := add(at, 21)
                }
                default {
                    let size := byte(21, head)
                    mstore8(0, 0xff)
                    calldatacopy(1, add(at, 1), 20)
                    calldatacopy(21, add(at, 22), size)
                    pop(delegatecall(gas(), 0, 0, add(21, size), 0, 0))
                    returndatacopy(out, 0, returndatasize())
                    out := add(out, returndatasize())
                    at := add(at, add(22, size))
                }
            }
            return(0x2000, sub(out, 0x2000))
        }
    }
}

/// @notice Many slots of many accounts in one call, by a state override. The code of each account is replaced by a
/// SlotReader while its storage stays, so no code of the account runs. The plan is packed: per account 20 bytes of
/// address, 1 byte of count, the slots. The answer has per account a byte, 1 where the account ran the reader, and then
/// a word a slot.
contract SlotLens {
    fallback() external payable {
        bytes32 reader = keccak256(type(SlotReader).runtimeCode);
        assembly {
            let out := 0x2000
            for { let at := 0 } lt(at, calldatasize()) {} {
                let head := calldataload(at)
                let account := shr(96, head)
                let size := mul(32, byte(20, head))
                mstore8(out, 0)
                calldatacopy(0, add(at, 21), size)
                at := add(at, add(21, size))
                if eq(extcodehash(account), reader) {
                    let ok := staticcall(gas(), account, 0, size, add(out, 1), size)
                    mstore8(out, and(ok, eq(returndatasize(), size)))
                }
                out := add(out, add(1, size))
            }
            return(0x2000, sub(out, 0x2000))
        }
    }
}

/// @notice Gives the values of the slots that it is called with.
contract SlotReader {
    fallback() external payable {
        assembly {
            for { let at := 0 } lt(at, calldatasize()) { at := add(at, 32) } { mstore(at, sload(calldataload(at))) }
            return(0, calldatasize())
        }
    }
}
