import { Context, Effect, Either, Layer } from "effect"
import * as Analyzer from "../analysis/Analyzer.js"
import * as ChainAccess from "../chain/ChainAccess.js"
import * as Pace from "../chain/rpc/Pace.js"
import { Transport } from "../chain/rpc/Transport.js"
import type * as Check from "../checks/Check.js"
import type { Analysis } from "../domain/Analysis.js"
import * as FaultLaw from "./FaultLaw.js"
import * as RpcFault from "./RpcFault.js"

/**
 * What came of failing every call of an analysis in turn, each way.
 *
 * - `calls`: different JSON-RPC calls of the undisturbed analysis.
 * - `cases`: those calls, once for each kind of fault that can befall them and was taken; `noticed` is how many of them
 *   changed what the analysis said, `refused` how many left nothing to be said.
 * - `runs`: analyses that were made. One stands for several cases where they are one and the same: what fails a request
 *   fails all calls in it alike.
 * - `unnoticed`: the other cases, each with its fault and its call in one line: of a call that nothing said came from.
 * - `breaches`: each in one line, with the fault; empty where the law ({@link FaultLaw}) was kept.
 *
 * @since 0.1.0
 * @category models
 */
export interface FaultSweep {
  readonly calls: number
  readonly cases: number
  readonly runs: number
  readonly noticed: number
  readonly refused: number
  readonly unnoticed: ReadonlyArray<string>
  readonly breaches: ReadonlyArray<string>
}

/**
 * Makes an analysis once undisturbed, then again with each single call failed, in each way, and holds what it says against
 * {@link FaultLaw}. An analysis may also refuse, with `UpstreamUnavailable`.
 *
 * The analysis has to send the same calls each time, over {@link RpcFault}, and remember nothing of the time before:
 * see {@link layer}. The chain has to stand still, and is best recorded once ({@link RpcTape}).
 *
 * A sweep makes hundreds of analyses. One that has to be shorter takes a part of the cases: `takes` is given each kind with
 * the place of a call among the different calls, or of its request among the requests where the kind fails all of it; both
 * are of the undisturbed analysis, in the order of sending, from 0.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = <E extends { readonly _tag: string }, R>(
  analysis: Effect.Effect<Analysis, E, R>,
  kinds: ReadonlyArray<RpcFault.Kind> = RpcFault.typical,
  takes: (kind: RpcFault.Kind, place: number) => boolean = () => true
): Effect.Effect<FaultSweep, E, R | RpcFault.RpcFault> =>
  Effect.gen(function* () {
    const faults = yield* RpcFault.RpcFault
    const under = (rules: ReadonlyArray<RpcFault.Rule>) =>
      Effect.gen(function* () {
        yield* faults.replace(rules)
        yield* faults.forget
        const outcome = yield* Effect.either(analysis)
        return { outcome, seen: yield* faults.seen }
      })
    const undisturbed = yield* under([])
    const whole = yield* undisturbed.outcome
    const methods = new Map(undisturbed.seen.map(({ key, method }) => [key, method]))
    const requests = new Map([...undisturbed.seen].reverse().map(({ key, request }) => [key, request - 1]))
    const placeIn = (kind: RpcFault.Kind, key: string, place: number) =>
      RpcFault.isOfRequest(kind) ? (requests.get(key) ?? place) : place
    const unnoticed: Array<string> = []
    const breaches: Array<string> = []
    const found = { calls: methods.size, cases: 0, runs: 0, noticed: 0, refused: 0, unnoticed, breaches }
    for (const kind of kinds) {
      const open = new Set(
        [...methods].flatMap(([key, method], place) =>
          RpcFault.befalls(kind, method) && takes(kind, placeIn(kind, key, place)) ? [key] : []
        )
      )
      for (const key of open) {
        const { outcome, seen } = yield* under([{ when: (call) => call.key === key, kind }])
        const cases = RpcFault.isOfRequest(kind) ? alike(seen, key).filter((other) => open.has(other)) : [key]
        for (const one of cases) open.delete(one)
        found.runs++
        found.cases += cases.length
        if (Either.isLeft(outcome)) found.refused += cases.length
        else if (outcome.right.content_hash !== whole.content_hash) found.noticed += cases.length
        else for (const one of cases) unnoticed.push(line(kind, one))
        const broken = Either.match(outcome, {
          onLeft: ({ _tag }) => (_tag === "UpstreamUnavailable" ? [] : [`it failed with ${_tag}`]),
          onRight: (disturbed) => FaultLaw.violations(whole, disturbed)
        })
        for (const breach of broken) breaches.push(`${line(kind, key)}: ${breach}`)
      }
    }
    yield* faults.replace([])
    return found
  })

/**
 * An engine over a transport that is given, with {@link RpcFault} between them. It knows nothing of its endpoints when an
 * analysis begins, as the first one of a process, and waits for nothing: no fault outlives its analysis.
 *
 * Each read is a call of its own, so that each can be lost alone, unless `lenses` are believed from the beginning.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <const C extends ReadonlyArray<Check.Any>>(
  checks: C,
  options: { readonly lenses?: boolean } = {}
): Layer.Layer<
  Analyzer.Analyzer | RpcFault.RpcFault,
  never,
  Transport | Exclude<Check.Requirements<C[number]>, Analyzer.BuiltIn>
> => Layer.provideMerge(Layer.provide(Analyzer.layer(checks), forgetful(options)), RpcFault.layer)

const forgetful = ({ lenses = false }: { readonly lenses?: boolean }) =>
  Layer.effect(
    ChainAccess.ChainAccess,
    Effect.map(Transport, (transport) => {
      const fresh = Layer.provide(
        ChainAccess.layerTransport({
          retryDelay: 0,
          patience: 0,
          pace: Pace.unlimited,
          lenses: lenses ? "agrees" : "differs"
        }),
        Layer.succeed(Transport, transport)
      )
      return {
        pin: (request) =>
          Effect.flatMap(Layer.build(fresh), (built) => Context.get(built, ChainAccess.ChainAccess).pin(request))
      }
    })
  )

const line = (kind: RpcFault.Kind, key: string): string => `${kind} of ${key.slice(0, 240)}`

/** The calls that were in the same requests as one, so that whatever fails its requests fails theirs, and no others. */
const alike = (seen: ReadonlyArray<RpcFault.SeenCall>, key: string): ReadonlyArray<string> => {
  const requests = new Map<string, Set<number>>()
  for (const call of seen) requests.set(call.key, (requests.get(call.key) ?? new Set()).add(call.request))
  const placeOf = (numbers: ReadonlySet<number> | undefined) => [...(numbers ?? [])].join()
  const own = placeOf(requests.get(key))
  return [
    key,
    ...[...requests].flatMap(([other, numbers]) => (other !== key && placeOf(numbers) === own ? [other] : []))
  ]
}
