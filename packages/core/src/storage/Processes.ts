import { Context, Effect, GlobalValue, Layer, Option } from "effect"
import * as LeaseToken from "./LeaseToken.js"

/**
 * The processes that share the stores: the name of this one, which its leases carry, and which others are proven gone.
 * Without proof, the lease decides when the work of a silent process ends.
 *
 * @since 0.1.0
 * @category services
 */
export class Processes extends Context.Tag("@assay/core/Processes")<
  Processes,
  {
    /** Unique for all time, without a dot. None where no other process could prove that this one is gone. */
    readonly self: Option.Option<string>
    /**
     * Which of these processes are proven gone: they hold nothing, and never write again. A process that lives, is
     * frozen, or of which nothing is known is not in the answer.
     */
    readonly gone: (names: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
  }
>() {}

/**
 * Proves nothing: leases alone decide. For stores that several machines share.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerUnknown: Layer.Layer<Processes> = Layer.succeed(Processes, {
  self: Option.none(),
  gone: () => Effect.succeed(new Set())
})

/**
 * For stores in the memory of this program: a layer lives from its construction until its scope is closed. Of names that
 * this program did not give, it knows nothing.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<Processes> = Layer.scoped(
  Processes,
  Effect.gen(function* () {
    const name = `memory-${yield* LeaseToken.make(Option.none())}`
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        living.set(name, true)
      }),
      () =>
        Effect.sync(() => {
          living.set(name, false)
        })
    )
    return {
      self: Option.some(name),
      gone: (names) => Effect.sync(() => new Set(names.filter((other) => living.get(other) === false)))
    }
  })
)

/**
 * The leases of processes that are proven gone. The leases of this process are never among them.
 *
 * @since 0.1.0
 * @category combinators
 */
export const orphans = <A>(
  held: ReadonlyArray<A>,
  tokenOf: (lease: A) => string
): Effect.Effect<ReadonlyArray<A>, never, Processes> =>
  Effect.flatMap(Processes, (processes) => {
    const names = held.flatMap((each) =>
      Option.toArray(
        Option.filter(LeaseToken.processOf(tokenOf(each)), (name) => !Option.contains(processes.self, name))
      )
    )
    if (names.length === 0) return Effect.succeed([])
    return Effect.map(processes.gone(Array.from(new Set(names))), (gone) =>
      held.filter((each) => Option.exists(LeaseToken.processOf(tokenOf(each)), (name) => gone.has(name)))
    )
  })

const living = GlobalValue.globalValue("@assay/core/Processes", () => new Map<string, boolean>())
