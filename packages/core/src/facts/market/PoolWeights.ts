/** @internal */

import { BigInt as BigInts, Option } from "effect"
import type * as Address from "../../domain/Address.js"
import * as MarketReference from "../venue/MarketReference.js"
import type * as Pools from "./Pools.js"

/**
 * A pool's part of all that a token can be sold for in its pools, in basis points, and what it would be if pools of which
 * that is not known paid nothing.
 */
export interface PoolWeight {
  readonly weight: number
  readonly mostWeight: number
}

/**
 * Weighs each pool by what its quote side is worth: in dollars, of which a dollar token is one whatever a pool says that
 * it costs. `depths` are of the pools that do not hold all that they pay.
 */
export const of = (
  pools: ReadonlyArray<Pools.Inspected>,
  reference: MarketReference.Reference,
  depths: ReadonlyMap<Address.Address, bigint>
): ((item: Pools.Inspected) => PoolWeight) => {
  const worth = ({ pool, reserveQuote }: Pools.Inspected) =>
    MarketReference.comparable(reference, pool.quote, depths.get(pool.address) ?? reserveQuote)
  const isKnown = ({ pool }: Pools.Inspected) => pool.kind !== "uniswap-v3" || depths.has(pool.address)
  const sumOf = (list: ReadonlyArray<Pools.Inspected>) =>
    BigInts.sumAll(list.flatMap((item) => Option.toArray(worth(item))))
  const [all, known] = [sumOf(pools), sumOf(pools.filter(isKnown))]
  const part = (amount: bigint, whole: bigint) => (whole === 0n ? 10_000 : Number((amount * 10_000n) / whole))
  // A pool that has no price may be all there is.
  return (item) =>
    Option.match(worth(item), {
      onNone: () => ({ weight: 10_000, mostWeight: 10_000 }),
      onSome: (amount) => ({
        weight: part(amount, all),
        mostWeight: part(amount, isKnown(item) ? known : known + amount)
      })
    })
}
