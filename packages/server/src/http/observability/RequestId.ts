import * as Id from "@assay/core/domain/Id"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect } from "effect"

/**
 * The header of the request id; an incoming value is replaced, so that a client cannot choose it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const header = "request-id"

/**
 * A new id for a request.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Id.RequestId> = Id.make("req")

/**
 * Makes ids for requests that no fiber answers.
 *
 * @since 0.1.0
 * @category constructors
 */
export const sequence: Effect.Effect<(now: number) => Id.RequestId> = Id.sequence("req")

/**
 * The id of the current request.
 *
 * @since 0.1.0
 * @category combinators
 */
export const current: Effect.Effect<Id.RequestId, never, HttpServerRequest.HttpServerRequest> = Effect.map(
  HttpServerRequest.HttpServerRequest,
  (request) => request.headers[header] as Id.RequestId
)
