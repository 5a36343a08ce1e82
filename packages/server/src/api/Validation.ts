import { HttpApiMiddleware } from "@effect/platform"
import { Schema } from "effect"
import * as Problem from "./Problem.js"

/**
 * Lets a request pass whose path, query, body and Accept header are what its endpoint declares and nothing else.
 *
 * @since 0.1.0
 * @category services
 */
export class Validation extends HttpApiMiddleware.Tag<Validation>()("@assay/server/Validation", {
  failure: Schema.Union(
    Problem.schema("malformed_request"),
    Problem.schema("not_found"),
    Problem.schema("not_acceptable"),
    Problem.schema("payload_too_large"),
    Problem.schema("unsupported_media_type"),
    Problem.schema("validation_failed")
  )
}) {}
