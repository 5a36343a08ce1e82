import * as Core from "@assay/core/domain/Analysis"
import { Effect, ParseResult, Schema } from "effect"
import { AssayError } from "./AssayError.js"
import type { Analysis } from "./Documents.js"

/** An analysis that a caller kept, perhaps as JSON. */
export const analysis = (given: Analysis): Effect.Effect<Core.Analysis, AssayError> =>
  Effect.mapError(decode(given), (error) => {
    const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
    const where = issue === undefined ? "" : ` (${issue.path.join(".")}: ${issue.message})`
    return AssayError.make("invalid_document", `This is no analysis of this library${where}.`)
  })

const decode = Schema.decodeUnknown(Core.Analysis)
