// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @notice The wrapped coin.
interface Coin {
    function balanceOf(address account) external view returns (uint256);
    function deposit() external payable;
    function withdraw(uint256 amount) external;
    function transfer(address to, uint256 amount) external returns (bool);
}

/// @notice What the routers of ours have in common: the order of Uniswap's SwapRouter02, the prices that a swap goes to at most,
/// and the words behind their code, by which they know their pools.
abstract contract OwnRouter {
    uint160 internal constant LOWEST = 4295128740;
    uint160 internal constant HIGHEST = 1461446703485210103287273052203988822378723970341;

    struct Single {
        address tokenIn;
        address tokenOut;
        uint24 fee;
        address recipient;
        uint256 amountIn;
        uint256 amountOutMinimum;
        uint160 sqrtPriceLimitX96;
    }

    /// A word behind the code, the last one first.
    function last(uint256 index) internal pure returns (uint256 word) {
        assembly {
            codecopy(0, sub(codesize(), mul(add(index, 1), 32)), 32)
            word := mload(0)
        }
    }
}
