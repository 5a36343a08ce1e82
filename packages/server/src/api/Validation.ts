import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Schema } from "effect"
import * as Problem from "./Problem.js"

/** Rejects a request with a path, query, body or Accept header that its endpoint does not declare. */
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
