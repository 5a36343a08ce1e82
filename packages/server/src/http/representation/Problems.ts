import type * as Analyzer from "@assay/core/analysis/Analyzer"
import type * as Chains from "@assay/core/chain/Chains"
import type * as Cursor from "@assay/core/domain/Cursor"
import type * as Id from "@assay/core/domain/Id"
import * as Timestamp from "@assay/core/domain/Timestamp"
import type * as Events from "@assay/core/events/Events"
import type * as Webhooks from "@assay/core/events/Webhooks"
import type * as Executions from "@assay/core/executions/Executions"
import type * as Keys from "@assay/core/keys/Keys"
import type * as Quota from "@assay/core/quota/Quota"
import type * as RateLimit from "@assay/core/quota/RateLimit"
import * as Outage from "@assay/core/storage/Outage"
import type * as StorageError from "@assay/core/storage/StorageError"
import type * as Watches from "@assay/core/watches/Watches"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Cause, Clock, Effect, Option } from "effect"
import * as Problem from "../../api/Problem.js"
import type { Violation } from "../../api/Violation.js"
import { badUrls } from "../../api/WebhooksGroup.js"
import * as BasePath from "../../BasePath.js"
import * as RequestId from "../observability/RequestId.js"
import * as Aftermath from "./Aftermath.js"
import { BodyConsumed, type BodyRefused } from "./Body.js"
import * as Excerpt from "./Excerpt.js"
import * as Violations from "./Violations.js"

type Common = Problem.Problem<"not_found">

/** The parts of one occurrence of a problem that do not follow from its code. Some codes have additional members. */
export type Occurrence<C extends Problem.ProblemCode> = {
  readonly detail: string
  readonly retryAfterSeconds?: number | undefined
  readonly errors?: ReadonlyArray<Violation> | undefined
} & ([Exclude<keyof Problem.Problem<C>, keyof Common>] extends [never]
  ? { readonly members?: undefined }
  : { readonly members: Omit<Problem.Problem<C>, keyof Common> })

/** Makes a problem document. */
export const make = <C extends Problem.ProblemCode>(
  code: C,
  requestId: Id.RequestId,
  occurrence: Occurrence<C>
): Problem.Problem<C> => {
  const { retryable, status, title } = Problem.catalogue[code]
  return {
    type: Problem.typeOf(code),
    title,
    status,
    detail: occurrence.detail,
    instance: `urn:request:${requestId}`,
    code,
    request_id: requestId,
    retryable,
    retry_after_seconds: occurrence.retryAfterSeconds ?? null,
    errors: occurrence.errors ?? [],
    ...occurrence.members
  } as unknown as Problem.Problem<C>
}

/** Fails with a problem of the request that is being handled. */
export const fail = <C extends Problem.ProblemCode>(
  code: C,
  occurrence: Occurrence<C>
): Effect.Effect<never, Problem.Problem<C>, HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(RequestId.current, (id) => Effect.fail(make(code, id, occurrence)))

/** Fails with `validation_failed`; there is at least one violation. */
export const invalid = (violations: ReadonlyArray<Violation>) => fail("validation_failed", ofViolations(violations))

/** The parts of a problem that follow from its violations. */
export const ofViolations = (violations: ReadonlyArray<Violation>): Occurrence<"validation_failed"> => ({
  detail: violations
    .map((violation) => `${violation.parameter ?? violation.header ?? violation.pointer}: ${violation.detail}`)
    .join(" "),
  errors: violations
})

/** The violation for a chain that this deployment does not support. */
export const unsupportedChain = (
  place: { readonly parameter: "chain" } | { readonly pointer: "#/chain" },
  chain: string
): Violation => ({
  ...place,
  code: "unsupported_chain",
  detail: `This deployment does not support the chain ${JSON.stringify(Excerpt.of(chain))}.`,
  limit: null
})

type Failure =
  | Analyzer.TargetMismatch
  | Analyzer.UpstreamUnavailable
  | Chains.UnsupportedChain
  | Cursor.BadCursor
  | Events.CursorExpired
  | Events.StreamLimitReached
  | Executions.BadCursor
  | Executions.ConcurrencyExceeded
  | Executions.DeadlineExceeded
  | Executions.Draining
  | Executions.EvidenceNotFound
  | Executions.ExecutionExpired
  | Executions.ExecutionFailed
  | Executions.ExecutionNotFound
  | Executions.IdempotencyKeyReused
  | Executions.NotComparable
  | Keys.InvitationRefused
  | Keys.KeyRefused
  | Quota.QuotaExceeded
  | RateLimit.RateLimited
  | StorageError.StorageError
  | Watches.OptionsRefused
  | Watches.RevisionMismatch
  | Watches.RunTooSoon
  | Watches.WatchLimitReached
  | Watches.WatchNotFound
  | Webhooks.DeliveryNotFound
  | Webhooks.WebhookLimitReached
  | Webhooks.WebhookNotFound
  | Webhooks.WebhookUrlForbidden
  | Webhooks.WebhookWatchesUnknown

const refused = {
  invalid_key: "The API key is malformed, has a wrong checksum or does not exist.",
  key_expired: "The API key is past its expiry time.",
  key_revoked: "The API key was revoked.",
  key_disabled: "The operator has disabled the API key."
}

const buckets = { key: "daily", source: "source-daily", deployment: "deployment-daily" }

const translations = {
  BadCursor: () =>
    fail("malformed_request", {
      detail: "The cursor does not belong to this list. Use the cursor of its previous page."
    }),
  ConcurrencyExceeded: ({ limit }: Executions.ConcurrencyExceeded) =>
    fail("concurrency_exceeded", {
      detail: `This key runs ${limit} of ${limit} executions. Wait until one ends.`,
      retryAfterSeconds: 2,
      members: { violated_policies: ["concurrency"] }
    }),
  CursorExpired: ({ oldest_cursor }: Events.CursorExpired) =>
    fail("cursor_expired", {
      detail: `Events after this cursor are past their retention. Continue after ${oldest_cursor}.`,
      members: { oldest_cursor }
    }),
  DeadlineExceeded: ({ execution_id }: Executions.DeadlineExceeded) =>
    Effect.flatMap(BasePath.BasePath, (base) =>
      fail("deadline_exceeded", {
        detail: `The execution continues: fetch ${base}/api/v1/executions/${execution_id}.`,
        retryAfterSeconds: 5,
        members: { execution_id }
      })
    ),
  DeliveryNotFound: () => fail("not_found", { detail: "This webhook has no delivery with this id." }),
  Draining: () =>
    fail("draining", { detail: "This process is shutting down and accepts no new work.", retryAfterSeconds: 5 }),
  EvidenceNotFound: () => fail("not_found", { detail: "This execution has no evidence with this id." }),
  ExecutionExpired: () => fail("execution_expired", { detail: "This execution is past its retention." }),
  ExecutionFailed: ({ execution_id, failure }: Executions.ExecutionFailed) => {
    const detail = `The execution ${execution_id} failed: ${failure.detail}`
    switch (failure.code) {
      case "target_mismatch":
        return fail("target_mismatch", { detail, members: { detected: null } })
      case "upstream_unavailable":
        return fail("upstream_unavailable", { detail, retryAfterSeconds: 10, members: { sources_failed: [] } })
      case "deadline_exceeded":
        return fail("deadline_exceeded", { detail, retryAfterSeconds: 5, members: { execution_id } })
      case "lease_lost":
      case "stopped":
      case "watch_removed":
        return fail("execution_lost", {
          detail: `${detail} Its unit was given back. Repeat the request: it begins a new execution.`,
          retryAfterSeconds: 1
        })
      case "internal_error":
        return fail("internal_error", { detail, retryAfterSeconds: 1 })
    }
  },
  ExecutionNotFound: () => fail("not_found", { detail: "This key has no execution with this id." }),
  IdempotencyKeyReused: () =>
    fail("idempotency_key_reused", {
      detail: "This Idempotency-Key was used for another request. Use a new one for each request."
    }),
  // One answer for all reasons: nobody learns by trying which invitations there are.
  InvitationRefused: (_: Keys.InvitationRefused) =>
    fail("invitation_refused", {
      detail:
        "A key takes an invitation here that is neither over nor used. Send it as the member `invitation`, or request another one from the operator."
    }),
  KeyRefused: ({ reason }: Keys.KeyRefused) => fail(reason, { detail: refused[reason] }),
  NotComparable: ({ detail }: Executions.NotComparable) => fail("not_comparable", { detail }),
  OptionsRefused: ({ refused }: Watches.OptionsRefused) =>
    invalid(
      refused.map(({ detail, path }) => ({
        pointer: Violations.pointer(["options", ...path]),
        code: "not_allowed" as const,
        detail,
        limit: null
      }))
    ),
  QuotaExceeded: ({ bucket, limit, resets_at }: Quota.QuotaExceeded) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      fail("quota_exceeded", {
        detail: `All ${limit} daily units of this ${bucket} are used. They reset at ${resets_at}.`,
        retryAfterSeconds: Math.max(1, Math.ceil((Timestamp.toMillis(resets_at) - now) / 1000)),
        members: { violated_policies: [buckets[bucket]] }
      })
    ),
  RateLimited: ({ retry_after_seconds, violated }: RateLimit.RateLimited) =>
    fail("rate_limited", {
      detail: violated
        .map(({ limit, policy, window_seconds }) => `The limit ${policy} is ${limit} per ${window_seconds} s.`)
        .join(" "),
      retryAfterSeconds: Math.max(1, retry_after_seconds),
      members: { violated_policies: violated.map(({ policy }) => policy) }
    }),
  RevisionMismatch: () =>
    fail("precondition_failed", { detail: "The resource has changed since that version. Fetch it again." }),
  RunTooSoon: ({ retry_after_seconds }: Watches.RunTooSoon) =>
    fail("rate_limited", {
      detail: "A watch can be checked by request once per minute.",
      retryAfterSeconds: Math.max(1, retry_after_seconds),
      members: { violated_policies: ["manual-runs"] }
    }),
  StreamLimitReached: ({ limit }: Events.StreamLimitReached) =>
    fail("concurrency_exceeded", {
      detail: `This key has ${limit} of ${limit} streams open. Close one.`,
      retryAfterSeconds: 5,
      members: { violated_policies: ["streams"] }
    }),
  StorageError: (error: StorageError.StorageError) =>
    Effect.zipRight(
      Outage.note("The storage failed", Cause.fail(error)),
      Effect.flatMap(Effect.all([HttpServerRequest.HttpServerRequest, BasePath.BasePath]), ([request, base]) =>
        fail("storage_unavailable", {
          detail: `The database did not answer as it should. ${Aftermath.of(request, base)}`,
          retryAfterSeconds: 5
        })
      )
    ),
  TargetMismatch: ({ detected }: Analyzer.TargetMismatch) =>
    fail("target_mismatch", {
      detail: `This address has no code on this chain (detected: ${detected}). No unit was charged.`,
      members: { detected }
    }),
  UnsupportedChain: ({ chain }: Chains.UnsupportedChain) => invalid([unsupportedChain({ parameter: "chain" }, chain)]),
  UpstreamUnavailable: ({ sources_failed }: Analyzer.UpstreamUnavailable) =>
    fail("upstream_unavailable", {
      detail: "No read of the chain succeeded. No unit was charged.",
      retryAfterSeconds: 10,
      members: { sources_failed }
    }),
  WatchLimitReached: ({ limit }: Watches.WatchLimitReached) =>
    fail("watch_limit_reached", { detail: `A key has at most ${limit} watches.`, members: { limit } }),
  WatchNotFound: () => fail("not_found", { detail: "This key has no watch with this id." }),
  WebhookLimitReached: ({ limit }: Webhooks.WebhookLimitReached) =>
    fail("webhook_limit_reached", { detail: `A key has at most ${limit} webhooks.`, members: { limit } }),
  WebhookNotFound: () => fail("not_found", { detail: "This key has no webhook with this id." }),
  WebhookUrlForbidden: ({ reason }: Webhooks.WebhookUrlForbidden) => {
    switch (reason) {
      // One answer for both: a caller must not learn which names the network of the server knows.
      case "address":
      case "unresolvable":
        return fail("webhook_url_forbidden", {
          detail: "The host does not resolve to addresses of the public internet only."
        })
      default:
        return invalid([{ pointer: "#/url", code: "bad_url", detail: badUrls[reason], limit: null }])
    }
  },
  WebhookWatchesUnknown: ({ indexes }: Webhooks.WebhookWatchesUnknown) =>
    invalid(
      indexes.map((index) => ({
        pointer: `#/watch_ids/${index}`,
        code: "not_allowed" as const,
        detail: "This key has no watch with this id.",
        limit: null
      }))
    )
}

type Translated<E> = E extends Failure ? Effect.Effect.Error<ReturnType<(typeof translations)[E["_tag"]]>> : never

/**
 * Maps the failures of a use-case to problems; the only place that does so. An endpoint that does not declare its
 * problems does not compile.
 */
export const translate = <A, E extends Failure, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, Translated<E>, R | HttpServerRequest.HttpServerRequest> =>
  Effect.catchAll(self, (error: Failure) =>
    (
      translations[error._tag] as (
        error: Failure
      ) => Effect.Effect<never, Translated<E>, HttpServerRequest.HttpServerRequest>
    )(error)
  )

/** The problem of a body that is refused. */
export const refuseBody = ({
  detail,
  reason
}: BodyRefused): Effect.Effect<
  never,
  Problem.Problem<"malformed_request" | "payload_too_large" | "unsupported_media_type">,
  HttpServerRequest.HttpServerRequest
> => {
  switch (reason) {
    case "too_large":
      return fail("payload_too_large", { detail })
    case "unsupported_media_type":
      return fail("unsupported_media_type", { detail })
    case "malformed":
      return fail("malformed_request", { detail })
  }
}

const isProblem = (error: unknown): error is Problem.Problem =>
  typeof error === "object" && error !== null && "code" in error && "request_id" in error

/**
 * The problem for any failed request. An unexpected error is logged and not shown to the caller. None where the request
 * was interrupted: there is no reader for the response.
 */
export const fromCause = (
  cause: Cause.Cause<unknown>,
  requestId: Id.RequestId
): Effect.Effect<Option.Option<Problem.Problem>> => {
  const failure = Cause.failureOption(cause)
  if (Option.isSome(failure)) {
    const error = failure.value
    if (isProblem(error)) return Effect.succeedSome(error)
    if (error instanceof HttpServerError.RouteNotFound) return Effect.succeedSome(notFound(requestId))
    if (error instanceof HttpServerError.RequestError)
      return Effect.succeedSome(
        make("malformed_request", requestId, { detail: "The body ended early or could not be read." })
      )
  }
  if (Cause.isInterruptedOnly(cause)) return Effect.succeedNone
  return Effect.as(
    Effect.logError("A request failed with an undeclared error", cause),
    Option.some(
      Option.match(
        Option.filter(Cause.dieOption(cause), (defect) => defect instanceof BodyConsumed),
        {
          onNone: () =>
            make("internal_error", requestId, {
              detail: "The server failed. Report the request id to the operator.",
              retryAfterSeconds: 1
            }),
          // How the program is to be mended, which its author has to see. The same request would fail again.
          onSome: ({ message }) => make("misconfigured", requestId, { detail: message })
        }
      )
    )
  )
}

/** The problem for an unknown route. */
export const notFound = (requestId: Id.RequestId, basePath = ""): Problem.Problem<"not_found"> =>
  make("not_found", requestId, {
    detail: `No route matches this path.${basePath === "" ? "" : ` This API is served below ${basePath}.`}`
  })

/** The header fields of a problem response. */
export const headers = (problem: Problem.Problem): Record<string, string> => ({
  ...(problem.retry_after_seconds === null ? {} : { "retry-after": String(problem.retry_after_seconds) }),
  ...(problem.status === 401
    ? {
        "www-authenticate":
          problem.code === "authentication_required"
            ? `Bearer realm="api"`
            : `Bearer realm="api", error="invalid_token"`
      }
    : {})
})

/** A problem as its reader gets it, with the path of its documentation below the base path. */
export const located = (problem: Problem.Problem, basePath: string): Problem.Problem =>
  ({ ...problem, type: BasePath.located(basePath, problem.type) }) as Problem.Problem

/** A problem as a response. */
export const toResponse = (problem: Problem.Problem, basePath: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(located(problem, basePath)), {
    status: problem.status,
    contentType: Problem.contentType,
    headers: headers(problem)
  })

/** A problem with the header fields that the edge adds, for a request that does not come to the edge. */
export const beforeEdge = <C extends Problem.ProblemCode>(
  code: C,
  occurrence: Occurrence<C>,
  basePath: string
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(RequestId.make, (id) =>
    HttpServerResponse.setHeaders(toResponse(make(code, id, occurrence), basePath), {
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
      [RequestId.header]: id
    })
  )
