import * as Event from "@assay/core/domain/Event"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import * as HeaderField from "./HeaderField.js"
import * as Parameters from "./Parameters.js"
import * as Problem from "./Problem.js"
import { Produces } from "./Produces.js"
import { Validation } from "./Validation.js"

/** Which events of the caller to read. */
export const EventsQuery = Schema.Struct({
  after: Schema.optional(Parameters.AfterText),
  types: Schema.optional(Parameters.EventTypesText),
  watch_id: Schema.optional(Parameters.WatchIdText)
})

/** A page of the log, oldest first; `next_after` is the cursor of the next page, also where this page is empty. */
export const EventPage = Schema.Struct({ data: Schema.Array(Event.Event), next_after: Schema.String }).annotations({
  identifier: "EventPage"
})

/**
 * The media type of the stream.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export const streamType = "text/event-stream"

const read = HttpApiEndpoint.get("read", "/events")
  .setUrlParams(
    Schema.Struct({
      ...EventsQuery.fields,
      limit: Schema.optional(Parameters.LimitText),
      wait: Schema.optional(Parameters.WaitText)
    })
  )
  .addSuccess(EventPage)
  .addError(Problem.schema("malformed_request"))
  .addError(Problem.schema("cursor_expired"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "The events of the caller, oldest first")
  .annotate(
    OpenApi.Description,
    "Pass `next_after` as `after` for the next page. With `wait`, an empty response is delayed until an event arrives or the time is over."
  )

const stream = HttpApiEndpoint.get("stream", "/events/stream")
  .setUrlParams(EventsQuery)
  .addSuccess(
    Schema.String.annotations({ description: "Server-sent events" }).pipe(
      HttpApiSchema.withEncoding({ kind: "Text", contentType: streamType })
    )
  )
  .addError(Problem.schema("malformed_request"))
  .addError(Problem.schema("cursor_expired"))
  .addError(Problem.schema("concurrency_exceeded"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(Produces, [streamType])
  .annotate(OpenApi.Summary, "The events of the caller as a stream")
  .annotate(
    OpenApi.Description,
    "Server-sent events: `id` is the cursor, `event` the type, `data` the event. The stream continues after `Last-Event-ID`, or after `after`. The server ends each stream after some time: reconnect with the last id."
  )
  .annotate(...HeaderField.optional("Last-Event-ID", "The `id` of the last event read; takes precedence over `after`"))

/** The event log, as pages and as a stream. */
export class EventsGroup extends HttpApiGroup.make("events")
  .add(read)
  .add(stream)
  .middleware(Validation)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Changes found by watches, and events of watches and quota") {}
