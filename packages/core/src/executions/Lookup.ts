/** @internal */

import { Duration, Effect, Option } from "effect"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import type { Caller } from "../domain/Caller.js"
import type { ExecutionId } from "../domain/Id.js"
import type { Target } from "../domain/Target.js"
import { ExecutionStore } from "../storage/ExecutionStore.js"
import type { StorageError } from "../storage/StorageError.js"
import { ExecutionExpired, ExecutionFailed, ExecutionNotFound, NotComparable } from "./ExecutionError.js"

/** Finds the executions of a caller: one, one to compare with, or one that another process runs, once it has ended. */
export const make = Effect.gen(function* () {
  const store = yield* ExecutionStore

  const orMissing = Effect.fnUntraced(function* <A>(caller: Caller, id: ExecutionId, found: Option.Option<A>) {
    if (Option.isSome(found)) return found.value
    const wasThere = yield* store.isRemoved(caller.id, id)
    return yield* wasThere ? new ExecutionExpired({ id }) : new ExecutionNotFound({ id })
  })

  const find = (caller: Caller, id: ExecutionId) =>
    Effect.flatMap(store.find(caller.id, id), (found) => orMissing(caller, id, found))

  const document = (caller: Caller, id: ExecutionId) =>
    Effect.flatMap(store.document(caller.id, id), (found) => orMissing(caller, id, found))

  const findBase = Effect.fnUntraced(function* (caller: Caller, id: ExecutionId, target: Target) {
    const base = yield* find(caller, id)
    if (!isSameTarget(base.result, target))
      return yield* new NotComparable({ detail: `${id} is of another kind, chain or address.` })
    if (!hasResult(base.result)) return yield* new NotComparable({ detail: `${id} has no result to compare with.` })
    return base
  })

  /**
   * Waits for the end of an execution that runs elsewhere, perhaps in another process. `endIfLost` ends one that nobody
   * runs any more, and answers whether it did.
   */
  const ended = (
    caller: Caller,
    id: ExecutionId,
    endIfLost: (id: ExecutionId) => Effect.Effect<boolean, StorageError>
  ) =>
    Effect.flatMap(store.find(caller.id, id), (found) =>
      Effect.mapError(found, () => new ExecutionNotFound({ id }))
    ).pipe(
      Effect.tap(({ result }) =>
        result.status === "running"
          ? Effect.unlessEffect(Effect.sleep(Duration.seconds(1)), endIfLost(id))
          : Effect.void
      ),
      Effect.repeat({ while: ({ result }) => result.status === "running" }),
      Effect.flatMap(({ result }) =>
        result.error === null
          ? Effect.succeed(result)
          : new ExecutionFailed({ execution_id: id, failure: result.error })
      )
    )

  const contentHash = (caller: Caller, id: ExecutionId) =>
    Effect.flatMap(store.contentHash(caller.id, id), (found) => orMissing(caller, id, found))

  return { find, document, contentHash, findBase, ended }
})

export const targetOf = ({ address, chain, kind }: Target): Target => ({
  kind,
  address,
  chain: { id: chain.id, name: chain.name }
})

/** Whether there is something in it to compare. */
export const hasResult = (result: AnalysisResult): boolean =>
  result.status === "complete" || result.status === "partial"

const isSameTarget = (result: AnalysisResult, target: Target): boolean =>
  result.target === target.kind && result.chain.id === target.chain.id && result.address === target.address
