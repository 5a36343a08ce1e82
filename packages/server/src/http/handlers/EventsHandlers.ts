import * as Event from "@assay/core/domain/Event"
import * as Events from "@assay/core/events/Events"
import * as Keys from "@assay/core/keys/Keys"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Option, Stream } from "effect"
import { Api } from "../../api/Api.js"
import { CurrentCaller } from "../../api/Authentication.js"
import { type EventsQuery, streamType } from "../../api/EventsGroup.js"
import { ServerConfig } from "../../ServerConfig.js"
import { presentedBy } from "../edge/BearerAuthentication.js"
import { Closing } from "../edge/Closing.js"
import * as EventStream from "../representation/EventStream.js"
import * as Problems from "../representation/Problems.js"

export const layer = HttpApiBuilder.group(Api, "events", (handlers) =>
  Effect.gen(function* () {
    const closing = yield* Closing
    const events = yield* Events.Events
    const keys = yield* Keys.Keys
    const { basePath = "" } = yield* ServerConfig
    const located = (event: Event.Event) => Event.located(event, basePath)

    return handlers
      .handle("read", ({ urlParams }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => {
            const readFor = (waitSeconds: number) =>
              Effect.map(
                events.read(caller, filterOf(urlParams), { limit: urlParams.limit ?? 20, waitSeconds }),
                (page) => ({ ...page, data: page.data.map(located) })
              )
            return Effect.raceFirst(readFor(urlParams.wait ?? 0), Effect.zipRight(closing, readFor(0)))
          }),
          Problems.translate
        )
      )
      .handle("stream", ({ request, urlParams }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) =>
            Effect.map(
              events.stream(
                caller,
                filterOf({ ...urlParams, after: request.headers["last-event-id"] || urlParams.after })
              ),
              (told) =>
                EventStream.encode(
                  Stream.map(told, (one) => ({ ...one, event: located(one.event) })),
                  { closing, isAccepted: keys.isUsable(presentedBy(request)) }
                )
            )
          ),
          Effect.map((stream) =>
            HttpServerResponse.stream(stream, {
              contentType: streamType,
              // A proxy that collects or compresses the answer would hold events back.
              headers: { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }
            })
          ),
          Problems.translate
        )
      )
  })
)

const filterOf = (query: typeof EventsQuery.Type): Events.EventFilter => ({
  after: Option.fromNullable(query.after),
  types: query.types ?? [],
  watchId: Option.fromNullable(query.watch_id)
})
