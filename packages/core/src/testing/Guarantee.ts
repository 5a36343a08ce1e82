/** @internal */

import { Effect, Schema } from "effect"
import * as CanonicalJson from "../domain/CanonicalJson.js"
import type { Storage } from "../storage/Storage.js"
import type { StorageError } from "../storage/StorageError.js"
import * as Difference from "./Difference.js"

/** Holds where it succeeds, on a store that others have used before. */
export type Guarantee<S = Storage> = Effect.Effect<void, Violation | StorageError, S>

/** Guarantees of a store, or of several together, by their titles. */
export interface Guarantees<S = Storage> {
  readonly [title: string]: Guarantee<S>
}

/** Noon of a day, so that nothing but the cases about midnight crosses one. */
export const noon = Date.UTC(2026, 10, 21, 12)

/** Later than anything that a case writes. */
export const never = Date.UTC(2200, 0, 1)

/** That what was found is what is expected, as JSON. */
export const same = (what: string, actual: unknown, expected: unknown): Effect.Effect<void, Violation> => {
  const [found, wanted] = [CanonicalJson.stringify(actual), CanonicalJson.stringify(expected)]
  return found === wanted ? Effect.void : new Violation({ what, sides: { expected: wanted, actual: found } })
}

export const concurrently = { concurrency: "unbounded" } as const

/**
 * A store does not keep what its interface promises. `what` was compared, both `sides` are RFC 8785 JSON, `method` was called
 * last, and `title` is that of the case. The message shows where the sides differ.
 */
export class Violation extends Schema.TaggedError<Violation>()("Violation", {
  what: Schema.String,
  sides: Schema.optional(Schema.Struct({ expected: Schema.String, actual: Schema.String })),
  method: Schema.optional(Schema.String),
  title: Schema.optional(Schema.String)
}) {
  override get message(): string {
    const { method, sides, title, what } = this
    const differences =
      sides === undefined ? "" : `: ${Difference.between(parsed(sides.expected), parsed(sides.actual)).join("; ")}`
    const after = method === undefined || what.startsWith(method) ? "" : ` (after ${method})`
    return `${title === undefined ? "" : `"${title}": `}${what}${differences}${after}`
  }
}

const parsed = (json: string): unknown => JSON.parse(json)
