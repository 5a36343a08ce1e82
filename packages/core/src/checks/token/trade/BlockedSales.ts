/** @internal */

import { Either, Option } from "effect"
import type { ChainError } from "../../../chain/ChainError.js"
import type { Reading } from "../../../chain/state/Reading.js"
import type { Address } from "../../../domain/Address.js"
import type { Observation } from "../../../domain/Evidence.js"
import type { TradeOutcome, TradeRun } from "../../../domain/facts/TradeOutcome.js"
import type * as HolderReplay from "../../../facts/trade/HolderReplay.js"
import * as Tradeable from "./Tradeable.js"

/**
 * What `eth_call` shows of sales without simulated blocks:
 *
 * - `blocked`: two contracts bought two different amounts and could not sell at once, the control token was sold, and at least
 *   75 % of the sampled holders were blocked (insiders may be exempt), now and 30 days later, at least two of them through the
 *   router, with their own allowance or one that a state override writes. Neither contracts nor holders alone are enough:
 *   anti-bot rules block contracts in the block of their purchase, and issuers freeze accounts. Nor is the present alone: a
 *   cooldown blocks everybody who has just traded.
 * - `unclear`: most holders are not free, but it is not shown that they are blocked.
 * - `open`: holders are free, or too few are known.
 */
export type BlockedSales =
  | {
      readonly _tag: "blocked"
      readonly detail: string
      readonly observation: Observation
    }
  | { readonly _tag: "unclear" }
  | { readonly _tag: "open" }

/** The runs of the two contracts that trade now. */
export const contractsNow = (outcome: TradeOutcome): ReadonlyArray<TradeRun | undefined> =>
  (["override", "constructor"] as const).map((method) =>
    outcome.runs.find(({ environment }) => environment.method === method && environment.begins === "now")
  )

/** Whether no contract sold; one without a run, or with a pool too empty to pay, may be blocked. */
export const mayBe = (outcome: TradeOutcome): boolean =>
  contractsNow(outcome).every((run) => run === undefined || isBlocked(run) || run.sell.state === "worthless")

const isBlocked = (run: TradeRun): boolean => run.control === "ok" && Tradeable.saleOf(run) === "blocked"

/** What contracts and holders show together. */
export const of = (outcome: TradeOutcome, { observation, value }: Reading<HolderReplay.Replay>): BlockedSales => {
  const { control, trials } = value
  const inAMonth = monthLater(value)
  // Who has just traded may be held by a cooldown, which is over by then; what is not shown then decides nothing.
  const refused = trials.filter(({ holder, state }) => state === "blocked" && inAMonth.get(holder) === "blocked")
  const free = trials.filter(
    ({ holder, state }) => state === "free" || (state === "blocked" && inAMonth.get(holder) === "free")
  )
  if (trials.length < fewestHolders || !areMost(trials.length - free.length, trials)) return { _tag: "open" }
  const contracts = contractsNow(outcome).flatMap((run) => run ?? [])
  if (
    contracts.length < 2 ||
    !contracts.every(isBlocked) ||
    control === "failed" ||
    !areMost(refused.length, trials) ||
    refused.filter(({ routed }) => routed).length < 2
  )
    return { _tag: "unclear" }
  const reason = Option.getOrNull(Option.firstSomeOf(refused.map(({ error }) => error)))
  return {
    _tag: "blocked",
    detail: `2 of 2 contracts bought but could not sell at once, nor could ${refused.length} of ${trials.length} holders, now or 30 days later${Tradeable.quoted(reason)}`,
    observation: observation()
  }
}

/** As {@link of}, of holders that may not have been read. */
export const ofRead = (
  outcome: TradeOutcome,
  replayed: Either.Either<Reading<HolderReplay.Replay>, ChainError>
): Option.Option<Extract<BlockedSales, { readonly _tag: "blocked" }>> =>
  Option.flatMap(Either.getRight(replayed), (reading) => {
    const sales = of(outcome, reading)
    return sales._tag === "blocked" ? Option.some(sales) : Option.none()
  })

/** What became of each holder 30 days later, where that was shown beside a control that did not fail. */
const monthLater = ({ later }: HolderReplay.Replay): ReadonlyMap<Address, HolderReplay.Trial["state"]> =>
  new Map(
    later.flatMap(({ control, trials, when }) =>
      when === "in_a_month" && control !== "failed" ? trials.map(({ holder, state }) => [holder, state] as const) : []
    )
  )

const fewestHolders = 4

const areMost = (count: number, of: ReadonlyArray<unknown>): boolean => 4 * count >= 3 * of.length
