/** @internal */

import { Clock, type Duration, Effect, Either, Exit, Option, type Scope } from "effect"
import type { BlockRef } from "../../domain/BlockRef.js"
import * as Expiring from "../../runtime/Expiring.js"
import * as Capabilities from "../rpc/Capabilities.js"
import type { Endpoint, Meter } from "../rpc/Endpoint.js"
import * as JsonRpc from "../rpc/JsonRpc.js"
import type { Turn } from "../rpc/Pace.js"
import * as BoundScan from "./BoundScan.js"
import type { CallBudget } from "./CallBudget.js"
import type { Observations } from "./Observations.js"
import type { BlockParams, Item } from "./PinnedRead.js"

/**
 * Which endpoint answers a read. All reads go to one endpoint as long as it answers. Before another one is read from, it
 * must know the pinned block under the same hash, so that it can only answer the same, or not at all.
 */
export interface ReadRouting {
  /** The endpoint that is read from now. */
  readonly current: () => PinnedEndpoint
  /** Sends reads to one endpoint after the other until each read is settled. */
  readonly route: (items: ReadonlyArray<Item>) => Effect.Effect<void>
}

/** An endpoint, and what it was shown to do. The probe fails where it is down or lacks the pinned block. */
export interface PinnedEndpoint {
  readonly endpoint: Endpoint
  readonly probe: Effect.Effect<Capabilities.Probe, JsonRpc.Fault>
}

export const make = (options: {
  readonly block: BlockRef
  readonly blockParams: BlockParams
  /** In order of preference, first the one that the block was pinned at. */
  readonly endpoints: readonly [Endpoint, ...Array<Endpoint>]
  readonly budget: CallBudget
  readonly observations: Observations
  readonly turn: Turn
  readonly restAfterFailure: Duration.Duration
  readonly onUse?: ((endpoint: Endpoint) => void) | undefined
}): Effect.Effect<ReadRouting, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { blockParams, budget, observations, turn } = options
    const [first, ...others] = options.endpoints
    const pinned = [
      { endpoint: first, probe: first.probe },
      ...(yield* Effect.forEach(others, (endpoint) => whenItHas(endpoint, options)))
    ] as const
    const boundScan = BoundScan.make(options.block)
    let place = 0

    const current = () => pinned[place] ?? pinned[0]

    // The current one first, unless there is a longer wait at it than at another one.
    const nearest = Effect.gen(function* () {
      const places = pinned.map((_, step) => (place + step) % pinned.length)
      if (places.length === 1) return places
      const waits = yield* Effect.forEach(pinned, ({ endpoint }) => endpoint.backlog)
      const wait = (of: number) => Math.max(0, (waits[of] ?? 0) - tolerableWait)
      return places.sort((a, b) => wait(a) - wait(b))
    })

    // Where there is another endpoint, who waits long at one looks again which is nearer.
    const hurried = Effect.map(Clock.currentTimeMillis, (now): Meter => {
      const until = pinned.length === 1 ? turn.until : Math.min(turn.until, now + patienceWithOne)
      return { ...budget.metered, turn: { ...turn, until } }
    })

    const route = (items: ReadonlyArray<Item>): Effect.Effect<void> =>
      Effect.gen(function* () {
        const faults = new Map<Item, JsonRpc.Fault>()
        const paid = new Set(items)
        let open = items
        while (open.length > 0) {
          const limited = new Set<Item>()
          const left = yield* round(open, { faults, limited, paid })
          const isOver = pinned.length === 1 || (yield* Clock.currentTimeMillis) >= turn.until
          // What an endpoint refused for its rate is not answered yet, whatever the others said.
          open = isOver ? [] : left.filter((item) => limited.has(item))
          const lost = isOver ? left : left.filter((item) => !limited.has(item))
          for (const item of lost) item.settle(Exit.fail(failureOf(faults.get(item))))
        }
      })

    // Sends the reads to each endpoint in turn, and returns those that none has answered.
    const round = (items: ReadonlyArray<Item>, { faults, limited, paid }: Progress) =>
      Effect.gen(function* () {
        let pending = items
        for (const index of yield* nearest) {
          if (pending.length === 0) break
          const { endpoint, probe: known } = pinned[index] ?? pinned[0]
          const probe = yield* Effect.either(known)
          // It received no read, so its failure does not count where another endpoint did.
          if (Either.isLeft(probe)) continue
          const able: Array<Item> = []
          const left: Array<Item> = []
          for (const item of pending) {
            if (item.request.only !== undefined && item.request.only !== endpoint) {
              left.push(item)
              continue
            }
            const lack = Option.firstSomeOf(
              item.request.needs.map((need) => lacking(need, probe.right.capabilities[need]))
            )
            if (Option.isSome(lack) && faults.get(item)?.reason !== "rate_limited") faults.set(item, lack.value)
            const goes = Option.isNone(lack) && (paid.has(item) || budget.take(1))
            if (goes) able.push(item)
            else left.push(item)
          }
          const lost = yield* attempt(endpoint, probe.right, able)
          for (const [item, fault] of lost) {
            if (fault.kind !== "unreachable" || !faults.has(item)) faults.set(item, fault)
            if (fault.reason === "rate_limited") limited.add(item)
            else paid.delete(item)
            if (fault.elsewhere && !isTooWide(item, fault)) left.push(item)
            else item.settle(Exit.fail(fault))
          }
          const gone = able.length > 0 && lost.length === able.length && lost.every(isGone)
          if (gone) {
            const rest = Option.firstSomeOf(lost.map(([, fault]) => fault.retryAfter))
            yield* endpoint.rest(Option.getOrElse(rest, () => options.restAfterFailure))
            if (place === index) place = (index + 1) % pinned.length
          }
          pending = left
        }
        return pending
      })

    // Sends reads to one endpoint, settles those that it answered, and gives back the others.
    const attempt = (endpoint: Endpoint, probe: Capabilities.Probe, items: ReadonlyArray<Item>) => {
      const at = blockParams.at(probe)
      const calls = items.map(({ request }) => ({ method: request.method, params: request.params(at) }))
      const batches = Either.getOrElse(probe.capabilities.batch, () => true)
      const isBound = items.some(({ request }) => request.bound)
      if (calls.length === 0) return Effect.succeed<ReadonlyArray<Lost>>([])
      options.onUse?.(endpoint)
      return Effect.map(
        Effect.flatMap(hurried, (meter) =>
          isBound ? boundScan(endpoint, calls, meter, batches) : endpoint.send(calls, meter)
        ),
        (answers) =>
          items.flatMap((item, index): ReadonlyArray<Lost> => {
            const reading = Either.flatMap(answers[index] ?? Either.left(JsonRpc.garbage("no answer")), (answer) =>
              observations.answered(item.request, calls[index]?.params ?? [], answer)
            )
            if (Either.isLeft(reading)) return [[item, reading.left]]
            item.settle(Exit.succeed(reading.right))
            return []
          })
      )
    }

    return { current, route }
  })

/** What a route keeps of its reads from one round to the next. */
interface Progress {
  /** The last fault of each read. */
  readonly faults: Map<Item, JsonRpc.Fault>
  /** The reads of this round that an endpoint refused for its rate. */
  readonly limited: Set<Item>
  /**
   * The reads that the next request costs nothing for: a read pays when it leaves the queue, and a retry after a refusal
   * for the rate is free.
   */
  readonly paid: Set<Item>
}

/** A read that an endpoint did not answer, and why. */
type Lost = readonly [Item, JsonRpc.Fault]

// Whether another endpoint has our block is found out when it is needed. The one that it was pinned at has it.
const whenItHas = (
  endpoint: Endpoint,
  { block, blockParams, budget }: Pick<Parameters<typeof make>[0], "block" | "blockParams" | "budget">
): Effect.Effect<PinnedEndpoint, never, Scope.Scope> => {
  const find = Effect.gen(function* () {
    const probe = yield* endpoint.probe
    const [answer] = yield* endpoint.send([blockParams.header], budget.unmetered)
    const seen = yield* Capabilities.headOf(answer ?? Either.left(JsonRpc.garbage("no answer")))
    if (seen.hash === block.hash) return probe
    return yield* Effect.fail(
      JsonRpc.fault({ reason: "conflicting_sources", detail: "the endpoint has another block at this height" })
    )
  })
  // It may only be behind, and see our block in a moment.
  const known = Expiring.make(find, (exit) =>
    Exit.isSuccess(exit) && Object.values(exit.value.capabilities).every(Either.isRight)
      ? Number.POSITIVE_INFINITY
      : 1_000
  )
  return Effect.map(known, ({ get }) => ({ endpoint, probe: get }))
}

// Milliseconds: a wait that is no reason to read from another endpoint, and how long one is waited for where there are
// others.
const tolerableWait = 500
const patienceWithOne = 5_000

const lacking = (
  need: keyof Capabilities.Capabilities,
  shown: Either.Either<boolean, JsonRpc.Fault>
): Option.Option<JsonRpc.Fault> =>
  Either.match(shown, {
    onLeft: Option.some,
    onRight: (able) =>
      able
        ? Option.none()
        : Option.some(
            JsonRpc.fault({ reason: "method_unsupported", detail: `the endpoint was not shown to do ${need}` })
          )
  })

// A narrower range is tried before another endpoint.
const isTooWide = (item: Item, fault: JsonRpc.Fault): boolean =>
  item.request.divisible &&
  fault.reason === "log_range_limited" &&
  fault.kind !== "addressless" &&
  fault.kind !== "behind"

// The endpoint is gone, as opposed to one that finds a heavy read too heavy.
const isGone = ([item, fault]: Lost): boolean =>
  fault.spread === "endpoint" &&
  fault.reason !== "rate_limited" &&
  fault.kind !== "refused" &&
  fault.kind !== "oversized" &&
  !(fault.kind === "timeout" && item.request.heavy)

// The failure of a read that no endpoint answered: the last fault of a reachable endpoint, else that none was
// reachable.
const failureOf = (last: JsonRpc.Fault | undefined): JsonRpc.Fault =>
  last === undefined || last.kind === "unreachable"
    ? JsonRpc.fault({
        reason: "source_unavailable",
        kind: "unreachable",
        retryable: true,
        detail: "no endpoint of this chain could be reached",
        failure: last?.failure
      })
    : last
