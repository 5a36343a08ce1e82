import * as Keys from "@assay/core/keys/Keys"
import * as RateLimit from "@assay/core/quota/RateLimit"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Option, Redacted } from "effect"
import { Api } from "../../api/Api.js"
import { CurrentCaller } from "../../api/Authentication.js"
import type { NewKey } from "../../api/KeysGroup.js"
import { CurrentRequester } from "../../api/Requester.js"
import { ServerConfig } from "../../ServerConfig.js"
import { presentedBy } from "../edge/BearerAuthentication.js"
import * as IdempotencyKey from "../edge/IdempotencyKey.js"
import * as Policies from "../edge/Policies.js"
import * as Problems from "../representation/Problems.js"

export const layer = HttpApiBuilder.group(Api, "keys", (handlers) =>
  Effect.gen(function* () {
    const keys = yield* Keys.Keys
    const rateLimit = yield* RateLimit.RateLimit
    const { keys: settings, limits } = yield* ServerConfig

    const count = (policies: ReadonlyArray<RateLimit.Policy>) =>
      Option.match({
        onNone: () => Effect.void,
        onSome: (source: string) => Effect.asVoid(rateLimit.take(source, policies))
      })

    const closed = Effect.when(
      Problems.fail("key_creation_closed", {
        detail: "This server gives no keys to whoever requests one. Request a key from its operator."
      }),
      () => settings.creation === "closed"
    )

    const created = ({ invitation, ...payload }: typeof NewKey.Type, request: HttpServerRequest.HttpServerRequest) => {
      const key = { label: payload.label, expiresInSeconds: Option.fromNullable(payload.expires_in_seconds) }
      if (invitation == null && settings.creation !== "invite")
        return CurrentRequester.pipe(
          Effect.tap(count(Policies.keyCreation(limits))),
          Effect.flatMap((source) => keys.create({ ...key, source })),
          Problems.translate
        )
      return Effect.flatMap(IdempotencyKey.of(request), (requestName) =>
        keys
          .redeem({
            ...key,
            requestName,
            invitation: Option.map(Option.fromNullable(invitation), (secret) => Redacted.make(secret))
          })
          .pipe(
            // Whoever tries invitations is slowed down as whoever tries keys.
            Effect.tapErrorTag("InvitationRefused", () =>
              Effect.flatMap(CurrentRequester, count([Policies.authenticationFailures]))
            ),
            Problems.translate
          )
      )
    }

    return handlers
      .handle("create", ({ payload, request }) =>
        Effect.zipRight(closed, created(payload, request)).pipe(
          Effect.map((key) =>
            HttpServerResponse.unsafeJson(key, { status: 201, headers: { location: "/api/v1/keys/self" } })
          )
        )
      )
      .handle("change", ({ payload }) =>
        Effect.flatMap(CurrentCaller, ({ id }) =>
          Problems.translate(payload.label == null ? keys.self(id) : keys.rename(id, payload.label))
        )
      )
      .handle("rotate", ({ payload, request }) =>
        keys.rotate({ presented: presentedBy(request), overlapSeconds: payload.overlap_seconds ?? 86_400 }).pipe(
          Effect.map((created) =>
            HttpServerResponse.unsafeJson(created, { status: 201, headers: { location: "/api/v1/keys/self" } })
          ),
          Problems.translate
        )
      )
      .handle("revoke", () => Effect.flatMap(CurrentCaller, ({ id }) => Problems.translate(keys.revoke(id))))
      .handle("self", () => Effect.flatMap(CurrentCaller, ({ id }) => Problems.translate(keys.self(id))))
  })
)
