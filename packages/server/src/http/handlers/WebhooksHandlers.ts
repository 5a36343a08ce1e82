import * as Webhooks from "@assay/core/events/Webhooks"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Option } from "effect"
import { Api } from "../../api/Api.js"
import { CurrentCaller } from "../../api/Authentication.js"
import type { NewWebhook, WebhookPatch } from "../../api/WebhooksGroup.js"
import * as IdempotencyKey from "../edge/IdempotencyKey.js"
import * as Problems from "../representation/Problems.js"

export const layer = HttpApiBuilder.group(Api, "webhooks", (handlers) =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks.Webhooks

    return handlers
      .handle("create", ({ payload, request }) =>
        Effect.flatMap(IdempotencyKey.of(request), (idempotencyKey) =>
          CurrentCaller.pipe(
            Effect.flatMap((caller) => webhooks.create(caller, { ...newWebhook(payload), idempotencyKey })),
            Effect.map((created) =>
              HttpServerResponse.unsafeJson(created, {
                status: 201,
                headers: { location: `/api/v1/webhooks/${created.id}` }
              })
            ),
            Problems.translate
          )
        )
      )
      .handle("list", ({ urlParams }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => webhooks.list(caller, pageOf(urlParams))),
          Problems.translate
        )
      )
      .handle("get", ({ path }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => webhooks.get(caller, path.webhook_id)),
          Problems.translate
        )
      )
      .handle("change", ({ path, payload }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => webhooks.change(caller, path.webhook_id, changeOf(payload))),
          Problems.translate
        )
      )
      .handle("remove", ({ path }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => webhooks.remove(caller, path.webhook_id)),
          Problems.translate
        )
      )
      .handle("rotate", ({ path, payload }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => webhooks.rotate(caller, path.webhook_id, payload.overlap_seconds ?? 86_400)),
          Problems.translate
        )
      )
      .handle("test", ({ path }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => webhooks.ping(caller, path.webhook_id)),
          Problems.translate
        )
      )
      .handle("deliveries", ({ path, urlParams }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => webhooks.deliveries(caller, path.webhook_id, pageOf(urlParams))),
          Problems.translate
        )
      )
      .handle("retry", ({ path }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => webhooks.redeliver(caller, path.webhook_id, path.delivery_id)),
          Problems.translate
        )
      )
  })
)

const pageOf = (query: { readonly limit?: number | undefined; readonly cursor?: string | undefined }) => ({
  limit: query.limit ?? 20,
  cursor: Option.fromNullable(query.cursor)
})

const newWebhook = (body: typeof NewWebhook.Type): Webhooks.NewWebhook => ({
  url: body.url,
  label: body.label ?? null,
  eventTypes: body.event_types ?? ["watch.changed"],
  watchIds: body.watch_ids ?? null,
  minSeverity: body.min_severity ?? null
})

const changeOf = ({
  event_types,
  min_severity,
  watch_ids,
  ...same
}: typeof WebhookPatch.Type): Webhooks.WebhookChange => ({
  ...same,
  ...(event_types === undefined ? {} : { eventTypes: event_types }),
  ...(min_severity === undefined ? {} : { minSeverity: min_severity }),
  ...(watch_ids === undefined ? {} : { watchIds: watch_ids })
})
