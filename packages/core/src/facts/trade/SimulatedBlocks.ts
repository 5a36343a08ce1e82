/** @internal */

import { Effect } from "effect"
import { ChainError } from "../../chain/ChainError.js"
import type {
  BlockOverride,
  CallRequest,
  ChainState,
  SimulatedCall,
  StateOverride
} from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as TradeScene from "./TradeScene.js"

/** A call of a simulated block, under the name by which its result is found. */
export interface Step {
  readonly name: string
  readonly call: CallRequest
}

/** A block and what happens in it. */
export interface Block {
  readonly block: BlockOverride
  readonly steps: ReadonlyArray<Step>
}

/** A call of an account that pays for its gas. */
export const step = (
  name: string,
  from: Address.Address,
  move: { readonly to: Hex; readonly data: Hex; readonly value?: bigint | undefined },
  gas: bigint
): Step => ({
  name,
  call: {
    from,
    to: Address.checksum(move.to),
    data: move.data,
    value: move.value,
    gas,
    gasPrice: TradeScene.gasPrice
  }
})

/** Runs blocks on top of the pinned one, as true blocks are run, and gives each call's result by its name. */
export const run = (
  state: ChainState["Type"],
  options: { readonly overrides: StateOverride; readonly blocks: ReadonlyArray<Block> }
): Effect.Effect<Reading.Reading<ReadonlyMap<string, SimulatedCall>>, ChainError> =>
  Effect.flatMap(
    state.simulate({
      validation: true,
      blocks: options.blocks.map(({ block, steps }, index) => ({
        block,
        ...(index === 0 ? { overrides: options.overrides } : {}),
        calls: steps.map(({ call }) => call)
      }))
    }),
    (reading) => {
      const results = new Map<string, SimulatedCall>()
      for (const [index, { steps }] of options.blocks.entries()) {
        for (const [place, { name }] of steps.entries()) {
          const answer = reading.value[index]?.[place]
          if (answer === undefined) return incomplete
          results.set(name, answer)
        }
      }
      return Effect.succeed(Reading.map(reading, () => results))
    }
  )

const incomplete = new ChainError({
  reason: "method_unsupported",
  method: "eth_simulateV1",
  retryable: false,
  detail: "the endpoint answered fewer calls than it was asked to simulate"
})
