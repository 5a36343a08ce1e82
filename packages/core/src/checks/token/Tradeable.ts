import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { Address } from "../../domain/Address.js"
import type { Observation, UnknownReason } from "../../domain/Evidence.js"
import { isOrdinary, type TradeOutcome, type TradeRun } from "../../domain/facts/TradeOutcome.js"
import type { Target } from "../../domain/Target.js"
import * as Pools from "../../facts/market/Pools.js"
import * as Token from "../../facts/market/Token.js"
import * as Trade from "../../facts/trade/Trade.js"
import * as Check from "../Check.js"
import * as ProvenByCode from "./ProvenByCode.js"

/**
 * Whether exchanges of fungible tokens can list the token. True for a contract that follows no known standard too: a
 * token can hide its standard, or claim another one, and still trade.
 *
 * @since 0.1.0
 * @category combinators
 */
export const fungible = (address: Address): Effect.Effect<boolean, ChainError, Token.Token> =>
  Effect.flatMap(Token.Token, (token) => Effect.map(token.isCollection(address), (isCollection) => !isCollection))

/**
 * Runs a check on the simulated trades of a token, and on its code where they decide nothing: `proven` is the value where
 * the code refutes the claim. The check does not apply where the address book has no exchange, or to non-fungible
 * tokens. Where no known exchange has a pool and the code proves nothing, the result is unknown with `without` as the
 * detail, so that emptying the pool of a honeypot does not improve its result.
 *
 * @since 0.1.0
 * @category combinators
 */
export const judged = <V, R = never>(
  target: Target,
  without: string,
  proven: Pick<ProvenByCode.Proven<V>, "value" | "isExact">,
  judge: (reading: Trade.TradeReading) => Effect.Effect<Check.Verdict<V>, ChainError, R>
): Effect.Effect<
  ReadonlyArray<Check.Verdict<V>>,
  ChainError,
  Pools.Pools | Token.Token | Trade.Trade | ProvenByCode.Needs | R
> =>
  Effect.gen(function* () {
    const pools = yield* Pools.Pools
    if (!pools.covered || !(yield* fungible(target.address))) return Check.notApplicable
    const trade = yield* Trade.Trade
    const traded = yield* trade.of(target.address)
    const verdict = Option.isSome(traded)
      ? yield* judge(traded.value)
      : Check.unknown("inconclusive", without, { observation: (yield* pools.of(target.address)).observation() })
    const isContradicted = Option.exists(traded, ({ value }) => value.runs.some(isSuspect))
    return [yield* ProvenByCode.settled(target.address, verdict, { ...proven, isContradicted })]
  })

/** Whether a run shows what a token without rules never shows. */
const isSuspect = ({ buy, control, sell, sell_again, transfer }: TradeRun): boolean =>
  control !== "failed" &&
  [buy, transfer, sell, ...(sell_again === null ? [] : [sell_again])].some(
    ({ state, tax_bps }) =>
      state === "reverted" || state === "no_effect" || state === "underpaid" || (tax_bps ?? 0) > roundingBps
  )

/**
 * The largest part of an amount that rounding takes, in basis points.
 *
 * @since 0.1.0
 * @category constants
 */
export const roundingBps = 1

/**
 * The runs of ordinary accounts: no code, fees paid, sale in a later block than the purchase.
 *
 * @since 0.1.0
 * @category combinators
 */
export const ordinary = (outcome: TradeOutcome): ReadonlyArray<TradeRun> =>
  outcome.runs.filter(({ environment }) => isOrdinary(environment))

/**
 * The result of the sale in a run: `untried` where the purchase failed, too little was left to sell, or the pool had
 * too little to pay with, so that the failure proves nothing; `untaken` where the pool rejects tokens with a transfer
 * tax.
 *
 * @since 0.1.0
 * @category combinators
 */
export const saleOf = ({ buy, sell }: TradeRun): "sold" | "blocked" | "untaken" | "untried" =>
  buy.state !== "ok" || sell.state === "not_reached" || sell.state === "worthless"
    ? "untried"
    : sell.state === "ok"
      ? "sold"
      : sell.state === "underpaid"
        ? "untaken"
        : "blocked"

/**
 * Why a method has no run: the reason and detail for an unknown result.
 *
 * @since 0.1.0
 * @category combinators
 */
export const missing = (
  outcome: TradeOutcome,
  { begins, method }: Pick<TradeRun["environment"], "method" | "begins">
): { readonly reason: UnknownReason; readonly detail: string } => {
  const row = outcome.unavailable.find((candidate) => candidate.method === method && candidate.begins === begins)
  return { reason: row?.reason ?? "inconclusive", detail: row?.detail ?? "not run" }
}

/**
 * Why sales that work today do not prove that sales stay possible: a contract can sell now but not after 30 days or a
 * year of blocks and trades, or that was not simulated. None where it can sell then too, or cannot sell now either.
 *
 * @since 0.1.0
 * @category combinators
 */
export const closing = (outcome: TradeOutcome, observation: Observation): Option.Option<Check.Undecided> => {
  const of = (begins: TradeRun["environment"]["begins"]) =>
    outcome.runs.find(({ environment }) => environment.method === "override" && environment.begins === begins)
  const now = of("now")
  for (const [begins, span] of spans) {
    const later = of(begins)
    if (later === undefined) {
      const { detail, reason } = missing(outcome, { method: "override", begins })
      return Option.some(Check.unknown(reason, `no simulation ${span} later: ${detail}`, { observation }))
    }
    if (saleOf(later) !== "sold" && (now === undefined || saleOf(now) === "sold")) {
      const detail = `a contract could sell now, but not after ${span} of blocks and trades`
      return Option.some(Check.unknown("conflicting_sources", detail, { observation }))
    }
  }
  return Option.none()
}

const spans = [
  ["in_a_month", "30 days"],
  ["in_a_year", "a year"]
] as const

/**
 * The verdict where no block simulation ran. Only block simulation shows what an ordinary account can do.
 *
 * @since 0.1.0
 * @category constructors
 */
export const notInBlocks = (outcome: TradeOutcome, observation: Observation, more = ""): Check.Undecided => {
  const { detail, reason } = missing(outcome, { method: "simulate_v1", begins: "now" })
  return Check.unknown(reason, `no block simulation: ${detail}${more}`, { observation })
}

/**
 * The verdict where the control token, which is known to be good, did not trade in the same blocks.
 *
 * @since 0.1.0
 * @category constructors
 */
export const noControl = (observation: Observation): Check.Undecided =>
  Check.unknown("inconclusive", "the control token could not be traded either, so the result proves nothing", {
    observation
  })

/**
 * Whether the pool had too little to pay at least one account, whatever the token allows.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isWorthless = (runs: ReadonlyArray<TradeRun>): boolean =>
  runs.some(({ sell }) => sell.state === "worthless")

/**
 * The verdict where no sale was possible because the pool has nothing to pay with. The token is not the cause.
 *
 * @since 0.1.0
 * @category constructors
 */
export const nothingToSellInto = (observation: Observation): Check.Undecided =>
  Check.unknown(
    "inconclusive",
    "the pool is almost empty: it has too little to pay for a sale, so simulation cannot show if the token can be sold",
    { observation }
  )

/**
 * An error message in quotes at the end of a detail, or nothing.
 *
 * @since 0.1.0
 * @category combinators
 */
export const quoted = (error: string | null): string => (error === null ? "" : `; error: "${error}"`)

/**
 * The first error message among the legs of some runs.
 *
 * @since 0.1.0
 * @category combinators
 */
export const words = (runs: ReadonlyArray<TradeRun>, leg: "buy" | "sell"): string | null =>
  runs.map((run) => run[leg].error).find((error) => error !== null) ?? null
