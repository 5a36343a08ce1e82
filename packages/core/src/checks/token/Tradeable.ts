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

/**
 * Whether a token is of the kind that exchanges of fungible tokens take. What answers as no known standard is asked
 * for in the pools all the same: a token can hide its standard and still be sold, and so can one that claims another.
 *
 * @since 0.1.0
 * @category combinators
 */
export const fungible = (address: Address): Effect.Effect<boolean, ChainError, Token.Token> =>
  Effect.flatMap(Token.Token, (token) => Effect.map(token.isCollection(address), (isCollection) => !isCollection))

/**
 * What a check says of a token by its simulated trades. It does not apply where the address book knows no exchange, nor
 * to what is no fungible token; where no known exchange has a pool of it, it is unknown, with `without` as the detail:
 * emptying the pool of a trap must not make it look better.
 *
 * @since 0.1.0
 * @category combinators
 */
export const judged = <V, R = never>(
  target: Target,
  without: string,
  judge: (reading: Trade.TradeReading) => Effect.Effect<Check.Verdict<V>, ChainError, R>
): Effect.Effect<ReadonlyArray<Check.Verdict<V>>, ChainError, Pools.Pools | Token.Token | Trade.Trade | R> =>
  Effect.gen(function* () {
    const pools = yield* Pools.Pools
    if (!pools.covered || !(yield* fungible(target.address))) return Check.notApplicable
    const trade = yield* Trade.Trade
    const traded = yield* trade.of(target.address)
    if (Option.isSome(traded)) return [yield* judge(traded.value)]
    const none = yield* pools.of(target.address)
    return [Check.unknown("inconclusive", without, { observation: none.observation() })]
  })

/**
 * The runs of fresh accounts as a person would trade: without code, with fees, selling in a later block.
 *
 * @since 0.1.0
 * @category combinators
 */
export const ordinary = (outcome: TradeOutcome): ReadonlyArray<TradeRun> =>
  outcome.runs.filter(({ environment }) => isOrdinary(environment))

/**
 * How the sale of a run ended: `untried` where nothing was bought or too little was left, or where the pool had nothing
 * to pay with, so that its failure shows nothing; `untaken` where the pool takes no token that arrives with a tax.
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
 * Why a method gave no run: the reason that an unknown claim carries, and its words.
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
 * Why what accounts can sell today does not show that sales stay open: a contract could sell now and not after a month or
 * a year of blocks and trades, or that was not seen. None where it could then too, or not now either.
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
      return Option.some(Check.unknown(reason, `no simulation in a ${span}: ${detail}`, { observation }))
    }
    if (saleOf(later) !== "sold" && (now === undefined || saleOf(now) === "sold")) {
      const detail = `a contract could sell now and not a ${span} of blocks and trades later`
      return Option.some(Check.unknown("conflicting_sources", detail, { observation }))
    }
  }
  return Option.none()
}

const spans = [
  ["in_a_month", "month"],
  ["in_a_year", "year"]
] as const

/**
 * The verdict where no block simulation ran, which alone shows what a person can do.
 *
 * @since 0.1.0
 * @category constructors
 */
export const notInBlocks = (outcome: TradeOutcome, observation: Observation, more = ""): Check.Undecided => {
  const { detail, reason } = missing(outcome, { method: "simulate_v1", begins: "now" })
  return Check.unknown(reason, `no simulation in blocks: ${detail}${more}`, { observation })
}

/**
 * The verdict where a token known to be good could not be traded in the same blocks.
 *
 * @since 0.1.0
 * @category constructors
 */
export const noControl = (observation: Observation): Check.Undecided =>
  Check.unknown("inconclusive", "a token known to be good could not be traded either", { observation })

/**
 * Whether some account could not have been paid for what it bought, whatever the token lets it do.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isWorthless = (runs: ReadonlyArray<TradeRun>): boolean =>
  runs.some(({ sell }) => sell.state === "worthless")

/**
 * The verdict where nothing could be sold since the pool has nothing to pay with, which is no deed of the token.
 *
 * @since 0.1.0
 * @category constructors
 */
export const nothingToSellInto = (observation: Observation): Check.Undecided =>
  Check.unknown(
    "inconclusive",
    "the pool was all but emptied: it has too little to pay for what is sold, so that whether the token can be sold is not shown",
    { observation }
  )

/**
 * The first words that legs of some runs gave.
 *
 * @since 0.1.0
 * @category combinators
 */
export const words = (runs: ReadonlyArray<TradeRun>, leg: "buy" | "sell"): string | null =>
  runs.map((run) => run[leg].error).find((error) => error !== null) ?? null
