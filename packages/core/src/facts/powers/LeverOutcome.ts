/** @internal */

import { Option } from "effect"
import * as Reading from "../../chain/state/Reading.js"
import type * as Document from "../../domain/facts/CounterfactualSet.js"
import * as Quantity from "../../domain/Quantity.js"
import * as HostileText from "../HostileText.js"
import * as HolderBlocks from "../trade/HolderBlocks.js"
import * as LeverCalls from "./LeverCalls.js"
import * as Power from "./Power.js"
import type * as Powers from "./Powers.js"
import * as SyntheticCall from "./SyntheticCall.js"

/** One simulation of calls of a lever, with what came of each. */
export type Run = Reading.Reading<ReadonlyArray<HolderBlocks.Point>>

/** Whether a call of it succeeded, by any caller. */
export const isCalled = ({ by, open }: HolderBlocks.Point): boolean => open || Option.isSome(by)

/**
 * The largest value that a lever took, and the smallest above it that it refused; neither where no call had a value.
 */
export interface Range {
  readonly taken: bigint | undefined
  readonly refused: bigint | undefined
}

/** Reads the range of a lever off its runs. */
export const rangeOf = (runs: ReadonlyArray<Run>): Range => {
  const tried = runs.flatMap(({ value }) =>
    value.flatMap((point) =>
      Option.toArray(Option.map(point.call.value, (value) => ({ value, isTaken: isCalled(point) })))
    )
  )
  const most = (values: ReadonlyArray<bigint>): bigint | undefined =>
    values.reduce<bigint | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined)
  const taken = most(tried.filter(({ isTaken }) => isTaken).map(({ value }) => value))
  const above = tried.filter(({ isTaken, value }) => !isTaken && taken !== undefined && value > taken)
  const refused = most(above.map(({ value }) => -value))
  return { taken, refused: refused === undefined ? undefined : -refused }
}

type Missing = Document.CounterfactualSet["unavailable"][number]

/** The result for a lever, with the call that showed an effect, if any. */
export interface Row extends Pick<LeverCalls.Candidate, "power" | "selector"> {
  readonly told: boolean
  readonly reading: Option.Option<Reading.Reading<Document.Counterfactual>>
  readonly missing: Option.Option<Missing>
}

/** A lever without a result, and why. */
export const notTried = (
  { power, selector: name }: LeverCalls.Candidate,
  reason: Missing["reason"],
  detail: string
): Row => ({
  power,
  selector: name,
  told: false,
  reading: Option.none(),
  missing: Option.some({ power, selector: name, reason, detail: HostileText.clean(detail) })
})

/** Whether a lever is still one, now that it is known who can pull it: not used up, and not nobody's. */
export const isLeft = ({ power, selector: name }: Row, held: Powers.HeldPowers): boolean =>
  held[power].levers.some(
    (lever) => lever.selector === name && (lever.controllers.length === 0 || Power.living(lever).length > 0)
  )

/** What the runs of a lever show, against the same blocks without it: the call with the clearest effect. */
export const rowOf = (
  lever: LeverCalls.Candidate,
  runs: ReadonlyArray<Run>,
  baseline: ReadonlyArray<HolderBlocks.Point>
): Row => {
  const { power, selector: name } = lever
  if (runs.length === 0) return notTried(lever, "inconclusive", "nobody who may call it is known")
  const seen = runs.flatMap((run) =>
    run.value.map((point, k) => ({ run, point, before: baseline[k]?.met ?? HolderBlocks.unmeasured }))
  )
  const called = seen
    .filter(({ point }) => isCalled(point))
    .map((one) => ({
      ...one,
      seen: LeverCalls.isGate(lever) ? metOf(lever, one.point, one.before) : takenOf(lever, one.point)
    }))
  const [most] = called.toSorted((a, b) => b.seen.weight - a.seen.weight)
  if (most === undefined) return notTried(lever, "inconclusive", "no call of it went through")
  const taxes = LeverCalls.isGate(lever) ? called.flatMap(({ point }) => point.met.tax_bps ?? []) : []
  const { refused, taken } = rangeOf(runs)
  const { amount, effect, isByAnybody } = most.seen
  const row: Document.Counterfactual = {
    power,
    selector: name,
    controller: isByAnybody ? null : Option.getOrNull(most.point.by),
    arguments: SyntheticCall.words(`0x${most.point.call.data.slice(name === "fallback" ? 2 : 10)}`),
    effect,
    baseline: most.before,
    after: most.point.met,
    amount: amount === undefined ? null : Quantity.make(amount),
    guard_proved: seen.every(({ point }) => !point.open),
    worst_tax_bps: taxes.length === 0 ? null : Math.max(...taxes),
    largest_value: taken === undefined ? null : Quantity.make(taken),
    refused_from: refused === undefined ? null : Quantity.make(refused)
  }
  return {
    power,
    selector: name,
    told: effect !== "none",
    reading: Option.some(Reading.map(most.run, () => row)),
    missing: Option.none()
  }
}

/** What a call did, and how clear its effect is. */
interface Seen {
  readonly effect: Document.Counterfactual["effect"]
  readonly weight: number
  readonly isByAnybody: boolean
  readonly amount?: bigint
}

const noEffect: Seen = { effect: "none", weight: 0, isByAnybody: false }

const takenOf = ({ certain, power }: LeverCalls.Candidate, { callers, stranger }: HolderBlocks.Point): Seen => {
  // What a receiver gained without a larger supply may have been taken from another account, unless the code shows
  // otherwise.
  const amountOf = ({ gained, minted, taken }: HolderBlocks.Taken): bigint =>
    power !== "mint" ? taken : minted > 0n ? minted : certain ? gained : 0n
  const [byStranger, byCallers] = [amountOf(stranger), amountOf(callers)]
  const amount = byStranger > 0n ? byStranger : byCallers
  const effect = power === "mint" ? "minted" : power === "seize" ? "seized" : "bypassed"
  return amount > 0n ? { effect, weight: 1, isByAnybody: byStranger > 0n, amount } : noEffect
}

const metOf = (
  { power, privileged }: LeverCalls.Candidate,
  { by, met, open }: HolderBlocks.Point,
  before: Document.HolderOutcome
): Seen => {
  // A guarded function that does nothing for other callers may let their calls succeed as well, as a transfer does.
  const isByAnybody = open && !(privileged && Option.isSome(by))
  const turns = (from: IsState, to: IsState): boolean =>
    (from(before.transfer) && to(met.transfer)) || (from(before.sale) && to(met.sale))
  const rise = before.tax_bps === null || met.tax_bps === null ? 0 : met.tax_bps - before.tax_bps
  // One basis point is the rounding of the measurement.
  if (power === "tax" && rise > 1) return { effect: "taxed", weight: 2 + rise, isByAnybody }
  if (turns(isMoved, isStuck)) return { effect: "stopped", weight: 2, isByAnybody }
  const isSwitch = power === "pause" || power === "whitelist"
  return isSwitch && turns(isStuck, isMoved) ? { effect: "released", weight: 1, isByAnybody } : noEffect
}

type IsState = (state: Document.MoveState) => boolean

const isMoved: IsState = (state) => state === "moved"

const isStuck: IsState = (state) => state === "reverted" || state === "no_effect"
