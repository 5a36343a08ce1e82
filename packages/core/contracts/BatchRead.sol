// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @notice Many view calls in one call without a recipient, which needs no contract on the chain and no override.
/// The plan is packed: per read 20 bytes of address, 1 byte of length, then the call's data. The answer has 65 bytes
/// a read: how many bytes came back (64 at most, zero where the call failed), then the first two words of it.
contract BatchRead {
    uint256 private constant READ_GAS = 100_000;
    uint256 private constant STRIDE = 65;

    constructor(bytes memory plan) {
        bytes memory answer = new bytes(count(plan) * STRIDE);
        uint256 offset;
        uint256 out;
        while (offset < plan.length) {
            assembly {
                let head := add(add(plan, 32), offset)
                let size := byte(20, mload(head))
                let slot := add(add(answer, 32), out)
                let words := add(slot, 1)
                if staticcall(READ_GAS, shr(96, mload(head)), add(head, 21), size, words, 64) {
                    let came := returndatasize()
                    if gt(came, 64) { came := 64 }
                    mstore8(slot, came)
                }
                if iszero(byte(0, mload(slot))) {
                    mstore(words, 0)
                    mstore(add(words, 32), 0)
                }
                offset := add(offset, add(21, size))
            }
            out += STRIDE;
        }
        assembly {
            return(add(answer, 32), mload(answer))
        }
    }

    function count(bytes memory plan) private pure returns (uint256 reads) {
        for (uint256 offset; offset < plan.length; reads++) {
            offset += 21 + uint8(plan[offset + 20]);
        }
    }
}
