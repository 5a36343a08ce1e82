import { Option, Schema } from "effect"
import type { Observation } from "../../domain/Evidence.js"
import type { TradeOutcome } from "../../domain/facts/TradeOutcome.js"
import * as Check from "../Check.js"
import * as Circumstantial from "./Circumstantial.js"
import * as Tradeable from "./Tradeable.js"

/**
 * The greatest part of a holding that every fresh account could sell at once and the greatest that one of them could
 * not, in ten-thousandths (null where none was refused), and whether a sale of a small part was refused a day, a month or
 * a year later.
 */
const SellLimitedValue = Schema.Struct({
  sold_bps: Schema.NonNegativeInt,
  refused_bps: Schema.NullOr(Schema.NonNegativeInt),
  later_sale_refused: Schema.Boolean,
  reason: Schema.NullOr(Schema.String)
})

/**
 * E-04: whether not all of what was bought can be sold. Fresh accounts of two sizes offer all that they hold, to the
 * unit, then 99 %, 50 % and 1 % of it until one part is taken; others sell a part a day, a month and a year later, and one
 * of them twice.
 *
 * - Confirmed: a whole was refused where the control token was sold, whatever less of it was sold; or a later sale was.
 * - Refuted: every account that bought sold all that it held, every later sale went through, and so did that of a contract
 *   a month and a year of blocks and trades later, if it did now.
 * - Unknown: no simulation in blocks, no control, nobody could buy, the whole could not be told from a part because the
 *   rest could not be taken away first, sales may close, or the pool has nothing to pay with.
 *
 * It does not apply where the address book knows no exchange, nor to what is no fungible token.
 *
 * @since 0.1.0
 * @category models
 */
export const sellLimited = Check.make({
  id: "trade.sell-limited",
  code: "E-04",
  version: 3,
  targets: ["token"],
  claim: "Not all of what was bought can be sold",
  polarity: "risk",
  severity: "medium",
  dimension: "exit",
  value: SellLimitedValue,
  tolerance: { kind: "absolute", amount: 50 },
  run: (target) =>
    Tradeable.judged(target, "no known exchange has a pool of it to sell into", (reading) =>
      Circumstantial.settled(target.address, Circumstantial.ofEachTrade, judge(reading.value, reading.observation()))
    )
})

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
    return Check.unknown("inconclusive", `nothing to sell: ${Tradeable.words(runs, "buy") ?? "no balance"}`, {
      observation
    })
  }
  if (runs.some((run) => Tradeable.saleOf(run) === "untaken")) {
    return Check.unknown("inconclusive", "the pool takes no token that arrives with a tax", { observation })
  }
  const refused = wholes.flatMap((whole) => whole.refused ?? [])
  const refusedLater = later.filter(({ state }) => state === "reverted" || state === "no_effect")
  const value = {
    sold_bps: Math.min(...wholes.map((whole) => whole.sold)),
    refused_bps: refused.length === 0 ? null : Math.max(...refused),
    later_sale_refused: refusedLater.length > 0,
    reason: [...wholes.map(({ sell }) => sell), ...refusedLater].map(({ error }) => error).find(isText) ?? null
  }
  const at = outcome.pool
  if (refused.length > 0 || refusedLater.length > 0) {
    return runs.every(({ control }) => control === "ok")
      ? Check.confirmed({ value, detail: described(value), observation, at })
      : Check.unknown("inconclusive", "sales were refused, and nothing known to be good is there to compare with", {
          observation
        })
  }
  if (value.sold_bps < nearlyAll) {
    return Check.unknown(
      "inconclusive",
      `${percent(value.sold_bps)} of a holding was sold; the whole could not be tried`,
      {
        observation
      }
    )
  }
  if (Tradeable.isWorthless(runs)) return Tradeable.nothingToSellInto(observation)
  const closing = Tradeable.closing(outcome, observation)
  if (Option.isSome(closing)) return closing.value
  return Check.refuted({ value, detail: `${wholes.length} fresh accounts sold all that they held`, observation, at })
}

const isText = (text: string | null): text is string => text !== null

// What a token pays to its holders in the same transfer makes a holding grow by less than this while it is sold.
const nearlyAll = 9_990

const percent = (bps: number): string => `${bps / 100} %`

const described = (value: typeof SellLimitedValue.Type): string => {
  const said = value.reason === null ? "" : `: ${value.reason}`
  if (value.refused_bps === null) return `a sale was refused a day, a month or a year later${said}`
  return value.sold_bps === 0
    ? `not even ${percent(100)} of a holding could be sold${said}`
    : `${percent(value.refused_bps)} of a holding could not be sold, ${percent(value.sold_bps)} could${said}`
}
