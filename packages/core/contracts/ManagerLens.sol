// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {PoolManager, PoolSlots} from "./PoolManager.sol";

/// @notice Reads pools of Uniswap V4 with their liquidity around the price, all in one call without a recipient. The plan
/// is words: the manager, then an id and a tick spacing for each pool. The answer is words too, for each pool: the first
/// slot of its state, and no more where that is zero, so that there is no such pool; the liquidity in range, the lowest and the highest tick that were looked at, how
/// many ticks follow, and each of those with the liquidity that comes in there as the price rises.
contract ManagerLens {
    /// The price falls to a quarter or rises to four times within so many ticks.
    int256 private constant REACH = 13_864;
    int256 private constant WORDS_EACH_WAY = 12;
    uint256 private constant MOST_TICKS = 24;

    constructor(bytes32[] memory plan) {
        PoolManager manager = PoolManager(address(uint160(uint256(plan[0]))));
        uint256 pools = (plan.length - 1) / 2;
        uint256[] memory answer = new uint256[](pools * (5 + 2 * MOST_TICKS));
        uint256 out;
        for (uint256 i; i < pools; i++) {
            out = look(manager, PoolSlots.root(plan[1 + 2 * i]), int256(uint256(plan[2 + 2 * i])), answer, out);
        }
        assembly {
            return(add(answer, 32), mul(out, 32))
        }
    }

    function look(PoolManager manager, uint256 pool, int256 spacing, uint256[] memory answer, uint256 out)
        private
        view
        returns (uint256)
    {
        uint256 slot0 = uint256(manager.extsload(bytes32(pool)));
        uint256 start = out;
        answer[start] = slot0;
        if (slot0 == 0) return start + 1;
        answer[start + 1] = uint128(uint256(manager.extsload(PoolSlots.liquidity(pool))));
        int256 tick = int24(uint24(slot0 >> 160));
        int256 here = floor(tick, spacing) >> 8;
        int256 from = most(floor(tick - REACH, spacing) >> 8, here - WORDS_EACH_WAY);
        int256 to = least(floor(tick + REACH, spacing) >> 8, here + WORDS_EACH_WAY);
        out = start + 5;
        // Outwards from the price, so that what is left out is what is furthest away on its side.
        bool fits = true;
        int256 word = here;
        for (; word >= from; word--) {
            (out, fits) = marked(manager, pool, spacing, word, answer, out, start + 5 + MOST_TICKS);
            if (!fits) break;
        }
        answer[start + 2] = uint256(((word + 1) << 8) * spacing);
        for (word = here + 1; word <= to; word++) {
            (out, fits) = marked(manager, pool, spacing, word, answer, out, start + 5 + 2 * MOST_TICKS);
            if (!fits) break;
        }
        answer[start + 3] = uint256((word << 8) * spacing - 1);
        answer[start + 4] = (out - start - 5) / 2;
        return out;
    }

    /// Appends the ticks of one word of the bitmap, all or none of them: none where there is no room for them.
    function marked(
        PoolManager manager,
        uint256 pool,
        int256 spacing,
        int256 word,
        uint256[] memory answer,
        uint256 out,
        uint256 end
    ) private view returns (uint256, bool) {
        uint256 bits = uint256(manager.extsload(PoolSlots.bitmap(pool, word)));
        uint256 count;
        for (uint256 left = bits; left != 0; left &= left - 1) count++;
        if (out + 2 * count > end) return (out, false);
        for (uint256 bit; count > 0; bit++) {
            if ((bits >> bit) & 1 == 0) continue;
            int256 tick = ((word << 8) + int256(bit)) * spacing;
            answer[out] = uint256(tick);
            answer[out + 1] = uint256(int256(uint256(manager.extsload(PoolSlots.tick(pool, tick)))) >> 128);
            out += 2;
            count--;
        }
        return (out, true);
    }

    function floor(int256 tick, int256 spacing) private pure returns (int256 whole) {
        whole = tick / spacing;
        if (tick < 0 && tick % spacing != 0) whole--;
    }

    function least(int256 a, int256 b) private pure returns (int256) {
        return a < b ? a : b;
    }

    function most(int256 a, int256 b) private pure returns (int256) {
        return a > b ? a : b;
    }
}
