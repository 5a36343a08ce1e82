import { Option, Schema } from "effect"
import type { Observation, UnknownReason } from "../../../domain/Evidence.js"
import { isOrdinary, TradeEnvironment, type TradeOutcome, type TradeRun } from "../../../domain/facts/TradeOutcome.js"
import type { SimulatedTrades } from "../../../facts/trade/SimulatedPool.js"
import type { TradeReading } from "../../../facts/trade/Trade.js"
import * as Check from "../../Check.js"
import * as Circumstantial from "./Circumstantial.js"
import * as Tradeable from "./Tradeable.js"

/**
 * A difference between two environments: the leg, both environments and the result in each (`works`, `refused`, or a
 * tax in basis points). `because: "sender"` means the same environment and different accounts.
 */
const Difference = Schema.Struct({
  leg: Schema.Literal("buy", "transfer", "sell"),
  differs: Schema.Literal("state", "tax"),
  because: Schema.Literal("fees", "contract", "time", "sender"),
  first: TradeEnvironment,
  first_saw: Schema.String,
  second: TradeEnvironment,
  second_saw: Schema.String
})

/**
 * The differences found; `complete` where all environments were compared, `simulated_pool` where the trades were in a pool
 * that does not exist on the chain.
 */
const EnvironmentDependentValue = Schema.Struct({
  complete: Schema.Boolean,
  differences: Schema.Array(Difference),
  simulated_pool: Schema.Boolean
})

/**
 * E-09: whether trades of the token end differently in different environments: an account or a contract; a sale in the
 * block of the purchase, or hours, a day, 30 days or a year later; after few or many trades; with or without fees; from
 * different senders, some with hardly more native coin than they spend.
 *
 * High: the difference lets simulations succeed, blocks sales after some time, opens sales only after some time, or
 * depends on the sender, which hides what happens to a buyer. Low: it blocks contracts or the block of the purchase,
 * like anti-bot rules. Confirmed low only where all environments were compared, because a missing one may be worse.
 * Refuted only where all were compared and the code of a transfer depends on nothing that trades cannot cover, such as
 * remaining gas or the return value of another contract; or where the code proves that a transfer depends on nothing but
 * balances, allowances and arguments ({@link ProvenByCode}).
 *
 * Where no pool can be traded, accounts in a simulated pool can confirm a high difference.
 *
 * A sale refused because of its size is not a difference of environment: `trade.sell-limited` reports it.
 */
export const environmentDependent = Check.make({
  id: "trade.environment-dependent",
  code: "E-09",
  version: 6,
  targets: ["token"],
  claim: "Trade results depend on the account that trades or on the time",
  polarity: "risk",
  severity: "high",
  dimension: "exit",
  value: EnvironmentDependentValue,
  run: (target) =>
    Tradeable.judged(target, {
      without: "no pool found on the known exchanges, so trades could not be compared",
      proven: { value: { complete: true, differences: [], simulated_pool: false }, isExact: true },
      simulated: Option.some(judgeSimulated),
      judge: (reading) => Circumstantial.settled(target.address, Circumstantial.ofAnyKind, judge(reading))
    })
})

type Found = typeof Difference.Type & { readonly grave: boolean }

const judgeSimulated = (
  trades: SimulatedTrades,
  observation: Observation
): Check.Verdict<typeof EnvironmentDependentValue.Type> => {
  const verdict = judge({ value: trades.outcome, observation: () => observation, observationIn: () => observation })
  return verdict._tag === "Confirmed"
    ? { ...verdict, value: { ...verdict.value, simulated_pool: true } }
    : Tradeable.soldInSimulation(trades, observation)
}

const judge = (reading: TradeReading): Check.Verdict<typeof EnvironmentDependentValue.Type> => {
  const outcome = reading.value
  const observation = reading.observation()
  if (Tradeable.ordinary(outcome).length === 0) return Tradeable.notInBlocks(outcome, observation)
  const runs = outcome.runs.filter(({ control }) => control !== "failed")
  const found = [...amongSenders(runs), ...comparisonsOf(runs).flatMap((comparison) => compared(runs, comparison))]
  const grave = found.find((difference) => difference.grave)
  const shown = grave ?? found[0]
  const gap = gapIn(outcome, runs)
  const value = {
    complete: Option.isNone(gap),
    differences: found.map(({ grave: _, ...difference }) => difference),
    simulated_pool: false
  }
  const at = outcome.pool
  if (shown !== undefined && (grave !== undefined || Option.isNone(gap))) {
    return Check.confirmed({
      value,
      detail: described(shown),
      severity: grave === undefined ? "low" : "high",
      observation: reading.observationIn(shown.second),
      at
    })
  }
  return Option.match(gap, {
    onSome: ({ detail, reason }) => Check.unknown(reason, detail, { observation }),
    onNone: () =>
      Check.refuted({
        value,
        detail: `${runs.length} of ${runs.length} simulated trades had the same result in all environments`,
        observation,
        at
      })
  })
}

type Environment = TradeRun["environment"]

const base: Environment = { method: "simulate_v1", begins: "now", sells: "in_hours", fees: "paid" }

/**
 * Two environments to compare. A restriction that starts later is a trap, one that spares simulations hides a trap, and
 * the others are anti-bot rules.
 */
interface Comparison {
  readonly because: Found["because"]
  readonly first: Environment
  readonly second: Environment
  readonly isLater: boolean
}

const inBlocks = (sells: Environment["sells"], fees: Environment["fees"] = "paid"): Environment => ({
  ...base,
  sells,
  fees
})

const byContract = (method: "override" | "constructor", begins: Environment["begins"]): Environment => ({
  method,
  begins,
  sells: "at_once",
  fees: "paid"
})

const comparisons: ReadonlyArray<Comparison> = [
  { because: "time", first: base, second: inBlocks("in_a_day"), isLater: true },
  { because: "time", first: base, second: inBlocks("in_a_month"), isLater: true },
  { because: "time", first: base, second: inBlocks("in_a_year"), isLater: true },
  ...(["in_a_month", "in_a_year"] as const).map((begins) => ({
    because: "time" as const,
    first: byContract("override", "now"),
    second: byContract("override", begins),
    isLater: true
  })),
  { because: "time", first: base, second: inBlocks("at_once"), isLater: false },
  { because: "fees", first: base, second: inBlocks("in_hours", "none"), isLater: false },
  { because: "contract", first: base, second: byContract("override", "now"), isLater: false },
  { because: "contract", first: base, second: byContract("constructor", "now"), isLater: false }
]

/** The usual comparisons, and those with the moments that the code compares a clock with. */
const comparisonsOf = (runs: ReadonlyArray<TradeRun>): ReadonlyArray<Comparison> => [
  ...comparisons,
  ...[...new Set(runs.flatMap(({ environment: { at } }) => at ?? []))].sort().map((at) => ({
    because: "time" as const,
    first: base,
    second: { ...inBlocks("at_a_moment"), at },
    isLater: true
  }))
]

const inEnvironment = (runs: ReadonlyArray<TradeRun>, { at, begins, fees, method, sells }: Environment) =>
  runs.filter(
    ({ environment }) =>
      environment.at === at &&
      environment.method === method &&
      environment.begins === begins &&
      environment.sells === sells &&
      environment.fees === fees
  )

const salesOf = (runs: ReadonlyArray<TradeRun>, state: ReturnType<typeof Tradeable.saleOf>) =>
  runs.filter((run) => Tradeable.saleOf(run) === state)

const isUntried = (runs: ReadonlyArray<TradeRun>): boolean => salesOf(runs, "untried").length === runs.length

const highestTax = (runs: ReadonlyArray<TradeRun>): Option.Option<number> => {
  const measured = runs.flatMap(({ sell }) => sell.tax_bps ?? [])
  return measured.length === 0 ? Option.none() : Option.some(Math.max(...measured))
}

// Other environments sell less than this part of the balance of ordinary accounts.
const roomyPart = 5_000

/** Whether the size of a smaller sale cannot be the reason for its refusal. */
const isRoomy = (first: ReadonlyArray<TradeRun>): boolean =>
  first.every(({ refused_bps, sold_bps }) => refused_bps === null || (sold_bps ?? 0) >= roomyPart)

const compared = (runs: ReadonlyArray<TradeRun>, comparison: Comparison): ReadonlyArray<Found> => {
  const first = inEnvironment(runs, comparison.first)
  const second = inEnvironment(runs, comparison.second)
  return [
    ...purchasesCompared(first, second, comparison),
    ...transfersCompared(first, second, comparison),
    ...salesCompared(first, second, comparison),
    ...taxesCompared(first, second, comparison)
  ]
}

const pair = (
  { because, isLater: _, ...environments }: Comparison,
  fields: Pick<Found, "leg" | "differs" | "first_saw" | "second_saw" | "grave">
): Found => ({ because, ...environments, ...fields })

const isRefused = ({ buy }: TradeRun) => buy.state === "reverted" || buy.state === "no_effect"

const purchasesCompared = (
  first: ReadonlyArray<TradeRun>,
  second: ReadonlyArray<TradeRun>,
  comparison: Comparison
): ReadonlyArray<Found> => {
  for (const run of second) {
    // Same size only: another size may have reached a limit.
    const same = first.find(({ spent }) => spent === run.spent)
    if (same === undefined) continue
    const [before, after] = [same.buy.state === "ok", run.buy.state === "ok"]
    if ((before && isRefused(run)) || (isRefused(same) && after)) {
      return [
        pair(comparison, {
          leg: "buy",
          differs: "state",
          first_saw: before ? "works" : "refused",
          second_saw: after ? "works" : "refused",
          grave: after && !comparison.isLater
        })
      ]
    }
  }
  return []
}

/** Transfers are tried hours after the purchase, by contracts, and at moments that the code compares a clock with. */
const transfersCompared = (
  first: ReadonlyArray<TradeRun>,
  second: ReadonlyArray<TradeRun>,
  comparison: Comparison
): ReadonlyArray<Found> => {
  const isMoved = ({ transfer }: TradeRun) => transfer.state === "ok"
  const isStopped = ({ transfer }: TradeRun) => transfer.state === "reverted" || transfer.state === "no_effect"
  const [before, after] = [first.some(isMoved), second.some(isMoved)]
  return (before ? !after && second.some(isStopped) : after && first.some(isStopped))
    ? [
        pair(comparison, {
          leg: "transfer",
          differs: "state",
          first_saw: before ? "works" : "refused",
          second_saw: after ? "works" : "refused",
          grave: comparison.isLater || after
        })
      ]
    : []
}

const salesCompared = (
  first: ReadonlyArray<TradeRun>,
  second: ReadonlyArray<TradeRun>,
  comparison: Comparison
): ReadonlyArray<Found> => {
  const [sold, blocked] = [salesOf(first, "sold").length > 0, salesOf(first, "blocked").length > 0]
  const [soldToo, blockedToo] = [salesOf(second, "sold").length > 0, salesOf(second, "blocked").length > 0]
  if (sold && !soldToo && blockedToo && isRoomy(first)) {
    return [
      pair(comparison, {
        leg: "sell",
        differs: "state",
        first_saw: "works",
        second_saw: "refused",
        grave: comparison.isLater
      })
    ]
  }
  return !sold && blocked && soldToo
    ? [pair(comparison, { leg: "sell", differs: "state", first_saw: "refused", second_saw: "works", grave: true })]
    : []
}

/** The runs with the same trade size as others, else the smallest: a tax may depend on the size. */
const alike = (runs: ReadonlyArray<TradeRun>, others: ReadonlyArray<TradeRun>): ReadonlyArray<TradeRun> => {
  const same = runs.filter(({ spent }) => others.some((other) => other.spent === spent))
  if (same.length > 0) return same
  const least = runs.reduce<bigint | null>(
    (amount, { spent }) => (amount === null || BigInt(spent) < amount ? BigInt(spent) : amount),
    null
  )
  return runs.filter(({ spent }) => BigInt(spent) === least)
}

// In basis points: rounding and price movement explain smaller differences.
const sameTax = 100

const taxesCompared = (
  first: ReadonlyArray<TradeRun>,
  second: ReadonlyArray<TradeRun>,
  comparison: Comparison
): ReadonlyArray<Found> =>
  Option.match(Option.all([highestTax(alike(first, second)), highestTax(second)]), {
    onNone: () => [],
    onSome: ([before, after]) =>
      Math.abs(after - before) <= sameTax
        ? []
        : [
            pair(comparison, {
              leg: "sell",
              differs: "tax",
              first_saw: String(before),
              second_saw: String(after),
              grave: comparison.isLater ? after > before : after < before
            })
          ]
  })

/** Accounts of one environment with different results that only the sender explains. */
const amongSenders = (runs: ReadonlyArray<TradeRun>): ReadonlyArray<Found> => {
  const people = runs.filter(({ environment }) => isOrdinary(environment))
  const settled = inEnvironment(runs, base)
  const difference = (leg: Found["leg"], first: TradeRun, second: TradeRun): Found => ({
    leg,
    differs: "state",
    because: "sender",
    first: first.environment,
    first_saw: "works",
    second: second.environment,
    second_saw: "refused",
    grave: true
  })
  const found: Array<Found> = []
  for (const refused of people.filter(isRefused)) {
    const bought = people.find(({ buy, spent }) => buy.state === "ok" && spent === refused.spent)
    if (bought !== undefined) found.push(difference("buy", bought, refused))
  }
  for (const sells of ["in_hours", "in_a_month", "in_a_year"] as const) {
    const group = inEnvironment(runs, inBlocks(sells))
    for (const refused of salesOf(group, "blocked")) {
      const sold = salesOf(group, "sold").find(
        (run) =>
          BigInt(run.spent) > BigInt(refused.spent) ||
          // The whole of a small holding is more than the least part of a larger one.
          (sells === "in_hours" ? run.sold_bps === 10_000 : isRoomy(settled))
      )
      if (sold !== undefined) found.push(difference("sell", sold, refused))
    }
  }
  return found.slice(0, 1)
}

/** Why not all environments were compared. */
const gapIn = (
  outcome: TradeOutcome,
  runs: ReadonlyArray<TradeRun>
): Option.Option<{ readonly reason: UnknownReason; readonly detail: string }> => {
  const inconclusive = (detail: string) => Option.some({ reason: "inconclusive" as const, detail })
  const first = inEnvironment(runs, base)
  if (first.length === 0)
    return inconclusive("the control token could not be traded either, so the result proves nothing")
  if (salesOf(first, "untaken").length > 0)
    return inconclusive("the pool rejects tokens with a transfer tax, so sales could not be compared")
  if (Tradeable.isWorthless(first)) return inconclusive("the pool is almost empty: it has too little to pay for a sale")
  if (isUntried(first)) return inconclusive("no purchase succeeded, so sales could not be compared")
  for (const comparison of comparisonsOf(runs)) {
    const there = inEnvironment(runs, comparison.second)
    if (there.length === 0) return Option.some(missing(outcome, comparison.second))
    const compared = inEnvironment(runs, comparison.first)
    if (isUntried(there) && !isUntried(compared) && purchasesCompared(compared, there, comparison).length === 0) {
      return inconclusive(`no sale could be simulated ${nameOf(comparison.second)}`)
    }
    if (
      comparison.second.at !== undefined &&
      first.some(({ transfer }) => transfer.state === "ok") &&
      there.every(({ transfer }) => transfer.state === "not_reached")
    ) {
      return inconclusive(`no transfer could be simulated ${nameOf(comparison.second)}`)
    }
    if (salesOf(first, "sold").length > 0 && salesOf(there, "blocked").length > 0 && !isRoomy(first)) {
      return inconclusive("the sale limit is too low to compare environments")
    }
  }
  return Option.none()
}

const missing = (
  outcome: TradeOutcome,
  environment: Environment
): { readonly reason: UnknownReason; readonly detail: string } => {
  const like = outcome.runs.filter(
    ({ environment: { begins, method } }) => begins === environment.begins && method === environment.method
  )
  if (inEnvironment(like, environment).length > 0) {
    return { reason: "inconclusive", detail: "the control token could not be traded in all environments" }
  }
  if (like.length > 0) {
    return {
      reason: "method_unsupported",
      detail: "the endpoint could not simulate a contract call in a block with fees"
    }
  }
  const { detail, reason } = Tradeable.missing(outcome, environment)
  return { reason, detail: `no simulation in one environment: ${detail}` }
}

const described = ({ because, differs, first, first_saw, leg, second, second_saw }: Found): string => {
  const what = { buy: "a purchase", transfer: "a transfer", sell: "a sale" }[leg]
  if (because === "sender") return `${what} works for one account, but not for a similar account`
  return differs === "tax"
    ? `the tax on ${what} is ${percent(first_saw)} ${nameOf(first)}, but ${percent(second_saw)} ${nameOf(second)}`
    : `${what} ${spoken(first_saw)} ${nameOf(first)}, but ${spoken(second_saw)} ${nameOf(second)}`
}

const spoken = (saw: string): string => (saw === "works" ? "works" : "fails")

const percent = (bps: string): string => `${Number(bps) / 100} %`

const nameOf = ({ at, begins, fees, method, sells }: Environment): string => {
  if (method !== "simulate_v1") {
    const who = method === "override" ? "for a contract" : "for a contract in its constructor"
    return begins === "now"
      ? who
      : `${who} after ${begins === "in_a_month" ? "30 days" : "a year"} of blocks and trades`
  }
  return fees === "none" ? "without gas fees" : at === undefined ? whens[sells] : `for an account on ${at.slice(0, 10)}`
}

const whens: { readonly [sells in Environment["sells"]]: string } = {
  at_once: "for an account in the block of its purchase",
  in_hours: "for an account hours later",
  in_a_day: "for an account a day later",
  in_a_month: "for an account 30 days later",
  in_a_year: "for an account a year later",
  at_a_moment: "for an account at a moment that the code names"
}
