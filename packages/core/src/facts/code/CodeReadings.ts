/** @internal */

import { Context, Effect, Layer, type Scope } from "effect"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as CodeModel from "../../evm/interpreter/CodeModel.js"
import * as TokenPowers from "../../evm/powers/TokenPowers.js"
import * as StorageFlow from "../../evm/summary/StorageFlow.js"
import * as TransferProof from "../../evm/token/TransferProof.js"
import * as Shared from "../../runtime/Shared.js"
import * as Slices from "../../runtime/Slices.js"

/**
 * The analysis of codes, once per code and in slices, so that it blocks the event loop for a few milliseconds at most.
 * All readings take turns.
 *
 * Lives longer than an analysis: the newest answers are kept, up to a number of bytes.
 */
export class CodeReadings extends Context.Tag("@assay/core/CodeReadings")<
  CodeReadings,
  {
    /** `checkers` are accounts in the code that are known to say who signed what; none of them otherwise. */
    readonly of: (code: Hex, checkers?: ReadonlyArray<Address>) => Effect.Effect<StorageFlow.StorageFlow>
    readonly powers: (code: Hex, checkers?: ReadonlyArray<Address>) => Effect.Effect<TokenPowers.TokenPowers>
    readonly transfers: (code: Hex) => Effect.Effect<TransferProof.TransferProof>
    /** {@link StorageFlow.functionAt}; not kept, because storage changes. */
    readonly at: (
      code: Hex,
      selector: StorageFlow.FunctionFlow["selector"],
      storage: ReadonlyMap<Hex, Hex>
    ) => Effect.Effect<StorageFlow.FunctionFlow>
    /** Any other reading of a code. Its answer is not cached, but its runs are for a while. */
    readonly read: <A>(code: Hex, reading: (model: CodeModel.CodeModel) => Slices.Slices<A>) => Effect.Effect<A>
  }
>() {}

/** The readings of one program. */
export const make = (
  options: {
    /** The size of the cache of answers in bytes; 64 MiB by default, enough for some 500 codes. */
    readonly maxBytes?: number | undefined
  } = {}
): Effect.Effect<CodeReadings["Type"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const maxBytes = options.maxBytes ?? 64 * 1024 * 1024
    const inTurn = makeTurns()
    const models = makeModels(maxBytes * 0.1)
    const read: CodeReadings["Type"]["read"] = (code, reading) => Slices.run(() => models.using(code, reading), inTurn)
    const flows = yield* keep(maxBytes * 0.75, (code, checkers) =>
      Effect.flatMap(StorageFlow.selectorsOf(code), (selectors) =>
        read(code, (model) => StorageFlow.analyseInSlices(model, selectors, checkers))
      )
    )
    const powers = yield* keep(maxBytes * 0.1, (code, checkers) =>
      Effect.flatMap(flows(code, checkers), (flow) => read(code, (model) => TokenPowers.inSlices(model, flow)))
    )
    const transfers = yield* keep(maxBytes * 0.05, (code) => read(code, TransferProof.inSlices))
    return CodeReadings.of({
      of: flows,
      powers,
      transfers,
      at: (code, selector, storage) => read(code, (model) => StorageFlow.functionAtInSlices(model, selector, storage)),
      read
    })
  })

/** {@link make} with what it keeps by default. */
export const layer: Layer.Layer<CodeReadings> = Layer.scoped(CodeReadings, make())

/**
 * Runs one effect at a time, first come, first served: a semaphore would give its permit back to the fiber that has
 * just released it.
 */
const makeTurns = (): (<A>(effect: Effect.Effect<A>) => Effect.Effect<A>) => {
  const waiting: Array<() => void> = []
  let isTaken = false
  const take = Effect.async<void>((resume) => {
    const go = () => resume(Effect.void)
    if (isTaken) waiting.push(go)
    else {
      isTaken = true
      go()
    }
  })
  const pass = Effect.sync(() => {
    const next = waiting.shift()
    if (next === undefined) isTaken = false
    else next()
  })
  return (effect) =>
    Effect.acquireUseRelease(
      take,
      () => effect,
      () => pass
    )
}

/** Keeps the models of the codes that were read last, so that what one reading ran the next one finds. */
const makeModels = (maxBytes: number) => {
  // The oldest use first.
  const kept = new Map<Hex, CodeModel.CodeModel>()
  const use = (code: Hex): CodeModel.CodeModel => {
    const model = kept.get(code) ?? CodeModel.of(code)
    kept.delete(code)
    kept.set(code, model)
    return model
  }
  const trim = (): void => {
    const bytes = new Map([...kept].map(([code, model]) => [code, model.bytes()]))
    let tooMany = [...bytes.values()].reduce((sum, size) => sum + size, 0) - maxBytes
    for (const [code, size] of bytes) {
      if (tooMany <= 0) return
      tooMany -= size
      kept.delete(code)
    }
  }
  function* using<A>(code: Hex, reading: (model: CodeModel.CodeModel) => Slices.Slices<A>): Slices.Slices<A> {
    const answer = yield* reading(use(code))
    trim()
    return answer
  }
  return { using }
}

/**
 * Runs a function once per code as long as its answer is cached, for any number of concurrent fibers. Interrupting one
 * of them leaves the answer to the others.
 */
const keep = <A>(
  maxBytes: number,
  run: (code: Hex, checkers: ReadonlyArray<Address>) => Effect.Effect<A>
): Effect.Effect<(code: Hex, checkers?: ReadonlyArray<Address>) => Effect.Effect<A>, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    // The oldest use first.
    const kept = new Map<string, { readonly answer: Effect.Effect<A>; bytes: number }>()
    let bytes = 0
    const forget = (key: string): void => {
      bytes -= kept.get(key)?.bytes ?? 0
      kept.delete(key)
    }
    const weigh = (key: string, answer: A): void => {
      const entry = kept.get(key)
      if (entry === undefined) return
      // What an object takes in memory is 2.4 times its JSON, measured over flows of 231 tokens.
      entry.bytes = key.length + Math.ceil(2.4 * JSON.stringify(answer).length)
      bytes += entry.bytes
      for (const [oldest, { bytes: size }] of kept) {
        if (bytes <= maxBytes) return
        if (size > 0) forget(oldest)
      }
    }
    return (code, checkers = []) => {
      const key = [code, ...checkers].join(" ")
      return Shared.get(
        scope,
        () => {
          const known = kept.get(key)
          if (known === undefined) return undefined
          kept.delete(key)
          kept.set(key, known)
          return known.answer
        },
        (answer) => {
          kept.set(key, { answer, bytes: 0 })
          return {
            effect: run(code, checkers).pipe(
              Effect.tap((found) => Effect.sync(() => weigh(key, found))),
              // What went wrong may go right the next time.
              Effect.onError(() => Effect.sync(() => forget(key)))
            )
          }
        }
      )
    }
  })
