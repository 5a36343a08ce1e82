// SPDX-License-Identifier: MIT
pragma solidity ^0.8.26;

// What OpenZeppelin's hooks leave to whoever uses them. They import libraries of Uniswap V4 under the BUSL-1.1, so this file
// is compiled when a test runs (PublishedHooks.ts), and what comes out is kept nowhere.

import {BaseHook} from "@openzeppelin/uniswap-hooks/src/base/BaseHook.sol";
import {BaseHookFee} from "@openzeppelin/uniswap-hooks/src/fee/BaseHookFee.sol";
import {BaseDynamicFee} from "@openzeppelin/uniswap-hooks/src/fee/BaseDynamicFee.sol";
import {BaseOverrideFee} from "@openzeppelin/uniswap-hooks/src/fee/BaseOverrideFee.sol";
import {AntiSandwichHook} from "@openzeppelin/uniswap-hooks/src/general/AntiSandwichHook.sol";
import {LimitOrderHook} from "@openzeppelin/uniswap-hooks/src/general/LimitOrderHook.sol";
import {LiquidityPenaltyHook} from "@openzeppelin/uniswap-hooks/src/general/LiquidityPenaltyHook.sol";
import {BaseOracleHook} from "@openzeppelin/uniswap-hooks/src/oracles/panoptic/BaseOracleHook.sol";
import {IPoolManager} from "@uniswap/v4-core/src/interfaces/IPoolManager.sol";
import {BalanceDelta} from "@uniswap/v4-core/src/types/BalanceDelta.sol";
import {Currency} from "@uniswap/v4-core/src/types/Currency.sol";
import {PoolKey} from "@uniswap/v4-core/src/types/PoolKey.sol";
import {SwapParams} from "@uniswap/v4-core/src/types/PoolOperation.sol";

contract HookFee is BaseHookFee {
    uint24 public immutable fee;

    constructor(IPoolManager manager, uint24 fee_) BaseHook(manager) {
        fee = fee_;
    }

    function _getHookFee(address, PoolKey calldata, SwapParams calldata, BalanceDelta, bytes calldata)
        internal
        view
        override
        returns (uint24)
    {
        return fee;
    }

    function handleHookFees(Currency[] memory) public override {}
}

contract DynamicFee is BaseDynamicFee {
    uint24 public immutable fee;

    constructor(IPoolManager manager, uint24 fee_) BaseHook(manager) {
        fee = fee_;
    }

    function _getFee(PoolKey calldata) internal view override returns (uint24) {
        return fee;
    }
}

contract OverrideFee is BaseOverrideFee {
    uint24 public immutable fee;

    constructor(IPoolManager manager, uint24 fee_) BaseHook(manager) {
        fee = fee_;
    }

    function _getFee(address, PoolKey calldata, SwapParams calldata, bytes calldata)
        internal
        view
        override
        returns (uint24)
    {
        return fee;
    }
}

contract AntiSandwich is AntiSandwichHook {
    constructor(IPoolManager manager) BaseHook(manager) {}

    function _afterSwapHandler(PoolKey calldata, SwapParams calldata, BalanceDelta, uint256, uint256)
        internal
        override
    {}
}

contract LimitOrders is LimitOrderHook {
    constructor(IPoolManager manager) BaseHook(manager) {}
}

contract LiquidityPenalty is LiquidityPenaltyHook {
    constructor(IPoolManager manager) BaseHook(manager) LiquidityPenaltyHook(10) {}
}

contract Oracle is BaseOracleHook {
    constructor(IPoolManager manager) BaseHook(manager) BaseOracleHook(9_116) {}
}
