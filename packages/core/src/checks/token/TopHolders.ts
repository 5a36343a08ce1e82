import { Effect, Schema } from "effect"
import * as Together from "../../chain/Together.js"
import { Address } from "../../domain/Address.js"
import { HolderKind } from "../../domain/facts/HolderKind.js"
import * as Quantity from "../../domain/Quantity.js"
import { Holders } from "../../facts/market/Holders.js"
import * as Check from "../Check.js"
import * as Tradeable from "./Tradeable.js"

const shown = 10

/**
 * D-01: the ten largest holders that were found, and whether there can be no larger one. Shares are of the whole
 * supply; without the whole history they are of a sample, and somebody larger may be missing.
 *
 * @since 0.1.0
 * @category models
 */
export const topHolders = Check.make({
  id: "holders.top",
  code: "D-01",
  version: 1,
  targets: ["token"],
  claim: "The largest holders of the token were found",
  polarity: "neutral",
  severity: "info",
  dimension: "market",
  tolerance: { kind: "absolute", amount: 200 },
  value: Schema.Struct({
    complete: Schema.Boolean,
    from_block: Schema.NonNegativeInt,
    holders: Schema.Array(
      Schema.Struct({
        address: Address,
        kind: HolderKind,
        balance: Quantity.Quantity,
        share_bps: Schema.NonNegativeInt
      })
    )
  }),
  run: (target) =>
    Effect.gen(function* () {
      const holders = yield* Holders
      const [fungible, reading] = yield* Together.all([Tradeable.fungible(target.address), holders.of(target.address)])
      if (!fungible) return Check.notApplicable
      const { complete, fromBlock, gap, holders: found, supply } = reading.value
      const observation = reading.observation()
      if (gap !== null)
        return [
          Check.unknown(gap, "whom the token names was not read, and who that is may hold the most", { observation })
        ]
      if (found.length === 0 || supply === 0n)
        return [Check.unknown("inconclusive", "nobody was found to hold any", { observation })]
      const top = found.slice(0, shown).map(({ address, balance, kind }) => ({
        address,
        kind,
        balance: Quantity.make(balance),
        share_bps: Math.min(10_000, Number((balance * 10_000n) / supply))
      }))
      return [
        Check.confirmed({
          value: { complete, from_block: fromBlock, holders: top },
          detail: `${top.length === found.length ? "" : `${top.length} of `}${found.length} holders, ${complete ? "with nobody missing" : `from a sample since block ${fromBlock}`}`,
          observation
        })
      ]
    })
})
