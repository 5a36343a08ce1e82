import { Effect, Option, Schema } from "effect"
import type { Address } from "../../../domain/Address.js"
import type { Observation, Severity } from "../../../domain/Evidence.js"
import type { TradeOutcome, TradeRun } from "../../../domain/facts/TradeOutcome.js"
import * as Bytecode from "../../../evm/bytecode/Bytecode.js"
import type { Mnemonic } from "../../../evm/bytecode/Opcodes.js"
import { Functions, type LogicContract } from "../../../facts/code/Functions.js"
import type { SimulatedTrades } from "../../../facts/trade/SimulatedPool.js"
import type { TradeReading } from "../../../facts/trade/Trade.js"
import { TradeMoments } from "../../../facts/trade/TradeMoments.js"
import * as Check from "../../Check.js"
import * as BlockedSales from "./BlockedSales.js"
import * as Circumstantial from "./Circumstantial.js"
import * as Tradeable from "./Tradeable.js"

/**
 * The tax of each leg in basis points; null where the leg did not complete. `complete` is false where only contracts
 * traded, so that it is a lower bound. `simulated_pool` is true where it was measured in a pool that does not exist on the chain.
 */
const TradeTaxValue = Schema.Struct({
  complete: Schema.Boolean,
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
 * Block simulation decides, as for trade.honeypot. Without it, what contracts paid confirms a tax of more than 10 %, as critical,
 * where the code cannot treat accounts or later sales differently; it refutes nothing. The tax is the highest of hours, a day, 30
 * days and a year after the purchase: a buyer does not pay an anti-bot tax in the block of the purchase, and a token can exempt what
 * the other methods look like. Refuted where all three legs were measured, or where the code proves that a transfer moves
 * exactly the amount ({@link ProvenByCode}): then each tax is 0.
 *
 * A tax on sales of an opening is over before any of these sales. So where the code compares the time with a moment within the
 * hour, and the sale in the block of a purchase pays more than 10 %, the result is unknown and not low.
 *
 * Where no pool can be traded, a tax of more than 10 % in a simulated pool confirms it. It is critical whatever its height,
 * because the tax in a pool of the token's own may be higher; a lower one is in the detail of the unknown item.
 */
export const tradeTax = Check.make({
  id: "trade.taxed",
  code: "E-05",
  version: 7,
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
        value: { complete: true, buy_tax_bps: 0, sell_tax_bps: 0, transfer_tax_bps: 0, simulated_pool: false },
        isExact: true
      },
      simulated: Option.some(judgeSimulated),
      judge: (reading) =>
        Effect.gen(function* () {
          if (Tradeable.ordinary(reading.value).length === 0)
            return judgeContracts(reading, yield* mayTreatDifferently(target.address))
          const now = judge(reading.value, reading.observation())
          // A tax that is low now may be high at a moment that was not simulated.
          const settled =
            now._tag === "Confirmed" && !Option.exists(now.severity, isHigh)
              ? yield* Circumstantial.settledLater(target.address, now)
              : yield* Circumstantial.settled(target.address, Circumstantial.ofEachTrade, now)
          return settled._tag === "Unknown" || (settled._tag === "Confirmed" && Option.exists(settled.severity, isHigh))
            ? settled
            : yield* settledSoon(target.address, reading, settled)
        })
    })
})

/** A low tax as unknown, where a sale at once pays a high one, and the token may do so by the time and not by the block. */
const settledSoon = <V>(
  token: Address,
  { observation, value: outcome }: TradeReading,
  verdict: Check.Verdict<V>
): Effect.Effect<Check.Verdict<V>, never, TradeMoments> =>
  Effect.gen(function* () {
    const paid = outcome.runs.flatMap(({ environment: { method, sells }, sell }) =>
      method === "simulate_v1" && sells === "at_once" ? (sell.tax_bps ?? []) : []
    )
    const most = Math.max(0, ...paid)
    if (!isHigh(grade(most))) return verdict
    const soon = yield* Effect.flatMap(TradeMoments, (moments) => moments.of(token)).pipe(
      Effect.map((ahead) => ahead.soon),
      Effect.orElseSucceed(() => true)
    )
    return soon
      ? Check.unknown(
          "inconclusive",
          `a sale in the block of its purchase pays ${shown(most)}, and less later: the code compares the time with a moment within the hour`,
          { observation: observation() }
        )
      : verdict
  })

/**
 * Whether the code can treat contracts, or sales in the block of a purchase, differently from accounts that sell later: it reads the
 * block, the transaction, or the code or native balance of an account, it has transient storage, or it calls other code, which may read
 * them. Conditions of transfers do not show this, because a tax can be computed without a condition.
 */
const mayTreatDifferently = (token: Address): Effect.Effect<boolean, never, Functions> =>
  Effect.flatMap(Functions, (functions) => functions.of(token)).pipe(
    Effect.map(({ value: { logics, resolved } }) => {
      const isPlain = ({ reach }: LogicContract): boolean =>
        reach.complete && distinguishing.every((mnemonic) => Bytecode.presence(reach, mnemonic) !== "present")
      return !(resolved && logics.length > 0 && logics.every(isPlain))
    }),
    Effect.orElseSucceed(() => true)
  )

const distinguishing: ReadonlyArray<Mnemonic> = [
  "BALANCE",
  "ORIGIN",
  "GASPRICE",
  "EXTCODESIZE",
  "EXTCODECOPY",
  "EXTCODEHASH",
  "BLOCKHASH",
  "COINBASE",
  "TIMESTAMP",
  "NUMBER",
  "PREVRANDAO",
  "GASLIMIT",
  "SELFBALANCE",
  "BASEFEE",
  "BLOBHASH",
  "BLOBBASEFEE",
  "GAS",
  "TLOAD",
  "CREATE",
  "CALL",
  "CALLCODE",
  "DELEGATECALL",
  "CREATE2",
  "STATICCALL"
]

/**
 * Without simulated blocks, a tax is the least that both contracts paid, beside a control that was bought and sold. As in a simulated
 * pool, only a high tax confirms, as critical: a later trade may pay more, and a loss of blocks must not raise the score.
 */
const judgeContracts = (
  { observation, observationIn, value: outcome }: TradeReading,
  mayDiffer: boolean
): Check.Verdict<typeof TradeTaxValue.Type> => {
  const runs = BlockedSales.contractsNow(outcome).flatMap((run) => run ?? [])
  const paid = (leg: "buy" | "sell" | "transfer"): number | null => {
    const measured = runs.flatMap((run) => run[leg].tax_bps ?? [])
    return runs.length === 2 && measured.length === 2 ? Math.min(...measured) : null
  }
  const value = {
    complete: false,
    buy_tax_bps: paid("buy"),
    sell_tax_bps: paid("sell"),
    transfer_tax_bps: paid("transfer"),
    simulated_pool: false
  }
  const told = `contracts that sold in the block of their purchase paid: purchase ${shown(value.buy_tax_bps)}, sale ${shown(value.sell_tax_bps)}, transfer ${shown(value.transfer_tax_bps)}`
  const [run] = runs
  const most = Math.max(value.buy_tax_bps ?? 0, value.sell_tax_bps ?? 0, value.transfer_tax_bps ?? 0)
  const isControlled = runs.every(({ control }) => control === "ok")
  return !mayDiffer && run !== undefined && isControlled && isHigh(grade(most))
    ? Check.confirmed({
        value,
        detail: told,
        severity: "critical",
        observation: observationIn(run.environment),
        at: outcome.pool
      })
    : Tradeable.notInBlocks(outcome, observation(), Object.values(value).some(isNumber) ? `; ${told}` : "")
}

const isHigh = (severity: Severity): boolean => severity === "high" || severity === "critical"

const isNumber = (value: unknown): boolean => typeof value === "number"

/** A tax that is graded less than what is unknown would raise the score, and its height in another pool is unknown. */
const judgeSimulated = (
  { outcome }: SimulatedTrades,
  observation: Observation
): Check.Verdict<typeof TradeTaxValue.Type> => {
  const verdict = judge(outcome, observation)
  return verdict._tag === "Confirmed" && Option.exists(verdict.severity, isHigh)
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
  const highest = (leg: "buy" | "sell" | "transfer"): number | null => {
    const measured = runs.flatMap((run) => run[leg].tax_bps ?? [])
    return measured.length === 0 ? null : Math.max(...measured)
  }
  const value = {
    complete: true,
    buy_tax_bps: highest("buy"),
    sell_tax_bps: highest("sell"),
    transfer_tax_bps: highest("transfer"),
    simulated_pool: false
  }
  const legs = [value.buy_tax_bps, value.sell_tax_bps, value.transfer_tax_bps]
  const most = Math.max(0, ...legs.map((leg) => leg ?? 0))
  const detail = `tax on a purchase: ${shown(value.buy_tax_bps)}, sale: ${shown(value.sell_tax_bps)}, transfer: ${shown(value.transfer_tax_bps)}${whenHighest(runs)}${falling(runs)}`
  if (most > Tradeable.roundingBps) {
    return Check.confirmed({ value, detail, severity: grade(most), observation, at: outcome.pool })
  }
  // Trades in a nearly empty pool move few units, and rounding hides a tax.
  if (Tradeable.isWorthless(runs)) {
    return Check.unknown("inconclusive", `the pool has too little liquidity to measure a tax: ${detail}`, {
      observation
    })
  }
  return legs.every((leg) => leg !== null)
    ? Check.refuted({ value, detail, observation, at: outcome.pool })
    : Check.unknown("inconclusive", `not all trades completed: ${detail}`, { observation })
}

/** The first time at which a sale pays the most, where it does so only around a moment that the code names. */
const whenHighest = (runs: ReadonlyArray<TradeRun>): string => {
  const taxAt = ({ sell }: TradeRun): number => sell.tax_bps ?? 0
  const most = Math.max(0, ...runs.map(taxAt))
  const highest = runs.filter((run) => taxAt(run) > most - roughly)
  const times = highest.flatMap(({ environment: { at } }) => at ?? []).sort()
  const [first] = times
  return first === undefined || times.length < highest.length ? "" : `; that on a sale from ${first.slice(0, 10)}`
}

/** To what the tax falls from purchase to purchase, as one of an opening does; nothing where it does not. */
const falling = (runs: ReadonlyArray<TradeRun>): string => {
  const taxes = runs.flatMap(({ buy }) => buy.tax_bps ?? [])
  const [first = 0, last = 0] = [taxes[0], taxes.at(-1)]
  const isFalling = taxes.every((tax, index) => tax <= (taxes[index - 1] ?? tax))
  return isFalling && first - last > roughly
    ? `; that on a purchase falls from one to the next, to ${shown(last)} within minutes`
    : ""
}

// In basis points: price movement explains as much.
const roughly = 100

const grade = (bps: number): Severity =>
  bps > 5_000 ? "critical" : bps > 1_000 ? "high" : bps > 500 ? "medium" : "low"

const shown = (bps: number | null): string => (bps === null ? "not measured" : `${(bps / 100).toFixed(2)} %`)
