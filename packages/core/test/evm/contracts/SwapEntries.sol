// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Hooks of pools of Uniswap V4 around swaps: those that no swap depends on, and those that look like it.

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

abstract contract Entries {
    address private constant MANAGER = 0x000000000004444c5dc75cB358380D2e3dE08A90;

    modifier onlyManager() {
        require(msg.sender == MANAGER, "not the manager");
        _;
    }

    function beforeSwap(address sender, PoolKey calldata key, SwapParams calldata params, bytes calldata data)
        external
        onlyManager
        returns (bytes4, int256, uint24)
    {
        before(sender, key, params, data);
        return (answer(key, params), 0, 0);
    }

    function afterSwap(address sender, PoolKey calldata key, SwapParams calldata params, int256, bytes calldata data)
        external
        onlyManager
        returns (bytes4, int128)
    {
        before(sender, key, params, data);
        return (this.afterSwap.selector, 0);
    }

    function before(address, PoolKey calldata, SwapParams calldata, bytes calldata) internal virtual {}

    function answer(PoolKey calldata, SwapParams calldata) internal virtual returns (bytes4) {
        return this.beforeSwap.selector;
    }
}

contract Passes is Entries {}

contract OnlyLogs is Entries {
    event Swapped(address indexed sender, bool zeroForOne, int256 amount);

    function before(address sender, PoolKey calldata, SwapParams calldata params, bytes calldata) internal override {
        emit Swapped(sender, params.zeroForOne, params.amountSpecified);
    }
}

contract TakesNoData is Entries {
    function before(address, PoolKey calldata, SwapParams calldata, bytes calldata data) internal pure override {
        require(data.length == 0, "no data");
    }
}

contract SaysSo is Entries {
    event Late();

    function before(address, PoolKey calldata, SwapParams calldata, bytes calldata) internal override {
        if (block.timestamp > 2_000_000_000) emit Late();
    }
}

// From here on each can stop a swap, or do more than answer.

contract WantsData is Entries {
    function before(address, PoolKey calldata, SwapParams calldata, bytes calldata data) internal pure override {
        require(data.length > 0, "no ticket");
    }
}

contract RefusesSales is Entries {
    function before(address, PoolKey calldata, SwapParams calldata params, bytes calldata) internal pure override {
        require(params.zeroForOne, "not now");
    }
}

contract RefusesMuch is Entries {
    function before(address, PoolKey calldata, SwapParams calldata params, bytes calldata) internal pure override {
        require(params.amountSpecified > -1e24, "too much");
    }
}

contract RefusesLater is Entries {
    function before(address, PoolKey calldata, SwapParams calldata, bytes calldata) internal view override {
        require(block.timestamp < 2_000_000_000, "over");
    }
}

contract RefusesOrigin is Entries {
    function before(address, PoolKey calldata, SwapParams calldata, bytes calldata) internal view override {
        require(tx.origin == address(0x1234), "not you");
    }
}

contract RefusesSender is Entries {
    function before(address sender, PoolKey calldata, SwapParams calldata, bytes calldata) internal pure override {
        require(sender != address(0x1234), "not you");
    }
}

contract RefusesFee is Entries {
    function before(address, PoolKey calldata key, SwapParams calldata, bytes calldata) internal pure override {
        require(key.fee > 100, "too low");
    }
}

contract RefusesGas is Entries {
    function before(address, PoolKey calldata, SwapParams calldata, bytes calldata) internal view override {
        require(gasleft() > 1_000_000, "too little");
    }
}

contract RefusesBySwitch is Entries {
    bool public closed;

    function close(bool to) external {
        require(msg.sender == address(0x1234));
        closed = to;
    }

    function before(address, PoolKey calldata, SwapParams calldata, bytes calldata) internal view override {
        require(!closed, "closed");
    }
}

contract AnswersWrong is Entries {
    function answer(PoolKey calldata, SwapParams calldata params) internal pure override returns (bytes4) {
        return params.zeroForOne ? Entries.beforeSwap.selector : bytes4(0);
    }
}

contract AnswersStored is Entries {
    bytes4 public stored = Entries.beforeSwap.selector;

    function answer(PoolKey calldata, SwapParams calldata) internal view override returns (bytes4) {
        return stored;
    }
}

contract Stores is Entries {
    uint256 public count;

    function before(address, PoolKey calldata, SwapParams calldata, bytes calldata) internal override {
        unchecked {
            count++;
        }
    }
}

contract StoresForTransaction is Entries {
    function before(address, PoolKey calldata, SwapParams calldata, bytes calldata) internal override {
        assembly {
            tstore(0, 1)
        }
    }
}

contract Calls is Entries {
    function before(address sender, PoolKey calldata, SwapParams calldata, bytes calldata) internal override {
        (bool done,) = sender.call("");
        done;
    }
}

contract Looks is Entries {
    function before(address sender, PoolKey calldata, SwapParams calldata, bytes calldata) internal view override {
        (bool done,) = sender.staticcall("");
        done;
    }
}

contract Spends is Entries {
    function before(address, PoolKey calldata, SwapParams calldata params, bytes calldata) internal pure override {
        uint256 sum;
        for (uint256 i; i < uint160(params.sqrtPriceLimitX96); i++) sum += i;
        require(sum != 1);
    }
}

contract Replaceable is Entries {
    function run(address code) external {
        (bool done,) = code.delegatecall("");
        done;
    }
}

contract OtherManager {
    address private constant MANAGER = address(0x1234);

    function beforeSwap(address, PoolKey calldata, SwapParams calldata, bytes calldata)
        external
        view
        returns (bytes4, int256, uint24)
    {
        require(msg.sender == MANAGER);
        return (this.beforeSwap.selector, 0, 0);
    }

    function afterSwap(address, PoolKey calldata, SwapParams calldata, int256, bytes calldata)
        external
        pure
        returns (bytes4, int128)
    {
        return (this.afterSwap.selector, 0);
    }
}

contract OnlyAfter {
    function afterSwap(address, PoolKey calldata, SwapParams calldata, int256, bytes calldata)
        external
        pure
        returns (bytes4, int128)
    {
        return (this.afterSwap.selector, 0);
    }
}

contract AnswersShort {
    function beforeSwap(address, PoolKey calldata, SwapParams calldata, bytes calldata) external pure returns (bytes4) {
        return this.beforeSwap.selector;
    }
}
