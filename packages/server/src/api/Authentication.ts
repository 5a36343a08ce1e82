import type * as Caller from "@assay/core/domain/Caller"
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as OpenApi from "@effect/platform/OpenApi"
import { Context, Schema } from "effect"
import * as Problem from "./Problem.js"

/**
 * The authenticated caller of a request.
 *
 * @since 0.1.0
 * @category services
 */
export class CurrentCaller extends Context.Tag("@assay/server/CurrentCaller")<CurrentCaller, Caller.Caller>() {}

/**
 * Lets a request with a valid key and within its burst limit pass, before any other validation.
 *
 * @since 0.1.0
 * @category services
 */
export class Authentication extends HttpApiMiddleware.Tag<Authentication>()("@assay/server/Authentication", {
  failure: Schema.Union(
    Problem.schema("authentication_required"),
    Problem.schema("invalid_key"),
    Problem.schema("key_expired"),
    Problem.schema("key_revoked"),
    Problem.schema("key_disabled"),
    Problem.schema("rate_limited"),
    Problem.schema("storage_unavailable"),
    Problem.schema("internal_error")
  ),
  provides: CurrentCaller,
  security: {
    bearer: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(
        OpenApi.Description,
        "An API key from `POST /api/v1/keys`: `Authorization: Bearer asy_…`"
      )
    )
  }
}) {}
