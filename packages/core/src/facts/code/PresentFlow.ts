/** @internal */

import { Effect } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as StorageFlow from "../../evm/summary/StorageFlow.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"
import type { LogicContract } from "./LogicContract.js"

/**
 * The first few variables in fixed slots that a function's conditions read. An account that the caller is compared with
 * is left out: it may change without a change of what the function does.
 */
export const asked = ({ gates, writes }: StorageFlow.FunctionFlow): ReadonlyArray<string> => {
  const guarding = new Set(
    writes.flatMap(({ guards }) => guards.flatMap((guard) => (guard.kind === "slot" ? [guard.slot] : [])))
  )
  return [...new Set(gates.flatMap(({ reads }) => reads.map(({ slot }) => slot)))]
    .filter((slot) => isVariable(slot) && !guarding.has(slot))
    .slice(0, askedAtMost)
}

/**
 * What a function of a contract does while some of its variables hold what they hold now: an initialiser that was used
 * does nothing any more. Reads them in one level.
 */
export const read = (
  state: ChainState["Type"],
  address: Address,
  { code }: LogicContract,
  flow: StorageFlow.FunctionFlow,
  slots: ReadonlyArray<string>
): Effect.Effect<StorageFlow.FunctionFlow, ChainError> =>
  Effect.flatMap(wordsAt(state, address, slots), (words) => StorageFlow.at(code, flow.selector, words))

/** What variables hold, by slot. */
export const wordsAt = (
  state: ChainState["Type"],
  address: Address,
  slots: ReadonlyArray<string>
): Effect.Effect<ReadonlyMap<Hex, Hex>, ChainError> =>
  Effect.map(
    Together.forEach(
      slots.map((slot) => Getter.word(slot as Hex)),
      (slot) => Effect.map(state.storage(address, slot), ({ value }) => [slot, value] as const)
    ),
    (words) => new Map(words)
  )

/**
 * Functions that anyone could call, that wrote something, and that are used up: with the present values of the
 * variables that they check, they no longer write or call, and only they themselves set those variables. By the address
 * of the code and selector.
 */
export const usedUp = (
  state: ChainState["Type"],
  address: Address,
  logics: ReadonlyArray<LogicContract>
): Effect.Effect<ReadonlySet<string>, ChainError> =>
  Effect.gen(function* () {
    const all = logics.flatMap((logic) =>
      logic.flow.functions.map((flow) => ({ logic, flow, key: keyOf(logic, flow.selector) }))
    )
    const once = all
      .filter(
        ({ flow }) => flow.writes.some(({ guards }) => !guards.some(({ always }) => always)) && asked(flow).length > 0
      )
      .slice(0, onceAtMost)
    const words = yield* wordsAt(state, address, [...new Set(once.flatMap(({ flow }) => asked(flow)))])
    const isShut = (
      { flow, key, logic }: (typeof once)[number],
      spent: ReadonlySet<string>
    ): Effect.Effect<boolean> => {
      const steady = asked(flow).filter((slot) =>
        all.every(
          (other) =>
            other.key === key || spent.has(other.key) || !other.flow.writes.some((write) => write.slot === slot)
        )
      )
      if (steady.length === 0) return Effect.succeed(false)
      const held = steady.map(
        (slot) => [Getter.word(slot as Hex), words.get(Getter.word(slot as Hex)) ?? "0x0"] as const
      )
      return Effect.map(
        StorageFlow.at(logic.code, flow.selector, new Map(held)),
        // Its remaining calls are open to any caller.
        (present) =>
          present.complete && present.writes.length === 0 && present.calls.every(({ kind }) => kind === "staticcall")
      )
    }
    // One may rely on another one being used up: those that fail are removed until the rest is consistent.
    let spent = new Set(once.map(({ key }) => key))
    for (let before = -1; before !== spent.size; ) {
      before = spent.size
      const known: ReadonlySet<string> = spent
      const shut = yield* Effect.filter(once, (each) =>
        known.has(each.key) ? isShut(each, known) : Effect.succeed(false)
      )
      spent = new Set(shut.map(({ key }) => key))
    }
    return spent
  })

/** The name of a function of a code in {@link usedUp}. */
export const keyOf = (logic: Pick<LogicContract, "address">, selector: string): string => `${logic.address} ${selector}`

/** Whether the id of a storage location is that of one word, and not of a mapping or array. */
export const isVariable = (slot: string): boolean => /^0x[0-9a-f]+$/.test(slot)

/** Whether two ids are of one storage location, however long the words of them are written. */
export const isSame = (a: string, b: string): boolean =>
  a === b || (isVariable(a) && isVariable(b) && BigInt(a) === BigInt(b))

const askedAtMost = 8

const onceAtMost = 12
