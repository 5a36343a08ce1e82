import * as ApiKey from "@assay/core/domain/ApiKey"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import { PlainText } from "./PlainText.js"
import * as Problem from "./Problem.js"
import { Requester } from "./Requester.js"
import { Validation } from "./Validation.js"
import { refusing } from "./Violation.js"

/** The label of a key: trimmed, then 1 to 100 characters, no control or format characters. */
export const LabelText = Schema.transform(
  Schema.String.annotations({
    jsonSchema: {
      type: "string",
      minLength: 1,
      maxLength: 100,
      description: "Trimmed, then 1 to 100 characters; no control or format characters"
    }
  }),
  PlainText.pipe(
    Schema.filter((text) => text.length >= 1, refusing("too_short", "Minimum is 1 character after trimming.", 1)),
    Schema.filter((text) => text.length <= 100, refusing("too_long", "Maximum is 100 characters after trimming.", 100))
  ),
  { strict: true, decode: (text) => text.trim(), encode: (text) => text }
)

/** The body of `POST /api/v1/keys`. */
export const NewKey = Schema.Struct({
  label: LabelText,
  expires_in_seconds: Schema.optional(
    Schema.NullOr(
      Schema.Int.pipe(
        Schema.greaterThanOrEqualTo(3_600, refusing("below_minimum", "Minimum is 3600.", 3_600)),
        Schema.lessThanOrEqualTo(31_536_000, refusing("above_maximum", "Maximum is 31536000.", 31_536_000))
      )
    )
  ),
  invitation: Schema.optional(
    Schema.NullOr(
      Schema.String.pipe(
        Schema.maxLength(200, {
          ...refusing("too_long", "Maximum is 200 characters.", 200),
          description: "What the operator sent you: `asi_` and 32 letters and digits. It is a secret"
        })
      )
    )
  )
}).annotations({ identifier: "NewKey" })

const create = HttpApiEndpoint.post("create", "/keys")
  .setPayload(NewKey)
  .addSuccess(
    ApiKey.CreatedKey.annotations({ ...HttpApiSchema.annotations({ status: 201 }), identifier: "CreatedKey" })
  )
  .addError(Problem.schema("key_creation_closed"))
  .addError(Problem.schema("invitation_refused"))
  .addError(Problem.schema("rate_limited"))
  .addError(Problem.schema("storage_unavailable"))
  .middleware(Requester)
  .annotate(OpenApi.Summary, "Create an API key")
  .annotate(
    OpenApi.Description,
    "Needs no account. A server may take an `invitation` of its operator alone, or have closed this, and then its operator creates keys. The response has the secret, which cannot be recovered later: only its hash is stored. Where the answer was lost, request another key. With an `invitation` send an `Idempotency-Key` too: the same request again gives the same key another secret, as long as nobody has used that key, and takes no second use of the invitation. Without an invitation an `Idempotency-Key` has no effect here."
  )

const self = HttpApiEndpoint.get("self", "/keys/self")
  .addSuccess(ApiKey.ApiKey)
  .addError(Problem.schema("storage_unavailable"))
  .middleware(Authentication)
  .annotate(OpenApi.Summary, "The key of the caller")

/** The body of `PATCH /api/v1/keys/self`. */
export const KeyEdit = Schema.Struct({ label: Schema.optional(Schema.NullOr(LabelText)) }).annotations({
  identifier: "KeyEdit"
})

const change = HttpApiEndpoint.patch("change", "/keys/self")
  .setPayload(KeyEdit)
  .addSuccess(ApiKey.ApiKey)
  .addError(Problem.schema("storage_unavailable"))
  .middleware(Authentication)
  .annotate(OpenApi.Summary, "Rename the key of the caller")

/** The body of `POST /api/v1/keys/self/rotate`. */
export const KeyRotation = Schema.Struct({
  overlap_seconds: Schema.optional(
    Schema.NullOr(
      Schema.Int.pipe(
        Schema.greaterThanOrEqualTo(0, refusing("below_minimum", "Minimum is 0.", 0)),
        Schema.lessThanOrEqualTo(604_800, refusing("above_maximum", "Maximum is 604800.", 604_800))
      )
    )
  )
}).annotations({ identifier: "KeyRotation" })

const rotate = HttpApiEndpoint.post("rotate", "/keys/self/rotate")
  .setPayload(KeyRotation)
  .addSuccess(
    ApiKey.CreatedKey.annotations({ ...HttpApiSchema.annotations({ status: 201 }), identifier: "CreatedKey" })
  )
  .addError(Problem.schema("storage_unavailable"))
  .middleware(Authentication)
  .annotate(OpenApi.Summary, "Give the key of the caller a new secret")
  .annotate(
    OpenApi.Description,
    "The secret that the request is sent with stays valid for `overlap_seconds` (default 86400), and no longer than it would have; every other secret of the key ends at once. Quota, watches, webhooks and executions belong to the key and stay. Where the answer was lost, repeat the request with the same secret: the new secret that nobody was shown ends. With `overlap_seconds` 0 a lost answer loses the key. Where a secret leaked, rotate with 0: until then whoever has it can rotate too."
  )
  .annotate(OpenApi.Transform, ({ requestBody, ...operation }) => ({
    ...operation,
    requestBody: { ...(requestBody as object), required: false }
  }))

const revoke = HttpApiEndpoint.del("revoke", "/keys/self")
  .addSuccess(HttpApiSchema.NoContent)
  .addError(Problem.schema("storage_unavailable"))
  .middleware(Authentication)
  .annotate(OpenApi.Summary, "Revoke the key of the caller")
  .annotate(
    OpenApi.Description,
    "Final. After the response no request is accepted with this key, and its watches are suspended when they are next due."
  )

/** API keys. */
export class KeysGroup extends HttpApiGroup.make("keys")
  .add(create)
  .add(self)
  .add(change)
  .add(rotate)
  .add(revoke)
  .middleware(Validation)
  .annotate(OpenApi.Description, "API keys") {}
