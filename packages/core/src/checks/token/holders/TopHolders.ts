import { Effect, Schema } from "effect"
import { Address } from "../../../domain/Address.js"
import { HolderKind } from "../../../domain/facts/HolderKind.js"
import * as Quantity from "../../../domain/Quantity.js"
import { Holders } from "../../../facts/market/Holders.js"
import * as Together from "../../../runtime/Together.js"
import * as Check from "../../Check.js"
import * as Fungible from "../Fungible.js"

const shown = 10

/**
 * D-01: the ten largest holders found, and whether the list is complete. Shares are of the total supply. Without the
 * full history of transfers the holders are a sample, and a larger holder may be missing.
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
      const [fungible, reading] = yield* Together.all([Fungible.is(target.address), holders.of(target.address)])
      if (!fungible) return Check.notApplicable
      const { complete, fromBlock, gap, holders: found, supply } = reading.value
      const observation = reading.observation()
      if (gap !== null)
        return [
          Check.unknown(
            gap,
            "accounts that the token names could not be read, and one of them may be the largest holder",
            { observation }
          )
        ]
      if (found.length === 0 || supply === 0n)
        return [Check.unknown("inconclusive", "no holders were found", { observation })]
      const top = found.slice(0, shown).map(({ address, balance, kind }) => ({
        address,
        kind,
        balance: Quantity.make(balance),
        share_bps: Math.min(10_000, Number((balance * 10_000n) / supply))
      }))
      return [
        Check.confirmed({
          value: { complete, from_block: fromBlock, holders: top },
          detail: `${top.length === found.length ? "" : `${top.length} of `}${found.length} holders, ${complete ? "all holders known" : `a sample since block ${fromBlock}`}`,
          observation
        })
      ]
    })
})
