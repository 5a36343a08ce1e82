import { Option, Schema } from "effect"
import type { UnknownReason } from "../../domain/Evidence.js"
import { isOrdinary, TradeEnvironment, type TradeOutcome, type TradeRun } from "../../domain/facts/TradeOutcome.js"
import type { TradeReading } from "../../facts/trade/Trade.js"
import * as Check from "../Check.js"
import * as Circumstantial from "./Circumstantial.js"
import * as Tradeable from "./Tradeable.js"

/**
 * Where two environments saw different things: the leg, both environments and what each saw (`works`, `refused`, or a
 * tax in basis points). `senders` says that the environments are one and only the accounts differ.
 */
const Difference = Schema.Struct({
  leg: Schema.Literal("buy", "sell"),
  differs: Schema.Literal("state", "tax"),
  because: Schema.Literal("fees", "contract", "time", "sender"),
  first: TradeEnvironment,
  first_saw: Schema.String,
  second: TradeEnvironment,
  second_saw: Schema.String
})

/** The differences that were found, `complete` where everything was compared. */
const EnvironmentDependentValue = Schema.Struct({
  complete: Schema.Boolean,
  differences: Schema.Array(Difference)
})

/**
 * E-09: whether the token behaves differently by who trades it, and when: an account or a contract, in the block of the
 * purchase or hours, a day, a month or a year later, after few trades or very many, with fees or without, from one sender
 * or another, of whom some own hardly more than they spend.
 *
 * A difference that lets through what looks like a simulation, that closes in time, that opens in time only, or that
 * chooses senders is high: it hides what will happen to a buyer. One that stops contracts or the block of the purchase,
 * as anti-bot rules do, is low. It is confirmed low only where everything was compared, since what is missing may be
 * worse, and refuted only there, and only where the code of a transfer asks for nothing that trades cannot show all
 * sides of, such as the gas that is left or what another contract answers.
 *
 * Whatever is refused because of its size is no difference of the environment: `trade.sell-limited` tells it.
 *
 * @since 0.1.0
 * @category models
 */
export const environmentDependent = Check.make({
  id: "trade.environment-dependent",
  code: "E-09",
  version: 3,
  targets: ["token"],
  claim: "The token trades differently by who trades it, and when",
  polarity: "risk",
  severity: "high",
  dimension: "exit",
  value: EnvironmentDependentValue,
  run: (target) =>
    Tradeable.judged(target, "no known exchange has a pool of it to compare trades in", (reading) =>
      Circumstantial.settled(target.address, Circumstantial.ofAnyKind, judge(reading))
    )
})

type Found = typeof Difference.Type & { readonly grave: boolean }

const judge = (reading: TradeReading): Check.Verdict<typeof EnvironmentDependentValue.Type> => {
  const outcome = reading.value
  const observation = reading.observation()
  if (Tradeable.ordinary(outcome).length === 0) return Tradeable.notInBlocks(outcome, observation)
  const runs = outcome.runs.filter(({ control }) => control !== "failed")
  const found = [...amongSenders(runs), ...comparisons.flatMap((comparison) => compared(runs, comparison))]
  const grave = found.find((difference) => difference.grave)
  const shown = grave ?? found[0]
  const gap = gapIn(outcome, runs)
  const value = {
    complete: Option.isNone(gap),
    differences: found.map(({ grave: _, ...difference }) => difference)
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
      Check.refuted({ value, detail: `${runs.length} trades ended alike in every environment`, observation, at })
  })
}

type Environment = TradeRun["environment"]

const base: Environment = { method: "simulate_v1", begins: "now", sells: "in_hours", fees: "paid" }

/**
 * What is compared with what. A difference that grows with time is a trap; one that spares a simulation hides one; the
 * rest are rules against bots.
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

const inEnvironment = (runs: ReadonlyArray<TradeRun>, { begins, fees, method, sells }: Environment) =>
  runs.filter(
    ({ environment }) =>
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

// What other environments sell is less than this part of what the ordinary accounts hold.
const roomyPart = 5_000

/** Whether the size of a sale cannot be why another one, which is smaller, is refused. */
const isRoomy = (first: ReadonlyArray<TradeRun>): boolean =>
  first.every(({ refused_bps, sold_bps }) => refused_bps === null || (sold_bps ?? 0) >= roomyPart)

const compared = (runs: ReadonlyArray<TradeRun>, comparison: Comparison): ReadonlyArray<Found> => {
  const first = inEnvironment(runs, comparison.first)
  const second = inEnvironment(runs, comparison.second)
  return [
    ...purchasesCompared(first, second, comparison),
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
    // Of the same size, as another one may have met a limit.
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

/** Those of some runs that trade as much as others do, or the least: a tax may go by the size. */
const alike = (runs: ReadonlyArray<TradeRun>, others: ReadonlyArray<TradeRun>): ReadonlyArray<TradeRun> => {
  const same = runs.filter(({ spent }) => others.some((other) => other.spent === spent))
  if (same.length > 0) return same
  const least = runs.reduce<bigint | null>(
    (amount, { spent }) => (amount === null || BigInt(spent) < amount ? BigInt(spent) : amount),
    null
  )
  return runs.filter(({ spent }) => BigInt(spent) === least)
}

// More than what rounding and a price that moves can make of one tax.
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

/** Accounts of one environment whose outcomes neither their size nor anything else but themselves explains. */
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

/** What keeps everything from having been compared. */
const gapIn = (
  outcome: TradeOutcome,
  runs: ReadonlyArray<TradeRun>
): Option.Option<{ readonly reason: UnknownReason; readonly detail: string }> => {
  const inconclusive = (detail: string) => Option.some({ reason: "inconclusive" as const, detail })
  const first = inEnvironment(runs, base)
  if (first.length === 0) return inconclusive("a token known to be good could not be traded either")
  if (salesOf(first, "untaken").length > 0) return inconclusive("the pool takes no token that arrives with a tax")
  if (Tradeable.isWorthless(first))
    return inconclusive("the pool was all but emptied: it has too little to pay for a sale")
  if (isUntried(first)) return inconclusive("nothing could be bought to compare sales")
  for (const comparison of comparisons) {
    const there = inEnvironment(runs, comparison.second)
    if (there.length === 0) return Option.some(missing(outcome, comparison.second))
    const compared = inEnvironment(runs, comparison.first)
    if (isUntried(there) && !isUntried(compared) && purchasesCompared(compared, there, comparison).length === 0) {
      return inconclusive(`no sale could be tried ${nameOf(comparison.second)}`)
    }
    if (salesOf(first, "sold").length > 0 && salesOf(there, "blocked").length > 0 && !isRoomy(first)) {
      return inconclusive("sales are limited to so little that environments cannot be compared")
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
    return { reason: "inconclusive", detail: "a token known to be good could not be traded in every environment" }
  }
  if (like.length > 0) {
    return { reason: "method_unsupported", detail: "a contract could not be given a block with fees" }
  }
  const { detail, reason } = Tradeable.missing(outcome, environment)
  return { reason, detail: `one environment is missing: ${detail}` }
}

const described = ({ because, differs, first, first_saw, leg, second, second_saw }: Found): string => {
  const what = leg === "buy" ? "a purchase" : "a sale"
  if (because === "sender") return `${what} works for one account and not for another like it`
  return differs === "tax"
    ? `${what} ${nameOf(first)} is taxed ${percent(first_saw)}, ${nameOf(second)} ${percent(second_saw)}`
    : `${what} ${nameOf(first)} ${spoken(first_saw)}, ${nameOf(second)} it ${spoken(second_saw)}`
}

const spoken = (saw: string): string => (saw === "works" ? "works" : "is refused")

const percent = (bps: string): string => `${Number(bps) / 100} %`

const nameOf = ({ begins, fees, method, sells }: Environment): string => {
  if (method !== "simulate_v1") {
    const who = method === "override" ? "by a contract" : "by a contract under construction"
    return begins === "now" ? who : `${who} after a ${begins === "in_a_month" ? "month" : "year"} of blocks and trades`
  }
  return fees === "none" ? "where gas has no price" : whens[sells]
}

const whens: { readonly [sells in Environment["sells"]]: string } = {
  at_once: "by an account in the block of its purchase",
  in_hours: "by an account hours later",
  in_a_day: "by an account a day later",
  in_a_month: "by an account a month later",
  in_a_year: "by an account a year later"
}
