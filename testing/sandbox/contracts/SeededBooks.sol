// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// The books of a token in assembly in the manner of Solady: seeds instead of slots, and hashes of packed memory.
abstract contract SeededBooks {
    uint256 internal constant _BALANCE_SEED = 0x87a211a2;
    uint256 internal constant _ALLOWANCE_SEED = 0x7f5e9f20;
    uint256 internal constant _SUPPLY_SLOT = 0x05345cdf77eb68f44c;
    uint256 internal constant _TRANSFER = 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef;
    uint256 internal constant _APPROVAL = 0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925;

    function totalSupply() external view returns (uint256 supply) {
        assembly {
            supply := sload(_SUPPLY_SLOT)
        }
    }

    function allowance(address owner, address spender) external view returns (uint256 allowed) {
        assembly {
            mstore(0x20, spender)
            mstore(0x0c, _ALLOWANCE_SEED)
            mstore(0x00, owner)
            allowed := sload(keccak256(0x0c, 0x34))
        }
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        assembly {
            mstore(0x20, spender)
            mstore(0x0c, _ALLOWANCE_SEED)
            mstore(0x00, caller())
            sstore(keccak256(0x0c, 0x34), amount)
            mstore(0x00, amount)
            log3(0x00, 0x20, _APPROVAL, caller(), shr(96, mload(0x2c)))
        }
        return true;
    }
}
