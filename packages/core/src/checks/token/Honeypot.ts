import { Effect, Either, Option, Schema } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { Reading } from "../../chain/Reading.js"
import type { Observation, UnknownReason } from "../../domain/Evidence.js"
import { TradeEnvironment, type TradeOutcome, type TradeRun } from "../../domain/facts/TradeOutcome.js"
import * as HolderReplay from "../../facts/trade/HolderReplay.js"
import * as Check from "../Check.js"
import * as Circumstantial from "./Circumstantial.js"
import * as Tradeable from "./Tradeable.js"

/**
 * Since when after the purchase no sale of an account goes through, and the words of the token. Both are null where that
 * was shown by contracts and holders, as accounts met it nowhere: then it is not `complete`. How many sales were tried
 * depends on what the endpoint can do and is told in the detail, and one by one in the facts.
 */
const HoneypotValue = Schema.Struct({
  complete: Schema.Boolean,
  since: Schema.NullOr(TradeEnvironment.fields.sells),
  reason: Schema.NullOr(Schema.String)
})

/**
 * E-03: whether what is bought cannot be sold.
 *
 * - Confirmed by accounts: at one moment (hours, a month or a year after the purchase) two fresh accounts that bought in
 *   two sizes could not sell any part of it, and the control token was sold.
 * - Confirmed by contracts and holders, which needs no block simulation: two contracts bought in two sizes and could not
 *   sell at once, the control could, and three in four of the holders that were tried were refused (insiders may be
 *   spared), two at least by the router to which they gave an allowance. One alone shows nothing: an anti-bot rule stops
 *   contracts in the block of their purchase, and an issuer may freeze accounts.
 * - Refuted by accounts alone: at every moment at least one that bought could sell, all that bought could, and a
 *   contract that could sell now could also sell a month and a year of blocks and trades later, which blocks cannot be
 *   simulated up to. What begins later than a year is not seen. A token can let through exactly what looks like the other
 *   methods, so that they refute nothing; where both contracts were blocked, holders have to have been able to sell.
 * - Unknown: the control was not sold, nobody could buy, the accounts disagree, or a Uniswap V3 pool refused a token
 *   with a tax, as it does with all of them. Also where no known exchange has a pool with reserves, or the reserves pay
 *   nothing for what is sold: then nobody's code stops a sale, and a trap whose pool was emptied must not look better
 *   than before. It is still confirmed where the token itself did not let the router take what its holder could move.
 *
 * It does not apply where the address book knows no exchange, nor to what is no fungible token.
 *
 * @since 0.1.0
 * @category models
 */
export const honeypot = Check.make({
  id: "trade.honeypot",
  code: "E-03",
  version: 4,
  targets: ["token"],
  claim: "The token can be bought and not sold",
  polarity: "risk",
  severity: "critical",
  dimension: "exit",
  value: HoneypotValue,
  run: (target) =>
    Tradeable.judged(target, "no known exchange has a pool of it to sell into", ({ observation, value }) =>
      Effect.gen(function* () {
        const byAccounts = judge(value, observation())
        const { ofEachTrade, settled } = Circumstantial
        if (byAccounts._tag === "Confirmed" || !mayBeBlocked(value))
          return yield* settled(target.address, ofEachTrade, byAccounts)
        const replays = yield* HolderReplay.HolderReplay
        const replayed = yield* Effect.either(replays.of(target.address))
        return yield* settled(target.address, ofEachTrade, withHolders(value, byAccounts, replayed))
      })
    )
})

type Verdict = Check.Verdict<typeof HoneypotValue.Type>

const contractsNow = (outcome: TradeOutcome) =>
  (["override", "constructor"] as const).map((method) =>
    outcome.runs.find(({ environment }) => environment.method === method && environment.begins === "now")
  )

const isBlocked = (run: TradeRun): boolean => run.control === "ok" && Tradeable.saleOf(run) === "blocked"

/** Whether no contract was shown to sell; one that is missing, or that nothing would have been paid, may be blocked. */
const mayBeBlocked = (outcome: TradeOutcome): boolean =>
  contractsNow(outcome).every((run) => run === undefined || isBlocked(run) || run.sell.state === "worthless")

const withHolders = (
  outcome: TradeOutcome,
  byAccounts: Verdict,
  replayed: Either.Either<Reading<HolderReplay.Replay>, ChainError>
): Verdict => {
  const uncertain = (reason: UnknownReason, detail: string): Verdict =>
    byAccounts._tag === "Refuted"
      ? Check.unknown(reason, `accounts could sell in simulation; no contract could, and ${detail}`, {
          observation: Option.getOrUndefined(byAccounts.observation)
        })
      : byAccounts
  if (Either.isLeft(replayed)) return uncertain(replayed.left.reason, "no holder could be tried")
  const { control, trials } = replayed.right.value
  const refused = trials.filter(({ state }) => state === "blocked")
  const free = trials.filter(({ state }) => state === "free")
  if (trials.length < fewestHolders || !areMost(trials.length - free.length, trials)) return byAccounts
  const contracts = contractsNow(outcome).flatMap((run) => run ?? [])
  if (
    contracts.length < 2 ||
    !contracts.every(isBlocked) ||
    control === "failed" ||
    !areMost(refused.length, trials) ||
    refused.filter(({ routed }) => routed).length < 2
  ) {
    return uncertain("conflicting_sources", "most holders were not shown to")
  }
  const reason = Option.getOrNull(Option.firstSomeOf(refused.map(({ error }) => error)))
  return Check.confirmed({
    value: { complete: false, since: null, reason: null },
    detail: `contracts bought and could not sell at once, nor could ${refused.length} of ${trials.length} holders${reason === null ? "" : `: ${reason}`}`,
    observation: replayed.right.observation(),
    at: outcome.pool
  })
}

const fewestHolders = 4

const areMost = (count: number, of: ReadonlyArray<unknown>): boolean => 4 * count >= 3 * of.length

type Moment = TradeEnvironment["sells"]

const moments: ReadonlyArray<Moment> = ["in_hours", "in_a_day", "in_a_month", "in_a_year"]

const judge = (outcome: TradeOutcome, observation: Observation): Verdict => {
  const runs = Tradeable.ordinary(outcome)
  const tried = runs.filter((run) => Tradeable.saleOf(run) !== "untried")
  const blocked = tried.filter((run) => Tradeable.saleOf(run) === "blocked")
  const reason = Tradeable.words(blocked, "sell")
  const value = { complete: true, reason }
  const at = outcome.pool
  const closed = moments.filter((moment) => isClosed(runs, moment))[0]
  if (closed !== undefined) {
    const since = moments.find((moment) => noneSold(runs, moment)) ?? closed
    return Check.confirmed({
      value: { ...value, since },
      detail: `fresh accounts bought, and none could sell ${spoken[since]}${reason === null ? "" : `: ${reason}`}${differing(outcome, "blocked")}`,
      observation,
      at
    })
  }
  if (runs.length === 0) return Tradeable.notInBlocks(outcome, observation, hint(outcome))
  if (runs.some((run) => run.control === "failed")) return Tradeable.noControl(observation)
  const isWorthless = Tradeable.isWorthless(runs)
  if (tried.length === 0) {
    if (isWorthless) return Tradeable.nothingToSellInto(observation)
    return Check.unknown("inconclusive", `nothing to sell: ${whyNot(runs)}`, { observation })
  }
  if (tried.some((run) => Tradeable.saleOf(run) === "untaken")) {
    return Check.unknown("inconclusive", "the pool takes no token that arrives with a tax; no other way was tried", {
      observation
    })
  }
  if (isWorthless) {
    return Check.unknown(
      "inconclusive",
      `${tried.length - blocked.length} of ${runs.length} fresh accounts could sell; the pool has too little to pay the rest`,
      { observation }
    )
  }
  if (blocked.length > 0) {
    return blocked.length === tried.length
      ? Check.unknown(
          "inconclusive",
          "could not be sold, and nothing that is known to be good is there to compare with",
          {
            observation
          }
        )
      : Check.unknown("conflicting_sources", `${blocked.length} of ${tried.length} fresh accounts could not sell`, {
          observation
        })
  }
  if (!moments.every((moment) => tried.some((run) => run.environment.sells === moment))) {
    return Check.unknown("inconclusive", "nothing was left to sell at a later time", { observation })
  }
  const closing = Tradeable.closing(outcome, observation)
  if (Option.isSome(closing)) return closing.value
  return Check.refuted({
    value: { ...value, since: null },
    detail: `${tried.length} fresh accounts bought and sold, the last a year later${differing(outcome, "sold")}`,
    observation,
    at
  })
}

const spoken: { readonly [moment in Moment]: string } = {
  at_once: "at once",
  in_hours: "hours later",
  in_a_day: "a day later",
  in_a_month: "a month later",
  in_a_year: "a year later"
}

const at = (runs: ReadonlyArray<TradeRun>, moment: Moment) =>
  runs.filter((run) => run.environment.sells === moment && run.control === "ok" && Tradeable.saleOf(run) !== "untried")

const noneSold = (runs: ReadonlyArray<TradeRun>, moment: Moment): boolean => {
  const tried = at(runs, moment)
  return tried.length > 0 && tried.every((run) => Tradeable.saleOf(run) === "blocked")
}

/** Two accounts in two sizes, as one alone may have met a limit. */
const isClosed = (runs: ReadonlyArray<TradeRun>, moment: Moment): boolean =>
  noneSold(runs, moment) && new Set(at(runs, moment).map(({ spent }) => spent)).size > 1

const whyNot = (runs: ReadonlyArray<TradeRun>): string =>
  Tradeable.words(runs, "buy") ?? Tradeable.words(runs, "sell") ?? "the purchase gave nothing"

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
