/** @internal */

import { Effect, Either, Exit, Option } from "effect"
import type { Hex } from "../../domain/Hex.js"
import * as Together from "../../runtime/Together.js"
import { traced } from "../../runtime/Traced.js"
import type { Endpoint } from "../rpc/Endpoint.js"
import * as JsonRpc from "../rpc/JsonRpc.js"
import * as RpcValue from "../rpc/RpcValue.js"
import type { CallBudget } from "./CallBudget.js"
import * as LensedReads from "./LensedReads.js"
import type { Lenses } from "./Lenses.js"
import type { Observations } from "./Observations.js"
import { type BlockParams, type Item, plain } from "./PinnedRead.js"
import type { ReadRouting } from "./ReadRouting.js"
import * as ReadState from "./ReadState.js"
import * as Simulation from "./Simulation.js"

/**
 * Sends the reads that left the queue together. What takes long, or has to leave with the pinned block, goes apart; the
 * rest travels in lenses where the endpoint takes them.
 */
export type ReadFlush = (waiting: ReadonlyArray<Item>) => Effect.Effect<void>

export const make = (options: {
  readonly blockParams: BlockParams
  readonly budget: CallBudget
  readonly observations: Observations
  readonly routing: ReadRouting
  /** The state of lenses of an endpoint. */
  readonly lensesOf: (endpoint: Endpoint) => Lenses
}): ReadFlush => {
  const { blockParams, budget, observations, routing } = options
  const readState = ReadState.make()

  // With lenses where the endpoint that is read from now takes code in the place of an account's.
  const lensed = (items: ReadonlyArray<Item>): Effect.Effect<void> =>
    Effect.gen(function* () {
      const { endpoint, probe: known } = routing.current()
      const probe = yield* Effect.either(known)
      const takesCode = Either.flatMap(probe, ({ capabilities }) => capabilities.codeOverride)
      const takesLenses = Either.getOrElse(takesCode, () => false) && budget.has(lensCalls)
      if (Either.isLeft(probe) || !takesLenses) return yield* routing.route(items)
      const at = blockParams.at(probe.right)
      yield* LensedReads.send<Item>(items, {
        lenses: options.lensesOf(endpoint),
        state: readState,
        readOf: ({ request }) => Option.fromNullable(request.lensRead),
        plainly: routing.route,
        lens: (call, onData) => {
          budget.charge()
          return {
            request: {
              ...plain,
              method: "eth_call",
              params: (at) => Simulation.callParams(call, at),
              decode: (answer) => Option.flatMap(JsonRpc.resultOf(answer), RpcValue.parseBytes),
              heavy: true,
              needs: ["codeOverride"],
              only: endpoint
            },
            settle: (exit) => onData(Exit.isSuccess(exit) ? Option.some(exit.value.value as Hex) : Option.none())
          }
        },
        watching: ({ request, settle }, onValue) => ({
          request,
          settle: (exit) => {
            if (Exit.isSuccess(exit)) onValue(exit.value.value)
            settle(exit)
          }
        }),
        decode: ({ request }, answer) => request.decode(answer),
        settle: ({ request, settle }, answer) => {
          // It was paid for when it left the queue, and is not sent.
          budget.refund()
          settle(
            Either.match(observations.answered(request, request.params(at), answer), {
              onLeft: Exit.fail,
              onRight: Exit.succeed
            })
          )
        }
      })
    })

  return (waiting) => {
    const alone = waiting.filter(({ request }) => request.alone)
    const scans = waiting.filter(({ request }) => !request.alone && request.bound)
    const together = waiting.filter(({ request }) => !request.alone && !request.bound)
    return Effect.asVoid(
      Together.forEach(
        [together, scans, ...alone.map((item) => [item])].filter((group) => group.length > 0),
        (items) =>
          (items === together ? lensed(items) : routing.route(items)).pipe(
            traced("ChainState.send", () => ({ attributes: { reads: items.length } }))
          )
      )
    )
  }
}

// The most that one flush sends: what reads state, what reads its sender, and what reads slots.
const lensCalls = 3
