import { Option, Schema } from "effect"
import type { Observation, Severity } from "../../domain/Evidence.js"
import type { TradeOutcome } from "../../domain/facts/TradeOutcome.js"
import type { SimulatedTrades } from "../../facts/trade/SimulatedPool.js"
import * as Check from "../Check.js"
import * as Circumstantial from "./Circumstantial.js"
import * as Tradeable from "./Tradeable.js"

/**
 * The tax of each leg in basis points; null where the leg did not complete. `simulated_pool` is true where it was measured in
 * a pool that does not exist on the chain.
 */
const TradeTaxValue = Schema.Struct({
  buy_tax_bps: Schema.NullOr(Schema.Number),
  sell_tax_bps: Schema.NullOr(Schema.Number),
  transfer_tax_bps: Schema.NullOr(Schema.Number),
  simulated_pool: Schema.Boolean
})

/**
 * E-05: whether a purchase, transfer or sale loses a part of the tokens, measured on balances and on the amounts that
 * the pool reports. Up to 1 basis point is rounding. The highest leg sets the severity: low up to 5 %, medium up to 10
 * %, high up to 50 %, critical above.
 *
 * Only block simulation decides, as for trade.honeypot. The tax is the highest of hours, a day, 30 days and a year
 * after the purchase: a buyer does not pay an anti-bot tax in the block of the purchase, and a token can exempt what
 * the other methods look like. Refuted where all three legs were measured, or where the code proves that a transfer moves
 * exactly the amount ({@link ProvenByCode}): then each tax is 0.
 *
 * Where no pool can be traded, a tax of more than 10 % in a simulated pool confirms it. It is critical whatever its height,
 * because the tax in a pool of the token's own may be higher; a lower one is in the detail of the unknown item.
 *
 * @since 0.1.0
 * @category models
 */
export const tradeTax = Check.make({
  id: "trade.taxed",
  code: "E-05",
  version: 6,
  targets: ["token"],
  claim: "The token charges a tax on purchases, transfers or sales",
  polarity: "risk",
  severity: "critical",
  dimension: "exit",
  value: TradeTaxValue,
  tolerance: { kind: "absolute", amount: 50 },
  run: (target) =>
    Tradeable.judged(target, {
      without: "no pool found on the known exchanges, so no tax could be measured",
      proven: {
        value: { buy_tax_bps: 0, sell_tax_bps: 0, transfer_tax_bps: 0, simulated_pool: false },
        isExact: true
      },
      simulated: Option.some(judgeSimulated),
      judge: (reading) =>
        Circumstantial.settled(target.address, Circumstantial.ofEachTrade, judge(reading.value, reading.observation()))
    })
})

/** A tax that is graded less than what is unknown would raise the score, and its height in another pool is unknown. */
const judgeSimulated = (
  { outcome }: SimulatedTrades,
  observation: Observation
): Check.Verdict<typeof TradeTaxValue.Type> => {
  const verdict = judge(outcome, observation)
  return verdict._tag === "Confirmed" &&
    Option.exists(verdict.severity, (severity) => severity === "high" || severity === "critical")
    ? { ...verdict, severity: Option.some("critical"), value: { ...verdict.value, simulated_pool: true } }
    : Check.unknown("inconclusive", `in a simulated pool: ${taxesOf(outcome)}`, { observation })
}

const taxesOf = ({ buy_tax_bps, sell_tax_bps, transfer_tax_bps }: TradeOutcome): string => {
  const legs = [
    ["purchase", buy_tax_bps],
    ["sale", sell_tax_bps],
    ["transfer", transfer_tax_bps]
  ] as const
  const taxed = legs.flatMap(([leg, bps]) =>
    bps !== null && bps > Tradeable.roundingBps ? [`${leg} ${shown(bps)}`] : []
  )
  return taxed.length === 0 ? "no tax on the trades that completed" : `tax on ${taxed.join(", ")}`
}

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
    transfer_tax_bps: highest("transfer"),
    simulated_pool: false
  }
  const legs = [value.buy_tax_bps, value.sell_tax_bps, value.transfer_tax_bps]
  const most = Math.max(0, ...legs.map((leg) => leg ?? 0))
  const detail = `tax on a purchase: ${shown(value.buy_tax_bps)}, sale: ${shown(value.sell_tax_bps)}, transfer: ${shown(value.transfer_tax_bps)}`
  if (most > Tradeable.roundingBps) {
    return Check.confirmed({ value, detail, severity: grade(most), observation, at: outcome.pool })
  }
  // Trades in such a pool move few units, and rounding hides a tax.
  if (Tradeable.isWorthless(runs)) {
    return Check.unknown("inconclusive", `the pool has too little liquidity to measure a tax: ${detail}`, {
      observation
    })
  }
  return legs.every((leg) => leg !== null)
    ? Check.refuted({ value, detail, observation, at: outcome.pool })
    : Check.unknown("inconclusive", `not all trades completed: ${detail}`, { observation })
}

const grade = (bps: number): Severity =>
  bps > 5_000 ? "critical" : bps > 1_000 ? "high" : bps > 500 ? "medium" : "low"

const shown = (bps: number | null): string => (bps === null ? "not measured" : `${(bps / 100).toFixed(2)} %`)
