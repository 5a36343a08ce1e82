/** @internal */

import { Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Timestamp from "../../domain/Timestamp.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import type { Moment, Moments } from "../../evm/summary/conditions/Moments.js"
import type { StorageFlow } from "../../evm/summary/StorageFlow.js"
import * as Erc20 from "../../evm/token/Erc20.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import { Functions } from "../code/Functions.js"
import type { Proxy } from "../code/Proxy.js"
import * as StoredVariable from "../code/StoredVariable.js"
import * as TradeClock from "./TradeClock.js"
import { delays } from "./TradeScene.js"

/**
 * When trades of a token may change by themselves, within a year: what its code compares a clock with, solved with the
 * storage of the token at the pinned block. Code that compares nothing with a clock costs no call.
 */
export class TradeMoments extends Context.Tag("@assay/core/TradeMoments")<
  TradeMoments,
  { readonly of: (token: Address.Address) => Effect.Effect<Ahead, ChainError> }
>() {}

/**
 * - `tries`: when trades are simulated, in seconds after the pinned block, soonest first: right before and right after
 *   each moment. In between, a trade ends as it does at the try before or after it.
 * - `soon`: whether the code compares the time with a moment within the next hour, as a tax of an opening does.
 * - `gap`: why other moments are possible, with the next one that is known and not tried; none where there are no others.
 */
export interface Ahead {
  readonly tries: ReadonlyArray<number>
  readonly soon: boolean
  readonly gap: Option.Option<string>
}

/** Reads them for the tokens of one view of a chain. */
export const layer: Layer.Layer<TradeMoments, never, ChainState | Functions | Proxy> = Layer.scoped(
  TradeMoments,
  Effect.gen(function* () {
    const state = yield* ChainState
    const functions = yield* Functions
    const clocks = yield* TradeClock.TradeClocks
    return {
      of: yield* OncePerKey.make(
        (token: Address.Address) => token,
        Effect.fn("TradeMoments.of")(function* (token: Address.Address) {
          const { value } = yield* functions.of(token)
          const flows = value.logics.map(({ flow }) => flow)
          const found = flows.flatMap((flow) =>
            concerned.flatMap((selector) => Erc20.functionOf(flow, selector)?.moments ?? [])
          )
          return found.length === 0 ? none : yield* solved(state, clocks, token, flows, found)
        })
      )
    }
  })
).pipe(Layer.provide(TradeClock.layer))

/** What a token has that compares nothing with a clock. */
export const none: Ahead = { tries: [], soon: false, gap: Option.none() }

const concerned: ReadonlyArray<Hex> = [
  Selectors.functions.transfer,
  Selectors.functions.transferFrom,
  Selectors.functions.approve,
  Selectors.functions.balanceOf
]

const solved = (
  state: ChainState["Type"],
  clocks: TradeClock.TradeClocks["Type"],
  token: Address.Address,
  flows: ReadonlyArray<StorageFlow>,
  found: ReadonlyArray<Moments>
): Effect.Effect<Ahead, ChainError> =>
  Effect.gen(function* () {
    const now = Timestamp.toSeconds(state.block.timestamp)
    const all = [...new Map(found.flatMap(({ known }) => known).map((one) => [JSON.stringify(one), one])).values()]
    const places = [...new Set(all.flatMap(({ at }) => at.terms.map(({ slot }) => slot)))]
    const clock = all.some((one) => one.clock === "number")
      ? yield* Effect.map(clocks.of(token), Option.some)
      : Option.none<TradeClock.TradeClock>()
    const words = new Map(
      yield* Together.forEach(
        places.flatMap((place) =>
          Option.toArray(Option.map(StoredVariable.slotOf(place), (slot) => [place, slot] as const))
        ),
        ([place, slot]) => Effect.map(state.storage(token, slot), ({ value }) => [place, BigInt(value)] as const)
      )
    )
    /** The possible values of a term: the stored value, and the time of a trade where functions only write that. */
    const termsOf = (moment: Moment, reading: bigint) => {
      const values = moment.at.terms.map(({ factor, field, slot }) => {
        const word = words.get(slot)
        const held = word === undefined ? [] : [fieldIn(word, field)]
        return [...held, ...(isOwnClock(flows, slot, field) ? [reading] : [])].map((value) => BigInt(factor) * value)
      })
      return values
        .reduce<ReadonlyArray<bigint>>(
          (sums, each) => sums.flatMap((sum) => each.map((value) => sum + value)),
          [BigInt(moment.at.constant)]
        )
        .map((sum) => BigInt.asIntN(256, sum))
    }
    const spans: Array<number> = []
    let soon = false
    let unread = Math.max(0, ...found.map(({ free }) => free))
    for (const moment of all) {
      const paced = Option.flatMap(clock, ({ counts }) => counts)
      const [reading, pace] =
        moment.clock === "timestamp"
          ? [BigInt(now), 1]
          : Option.match(paced, {
              onNone: () => [BigInt(state.block.number), usualPace],
              onSome: ({ first, pace }) => [BigInt(first), pace]
            })
      const sums = termsOf(moment, reading)
      if (sums.length === 0) unread++
      const every = moment.every === undefined ? undefined : BigInt(moment.every)
      for (const sum of sums)
        for (const at of every === undefined ? [sum] : upcoming(sum, every, reading)) {
          const left = at - reading
          if (left > 0n && left <= mostReadings) spans.push(Math.ceil(Number(left) * pace))
          // A number differs by block, whatever the seconds.
          if (moment.clock === "timestamp" && left > 0n && left <= BigInt(delays.hour)) soon = true
        }
    }
    const ahead = [...new Set(spans)].filter((span) => span <= delays.year).sort((a, b) => a - b)
    const tried = ahead.slice(0, mostTried)
    const [next] = ahead.slice(mostTried)
    const reasons = [
      ...(found.some(({ complete }) => !complete)
        ? ["the time goes into the outcome in a way that was not followed"]
        : []),
      ...(unread > 1 ? ["the time is compared with several numbers that differ by account or amount"] : []),
      ...(next === undefined ? [] : [`${ahead.length} moments in a year are too many to simulate`])
    ]
    const [first = next] = ahead
    const when = next ?? first
    return {
      tries: around(tried),
      soon,
      gap: Option.map(
        Option.fromNullable(reasons[0]),
        (reason) =>
          `sales may change${when === undefined ? " with time" : ` on ${Timestamp.fromSeconds(now + when).slice(0, 10)}`}: ${reason}`
      )
    }
  })

/** An hour before and after each moment, or half way to the next one. Trades of the first hours are simulated anyway. */
const around = (moments: ReadonlyArray<number>): ReadonlyArray<number> =>
  [
    ...new Set(
      moments.flatMap((moment, index) => {
        const before = moment - (moments[index - 1] ?? 0)
        const after = (moments[index + 1] ?? Number.POSITIVE_INFINITY) - moment
        return [moment - margin(before), moment + margin(after)]
      })
    )
  ].filter((seconds) => seconds >= firstTry && seconds < delays.year)

const margin = (distance: number): number => Math.max(1, Math.floor(Math.min(delays.hour, distance / 2)))

const firstTry = 10 * delays.hour

// Of the two next beginnings of a period.
const upcoming = (sum: bigint, every: bigint, reading: bigint): ReadonlyArray<bigint> => {
  if (every <= 0n) return []
  const past = (((reading - sum) % every) + every) % every
  return [reading - past + every, reading - past + 2n * every]
}

const fieldIn = (word: bigint, field: Moment["at"]["terms"][number]["field"]): bigint =>
  field === undefined ? word : (word >> BigInt(8 * field.offset)) & ((1n << BigInt(8 * field.size)) - 1n)

/** Whether functions write only the time of the call to a variable, so that it is never in the future. */
const isOwnClock = (
  flows: ReadonlyArray<StorageFlow>,
  slot: string,
  field: Moment["at"]["terms"][number]["field"]
): boolean => {
  const writes = flows.flatMap(({ functions }) =>
    functions.flatMap((one) =>
      one.writes.filter((write) => write.slot === slot && FieldMask.overlap(write.mask, FieldMask.maskOf(field)))
    )
  )
  return (
    writes.some(({ change }) => change.clock !== undefined) &&
    writes.every(({ change }) => change.clock !== undefined || change.kind === "keep" || change.kind === "clear")
  )
}

/** Moments that are simulated; more of them are a gap. */
const mostTried = 4

// No chain makes more blocks, or has more seconds, in a year.
const mostReadings = 1n << 30n

// Seconds a block, where the chain's own number is not known.
const usualPace = 12
