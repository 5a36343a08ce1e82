/** @internal */
/// <reference path="./better-sqlite3.d.ts" />

import { codeOf } from "@assay/storage-sql/SqlDatabase"
import Database from "better-sqlite3"
import { Effect, Option } from "effect"

/**
 * Why the driver cannot be loaded and what to do, in one line; none where something else went wrong. Its native part is
 * compiled for one version of Node.js, and is missing after an installation without scripts.
 */
export const faultOf = (thrown: unknown): Option.Option<string> =>
  Option.contains(codeOf(thrown), "ERR_DLOPEN_FAILED")
    ? Option.some(
        `better-sqlite3 is not compiled for this Node.js (${process.version}). Run npm rebuild better-sqlite3.`
      )
    : hasNoBinary(thrown)
      ? Option.some("better-sqlite3 has no compiled part. Run npm rebuild better-sqlite3.")
      : Option.none()

/** https://github.com/TooTallNate/node-bindings/blob/master/bindings.js */
const hasNoBinary = (thrown: unknown): boolean => thrown instanceof Error && "tries" in thrown

/** The fault of the driver; none where it can be loaded. */
export const fault: Effect.Effect<Option.Option<string>> = Effect.match(
  Effect.try({ try: () => new Database(":memory:", { readonly: false }).close(), catch: (thrown) => thrown }),
  { onFailure: faultOf, onSuccess: () => Option.none() }
)
