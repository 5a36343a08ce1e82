import { Effect, Option, Schema } from "effect"
import type { Observation } from "../../../domain/Evidence.js"
import type { TradeOutcome } from "../../../domain/facts/TradeOutcome.js"
import * as HolderReplay from "../../../facts/trade/HolderReplay.js"
import type { SimulatedTrades } from "../../../facts/trade/SimulatedPool.js"
import * as Check from "../../Check.js"
import * as BlockedSales from "./BlockedSales.js"
import * as Circumstantial from "./Circumstantial.js"
import * as Tradeable from "./Tradeable.js"

/**
 * The largest part of a balance that every fresh account could sell at once, and the largest part that one of them
 * could not, in basis points (null where none failed), whether the sale of a small part failed a day, 30 days or a year
 * later, and whether the sales were in a pool that does not exist on the chain. Where only contracts and holders show it,
 * `complete` is false and the others are null.
 */
const SellLimitedValue = Schema.Struct({
  complete: Schema.Boolean,
  sold_bps: Schema.NullOr(Schema.NonNegativeInt),
  refused_bps: Schema.NullOr(Schema.NonNegativeInt),
  later_sale_refused: Schema.NullOr(Schema.Boolean),
  reason: Schema.NullOr(Schema.String),
  simulated_pool: Schema.Boolean
})

/**
 * E-04: whether a buyer cannot sell all purchased tokens. Fresh accounts with two purchase sizes try to sell 100 % of
 * their balance, then 99 %, 50 % and 1 %, until one sale works. Other accounts sell a part a day, 30 days and a year
 * later, one of them twice.
 *
 * - Confirmed: a sale of the full balance failed while the control token was sold, or a later sale failed.
 * - Confirmed by contracts and holders, without block simulation, where they could sell nothing ({@link BlockedSales}).
 * - Refuted: every account that bought sold its full balance, every later sale worked, and a contract that could sell
 *   now could also sell after 30 days and a year of blocks and trades.
 * - Unknown: no block simulation, no control token, no purchase worked, the sale of a full balance could not be set up,
 *   sales may stop later, or the pool has too little to pay.
 * - Confirmed in a simulated pool too, where none can be traded, but not where the token refused the pool alone.
 * - Otherwise also refuted by the code, where it proves that no amount is refused ({@link ProvenByCode}).
 *
 * Where the address book has no exchange, only the code can decide. It does not apply to non-fungible tokens.
 */
export const sellLimited = Check.make({
  id: "trade.sell-limited",
  code: "E-04",
  version: 6,
  targets: ["token"],
  claim: "Not all purchased tokens can be sold",
  polarity: "risk",
  severity: "medium",
  dimension: "exit",
  value: SellLimitedValue,
  tolerance: { kind: "absolute", amount: 50 },
  run: (target) =>
    Tradeable.judged(target, {
      without: "no pool found on the known exchanges, so no sale could be simulated",
      proven: {
        value: {
          complete: true,
          sold_bps: 10_000,
          refused_bps: null,
          later_sale_refused: false,
          reason: null,
          simulated_pool: false
        },
        isExact: true
      },
      simulated: Option.some(judgeSimulated),
      judge: (reading) =>
        Effect.gen(function* () {
          const byAccounts = judge(reading.value, reading.observation())
          if (byAccounts._tag !== "Confirmed" && BlockedSales.mayBe(reading.value)) {
            const replays = yield* HolderReplay.HolderReplay
            const sales = BlockedSales.ofRead(reading.value, yield* Effect.either(replays.of(target.address)))
            if (Option.isSome(sales)) return blocked(reading.value, sales.value)
          }
          return yield* Circumstantial.settled(target.address, Circumstantial.ofEachTrade, byAccounts)
        })
    })
})

/** Neither could sell anything. */
const blocked = (
  outcome: TradeOutcome,
  { detail, observation }: Extract<BlockedSales.BlockedSales, { readonly _tag: "blocked" }>
): Check.Verdict<typeof SellLimitedValue.Type> =>
  Check.confirmed({
    value: {
      complete: false,
      sold_bps: null,
      refused_bps: null,
      later_sale_refused: null,
      reason: null,
      simulated_pool: false
    },
    detail,
    observation,
    at: outcome.pool
  })

const judgeSimulated = (
  trades: SimulatedTrades,
  observation: Observation
): Check.Verdict<typeof SellLimitedValue.Type> => {
  if (Tradeable.isWaiting(trades)) return Tradeable.waiting(observation)
  const verdict = judge(trades.outcome, observation)
  return verdict._tag === "Confirmed"
    ? { ...verdict, value: { ...verdict.value, simulated_pool: true } }
    : Tradeable.soldInSimulation(trades, observation)
}

const judge = (outcome: TradeOutcome, observation: Observation): Check.Verdict<typeof SellLimitedValue.Type> => {
  const runs = Tradeable.ordinary(outcome)
  if (runs.length === 0) return Tradeable.notInBlocks(outcome, observation)
  if (runs.some(({ control }) => control === "failed")) return Tradeable.noControl(observation)
  const wholes = runs.flatMap(({ refused_bps, sell, sold_bps }) =>
    sold_bps === null ? [] : [{ sold: sold_bps, refused: refused_bps, sell }]
  )
  const later = runs.flatMap(({ buy, sell, sell_again, sold_bps }) =>
    buy.state === "ok" && sold_bps === null ? [sell, ...(sell_again === null ? [] : [sell_again])] : []
  )
  if (wholes.length === 0) {
    if (Tradeable.isWorthless(runs)) return Tradeable.nothingToSellInto(observation)
    return Check.unknown("inconclusive", `no tokens to sell${Tradeable.quoted(Tradeable.words(runs, "buy"))}`, {
      observation
    })
  }
  if (runs.some((run) => Tradeable.saleOf(run) === "untaken")) {
    return Check.unknown(
      "inconclusive",
      "the pool rejects tokens with a transfer tax, so a sale could not be simulated",
      { observation }
    )
  }
  const refused = wholes.flatMap((whole) => whole.refused ?? [])
  const refusedLater = later.filter(({ state }) => state === "reverted" || state === "no_effect")
  const value = {
    complete: true,
    sold_bps: Math.min(...wholes.map((whole) => whole.sold)),
    refused_bps: refused.length === 0 ? null : Math.max(...refused),
    later_sale_refused: refusedLater.length > 0,
    reason: [...wholes.map(({ sell }) => sell), ...refusedLater].map(({ error }) => error).find(isText) ?? null,
    simulated_pool: false
  }
  const at = outcome.pool
  if (refused.length > 0 || refusedLater.length > 0) {
    return runs.every(({ control }) => control === "ok")
      ? Check.confirmed({ value, detail: described(value), observation, at })
      : Check.unknown("inconclusive", "sales failed, but there was no control token to compare with", {
          observation
        })
  }
  if (value.sold_bps < nearlyAll) {
    return Check.unknown(
      "inconclusive",
      `${percent(value.sold_bps)} of a balance was sold; a sale of the full balance could not be simulated`,
      {
        observation
      }
    )
  }
  if (Tradeable.isWorthless(runs)) return Tradeable.nothingToSellInto(observation)
  const closing = Tradeable.closing(outcome, observation)
  if (Option.isSome(closing)) return closing.value
  return Check.refuted({
    value,
    detail: `${wholes.length} of ${wholes.length} fresh accounts sold their full balance`,
    observation,
    at
  })
}

const isText = (text: string | null): text is string => text !== null

// In basis points: reflection fees can increase a balance by less than the rest while it is sold.
const nearlyAll = 9_990

const percent = (bps: number): string => `${bps / 100} %`

const described = (value: typeof SellLimitedValue.Type): string => {
  const said = Tradeable.quoted(value.reason)
  if (value.refused_bps === null)
    return `a sale failed a day, 30 days, a year or at another moment after the purchase${said}`
  return value.sold_bps === null || value.sold_bps === 0
    ? `a sale of ${percent(100)} of a balance failed${said}`
    : `a sale of ${percent(value.refused_bps)} of a balance failed, a sale of ${percent(value.sold_bps)} worked${said}`
}
