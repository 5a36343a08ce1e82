/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type * as Reading from "../../chain/state/Reading.js"
import type * as Address from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import { type ControlGraph, decidingGaps } from "../../domain/facts/ControlGraph.js"
import * as ArbitraryCall from "../../evm/patterns/ArbitraryCall.js"
import { type Guard, isUnasked } from "../../evm/summary/conditions/Guard.js"
import * as Together from "../../runtime/Together.js"
import type { Functions } from "../code/Functions.js"
import type { CallerGuards } from "./CallerGuards.js"

/** The facts that say who can make a contract call itself. */
export interface Sources {
  readonly functions: Functions["Type"]
  readonly callers: CallerGuards["Type"]
  readonly classify: (account: Address.Address) => Effect.Effect<Reading.Reading<Controller.Controller>, ChainError>
  readonly graphOf: (address: Address.Address) => Effect.Effect<Reading.Reading<ControlGraph>, ChainError>
}

/**
 * The weakest of those who can make a contract call its own functions: any account where such a call has no guard,
 * those who pass its guards elsewhere, and `dead` where the code has no such call. `unknown` where the code could not be
 * followed, or where a stored value decides.
 */
export const of = (
  sources: Sources,
  address: Address.Address
): Effect.Effect<Reading.Reading<Controller.Controller>, ChainError> =>
  Effect.gen(function* () {
    const [{ observation, value: code }, { value: admitted }] = yield* Together.all([
      sources.functions.of(address),
      sources.callers.of(address)
    ])
    const ways = ArbitraryCall.ownCalls(
      code.logics.map(({ flow }) => flow),
      address
    )
    const found = yield* Together.forEach(ways, (way) => throughOne(sources, address, way))
    const isFollowed = admitted.gaps.every(({ what }) => what !== "code")
    const value = Controller.weakest([...found.flatMap(Option.toArray), ...(isFollowed ? [] : [unknown])])
    return { value: Option.getOrElse(value, () => Controller.make("dead", { address })), observation }
  })

/** Who can use one way; nobody where it requires the contract itself. */
const throughOne = (
  sources: Sources,
  address: Address.Address,
  way: ArbitraryCall.OwnCall
): Effect.Effect<Option.Option<Controller.Controller>, ChainError> =>
  Effect.gen(function* () {
    const { guards, isFree, isStored } = way
    if (isUnasked(way)) {
      if (isFree && !isStored) return Option.some(Controller.make("eoa"))
      return Option.some(weakestListed((yield* sources.graphOf(address)).value))
    }
    const always = guards.filter((guard) => guard.always)
    const passed = yield* Together.forEach(always.length > 0 ? always : guards, (guard) =>
      passing(sources, address, guard)
    )
    if (always.length === 0) return Controller.weakest(passed.flatMap(Option.toArray))
    if (passed.some(Option.isNone)) return Option.none()
    // Who passes all guards passes the strictest one.
    const [strictest] = passed.flatMap(Option.toArray).sort((a, b) => Controller.exposure(a) - Controller.exposure(b))
    return Option.filter(Option.fromNullable(strictest), (controller) => !Controller.isDead(controller))
  })

/** Who passes one guard; none where only the contract itself does. */
const passing = (
  { callers, classify, graphOf }: Sources,
  address: Address.Address,
  guard: Guard
): Effect.Effect<Option.Option<Controller.Controller>, ChainError> =>
  Effect.gen(function* () {
    if (guard.kind === "constant") return Option.some((yield* classify(guard.address)).value)
    if (guard.kind === "unknown" && guard.isSelf) return Option.none()
    const account = yield* callers.account(address, guard)
    if (Option.isNone(account)) return Option.some(weakestListed((yield* graphOf(address)).value))
    return account.value.value === address ? Option.none() : Option.some((yield* classify(account.value.value)).value)
  })

/**
 * The controller of a list of callers that cannot be enumerated. The list may have other members, so nobody known does
 * not mean nobody. Only a single key is certain, since nothing is weaker; which key it is must be known, too.
 */
export const weakestListed = (graph: ControlGraph): Controller.Controller => {
  const isCut = decidingGaps(graph).some(({ reason }) => reason !== "inconclusive")
  return graph.controller !== null && !isCut && Controller.exposureAtBest(graph.controller) === 1
    ? graph.controller
    : unknown
}

const unknown = Controller.make("unknown")
