/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import type * as StorageFlow from "../../evm/summary/StorageFlow.js"
import * as Erc20 from "../../evm/token/Erc20.js"
import * as Together from "../../runtime/Together.js"
import type { Functions, ResolvedCode } from "../code/Functions.js"
import * as StoredVariable from "../code/StoredVariable.js"
import * as Getter from "../Getter.js"

/**
 * The words that a token's variables would hold after very many trades, by slot, of those that its transfers only ever
 * count up or only ever count down: how many sales there were, or how much may still be sold. A few trials cannot
 * distinguish a token that lets a limited number of sales through from one that lets all through.
 *
 * Balances and supply stay as they are, and so do variables that transfers change in both directions or reset: trades
 * do not determine their future. `volume` is what the trades move, in units.
 */
export const worn = (
  state: ChainState["Type"],
  functions: Functions["Type"],
  token: Address,
  volume: bigint
): Effect.Effect<Wear, ChainError> =>
  Effect.gen(function* () {
    const { value: code } = yield* functions.of(token)
    const counters = countersIn(code)
    const words = yield* Together.forEach([...new Set(counters.map(({ slot }) => slot))], (slot) =>
      Effect.map(state.storage(token, slot), ({ value }) => [slot, value] as const)
    )
    return Object.fromEntries(
      words.map(([slot, word]) => [
        slot,
        counters
          .filter((counter) => counter.slot === slot)
          .reduce((held, counter) => counted(held, counter, volume), word)
      ])
    )
  })

/** Words by slot. */
export interface Wear {
  readonly [slot: string]: Hex
}

// More than the busiest of tokens sees in a month.
const trades = 1_000_000n

const atMost = 8

interface Counter {
  readonly slot: Hex
  readonly mask: bigint
  readonly grows: boolean
  /** By how much a trade changes it; none where that depends on what is traded. */
  readonly step: Option.Option<bigint>
}

const telling: ReadonlyArray<string> = [Selectors.functions.balanceOf, Selectors.functions.totalSupply]

const countersIn = ({ logics }: ResolvedCode): ReadonlyArray<Counter> => {
  const functions = logics.flatMap(({ flow }) => flow.functions)
  const books = functions
    .filter(({ selector }) => telling.includes(selector))
    .flatMap(({ reads, returns }) => returns ?? reads.map(({ slot }) => ({ slot, mask: FieldMask.wholeWord })))
  const writes = functions
    .filter(({ selector }) => Erc20.transferSelectors.has(selector))
    .flatMap((flow) => flow.writes)
    .filter((write) => write.lasts && write.change.kind !== "keep")
  const places = [...new Map(writes.map((write) => [`${write.slot} ${write.mask}`, write])).values()]
  return places
    .flatMap(({ mask, slot }): ReadonlyArray<Counter> => {
      const meets = (other: { readonly slot: string; readonly mask: Hex }): boolean =>
        other.slot === slot && FieldMask.overlap(other.mask, mask)
      const changes = writes.filter(meets)
      const [first] = changes
      const isOneWay =
        first !== undefined &&
        (first.change.kind === "increase" || first.change.kind === "decrease") &&
        changes.every(({ change }) => change.kind === first.change.kind) &&
        changes.every((other) => other.mask === mask)
      if (!isOneWay || books.some(meets)) return []
      const of = (place: Hex): Counter => ({
        slot: place,
        mask: BigInt(mask),
        grows: first.change.kind === "increase",
        step: stepOf(changes)
      })
      return Option.toArray(Option.map(StoredVariable.slotOf(slot), of))
    })
    .slice(0, atMost)
}

const stepOf = (changes: ReadonlyArray<StorageFlow.Write>): Option.Option<bigint> => {
  const amounts = changes.flatMap(({ change }) => change.amount)
  const steps = amounts.flatMap((amount) => (amount.kind === "constant" ? [BigInt(amount.value)] : []))
  return steps.length > 0 && steps.length === amounts.length
    ? Option.some(steps.reduce((a, b) => (a > b ? a : b)))
    : Option.none()
}

const counted = (word: Hex, { grows, mask, step }: Counter, volume: bigint): Hex => {
  // The mask is one run of bits, and its lowest one is the unit of the number in it.
  const unit = mask & -mask
  const most = mask / unit
  const held = (BigInt(word) & mask) / unit
  const distance = Option.match(step, { onNone: () => volume, onSome: (each) => each * trades })
  const far = grows ? (most - held > distance ? held + distance : most) : held > distance ? held - distance : 0n
  return Getter.word((BigInt(word) & ~mask) | (far * unit))
}
