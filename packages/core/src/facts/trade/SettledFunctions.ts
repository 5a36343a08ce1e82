/** @internal */

import { Context, Effect, Layer } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as StorageFlow from "../../evm/summary/StorageFlow.js"
import * as Erc20 from "../../evm/token/Erc20.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as Code from "../code/Code.js"
import { CodeReadings } from "../code/CodeReadings.js"
import { Functions, type ResolvedCode } from "../code/Functions.js"
import type { LogicContract } from "../code/LogicContract.js"
import * as PresentFlow from "../code/PresentFlow.js"
import * as Replacers from "../code/Replacers.js"
import { Control } from "../control/Control.js"
import * as GuardHolders from "../control/GuardHolders.js"
import * as Getter from "../Getter.js"

/**
 * A code of a token. `functionOf` gives a function that trades call as it is for good: each variable that nobody can write any
 * more holds what it holds now, and no caller is an account that is dead. It is the function of the code where the code may
 * change, or was not followed to its end.
 */
export interface Settled {
  readonly flow: StorageFlow.StorageFlow
  readonly functionOf: (selector: Hex) => StorageFlow.FunctionFlow | undefined
}

/** What the functions that trades call do from now on, for each code of a token. */
export class SettledFunctions extends Context.Tag("@assay/core/SettledFunctions")<
  SettledFunctions,
  { readonly of: (token: Address.Address) => Effect.Effect<ReadonlyArray<Settled>, ChainError> }
>() {}

/** Reads the variables that these functions depend on, and who can write them. */
export const layer: Layer.Layer<SettledFunctions, never, ChainState | CodeReadings | Control | Functions> =
  Layer.scoped(
    SettledFunctions,
    Effect.gen(function* () {
      const state = yield* ChainState
      const control = yield* Control
      const flows = yield* CodeReadings
      const functions = yield* Functions
      return SettledFunctions.of({
        of: yield* OncePerKey.make(
          (token: Address.Address) => token,
          Effect.fn("SettledFunctions.of")(function* (address: Address.Address) {
            const { value: code } = yield* functions.of(address)
            const sources = { state, control, flows, address, logics: code.logics }
            return yield* Together.forEach(code.logics, (logic) =>
              Effect.map(
                settled(sources, code, logic),
                (found): Settled => ({
                  flow: logic.flow,
                  functionOf: (selector) => found.get(selector) ?? Erc20.functionOf(logic.flow, selector)
                })
              )
            )
          })
        )
      })
    })
  )

const settled = (
  sources: GuardHolders.Sources,
  code: ResolvedCode,
  logic: LogicContract
): Effect.Effect<ReadonlyMap<Hex, StorageFlow.FunctionFlow>, ChainError> =>
  Effect.gen(function* () {
    if (!code.fixed || !code.resolved || code.logics.some(({ flow }) => !Replacers.isFollowed(flow))) return new Map()
    const delegating = code.logics.filter(({ flow }) => flow.delegations.some(({ target }) => target.kind !== "self"))
    const concerned = selectors.flatMap((selector) => Erc20.functionOf(logic.flow, selector) ?? [])
    const slots = [...new Set(concerned.flatMap(({ reads }) => reads.map(({ slot }) => slot)))].filter(
      PresentFlow.isVariable
    )
    const [closed, fixed] = yield* Together.all([
      Together.forEach(delegating, (one) => GuardHolders.delegatesForNobody(sources, one)),
      Together.forEach(slots.slice(0, slotsAtMost), (slot) =>
        Effect.map(isSettled(sources, slot), (is) => (is ? [slot] : []))
      )
    ])
    if (closed.some((isClosed) => !isClosed)) return new Map()
    const words = yield* PresentFlow.wordsAt(sources.state, sources.address, fixed.flat())
    const found = yield* Effect.forEach(concerned, (flow) =>
      Effect.map(
        sources.flows.read(logic.code, (model) =>
          StorageFlow.functionAtInSlices(model, flow.selector, words, isAbsent)
        ),
        (now) => (isPartOf(now, flow) ? [[flow.selector as Hex, now] as const] : [])
      )
    )
    return new Map(found.flat())
  })

/** Whether nobody can write a variable any more. */
const isSettled = (sources: GuardHolders.Sources, slot: string): Effect.Effect<boolean, ChainError> => {
  const writes = sources.logics.flatMap(({ flow }) =>
    flow.functions.flatMap((entry) => entry.writes.filter((write) => PresentFlow.isSame(write.slot, slot)))
  )
  return Effect.map(
    Together.forEach(writes, (write) => GuardHolders.isForNobody(sources, write)),
    (each) => each.every((isOver) => isOver)
  )
}

/** Whether every effect of a function is among those of the code, at the same instruction. */
const isPartOf = (now: StorageFlow.FunctionFlow, flow: StorageFlow.FunctionFlow): boolean => {
  const reads = new Set(flow.reads.map(({ slot }) => slot))
  const writes = new Set(flow.writes.map(({ slot }) => slot))
  return (
    now.complete && now.reads.every(({ slot }) => reads.has(slot)) && now.writes.every(({ slot }) => writes.has(slot))
  )
}

const isAbsent = (account: bigint): boolean => Code.isDead(Address.fromWord(Getter.word(account)))

const selectors: ReadonlyArray<Hex> = [
  ...Erc20.transfers.map(({ selector }) => selector),
  Selectors.functions.approve,
  Selectors.functions.balanceOf
]

/** Each may cost a read. */
const slotsAtMost = 16
