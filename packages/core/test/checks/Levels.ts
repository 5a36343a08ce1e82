import { Deferred, Effect, FiberId } from "effect"
import type { ChainState } from "../../src/chain/state/ChainState.js"

/**
 * The same chain, with reads that leave only when nothing else can be read without their answers: `levels` counts how
 * many times that was, which is how many round trips a network with any delay would cost.
 */
export const counted = (
  state: ChainState["Type"]
): { readonly state: ChainState["Type"]; readonly levels: () => number } => {
  let waiting: Array<Effect.Effect<unknown>> = []
  let busy = false
  let levels = 0
  const seen = new Map<string, Effect.Effect<unknown, unknown>>()

  const leave = () => {
    const leaving = waiting
    waiting = []
    levels++
    Effect.runFork(Effect.andThen(Effect.all(leaving, { concurrency: "unbounded", discard: true }), Effect.sync(rest)))
  }
  // Turns of the event loop, so that fibers with an answer can send further reads. Code is read in slices, each a turn
  // that the one before has already put down: however long they take, they are waited for, and a few turns more without
  // any.
  const rest = (turns = quietTurns): void => {
    if (turns > 0) {
      const reading = process.getActiveResourcesInfo().includes("Immediate")
      setTimeout(() => rest(reading ? quietTurns : turns - 1), 0)
    } else if (waiting.length > 0) leave()
    else busy = false
  }
  const gate =
    <P extends ReadonlyArray<unknown>, A, E>(name: string, read: (...parameters: P) => Effect.Effect<A, E>) =>
    (...parameters: P): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        const key = JSON.stringify([name, parameters], (_, value) => (typeof value === "bigint" ? `${value}n` : value))
        const known = seen.get(key)
        if (known !== undefined) return known as Effect.Effect<A, E>
        const answer = Deferred.unsafeMake<A, E>(FiberId.none)
        seen.set(key, Deferred.await(answer))
        waiting.push(Effect.intoDeferred(read(...parameters), answer))
        if (!busy) {
          busy = true
          rest()
        }
        return Deferred.await(answer)
      })

  return {
    levels: () => levels,
    state: {
      ...state,
      code: gate("code", state.code),
      codeAt: gate("codeAt", state.codeAt),
      receipt: gate("receipt", state.receipt),
      transaction: gate("transaction", state.transaction),
      storage: gate("storage", state.storage),
      storageAt: gate("storageAt", state.storageAt),
      balance: gate("balance", state.balance),
      nonce: gate("nonce", state.nonce),
      call: gate("call", state.call),
      logs: gate("logs", state.logs),
      simulate: gate("simulate", state.simulate)
    }
  }
}

const quietTurns = 10
