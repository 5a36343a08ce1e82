import { Schema } from "effect"
import { UnknownReason } from "../domain/Evidence.js"

/**
 * Why an endpoint gave nothing that can be used. No member holds a part of its URL beyond what the system says of it, or a
 * header.
 *
 * - `endpoint_url_invalid`: its URL has a scheme that the transport does not speak.
 * - `endpoint_unreachable`: no connection, or one that broke; `system_code` is what the system called it (`ECONNREFUSED`,
 *   `ENOTFOUND`, `CERT_HAS_EXPIRED`), null where it did not.
 * - `endpoint_unauthorized`: it requires a key (HTTP 401, 403 or 407).
 * - `endpoint_not_json_rpc`: it answered something else. `body` is `other` (no JSON), `broken` (JSON that ends too early or
 *   cannot be parsed), `empty`, `json` (JSON that answers no call), `undecodable` or `too_large`.
 * - `endpoint_failed`: another HTTP status than 2xx.
 * - `endpoint_refused`: a JSON-RPC error for a call that every analysis needs, in its words.
 * - `wrong_chain`: it serves another chain.
 * - `rate_limited`: it refused everything for its rate.
 * - `timeout`: no answer; `after_ms` is how long it was waited for, null where that is not known.
 * - `block_not_found`: it does not have the block; `newest` is its newest one, null where that is not known.
 * - `transport_failed`: the transport threw, or gave what is no reply.
 *
 * @since 0.1.0
 * @category schemas
 */
export const EndpointFailure = Schema.Union(
  Schema.Struct({ code: Schema.Literal("endpoint_url_invalid") }),
  Schema.Struct({ code: Schema.Literal("endpoint_unreachable"), system_code: Schema.NullOr(Schema.String) }),
  Schema.Struct({ code: Schema.Literal("endpoint_unauthorized"), status: Schema.Int }),
  Schema.Struct({
    code: Schema.Literal("endpoint_not_json_rpc"),
    content_type: Schema.NullOr(Schema.String),
    body: Schema.Literal("other", "broken", "empty", "json", "undecodable", "too_large")
  }),
  Schema.Struct({ code: Schema.Literal("endpoint_failed"), status: Schema.Int }),
  Schema.Struct({ code: Schema.Literal("endpoint_refused"), detail: Schema.String }),
  Schema.Struct({ code: Schema.Literal("wrong_chain"), served: Schema.Number, expected: Schema.Number }),
  Schema.Struct({ code: Schema.Literal("rate_limited") }),
  Schema.Struct({ code: Schema.Literal("timeout"), after_ms: Schema.NullOr(Schema.Number) }),
  Schema.Struct({
    code: Schema.Literal("block_not_found"),
    block: Schema.NonNegativeInt,
    newest: Schema.NullOr(Schema.NonNegativeInt)
  }),
  Schema.Struct({ code: Schema.Literal("transport_failed"), detail: Schema.String })
).annotations({ identifier: "EndpointFailure" })

/**
 * @since 0.1.0
 * @category models
 */
export type EndpointFailure = typeof EndpointFailure.Type

/**
 * A failure and the endpoint that it is of: its place among the configured ones of the chain, from 1; null where it is not
 * known which of several it was.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Placed = Schema.extend(
  EndpointFailure,
  Schema.Struct({ chain: Schema.String, endpoint: Schema.NullOr(Schema.Int) })
).annotations({ identifier: "PlacedEndpointFailure" })

/**
 * @since 0.1.0
 * @category models
 */
export type Placed = typeof Placed.Type

/**
 * What is wrong and what to do, in a sentence about this subject.
 *
 * @since 0.1.0
 * @category combinators
 */
export const sentence = (failure: EndpointFailure, subject = "The endpoint"): string => {
  const { advice, what } = phrase(failure)
  return `${subject} ${what}${advice === null ? "" : `; ${advice}`}.`
}

/**
 * {@link sentence} about the endpoint by its place: "Endpoint 1 of ethereum serves chain 31337, not 1."
 *
 * @since 0.1.0
 * @category combinators
 */
export const sentenceOf = (placed: Placed): string => {
  const subject = placed.endpoint === null ? "An endpoint" : `Endpoint ${placed.endpoint}`
  return sentence(placed, `${subject} of ${placed.chain}`)
}

/**
 * The parts of the sentence: what is wrong, and what to do where that is not plain.
 *
 * @since 0.1.0
 * @category combinators
 */
export const phrase = (failure: EndpointFailure): { readonly what: string; readonly advice: string | null } => {
  const said = (what: string, advice: string | null = null) => ({ what, advice })
  switch (failure.code) {
    case "endpoint_url_invalid":
      return said("has a URL that nothing can be sent to", "give one that begins with https:// or http://")
    case "endpoint_unreachable":
      if (failure.system_code !== null && /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(failure.system_code))
        return said(`closed the connection (${failure.system_code})`)
      return failure.system_code === null
        ? said("cannot be reached")
        : said(`cannot be reached (${failure.system_code})`, adviceOf(failure.system_code))
    case "endpoint_unauthorized":
      return said(
        `answered ${failure.status}`,
        failure.status === 403 ? "it requires a key, or refuses this one" : "it requires a key"
      )
    case "endpoint_not_json_rpc":
      return said(bodyOf(failure))
    case "endpoint_failed":
      // A browser hides where a redirect leads, and its status.
      return failure.status === 0 || (failure.status >= 300 && failure.status < 400)
        ? said("redirects", "give the URL that it leads to")
        : said(`answered HTTP ${failure.status}`, statusAdviceOf(failure.status))
    case "endpoint_refused":
      return said(`answered with an error: ${withoutStop(failure.detail)}`)
    case "wrong_chain":
      return said(`serves chain ${failure.served}, not ${failure.expected}`)
    case "rate_limited":
      return said("refuses every request for its rate", "wait, or use another endpoint")
    case "timeout":
      return said(
        failure.after_ms === null ? "did not answer in time" : `did not answer within ${failure.after_ms / 1_000} s`
      )
    case "block_not_found":
      return failure.newest !== null && failure.block > failure.newest
        ? said(`does not have block ${failure.block} yet: its newest one is ${failure.newest}`)
        : said(`does not have block ${failure.block}`, "use an endpoint that keeps old blocks")
    case "transport_failed":
      return said(`was not read, because its transport failed: ${withoutStop(failure.detail)}`)
  }
}

const withoutStop = (text: string): string => text.replace(/[.\s]+$/, "")

// The names of Node.js (https://nodejs.org/api/errors.html) and of OpenSSL in it.
const adviceOf = (code: string): string | null => {
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) return "check its host name"
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) return "its certificate is not trusted"
  return /SSL|^EPROTO$/.test(code) ? "it may not speak TLS: try http://, or another port" : null
}

const statusAdviceOf = (status: number): string | null =>
  status === 404 || status === 405 ? "check the path of its URL" : null

const bodyOf = ({
  body,
  content_type
}: Extract<EndpointFailure, { readonly code: "endpoint_not_json_rpc" }>): string => {
  switch (body) {
    case "other":
      return `answered ${content_type ?? "something else"}, not JSON-RPC`
    case "broken":
      return "answered JSON that is cut off or malformed"
    case "empty":
      return "answered nothing, not JSON-RPC"
    case "json":
      return "answered JSON that answers no call, not JSON-RPC"
    case "undecodable":
      return "answered what could not be decompressed"
    case "too_large":
      return "answered more than is read of one answer"
  }
}

/**
 * Whether the same endpoint may give what is needed a moment later.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isRetryable = (failure: EndpointFailure): boolean => {
  switch (failure.code) {
    case "endpoint_url_invalid":
    case "endpoint_unauthorized":
    case "endpoint_not_json_rpc":
    case "wrong_chain":
      return false
    case "endpoint_failed":
      return failure.status >= 500 || failure.status === 408
    case "block_not_found":
      return failure.newest === null || failure.block > failure.newest
    default:
      return true
  }
}

/**
 * An endpoint that was examined alone gave nothing that can be used. `reason` is what a claim would be unknown for.
 *
 * @since 0.1.0
 * @category errors
 */
export class EndpointFailed extends Schema.TaggedError<EndpointFailed>()("EndpointFailed", {
  failure: EndpointFailure,
  reason: UnknownReason
}) {
  override get message(): string {
    return sentence(this.failure)
  }
}
