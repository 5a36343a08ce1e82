/** @internal */

import { Uncertain } from "@assay/storage-sql/SqlDatabase"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, type ParseResult } from "effect"

/**
 * What one transaction claimed: `used` is how many of the slots it needed, `isMore` whether something is left that others
 * held at that moment.
 */
export interface Round<A> {
  readonly claims: ReadonlyArray<A>
  readonly used: number
  readonly isMore: boolean
}

/**
 * Claims what nobody holds, and where slots and work are left, waits for what others hold, one after another. Each round is
 * a transaction. One that fails after others succeeded ends the claim: what they claimed is the answer.
 */
export const all = <A, Slot>(
  slots: ReadonlyArray<Slot>,
  round: (
    slots: ReadonlyArray<Slot>,
    options: { readonly waits: boolean }
  ) => Effect.Effect<Round<A>, SqlError | Uncertain | ParseResult.ParseError>
): Effect.Effect<ReadonlyArray<A>, SqlError | Uncertain | ParseResult.ParseError> =>
  Effect.gen(function* () {
    const first = yield* round(slots, { waits: false })
    const claims = [...first.claims]
    let { isMore } = first
    let used = first.used
    // Each round uses a slot, unless it waited for what another one took whole.
    for (let rounds = 0; isMore && used < slots.length && rounds < 2 * slots.length; rounds++) {
      const next = yield* Effect.catchIf(
        round(slots.slice(used), { waits: true }),
        (error) => claims.length > 0 && !(error instanceof Uncertain),
        () => Effect.succeed<Round<A>>({ claims: [], used: 0, isMore: false })
      )
      claims.push(...next.claims)
      used += next.used
      isMore = next.isMore
    }
    return claims
  })
