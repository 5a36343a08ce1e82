import * as Id from "@assay/core/domain/Id"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect } from "effect"

/** The header of the request id; an incoming value is replaced, so that a client cannot choose it. */
export const header = "request-id"

/** A new id for a request. */
export const make: Effect.Effect<Id.RequestId> = Id.make("req")

/** Makes ids for requests that no fiber answers. */
export const sequence: Effect.Effect<(now: number) => Id.RequestId> = Id.sequence("req")

/** The id of the current request. */
export const current: Effect.Effect<Id.RequestId, never, HttpServerRequest.HttpServerRequest> = Effect.map(
  HttpServerRequest.HttpServerRequest,
  (request) => request.headers[header] as Id.RequestId
)
