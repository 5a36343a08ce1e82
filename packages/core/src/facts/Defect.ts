/** @internal */

import { Cause, Data, Effect, Metric, MetricLabel, Option } from "effect"
import { ChainError } from "../chain/ChainError.js"
import type { ChainState } from "../chain/state/ChainState.js"
import type { Target } from "../domain/Target.js"

/** A place in this engine: which code, fact or check it was at work on. `of` is the hash of the code or the address. */
export interface Place {
  readonly part: "code" | "fact" | "check"
  readonly name: string
  readonly of: string
}

/** A bug of this engine that occurred in an analysis: the thrown value, and the spans it passed, innermost first. */
export class Defect extends Data.TaggedClass("Defect")<{
  readonly places: readonly [Place, ...ReadonlyArray<Place>]
  readonly cause: Cause.Cause<unknown>
}> {}

/** Notes the place on a defect that passes it. Failures and interruptions pass as they are. */
export const at =
  (place: () => Place) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchAllCause(effect, (cause) => {
      if (!Cause.isDie(cause)) return Effect.failCause(cause)
      const known = [...Cause.defects(cause)].find((thrown) => thrown instanceof Defect)
      return Effect.die(
        known === undefined
          ? new Defect({ places: [place()], cause })
          : new Defect({ places: [...known.places, place()], cause: known.cause })
      )
    })

/** Goes on from a defect that passed {@link at}. */
export const catchAll =
  <B, E2, R2>(recover: (defect: Defect) => Effect.Effect<B, E2, R2>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | B, E | E2, R | R2> =>
    Effect.catchSomeDefect(effect, (thrown) =>
      thrown instanceof Defect ? Option.some(recover(thrown)) : Option.none()
    )

/** A defect as a read without an answer, for readings that need not be evidence of their own. */
export const asChainError = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | ChainError, R> =>
  Effect.catchAllDefect(
    effect,
    (thrown) =>
      new ChainError({
        reason: "internal_error",
        method: thrown instanceof Defect ? thrown.places[0].name : "analysis",
        retryable: false,
        detail: "this engine failed"
      })
  )

/** Where a defect was met, for the detail of an unknown item: "this engine failed in Powers.of for 0x…". */
export const describe = ({ places: [{ name, of, part }] }: Defect): string =>
  part === "check"
    ? "this engine failed in this check"
    : `this engine failed in ${name} for the ${subject[part]} ${of.slice(0, longest)}`

/** A hash, or the first address of several. */
const longest = 66

const subject = { code: "code with hash", fact: "account" } as const

/** Logs each defect once, with what reproduces it and the claims that it cost, and counts it. */
export const report = (
  defects: ReadonlyArray<Defect>,
  { block, chain }: Pick<ChainState["Type"], "block" | "chain">,
  target: Target
): Effect.Effect<void> => {
  const met = new Map<string, Array<Defect>>()
  for (const defect of defects) {
    const { name, of } = defect.places[0]
    const key = `${name} ${of}`
    met.set(key, [...(met.get(key) ?? []), defect])
  }
  return Effect.forEach(
    met.values(),
    (alike) => {
      const [first] = alike
      if (first === undefined) return Effect.void
      const { name, of, part } = first.places[0]
      return Effect.zipRight(
        Metric.update(
          Metric.taggedWithLabels(internalErrors, [MetricLabel.make("part", part), MetricLabel.make("name", name)]),
          1
        ),
        Effect.logError("A part of an analysis failed unexpectedly", first.cause).pipe(
          Effect.annotateLogs({
            part,
            name,
            of,
            chain: chain.id,
            block: block.number,
            block_hash: block.hash,
            target: `${target.kind} ${target.address}`,
            passed: first.places
              .slice(1)
              .filter((place) => place.part !== "check")
              .map((place) => `${place.name} ${place.of}`)
              .join(", "),
            claims: [
              ...new Set(
                alike.flatMap(({ places }) => places.filter((place) => place.part === "check").map((p) => p.name))
              )
            ].join(", ")
          })
        )
      )
    },
    { discard: true }
  )
}

const internalErrors = Metric.counter("assay_internal_errors_total", {
  description: "Defects of the engine that made evidence unknown, by the part that failed.",
  incremental: true
})
