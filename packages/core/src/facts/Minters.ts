import { Array as Arrays, Context, Effect, Layer } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import { ChainState } from "../chain/ChainState.js"
import type { Reading } from "../chain/Reading.js"
import type * as Address from "../domain/Address.js"
import type * as Controller from "../domain/Controller.js"
import type { Hex } from "../domain/Hex.js"
import * as Conservation from "../evm/Conservation.js"
import * as Slots from "../evm/Slots.js"
import * as TokenFlow from "../evm/TokenFlow.js"
import { Control } from "./Control.js"
import { Functions, type Logic } from "./Functions.js"
import * as Memo from "./Memo.js"

/**
 * Who can make more of a token, by what its code does to the supply and the balances.
 *
 * `functions` are those that certainly raise one of them and that only somebody appointed may call, `controllers` who
 * that is (each once). `possible` are other functions that may raise one of them. `complete` says that there are no
 * more: all code that answers for the token was found and followed to its end, nobody can replace it, and it keeps
 * its own books.
 *
 * @since 0.1.0
 * @category models
 */
export interface MintingPower {
  readonly functions: ReadonlyArray<string>
  readonly controllers: ReadonlyArray<Controller.Controller>
  readonly possible: ReadonlyArray<string>
  readonly complete: boolean
}

/**
 * Who can make more of a token. It finds a minter that `owner()` does not show, by the slot that the code compares its
 * caller with.
 *
 * @since 0.1.0
 * @category services
 */
export class Minters extends Context.Tag("@assay/core/Minters")<
  Minters,
  {
    readonly of: (token: Address.Address) => Effect.Effect<Reading<MintingPower>, ChainError>
  }
>() {}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const control = yield* Control
  const functions = yield* Functions

  /** What the code could do once and can do no more, as an initialiser that was used: no other function undoes that. */
  const isSpent = Effect.fn("Minters.isSpent")(function* (
    token: Address.Address,
    { code, flow }: Logic,
    writer: TokenFlow.MintWriter
  ) {
    const slots = [...new Set(writer.latches.map((latch) => latch.slot))]
    const isUndone = flow.functions.some(
      ({ selector, writes }) => selector !== writer.selector && writes.some((write) => slots.includes(write.slot))
    )
    if (slots.length === 0 || isUndone || !slots.every(isVariable)) return false
    const words = yield* Effect.forEach(
      slots.map(slotOf),
      (slot) => Effect.map(state.storage(token, slot), ({ value }) => [slot, value] as const),
      { concurrency: "unbounded" }
    )
    return TokenFlow.isSpent(code, TokenFlow.of(flow), writer, new Map(words))
  })

  const read = Effect.fn("Minters.of")(function* (token: Address.Address) {
    const [{ observation, value: code }] = yield* Effect.all(
      // The slot that most initialisers keep their use in, asked for before it is known that there is one.
      [functions.of(token), Effect.ignore(state.storage(token, Slots.initializable))],
      { concurrency: "unbounded" }
    )
    const found = yield* Effect.forEach(
      code.logics.flatMap((logic) => TokenFlow.mintWriters(logic.flow).map((writer) => ({ logic, writer }))),
      ({ logic, writer }) =>
        Effect.map(
          isSpent(token, logic, writer),
          (spent): ReadonlyArray<TokenFlow.MintWriter> => (spent ? [] : [writer])
        ),
      { concurrency: "unbounded" }
    )
    const writers = found.flat()
    const appointed = writers.filter((writer) => writer.certain && writer.privileged)
    const controllers = yield* Effect.forEach(
      Arrays.dedupeWith(
        appointed.flatMap((writer) => writer.guards),
        (a, b) => JSON.stringify(a) === JSON.stringify(b)
      ),
      (guard) => Effect.map(control.passing(token, guard), ({ value }) => value),
      { concurrency: "unbounded" }
    )
    const books = code.logics.map(({ code, flow }) => {
      const variables = TokenFlow.of(flow)
      return {
        transfers: Conservation.ofTransfers(code, variables.balances),
        isKept: flow.completeness.complete && variables.balances.length > 0 && !variables.external
      }
    })
    const power: MintingPower = {
      functions: selectorsOf(appointed),
      controllers: Arrays.dedupeWith(controllers, (a, b) => a.kind === b.kind && a.address === b.address),
      possible: [
        ...selectorsOf(writers.filter((writer) => !appointed.includes(writer) || !isShut(writer))),
        ...(books.some(({ transfers }) => transfers === "creates") ? ["transfer"] : [])
      ],
      complete:
        code.resolved && code.fixed && books.every(({ isKept, transfers }) => isKept && transfers === "conserves")
    }
    return { value: power, observation }
  })
  return Minters.of({ of: yield* Memo.make((token: Address.Address) => token, read) })
})

/**
 * Reads the slots that minting functions compare their caller with, and those that say that they were used up.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Minters, never, ChainState | Control | Functions> = Layer.scoped(Minters, make)

const isVariable = (slot: string): boolean => /^0x[0-9a-f]+$/.test(slot)

const slotOf = (slot: string): Hex => `0x${slot.slice(2).padStart(64, "0")}`

/** Whether no way to its writes goes past the conditions on the caller. */
const isShut = (writer: TokenFlow.MintWriter): boolean =>
  writer.writes.every(({ guards }) => guards.length > 0 && guards.every((guard) => guard.always))

const selectorsOf = (writers: ReadonlyArray<TokenFlow.MintWriter>): ReadonlyArray<string> =>
  [...new Set(writers.map((writer) => writer.selector))].sort()
