import * as Event from "@assay/core/domain/Event"
import * as Evidence from "@assay/core/domain/Evidence"
import * as Page from "@assay/core/domain/Page"
import * as Url from "@assay/core/domain/Url"
import * as Webhook from "@assay/core/domain/Webhook"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Option, Schema } from "effect"
import { Authentication } from "./Authentication.js"
import * as HeaderField from "./HeaderField.js"
import * as Parameters from "./Parameters.js"
import * as Problem from "./Problem.js"
import { ShortText } from "./ShortText.js"
import { Validation } from "./Validation.js"
import { refusing } from "./Violation.js"

/** The violations of a URL itself, before its host is resolved. */
export const badUrls = {
  bad_url: "Expected a URL.",
  scheme: "Expected a URL that begins with https://.",
  userinfo: "Expected a URL without user and password.",
  port: "This deployment does not send to this port."
} as const

// Reported with the other violations of a body; the deployment decides whether http and the host are allowed.
const WebhookUrl = Schema.String.pipe(
  Schema.maxLength(2_048, refusing("too_long", "Maximum is 2048 characters.", 2_048)),
  Schema.filter((text) => Option.isSome(Url.parse(text)), {
    ...refusing("bad_url", badUrls.bad_url),
    jsonSchema: { format: "uri" }
  }),
  Schema.filter((text) => /^https?:$/.test(new URL(text).protocol), refusing("bad_url", badUrls.scheme)),
  Schema.filter((text) => hasNoCredentials(new URL(text)), refusing("bad_url", badUrls.userinfo))
)

const hasNoCredentials = ({ password, username }: URL): boolean => username === "" && password === ""

// To stop deliveries, disable the webhook; an empty list is refused.
const some = <A, I>(item: Schema.Schema<A, I>) =>
  Schema.Array(item).pipe(
    Schema.minItems(1, refusing("too_short", "Minimum is 1 item.", 1)),
    Schema.maxItems(100, refusing("too_long", "Maximum is 100 items.", 100))
  )

const EventTypes = some(Event.EventType)
const WatchIds = some(Parameters.WatchIdText)

/** The body of `POST /api/v1/webhooks`. */
export const NewWebhook = Schema.Struct({
  url: WebhookUrl,
  event_types: Schema.optional(Schema.NullOr(EventTypes)),
  label: Schema.optional(Schema.NullOr(ShortText)),
  watch_ids: Schema.optional(Schema.NullOr(WatchIds)),
  min_severity: Schema.optional(Schema.NullOr(Evidence.Severity))
}).annotations({ identifier: "NewWebhook" })

/** The body of `PATCH /api/v1/webhooks/{webhook_id}`: absent members stay, null clears. */
export const WebhookPatch = Schema.Struct({
  url: Schema.optionalWith(WebhookUrl, { exact: true }),
  event_types: Schema.optionalWith(EventTypes, { exact: true }),
  label: Schema.optionalWith(Schema.NullOr(ShortText), { exact: true }),
  watch_ids: Schema.optionalWith(Schema.NullOr(WatchIds), { exact: true }),
  min_severity: Schema.optionalWith(Schema.NullOr(Evidence.Severity), { exact: true }),
  state: Schema.optionalWith(Webhook.Webhook.fields.state, { exact: true })
}).annotations({ identifier: "WebhookPatch" })

/** The body of `POST /api/v1/webhooks/{webhook_id}/rotate-secret`. */
export const Rotation = Schema.Struct({
  overlap_seconds: Schema.optional(
    Schema.NullOr(
      Schema.Int.pipe(
        Schema.greaterThanOrEqualTo(0, refusing("below_minimum", "Minimum is 0.", 0)),
        Schema.lessThanOrEqualTo(604_800, refusing("above_maximum", "Maximum is 604800.", 604_800))
      )
    )
  )
}).annotations({ identifier: "Rotation" })

// Not the union of all events: a union loses the status annotations of its members.
const TestEvent = Event.Event.pipe(Schema.filter(({ type }) => type === "test.ping"))

const create = HttpApiEndpoint.post("create", "/webhooks")
  .setPayload(NewWebhook)
  .addSuccess(
    Webhook.CreatedWebhook.annotations({ ...HttpApiSchema.annotations({ status: 201 }), identifier: "CreatedWebhook" })
  )
  .addError(Problem.schema("validation_failed"))
  .addError(Problem.schema("webhook_limit_reached"))
  .addError(Problem.schema("webhook_url_forbidden"))
  .addError(Problem.schema("idempotency_key_reused"))
  .addError(Problem.schema("rate_limited"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "Send events to a URL")
  .annotate(
    OpenApi.Description,
    "Default `event_types`: `watch.changed`. Deliveries are signed as Standard Webhooks (https://www.standardwebhooks.com) with the `secret` of this response. Each is delivered at least once, in any order: `sequence` has the order. `watch_ids` are watches of the caller; a watch removed later stays in the list without effect. A request that is repeated with the same `Idempotency-Key` within 24 hours makes no second webhook and returns the one that the first made, as it is now, with the secret that signs for it."
  )
  .annotate(...HeaderField.idempotencyKey)

const pageQuery = Schema.Struct({
  limit: Schema.optional(Parameters.LimitText),
  cursor: Schema.optional(Parameters.CursorText)
})

const list = HttpApiEndpoint.get("list", "/webhooks")
  .setUrlParams(pageQuery)
  .addSuccess(Page.Page(Webhook.Webhook))
  .addError(Problem.schema("malformed_request"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "The webhooks of the caller, newest first")

const get = HttpApiEndpoint.get("get")`/webhooks/${Parameters.webhookId}`
  .addSuccess(Webhook.Webhook)
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "One webhook")

const change = HttpApiEndpoint.patch("change")`/webhooks/${Parameters.webhookId}`
  .setPayload(WebhookPatch)
  .addSuccess(Webhook.Webhook)
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("validation_failed"))
  .addError(Problem.schema("webhook_url_forbidden"))
  .addError(Problem.schema("rate_limited"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "Change a webhook, or switch it on or off")
  .annotate(
    OpenApi.Description,
    "Absent members stay; null clears `label`, `watch_ids` and `min_severity`. A new `url` resets the failure count, and pending deliveries go there with their next attempt. `event_types`, `watch_ids` and `min_severity` apply to new events; pending deliveries are still sent. Disabling drops pending deliveries. Enabling resets the failure count; `retry` sends a dropped delivery, and `GET /api/v1/events` lists the events in between."
  )

const remove = HttpApiEndpoint.del("remove")`/webhooks/${Parameters.webhookId}`
  .addSuccess(HttpApiSchema.NoContent)
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "Remove a webhook and its pending deliveries")

const rotate = HttpApiEndpoint.post("rotate")`/webhooks/${Parameters.webhookId}/rotate-secret`
  .setPayload(Rotation)
  .addSuccess(Webhook.CreatedWebhook)
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "Make a new signing secret")
  .annotate(
    OpenApi.Description,
    "Deliveries are signed with both secrets for `overlap_seconds` (default 86400), so that no receiver rejects one."
  )
  .annotate(OpenApi.Transform, ({ requestBody, ...operation }) => ({
    ...operation,
    requestBody: { ...(requestBody as object), required: false }
  }))

const test = HttpApiEndpoint.post("test")`/webhooks/${Parameters.webhookId}/test`
  .addSuccess(TestEvent, { status: 202 })
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("rate_limited"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "Send a `test.ping` to this webhook alone")
  .annotate(
    OpenApi.Description,
    "Sent once, also to a disabled webhook, to test a receiver before it is enabled. A failure does not count as a failure of the webhook, except 410. Tests and retries are limited per webhook, key and host: see `GET /api/v1/limits`."
  )

const deliveries = HttpApiEndpoint.get("deliveries")`/webhooks/${Parameters.webhookId}/deliveries`
  .setUrlParams(pageQuery)
  .addSuccess(Page.Page(Webhook.Delivery))
  .addError(Problem.schema("malformed_request"))
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "The deliveries of a webhook, sent and pending, newest first")

const retry = HttpApiEndpoint.post("retry")`/webhooks/${Parameters.webhookId}/deliveries/${Parameters.deliveryId}/retry`
  .addSuccess(Webhook.Delivery.annotations({ ...HttpApiSchema.annotations({ status: 202 }), identifier: "Delivery" }))
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("rate_limited"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "Send again, at once")
  .annotate(
    OpenApi.Description,
    "A finished delivery is sent once more, without further attempts, also to a disabled webhook. A failure does not count as a failure of the webhook, except 410. A pending delivery is sent now and keeps its remaining attempts, ten in total."
  )

/** Webhooks: URLs that receive events. */
export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(create)
  .add(list)
  .add(get)
  .add(change)
  .add(remove)
  .add(rotate)
  .add(test)
  .add(deliveries)
  .add(retry)
  .middleware(Validation)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "URLs that receive events") {}
