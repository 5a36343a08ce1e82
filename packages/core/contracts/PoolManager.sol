// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @notice What says which pool of a manager is meant: its two currencies, of which zero is the native coin, the fee in
/// hundredths of a basis point, the spacing of its ticks, and the contract that is called around its swaps.
struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct SwapParams {
    bool zeroForOne;
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

/// @notice The functions of Uniswap V4's PoolManager that are used here.
interface PoolManager {
    function unlock(bytes calldata data) external returns (bytes memory);
    function swap(PoolKey memory key, SwapParams memory params, bytes calldata data) external returns (int256 delta);
    function sync(address currency) external;
    function settle() external payable returns (uint256 paid);
    function take(address currency, address to, uint256 amount) external;
    function extsload(bytes32 slot) external view returns (bytes32);
}

/// @notice Where a manager keeps the state of a pool.
library PoolSlots {
    uint256 private constant POOLS = 6;

    function root(bytes32 id) internal pure returns (uint256) {
        return uint256(keccak256(abi.encode(id, POOLS)));
    }

    function liquidity(uint256 pool) internal pure returns (bytes32) {
        return bytes32(pool + 3);
    }

    function tick(uint256 pool, int256 tickAt) internal pure returns (bytes32) {
        return keccak256(abi.encode(tickAt, pool + 4));
    }

    function bitmap(uint256 pool, int256 word) internal pure returns (bytes32) {
        return keccak256(abi.encode(word, pool + 5));
    }
}
