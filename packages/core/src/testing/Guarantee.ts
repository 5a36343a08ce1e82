/** @internal */

import { Effect, Schema } from "effect"
import * as CanonicalJson from "../domain/CanonicalJson.js"
import type { Storage } from "../storage/Storage.js"
import type { StorageError } from "../storage/StorageError.js"

/** Holds where it succeeds, on a store that others have used before. */
export type Guarantee = Effect.Effect<void, Violation | StorageError, Storage>

/** Guarantees by their titles. */
export interface Guarantees {
  readonly [title: string]: Guarantee
}

/** Noon of a day, so that nothing but the cases about midnight crosses one. */
export const noon = Date.UTC(2026, 10, 21, 12)

/** Later than anything that a case writes. */
export const never = Date.UTC(2200, 0, 1)

/** That what was found is what is expected, as JSON. */
export const same = (what: string, actual: unknown, expected: unknown): Effect.Effect<void, Violation> => {
  const [found, wanted] = [CanonicalJson.stringify(actual), CanonicalJson.stringify(expected)]
  return found === wanted ? Effect.void : new Violation({ what, expected: wanted, actual: found })
}

export const concurrently = { concurrency: "unbounded" } as const

/** A store does not keep what its interface promises; both sides as RFC 8785 JSON. */
export class Violation extends Schema.TaggedError<Violation>()("Violation", {
  what: Schema.String,
  expected: Schema.String,
  actual: Schema.String
}) {
  override get message(): string {
    return `${this.what}: expected ${this.expected}, got ${this.actual}`
  }
}
