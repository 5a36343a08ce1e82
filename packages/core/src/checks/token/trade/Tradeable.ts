import { Effect, Option } from "effect"
import type { ChainError } from "../../../chain/ChainError.js"
import * as Reading from "../../../chain/state/Reading.js"
import type { Address } from "../../../domain/Address.js"
import type { Observation, UnknownReason } from "../../../domain/Evidence.js"
import { isOrdinary, type TradeLeg, type TradeOutcome, type TradeRun } from "../../../domain/facts/TradeOutcome.js"
import type { Target } from "../../../domain/Target.js"
import * as Pools from "../../../facts/market/Pools.js"
import type * as Token from "../../../facts/market/Token.js"
import * as AnyRouter from "../../../facts/trade/AnyRouter.js"
import * as SimulatedPool from "../../../facts/trade/SimulatedPool.js"
import * as Trade from "../../../facts/trade/Trade.js"
import * as Together from "../../../runtime/Together.js"
import * as Check from "../../Check.js"
import * as Fungible from "../Fungible.js"
import * as ProvenByCode from "./ProvenByCode.js"

/**
 * The verdict of a check about trades or liquidity on a chain where the address book has no exchange: the token can have
 * pools there, and none was read or traded in.
 */
export const untried: Check.Undecided = Check.unknown(
  "inconclusive",
  "sales were not tried: no exchange is known on this chain"
)

/** The verdict on the pools of a token where none was read and there may be some; none where there are some, or can be none. */
export const unreadPools = (token: Address): Effect.Effect<Option.Option<Check.Undecided>, ChainError, Pools.Pools> =>
  Effect.map(
    Effect.flatMap(Pools.Pools, ({ inspect }) => inspect(token)),
    (market) =>
      Option.map(
        Option.filter(Pools.elsewhere(market), () => market[0].value.length === 0),
        (detail) => Check.unknown("inconclusive", detail, { observation: market[0].observation() })
      )
  )

/** How a check about trades decides. */
export interface Judging<V, R> {
  /** The detail where no known exchange has a pool. */
  readonly without: string
  /** The value where the code refutes the claim. */
  readonly proven: Pick<ProvenByCode.Proven<V>, "value" | "isExact">
  readonly judge: (reading: Trade.TradeReading) => Effect.Effect<Check.Verdict<V>, ChainError, R>
  /** The verdict on trades in a pool that does not exist; none where they show nothing about the claim. */
  readonly simulated: Option.Option<
    (trades: SimulatedPool.SimulatedTrades, observation: Observation) => Check.Verdict<V>
  >
}

/**
 * Runs a check on the simulated trades of a token, and on its code where they decide nothing. The check does not apply
 * to non-fungible tokens. Where the address book has no exchange, or no known exchange has a pool, and the code proves
 * nothing, the result is unknown: what was not tried is not safe, and emptying the pool of a honeypot does not improve its
 * result.
 *
 * Where no pool can be traded, trades in a pool that exists only in the simulation can confirm a claim that is unknown
 * otherwise. They refute none, because a token can know its own pool.
 */
export const judged = <V, R = never>(
  target: Target,
  { judge, proven, simulated, without }: Judging<V, R>
): Effect.Effect<
  ReadonlyArray<Check.Verdict<V>>,
  ChainError,
  Pools.Pools | SimulatedPool.SimulatedPool | Token.Token | Trade.Trade | ProvenByCode.Needs | R
> =>
  Effect.gen(function* () {
    const pools = yield* Pools.Pools
    if (!(yield* Fungible.is(target.address))) return Check.notApplicable
    const trade = yield* Trade.Trade
    const simulation = yield* SimulatedPool.SimulatedPool
    const [traded, pretended] = yield* Together.all([
      trade.of(target.address),
      Effect.map(Effect.option(simulation.of(target.address)), Option.flatten)
    ])
    const verdict = Option.isSome(traded)
      ? yield* judge(traded.value)
      : (yield* pools.covers(target.address))
        ? Check.unknown("inconclusive", without, { observation: (yield* pools.of(target.address)).observation() })
        : untried
    const runs = [traded, Option.map(pretended, (reading) => Reading.map(reading, ({ outcome }) => outcome))].flatMap(
      Option.match({ onNone: () => [], onSome: ({ value }) => value.runs })
    )
    const outside = yield* outweighed(target.address)
    // What was lost of trades in a pool of the chain is not made up for by others.
    const whole = traded._tag === "None" || traded.value.value.unavailable.length === 0 ? pretended : Option.none()
    const shown = Option.map(Option.all([whole, simulated]), ([{ observation, value }, of]) => of(value, observation()))
    const trap = verdict._tag === "Unknown" ? Option.filterMap(shown, trapIn) : Option.none()
    // Pools send what is bought, whatever the router is.
    const alone = Option.flatMap(simulated, () => Option.flatMap(traded, ({ value }) => soldByOursAlone(value)))
    const isOpen = verdict._tag === "Unknown" && verdict.reason === "inconclusive"
    const byRouter = isOpen && Option.isSome(alone) ? { ...verdict, detail: alone.value } : verdict
    const settled = yield* ProvenByCode.settled(
      target.address,
      unlessOutweighed(
        unlessOutweighed(
          Option.getOrElse(trap, () => byRouter),
          alone
        ),
        outside
      ),
      {
        ...proven,
        isContradicted: runs.some(isSuspect),
        // A simulated pool shows nothing of who can buy, which a list decides.
        isListExplaining: Option.map(simulated, () => !runs.some(isBeyondLists)),
        accounts: Option.some([])
      }
    )
    return [
      Option.match(shown, {
        onNone: () => settled,
        onSome: (also) =>
          settled._tag === "Unknown" ? { ...settled, detail: noted(settled.detail, also.detail) } : settled
      })
    ]
  })

/** Why the sales of an outcome show nothing where they went by a router of ours and the token may mind; none where they do. */
const soldByOursAlone = ({ runs }: TradeOutcome): Option.Option<string> =>
  runs.some(({ sell }) => sell.error === AnyRouter.unshown)
    ? Option.some("no router of the exchange is known, and the token may treat the one that was tried differently")
    : Option.none()

/** What {@link Pools.outweighing} says of the market of a token. */
export const outweighed = (token: Address): Effect.Effect<Option.Option<string>, never, Pools.Pools> =>
  Effect.flatMap(Pools.Pools, ({ inspect }) => inspect(token)).pipe(
    Effect.map(Pools.outweighing),
    // Who cannot read the pools decides nothing by them.
    Effect.orElseSucceed(() => Option.none())
  )

/**
 * Leaves open what trades in a smaller market show: a refuted claim, and one that is confirmed at a low grade, which the
 * larger market may raise.
 */
export const unlessOutweighed = <V>(verdict: Check.Verdict<V>, outside: Option.Option<string>): Check.Verdict<V> =>
  Option.isSome(outside) &&
  (verdict._tag === "Refuted" ||
    (verdict._tag === "Confirmed" && Option.exists(verdict.severity, (grade) => grade === "low" || grade === "medium")))
    ? Check.unknown("inconclusive", outside.value, { observation: Option.getOrUndefined(verdict.observation) })
    : verdict

// A detail that is longer than this is read by nobody, so that a note gives way.
const mostOfDetail = 239

const noted = (detail: string, note: string): string => {
  const whole = `${detail}; ${note}`
  return whole.length > mostOfDetail ? detail : whole
}

/** What a simulated pool confirms. The item links to the token: there is no pool to link to. */
const trapIn = <V>(shown: Check.Verdict<V>): Option.Option<Check.Verdict<V>> =>
  shown._tag === "Confirmed"
    ? Option.some({
        ...shown,
        detail: `in a simulated pool that does not exist on the chain: ${shown.detail}`,
        at: Option.none()
      })
    : Option.none()

/**
 * Whether a token refuses a simulated pool alone, so that it may wait for its own: no sale worked, transfers between accounts
 * did, and no pair stands there that the token could know.
 */
export const isWaiting = ({ outcome, pairExists }: SimulatedPool.SimulatedTrades): boolean =>
  !pairExists &&
  outcome.runs.some(({ transfer }) => transfer.state === "ok") &&
  outcome.runs.every((run) => saleOf(run) !== "sold")

/** The verdict on trades in a simulated pool that show no trap: how many accounts sold. */
export const soldInSimulation = (
  { outcome }: SimulatedPool.SimulatedTrades,
  observation: Observation
): Check.Undecided => {
  const runs = ordinary(outcome)
  const sold = runs.filter((run) => saleOf(run) === "sold").length
  return Check.unknown("inconclusive", `${sold} of ${runs.length} fresh accounts sold in a simulated pool`, {
    observation
  })
}

/** The verdict where a token refuses a simulated pool and may wait for its own. */
export const waiting = (observation: Observation): Check.Undecided =>
  Check.unknown("inconclusive", "the token refuses a simulated pool, but may accept one that it knows", { observation })

/** Whether a run shows what a list of holders does not explain: that lets no fresh account buy or receive, and does no more. */
const isBeyondLists = ({ buy, transfer, ...run }: TradeRun): boolean => {
  const unlessRefused = (leg: TradeLeg) => (leg.state === "reverted" ? { ...leg, state: "not_reached" as const } : leg)
  return isSuspect({ ...run, buy: unlessRefused(buy), transfer: unlessRefused(transfer) })
}

/** Whether a run shows what a token without rules never shows. */
const isSuspect = ({ buy, control, sell, sell_again, transfer }: TradeRun): boolean =>
  control !== "failed" &&
  [buy, transfer, sell, ...(sell_again === null ? [] : [sell_again])].some(
    ({ state, tax_bps }) =>
      state === "reverted" || state === "no_effect" || state === "underpaid" || (tax_bps ?? 0) > roundingBps
  )

/** The largest part of an amount that rounding takes, in basis points. */
export const roundingBps = 1

/** The runs of ordinary accounts: no code, fees paid, sale in a later block than the purchase. */
export const ordinary = (outcome: TradeOutcome): ReadonlyArray<TradeRun> =>
  outcome.runs.filter(({ environment }) => isOrdinary(environment))

/**
 * The result of the sale in a run: `untried` where the purchase failed, too little was left to sell, or the pool had
 * too little to pay with, so that the failure proves nothing; `untaken` where the pool rejects tokens with a transfer
 * tax.
 */
export const saleOf = ({ buy, sell }: TradeRun): "sold" | "blocked" | "untaken" | "untried" =>
  buy.state !== "ok" || sell.state === "not_reached" || sell.state === "worthless"
    ? "untried"
    : sell.state === "ok"
      ? "sold"
      : sell.state === "underpaid"
        ? "untaken"
        : "blocked"

/** Why a method has no run: the reason and detail for an unknown result. */
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

/** The verdict where no block simulation ran. Only block simulation shows what an ordinary account can do. */
export const notInBlocks = (outcome: TradeOutcome, observation: Observation, more = ""): Check.Undecided => {
  const { detail, reason } = missing(outcome, { method: "simulate_v1", begins: "now" })
  return Check.unknown(reason, `no block simulation: ${detail}${more}`, { observation })
}

/** The verdict where the control token, which is known to be good, did not trade in the same blocks. */
export const noControl = (observation: Observation): Check.Undecided =>
  Check.unknown("inconclusive", "the control token could not be traded either, so the result proves nothing", {
    observation
  })

/** Whether the pool had too little to pay at least one account, whatever the token allows. */
export const isWorthless = (runs: ReadonlyArray<TradeRun>): boolean =>
  runs.some(({ sell }) => sell.state === "worthless")

/** The verdict where no sale was possible because the pool has nothing to pay with. The token is not the cause. */
export const nothingToSellInto = (observation: Observation): Check.Undecided =>
  Check.unknown(
    "inconclusive",
    "the pool is almost empty: it has too little to pay for a sale, so simulation cannot show if the token can be sold",
    { observation }
  )

/** An error message in quotes at the end of a detail, or nothing. */
export const quoted = (error: string | null): string => (error === null ? "" : `; error: "${error}"`)

/** The first error message among the legs of some runs. */
export const words = (runs: ReadonlyArray<TradeRun>, leg: "buy" | "sell"): string | null =>
  runs.map((run) => run[leg].error).find((error) => error !== null) ?? null
