// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Coin, OwnRouter} from "./OwnRouter.sol";
import {PoolKey, PoolManager, PoolSlots, SwapParams} from "./PoolManager.sol";

/// @notice Trades in pools of Uniswap V4 as Uniswap's SwapRouter02 does in those of V3, so that a simulation can treat both
/// alike: whoever calls pays the wrapped coin as native coin, and is paid it as the wrapped coin, or as native coin where no wrapped
/// coin is given. It is put at an address by a
/// state override, and knows its pools by words behind its code: for each pool the members of its key, then the manager, the
/// wrapped coin, and how many pools there are. A hook that queries its caller for the trader gets an answer.
contract ManagerRouter is OwnRouter {
    uint256 private constant MOST_FEE = 10_000;
    uint256 private constant MILLION = 1_000_000;

    address private trader;

    /// What a trade did: what the pool would have given at its price and liquidity for what reached it, with a fee of 1 % at
    /// the most (zero where the liquidity changed underway, so that it is not known), what it gave, what reached it, and what
    /// of that it used.
    struct Done {
        uint256 expected;
        uint256 given;
        uint256 paid;
        uint256 used;
    }

    struct Order {
        PoolKey key;
        bool zeroForOne;
        uint256 amount;
        address payer;
        address recipient;
        bool native;
    }

    function exactInputSingle(Single calldata wanted) external payable returns (Done memory done) {
        (PoolKey memory key, bool zeroForOne) = find(wanted.tokenIn, wanted.tokenOut, wanted.fee);
        trader = msg.sender;
        done = abi.decode(
            manager().unlock(
                abi.encode(Order(key, zeroForOne, wanted.amountIn, msg.sender, wanted.recipient, msg.value > 0))
            ),
            (Done)
        );
        trader = address(0);
        require(done.given >= wanted.amountOutMinimum, "Too little received");
    }

    function msgSender() external view returns (address) {
        return trader;
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        require(msg.sender == address(manager()));
        Order memory order = abi.decode(data, (Order));
        uint256 pool = PoolSlots.root(keccak256(abi.encode(order.key)));
        (uint256 slot0, uint256 liquidity) = state(pool);
        Done memory done = trade(order);
        (, uint256 then) = state(pool);
        if (then == liquidity) done.expected = expected(slot0, liquidity, order.zeroForOne, done.used);
        return abi.encode(done);
    }

    function trade(Order memory order) private returns (Done memory done) {
        PoolKey memory key = order.key;
        address into = order.zeroForOne ? key.currency0 : key.currency1;
        done.paid = pay(into, order);
        int256 delta = manager().swap(
            key, SwapParams(order.zeroForOne, -int256(done.paid), order.zeroForOne ? LOWEST : HIGHEST), ""
        );
        (int256 ofInto, int256 ofFrom) = (delta >> 128, int256(int128(delta)));
        if (!order.zeroForOne) (ofInto, ofFrom) = (ofFrom, ofInto);
        done.used = ofInto < 0 ? uint256(-ofInto) : 0;
        done.given = ofFrom > 0 ? uint256(ofFrom) : 0;
        if (done.given > 0) give(order.zeroForOne ? key.currency1 : key.currency0, order.recipient, done.given);
        if (done.used < done.paid) give(into, order.payer, done.paid - done.used);
    }

    receive() external payable {}

    /// What reached the manager.
    function pay(address currency, Order memory order) private returns (uint256) {
        manager().sync(currency);
        if (currency == address(0)) return manager().settle{value: order.amount}();
        if (order.native) {
            Coin(currency).deposit{value: order.amount}();
            Coin(currency).transfer(address(manager()), order.amount);
            return manager().settle();
        }
        bytes memory data = abi.encodeWithSignature(
            "transferFrom(address,address,uint256)", order.payer, address(manager()), order.amount
        );
        bool ok;
        assembly {
            mstore(0, 1)
            ok := call(gas(), currency, 0, add(data, 32), mload(data), 0, 32)
            ok := and(ok, eq(mload(0), 1))
        }
        require(ok, "STF");
        return manager().settle();
    }

    /// Takes an amount out of the manager for an account: native coin as the wrapped coin, where there is one.
    function give(address currency, address to, uint256 amount) private {
        if (currency != address(0) || wrapped() == address(0)) return manager().take(currency, to, amount);
        manager().take(currency, address(this), amount);
        Coin(wrapped()).deposit{value: amount}();
        Coin(wrapped()).transfer(to, amount);
    }

    function state(uint256 pool) private view returns (uint256 slot0, uint256 liquidity) {
        slot0 = uint256(manager().extsload(bytes32(pool)));
        liquidity = uint128(uint256(manager().extsload(PoolSlots.liquidity(pool))));
    }

    /// https://uniswap.org/whitepaper-v3.pdf 6.2.3, rounded for the pool.
    function expected(uint256 slot0, uint256 liquidity, bool zeroForOne, uint256 paid) private pure returns (uint256) {
        uint256 price = uint160(slot0);
        uint256 protocol = (slot0 >> (zeroForOne ? 184 : 196)) & 0xfff;
        uint256 fee = uint24(slot0 >> 208);
        fee += protocol - fee * protocol / MILLION;
        if (fee > MOST_FEE) fee = MOST_FEE;
        if (liquidity == 0 || paid > type(uint96).max) return 0;
        uint256 net = paid * (MILLION - fee) / MILLION;
        if (zeroForOne) {
            uint256 base = liquidity << 96;
            uint256 next = mulDiv(base, price, base + net * price) + 1;
            return next >= price ? 0 : mulDiv(liquidity, price - next, 1 << 96);
        }
        uint256 risen = price + mulDiv(net, 1 << 96, liquidity);
        return mulDiv(liquidity << 96, risen - price, risen) / price;
    }

    function find(address a, address b, uint24 fee) private pure returns (PoolKey memory key, bool zeroForOne) {
        (address from, address to) = (a == wrapped() ? address(0) : a, b == wrapped() ? address(0) : b);
        uint256 pools = last(0);
        for (uint256 i; i < pools; i++) {
            key = keyAt(i);
            if (key.fee != fee) continue;
            if (matches(key, a, b) || matches(key, from, to)) {
                zeroForOne = key.currency0 == a || key.currency0 == from;
                return (key, zeroForOne);
            }
        }
        revert("no such pool");
    }

    function matches(PoolKey memory key, address a, address b) private pure returns (bool) {
        return (key.currency0 == a && key.currency1 == b) || (key.currency0 == b && key.currency1 == a);
    }

    function keyAt(uint256 index) private pure returns (PoolKey memory key) {
        uint256 from = last(0) - index;
        key = PoolKey(
            address(uint160(last(3 + 5 * from - 1))),
            address(uint160(last(3 + 5 * from - 2))),
            uint24(last(3 + 5 * from - 3)),
            int24(int256(last(3 + 5 * from - 4))),
            address(uint160(last(3 + 5 * from - 5)))
        );
    }

    function manager() private pure returns (PoolManager) {
        return PoolManager(address(uint160(last(2))));
    }

    function wrapped() private pure returns (address) {
        return address(uint160(last(1)));
    }

    /// A product, divided, of which the product may have more than 256 bits; the quotient has not.
    function mulDiv(uint256 a, uint256 b, uint256 divisor) private pure returns (uint256 result) {
        unchecked {
            uint256 low;
            uint256 high;
            assembly {
                let mm := mulmod(a, b, not(0))
                low := mul(a, b)
                high := sub(sub(mm, low), lt(mm, low))
            }
            if (high == 0) return low / divisor;
            require(divisor > high);
            assembly {
                let remainder := mulmod(a, b, divisor)
                high := sub(high, gt(remainder, low))
                low := sub(low, remainder)
            }
            uint256 twos = (0 - divisor) & divisor;
            assembly {
                divisor := div(divisor, twos)
                low := div(low, twos)
                twos := add(div(sub(0, twos), twos), 1)
            }
            low |= high * twos;
            uint256 inverse = (3 * divisor) ^ 2;
            for (uint256 i; i < 6; i++) inverse *= 2 - divisor * inverse;
            result = low * inverse;
        }
    }
}
