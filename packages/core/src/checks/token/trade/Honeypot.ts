import { Effect, Either, Option, Schema } from "effect"
import type { ChainError } from "../../../chain/ChainError.js"
import type { Reading } from "../../../chain/state/Reading.js"
import type { Observation, UnknownReason } from "../../../domain/Evidence.js"
import { TradeEnvironment, type TradeOutcome, type TradeRun } from "../../../domain/facts/TradeOutcome.js"
import * as HolderReplay from "../../../facts/trade/HolderReplay.js"
import type { SimulatedTrades } from "../../../facts/trade/SimulatedPool.js"
import * as Check from "../../Check.js"
import * as BlockedSales from "./BlockedSales.js"
import * as Circumstantial from "./Circumstantial.js"
import * as Tradeable from "./Tradeable.js"

/**
 * The time after the purchase from which every simulated sale fails (`at_a_moment`: at the time `at`, and maybe not for
 * ever), and the error message. Where only contracts and
 * holders show it, both are null and `complete` is false. The number of simulated sales depends on the endpoint: the
 * detail has the count, and the facts have every sale. `simulated_pool` is true where the sales were in a pool that does not
 * exist on the chain.
 */
const HoneypotValue = Schema.Struct({
  complete: Schema.Boolean,
  since: Schema.NullOr(TradeEnvironment.fields.sells),
  at: TradeEnvironment.fields.at,
  reason: Schema.NullOr(Schema.String),
  simulated_pool: Schema.Boolean
})

/**
 * E-03: whether purchased tokens cannot be sold.
 *
 * - Confirmed by accounts: at one time (hours, a day, 30 days or a year after the purchase) two fresh accounts that
 *   bought two different amounts could sell no part, and the control token was sold.
 * - Confirmed by contracts and holders, without block simulation ({@link BlockedSales}).
 * - Refuted by accounts only: at every time at least one account could sell, no sale failed, and a contract that
 *   could sell now could also sell after 30 days and a year of blocks and trades. Later than a year is not simulated. A
 *   token can exempt exactly what the other methods look like, so they never refute. Where both contracts were blocked,
 *   holders must have been able to sell, now or 30 days later.
 * - Unknown: the control token was not sold, no account could buy, the accounts disagree, or a Uniswap V3 pool rejected
 *   a token with a transfer tax. Also where no known exchange has a pool with reserves, or the reserves are too small
 *   to pay for a sale: a honeypot with an emptied pool must not get a better result. It is still confirmed where the
 *   token did not let the router take tokens that the holder could transfer.
 *
 * - Confirmed in a simulated pool, where none can be traded: as by accounts. Not where the token refused the pool alone
 *   and may wait for its own.
 * - Otherwise also refuted by the code, where it proves that no rule of the token stops a transfer ({@link ProvenByCode}).
 *
 * Where the address book has no exchange, only the code can decide. It does not apply to non-fungible tokens.
 */
export const honeypot = Check.make({
  id: "trade.honeypot",
  code: "E-03",
  version: 8,
  targets: ["token"],
  claim: "The token can be bought but not sold",
  polarity: "risk",
  severity: "critical",
  dimension: "exit",
  value: HoneypotValue,
  run: (target) =>
    Tradeable.judged(target, {
      without: "no pool found on the known exchanges, so no sale could be simulated",
      proven: { value: { complete: true, since: null, reason: null, simulated_pool: false }, isExact: true },
      simulated: Option.some(judgeSimulated),
      judge: ({ observation, value }) =>
        Effect.gen(function* () {
          const byAccounts = judge(value, observation())
          const { ofEachTrade, settled } = Circumstantial
          if (byAccounts._tag === "Confirmed" || !BlockedSales.mayBe(value))
            return yield* settled(target.address, ofEachTrade, byAccounts)
          const replays = yield* HolderReplay.HolderReplay
          const replayed = yield* Effect.either(replays.of(target.address))
          return yield* settled(target.address, ofEachTrade, withHolders(value, byAccounts, replayed))
        })
    })
})

type Verdict = Check.Verdict<typeof HoneypotValue.Type>

const withHolders = (
  outcome: TradeOutcome,
  byAccounts: Verdict,
  replayed: Either.Either<Reading<HolderReplay.Replay>, ChainError>
): Verdict => {
  const uncertain = (reason: UnknownReason, detail: string): Verdict =>
    byAccounts._tag === "Refuted"
      ? Check.unknown(reason, `accounts could sell in simulation, but no contract could, and ${detail}`, {
          observation: Option.getOrUndefined(byAccounts.observation)
        })
      : byAccounts
  if (Either.isLeft(replayed)) return uncertain(replayed.left.reason, "no sale by a holder could be simulated")
  const sales = BlockedSales.of(outcome, replayed.right)
  switch (sales._tag) {
    case "open":
      return byAccounts
    case "unclear":
      return uncertain("conflicting_sources", "simulation does not show that most holders can sell")
    case "blocked":
      return Check.confirmed({
        value: { complete: false, since: null, reason: null, simulated_pool: false },
        detail: sales.detail,
        observation: sales.observation,
        at: outcome.pool
      })
  }
}

type Moment = Pick<TradeEnvironment, "sells" | "at">

const always: ReadonlyArray<Moment> = (["in_hours", "in_a_day", "in_a_month", "in_a_year"] as const).map((sells) => ({
  sells
}))

/** The usual moments, and those that the code compares a clock with. */
const momentsOf = (runs: ReadonlyArray<TradeRun>): ReadonlyArray<Moment> => [
  ...always,
  ...[...new Set(runs.flatMap(({ environment: { at } }) => at ?? []))]
    .sort()
    .map((at) => ({ sells: "at_a_moment" as const, at }))
]

const judgeSimulated = (trades: SimulatedTrades, observation: Observation): Verdict => {
  if (Tradeable.isWaiting(trades)) return Tradeable.waiting(observation)
  const verdict = judge(trades.outcome, observation)
  return verdict._tag === "Confirmed"
    ? { ...verdict, value: { ...verdict.value, simulated_pool: true } }
    : Tradeable.soldInSimulation(trades, observation)
}

const judge = (outcome: TradeOutcome, observation: Observation): Verdict => {
  const runs = Tradeable.ordinary(outcome)
  const tried = runs.filter((run) => Tradeable.saleOf(run) !== "untried")
  const blocked = tried.filter((run) => Tradeable.saleOf(run) === "blocked")
  const reason = Tradeable.words(blocked, "sell")
  const value = { complete: true, reason, simulated_pool: false }
  const at = outcome.pool
  const moments = momentsOf(runs)
  const closed = moments.filter((moment) => isClosed(runs, moment))[0]
  if (closed !== undefined) {
    const { at: when, sells } = moments.find((moment) => noneSold(runs, moment)) ?? closed
    return Check.confirmed({
      value: { ...value, since: sells, ...(when === undefined ? {} : { at: when }) },
      detail: `fresh accounts bought, but none could sell ${when === undefined ? spoken[sells] : `on ${when.slice(0, 10)}`}${Tradeable.quoted(reason)}${differing(outcome, "blocked")}`,
      observation,
      at
    })
  }
  if (runs.length === 0) return Tradeable.notInBlocks(outcome, observation, hint(outcome))
  if (runs.some((run) => run.control === "failed")) return Tradeable.noControl(observation)
  const isWorthless = Tradeable.isWorthless(runs)
  if (tried.length === 0) {
    if (isWorthless) return Tradeable.nothingToSellInto(observation)
    return Check.unknown("inconclusive", `no tokens to sell${whyNot(runs)}`, { observation })
  }
  if (tried.some((run) => Tradeable.saleOf(run) === "untaken")) {
    return Check.unknown("inconclusive", "the pool rejects tokens with a transfer tax; no other route was simulated", {
      observation
    })
  }
  if (isWorthless) {
    return Check.unknown(
      "inconclusive",
      `${tried.length - blocked.length} of ${runs.length} fresh accounts could sell; the pool has too little to pay the others`,
      { observation }
    )
  }
  if (blocked.length > 0) {
    return blocked.length === tried.length
      ? Check.unknown("inconclusive", "sales failed, but there was no control token to compare with", {
          observation
        })
      : Check.unknown("conflicting_sources", `${blocked.length} of ${tried.length} fresh accounts could not sell`, {
          observation
        })
  }
  if (!moments.every((moment) => tried.some(({ environment }) => isAt(environment, moment)))) {
    return Check.unknown("inconclusive", "no tokens were left to simulate a later sale", { observation })
  }
  const closing = Tradeable.closing(outcome, observation)
  if (Option.isSome(closing)) return closing.value
  return Check.refuted({
    value: { ...value, since: null },
    detail: `${tried.length} of ${tried.length} fresh accounts bought and sold, the last a year later${differing(outcome, "sold")}`,
    observation,
    at
  })
}

const spoken: { readonly [moment in Moment["sells"]]: string } = {
  at_once: "at once",
  in_hours: "hours later",
  in_a_day: "a day later",
  in_a_month: "30 days later",
  in_a_year: "a year later",
  at_a_moment: "at a moment that the code names"
}

const isAt = ({ at, sells }: TradeEnvironment, moment: Moment): boolean => sells === moment.sells && at === moment.at

const at = (runs: ReadonlyArray<TradeRun>, moment: Moment) =>
  runs.filter((run) => isAt(run.environment, moment) && run.control === "ok" && Tradeable.saleOf(run) !== "untried")

const noneSold = (runs: ReadonlyArray<TradeRun>, moment: Moment): boolean => {
  const tried = at(runs, moment)
  return tried.length > 0 && tried.every((run) => Tradeable.saleOf(run) === "blocked")
}

/** Two accounts with two amounts: one alone may have reached a limit. */
const isClosed = (runs: ReadonlyArray<TradeRun>, moment: Moment): boolean =>
  noneSold(runs, moment) && new Set(at(runs, moment).map(({ spent }) => spent)).size > 1

const whyNot = (runs: ReadonlyArray<TradeRun>): string =>
  Tradeable.quoted(Tradeable.words(runs, "buy") ?? Tradeable.words(runs, "sell")) || ": the purchase returned nothing"

const contracts = (outcome: TradeOutcome) =>
  outcome.runs.filter(
    (run) => run.environment.method !== "simulate_v1" && run.environment.begins === "now" && run.buy.state === "ok"
  )

const sold = (runs: ReadonlyArray<TradeRun>) => runs.filter((run) => Tradeable.saleOf(run) === "sold").length

const hint = (outcome: TradeOutcome): string => {
  const runs = contracts(outcome)
  return runs.length === 0 ? "" : `; ${sold(runs)} of ${runs.length} simulated contracts could sell at once`
}

const differing = (outcome: TradeOutcome, seen: "sold" | "blocked"): string => {
  const runs = contracts(outcome)
  const agreeing = seen === "sold" ? sold(runs) : runs.length - sold(runs)
  return agreeing === runs.length ? "" : hint(outcome)
}
