import { Schema } from "effect"
import type { Observation, Severity } from "../../domain/Evidence.js"
import type { TradeOutcome } from "../../domain/facts/TradeOutcome.js"
import * as Check from "../Check.js"
import * as Circumstantial from "./Circumstantial.js"
import * as Tradeable from "./Tradeable.js"

/**
 * What is lost in each leg, in basis points; null where the leg did not complete.
 */
const TradeTaxValue = Schema.Struct({
  buy_tax_bps: Schema.NullOr(Schema.Number),
  sell_tax_bps: Schema.NullOr(Schema.Number),
  transfer_tax_bps: Schema.NullOr(Schema.Number)
})

/**
 * E-05: whether a part of the tokens is lost when they are bought, moved or sold, measured on balances and on what the
 * pool itself reports. One basis point is the rounding of the measurement. The highest leg grades it: up to 5 % low, up
 * to 10 % medium, up to 50 % high, above that critical.
 *
 * As for the honeypot only block simulation decides, at its highest of hours, a day, a month and a year after the
 * purchase: an anti-bot tax of the block of the purchase is none that a buyer pays, and a token can spare what looks like
 * the other methods. Refuted needs all three legs.
 *
 * @since 0.1.0
 * @category models
 */
export const tradeTax = Check.make({
  id: "trade.taxed",
  code: "E-05",
  version: 4,
  targets: ["token"],
  claim: "The token takes a tax when it is bought, moved or sold",
  polarity: "risk",
  severity: "critical",
  dimension: "exit",
  value: TradeTaxValue,
  tolerance: { kind: "absolute", amount: 50 },
  run: (target) =>
    Tradeable.judged(target, "no known exchange has a pool of it to measure a trade in", (reading) =>
      Circumstantial.settled(target.address, Circumstantial.ofEachTrade, judge(reading.value, reading.observation()))
    )
})

const judge = (outcome: TradeOutcome, observation: Observation): Check.Verdict<typeof TradeTaxValue.Type> => {
  const runs = Tradeable.ordinary(outcome)
  if (runs.length === 0) return Tradeable.notInBlocks(outcome, observation)
  const highest = (leg: "buy" | "sell" | "transfer"): number | null => {
    const measured = runs.flatMap((run) => run[leg].tax_bps ?? [])
    return measured.length === 0 ? null : Math.max(...measured)
  }
  const value = {
    buy_tax_bps: highest("buy"),
    sell_tax_bps: highest("sell"),
    transfer_tax_bps: highest("transfer")
  }
  const legs = [value.buy_tax_bps, value.sell_tax_bps, value.transfer_tax_bps]
  const most = Math.max(0, ...legs.map((leg) => leg ?? 0))
  const detail = `buy ${shown(value.buy_tax_bps)}, sell ${shown(value.sell_tax_bps)}, transfer ${shown(value.transfer_tax_bps)}`
  if (most > rounding) {
    return Check.confirmed({ value, detail, severity: grade(most), observation, at: outcome.pool })
  }
  // Of the few units that such a pool moves, rounding hides a tax.
  if (Tradeable.isWorthless(runs)) {
    return Check.unknown("inconclusive", `the pool has too little to measure a tax in: ${detail}`, { observation })
  }
  return legs.every((leg) => leg !== null)
    ? Check.refuted({ value, detail, observation, at: outcome.pool })
    : Check.unknown("inconclusive", `not every leg completed: ${detail}`, { observation })
}

const rounding = 1

const grade = (bps: number): Severity =>
  bps > 5_000 ? "critical" : bps > 1_000 ? "high" : bps > 500 ? "medium" : "low"

const shown = (bps: number | null): string => (bps === null ? "not measured" : `${(bps / 100).toFixed(2)} %`)
