import * as Analyzer from "@assay/core/analysis/Analyzer"
import * as Id from "@assay/core/domain/Id"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Schema } from "effect"
import { Violation } from "./Violation.js"

/**
 * The media type of every error.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9457
 * @since 0.1.0
 * @category constructors
 */
export const contentType = "application/problem+json"

/**
 * The path of the documentation of a problem on any deployment that is served from the root; also its `type`. Below another
 * path both begin with it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const typeOf = <C extends string>(code: C): `/api/v1/problems/${string}` =>
  `/api/v1/problems/${code.replaceAll("_", "-")}`

/** The path, below whatever path a program serves the API. The document of a deployment has the one path that it has. */
const located = <T extends string>(path: T) =>
  Schema.TemplateLiteral(Schema.String, Schema.Literal(path)).annotations({
    jsonSchema: { type: "string", enum: [path] }
  })

const pascal = (code: string): string => code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const define = <
  const C extends string,
  const S extends number,
  const R extends boolean,
  const X extends Schema.Struct.Fields = Record<never, never>
>(
  code: C,
  status: S,
  options: {
    readonly title: string
    readonly when: string
    readonly retryable: R
    readonly members?: X
  }
) => ({
  code,
  status,
  title: options.title,
  when: options.when,
  retryable: options.retryable,
  schema: Schema.Struct({
    type: located(typeOf(code)),
    title: Schema.String,
    status: Schema.Literal(status),
    detail: Schema.String,
    instance: Schema.String,
    code: Schema.Literal(code),
    request_id: Id.RequestId,
    retryable: Schema.Literal(options.retryable),
    retry_after_seconds: Schema.NullOr(Schema.NonNegativeInt),
    errors: Schema.Array(Violation),
    ...((options.members ?? {}) as X)
  }).annotations({
    ...HttpApiSchema.annotations({ status, description: options.when }),
    identifier: `${pascal(code)}Problem`
  })
})

const policies = { violated_policies: Schema.Array(Schema.String) }

/**
 * Every problem that the API can return, by code.
 *
 * @since 0.1.0
 * @category models
 */
export const catalogue = {
  malformed_request: define("malformed_request", 400, {
    title: "The request cannot be read.",
    when: "The body is not JSON or not UTF-8, a header or the URL has bad syntax, or the cursor belongs to another list.",
    retryable: false
  }),
  authentication_required: define("authentication_required", 401, {
    title: "An API key is required.",
    when: "There is no `Authorization: Bearer <API_KEY>` header.",
    retryable: false
  }),
  invalid_key: define("invalid_key", 401, {
    title: "The API key is not valid.",
    when: "The key is malformed, its checksum is wrong, or it does not exist.",
    retryable: false
  }),
  key_expired: define("key_expired", 401, {
    title: "The API key has expired.",
    when: "The key exists and is past its expiry time.",
    retryable: false
  }),
  key_revoked: define("key_revoked", 401, {
    title: "The API key was revoked.",
    when: "The key exists and was revoked.",
    retryable: false
  }),
  key_disabled: define("key_disabled", 403, {
    title: "The API key is disabled.",
    when: "The operator disabled the key.",
    retryable: false
  }),
  key_creation_closed: define("key_creation_closed", 403, {
    title: "This server gives no keys to whoever requests one.",
    when: "The operator set `ASSAY_KEYS` to `closed`: keys are created with `assay keys create` on the database.",
    retryable: false
  }),
  invitation_refused: define("invitation_refused", 403, {
    title: "This invitation makes no key.",
    when: "The operator set `ASSAY_KEYS` to `invite`, and the request has no `invitation`; or it has one, on any server, that nobody has made, that is over or that was used as often as it may be. Which of these is not said.",
    retryable: false
  }),
  origin_forbidden: define("origin_forbidden", 403, {
    title: "Another web page may not do this.",
    when: "The Origin header names another site, and limits per source are off: any page in a browser could create keys.",
    retryable: false
  }),
  not_found: define("not_found", 404, {
    title: "Not found.",
    when: "The route or id does not exist, or the id belongs to another key.",
    retryable: false
  }),
  method_not_allowed: define("method_not_allowed", 405, {
    title: "Method not allowed.",
    when: "The route supports other methods; the Allow header lists them. HEAD never starts metered work.",
    retryable: false
  }),
  not_acceptable: define("not_acceptable", 406, {
    title: "No acceptable representation exists.",
    when: "The Accept header allows none of the route's media types; `acceptable` lists them.",
    retryable: false,
    members: { acceptable: Schema.Array(Schema.String) }
  }),
  watch_limit_reached: define("watch_limit_reached", 409, {
    title: "The watch limit of the key is reached.",
    when: "The key already has `limit` watches.",
    retryable: false,
    members: { limit: Schema.NonNegativeInt }
  }),
  webhook_limit_reached: define("webhook_limit_reached", 409, {
    title: "The webhook limit of the key is reached.",
    when: "The key already has `limit` webhooks.",
    retryable: false,
    members: { limit: Schema.NonNegativeInt }
  }),
  execution_expired: define("execution_expired", 410, {
    title: "The execution has expired.",
    when: "The execution belonged to this key and is past its retention.",
    retryable: false
  }),
  cursor_expired: define("cursor_expired", 410, {
    title: "The cursor has expired.",
    when: "Events after the cursor are past their retention; `oldest_cursor` is the start of the log now.",
    retryable: false,
    members: { oldest_cursor: Schema.String }
  }),
  precondition_failed: define("precondition_failed", 412, {
    title: "The resource has changed.",
    when: "If-Match does not match the current version.",
    retryable: false
  }),
  payload_too_large: define("payload_too_large", 413, {
    title: "The body is too large.",
    when: "The body is larger than 64 KiB.",
    retryable: false
  }),
  uri_too_long: define("uri_too_long", 414, {
    title: "The URL is too long.",
    when: "The request target is longer than 4 KiB.",
    retryable: false
  }),
  unsupported_media_type: define("unsupported_media_type", 415, {
    title: "The body must be JSON.",
    when: "The content type of the body is not application/json in UTF-8, or the body is compressed.",
    retryable: false
  }),
  headers_too_large: define("headers_too_large", 431, {
    title: "The headers are too large.",
    when: "The header fields together are larger than 16 KiB.",
    retryable: false
  }),
  misdirected_request: define("misdirected_request", 421, {
    title: "This server does not answer for that host.",
    when: "The Host header is none of the hosts in ASSAY_ALLOWED_HOSTS, by default the names of this machine where the server listens on loopback only.",
    retryable: false
  }),
  validation_failed: define("validation_failed", 422, {
    title: "The request is not valid.",
    when: "A body member or a parameter is missing, unknown or not allowed; `errors` lists every violation.",
    retryable: false
  }),
  target_mismatch: define("target_mismatch", 422, {
    title: "The address is not a target of this kind.",
    when: "The token or contract address has no code on that chain. `detected` is the kind of the account, or null if unknown. No unit was charged.",
    retryable: false,
    members: { detected: Schema.NullOr(Analyzer.TargetMismatch.fields.detected) }
  }),
  idempotency_key_reused: define("idempotency_key_reused", 422, {
    title: "The idempotency key was used for another request.",
    when: "A request of the last 24 hours with this Idempotency-Key asked for something else.",
    retryable: false
  }),
  not_comparable: define("not_comparable", 422, {
    title: "The executions cannot be compared.",
    when: "The executions differ in kind, chain or address, or one of them has no result.",
    retryable: false
  }),
  webhook_url_forbidden: define("webhook_url_forbidden", 422, {
    title: "The webhook URL is not allowed.",
    when: "The host does not resolve to addresses of the public internet only.",
    retryable: false
  }),
  rate_limited: define("rate_limited", 429, {
    title: "Too many requests.",
    when: "A short-term limit of the key or of its source is reached; `violated_policies` names it.",
    retryable: true,
    members: policies
  }),
  quota_exceeded: define("quota_exceeded", 429, {
    title: "The daily quota is used up.",
    when: "The daily units of the key, of its source or of the deployment are used up; they reset at 00:00:00Z.",
    retryable: true,
    members: policies
  }),
  concurrency_exceeded: define("concurrency_exceeded", 429, {
    title: "Too many executions or streams.",
    when: "The key has reached its limit of running executions or open streams; `violated_policies` names it.",
    retryable: true,
    members: policies
  }),
  internal_error: define("internal_error", 500, {
    title: "Internal server error.",
    when: "The server failed. A unit reserved for an analysis without a result is given back; whether anything else was changed is not known.",
    retryable: true
  }),
  misconfigured: define("misconfigured", 500, {
    title: "The program that serves this API is set up wrongly.",
    when: "A program that mounts this API does so in a way that cannot work; `detail` says what to change there. A process of `assay serve` never answers it.",
    retryable: false
  }),
  upstream_unavailable: define("upstream_unavailable", 502, {
    title: "The chain could not be read.",
    when: "No read of the chain succeeded; `sources_failed` lists the failures and reasons. No unit was charged.",
    retryable: true,
    members: { sources_failed: Analyzer.UpstreamUnavailable.fields.sources_failed }
  }),
  draining: define("draining", 503, {
    title: "The server is shutting down.",
    when: "This process accepts no new work. Retry: another process will answer.",
    retryable: true
  }),
  execution_lost: define("execution_lost", 503, {
    title: "The execution was lost.",
    when: "The process that ran the execution stopped, or did not say in time that it still runs. Its unit was given back. Repeat the request: it begins a new execution.",
    retryable: true
  }),
  storage_unavailable: define("storage_unavailable", 503, {
    title: "The storage is unavailable.",
    when: "The database could not be read or written. A request that writes may have been carried out all the same: `detail` says what is known, and how to repeat it safely.",
    retryable: true
  }),
  deadline_exceeded: define("deadline_exceeded", 504, {
    title: "The analysis did not finish in time.",
    when: "The maximum wait is over. The execution continues, unless `detail` says that it failed: fetch `execution_id`.",
    retryable: true,
    members: { execution_id: Id.ExecutionId }
  })
} as const

/**
 * @since 0.1.0
 * @category models
 */
export type ProblemCode = keyof typeof catalogue

/**
 * A problem with a given code, as it crosses the wire.
 *
 * @since 0.1.0
 * @category models
 */
export type Problem<C extends ProblemCode = ProblemCode> = (typeof catalogue)[C]["schema"]["Type"]

/**
 * The schema of the problem with a given code; its status annotation makes an endpoint declare that status.
 *
 * @since 0.1.0
 * @category schemas
 */
export const schema = <C extends ProblemCode>(code: C): (typeof catalogue)[C]["schema"] => catalogue[code].schema

/**
 * The documentation of a problem.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ProblemDocument = Schema.Struct({
  type: Schema.String,
  code: Schema.String,
  status: Schema.Int,
  title: Schema.String,
  when: Schema.String,
  retryable: Schema.Boolean
}).annotations({ identifier: "ProblemDocument" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ProblemDocument extends Schema.Schema.Type<typeof ProblemDocument> {}

/**
 * The documentation of every problem, by status.
 *
 * @since 0.1.0
 * @category constructors
 */
export const documents: ReadonlyArray<ProblemDocument> = Object.values(catalogue)
  .map(({ code, retryable, status, title, when }) => ({ type: typeOf(code), code, status, title, when, retryable }))
  .sort((left, right) => left.status - right.status)
