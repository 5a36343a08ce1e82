/** @internal */

import { Effect, Either, Fiber } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import * as BlockUse from "../../chain/state/BlockUse.js"
import type { ChainState, LogScan } from "../../chain/state/ChainState.js"
import type * as Address from "../../domain/Address.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"

/** Transfers of a token; `isBusy` where there are so many that only the newest were read. */
export interface TransferScan extends LogScan {
  readonly isBusy: boolean
}

// A token with so many transfers in so few blocks has a history that no endpoint gives in one analysis.
const busyBlocks = 2_000
const busyTransfers = 2_000

/** The whole history, or the newest blocks of a busy token, without waiting for what would not come. */
export const of = (state: ChainState["Type"], token: Address.Address): Effect.Effect<TransferScan, ChainError> => {
  const filter = { address: token, topics: [Selectors.topics.Transfer] }
  if (!BlockUse.hasReached(state.block, "number", busyBlocks))
    return Effect.map(state.logs(filter), ({ value }) => ({ ...value, isBusy: false }))
  return Effect.gen(function* () {
    const whole = yield* Effect.fork(state.logs(filter))
    const newest = yield* Effect.either(
      state.logs({
        ...filter,
        blocks: [BlockUse.numberAfter(state.block, 1 - busyBlocks), BlockUse.numberAfter(state.block, 0)]
      })
    )
    if (Either.isRight(newest) && newest.right.value.logs.length >= busyTransfers) {
      yield* Fiber.interrupt(whole)
      return { ...newest.right.value, complete: false, isBusy: true }
    }
    return { ...(yield* Fiber.join(whole)).value, isBusy: false }
  })
}
