import type { ChainError } from "../chain/ChainError.js"
import type { EndpointUrlInvalid, UnsupportedChain } from "../chain/Chains.js"
import * as EndpointFailure from "../chain/EndpointFailure.js"
import type { CheckInvalid } from "../checks/Checks.js"
import type { AddressRefused } from "../domain/Address.js"
import type { EvmoleUnavailable } from "../evm/bytecode/Evmole.js"
import type { PartUnavailable } from "../runtime/Part.js"
import type { StorageError } from "../storage/StorageError.js"
import type { TargetMismatch, UpstreamUnavailable } from "./AnalysisError.js"

/**
 * What can go wrong with an analysis and what it is made of, other than a defect.
 *
 * @since 0.1.0
 * @category models
 */
export type Failure =
  | AddressRefused
  | ChainError
  | CheckInvalid
  | EndpointFailure.EndpointFailed
  | EndpointUrlInvalid
  | EvmoleUnavailable
  | PartUnavailable
  | StorageError
  | TargetMismatch
  | UnsupportedChain
  | UpstreamUnavailable

/**
 * A closed name of what went wrong, for programs.
 *
 * @since 0.1.0
 * @category models
 */
export type Code =
  | EndpointFailure.EndpointFailure["code"]
  | "bad_address"
  | "bad_checksum"
  | "block_differs"
  | "block_replaced"
  | "invalid_check"
  | "deadline_exceeded"
  | "engine_incomplete"
  | "no_later_block"
  | "not_a_contract"
  | "read_failed"
  | "storage_corrupt"
  | "storage_unavailable"
  | "storage_uncertain"
  | "unsupported_chain"
  | "upstream_unavailable"

/**
 * A failure for who knows no tags: its code, a sentence that says what to do, whether the same call may work later, and what
 * else is known. No member holds a path, query, user or password of a URL, or a header.
 *
 * @since 0.1.0
 * @category models
 */
export interface Described {
  readonly code: Code
  readonly message: string
  readonly retryable: boolean
  readonly details: { readonly [name: string]: unknown }
}

/**
 * Describes a failure. Where several endpoints failed, the code is that of the first one, and `details.endpoints` has them
 * all.
 *
 * @since 0.1.0
 * @category constructors
 */
export const describe = (failure: Failure): Described => {
  const { message } = failure
  // The same call would fail again.
  const lasting = (code: Code, details: Described["details"] = {}): Described => ({
    code,
    message,
    retryable: false,
    details
  })
  switch (failure._tag) {
    case "AddressRefused":
      return lasting(failure.reason, { text: failure.text })
    case "CheckInvalid":
      return lasting("invalid_check", { check: failure.check, problem: failure.problem })
    case "EndpointUrlInvalid":
      return lasting("endpoint_url_invalid", { chain: failure.chain, endpoint: failure.endpoint })
    case "EvmoleUnavailable":
      return lasting("engine_incomplete")
    case "PartUnavailable":
      // A page that was offline may load its files later.
      return { code: "engine_incomplete", message, retryable: true, details: { part: failure.part } }
    case "UnsupportedChain":
      return lasting("unsupported_chain", { chain: failure.chain, known: failure.known })
    case "TargetMismatch":
      return lasting("not_a_contract", { detected: failure.detected, target: failure.target })
    case "StorageError":
      return {
        code: `storage_${failure.reason}`,
        message,
        retryable: failure.reason !== "corrupt",
        details: { operation: failure.operation }
      }
    case "EndpointFailed":
      return {
        code: failure.failure.code,
        message,
        retryable: EndpointFailure.isRetryable(failure.failure),
        details: { reason: failure.reason, failure: failure.failure }
      }
    case "ChainError":
      return {
        ...ofEndpoints(failure.endpoints, { code: "read_failed", retryable: failure.retryable }),
        message,
        details: { reason: failure.reason, method: failure.method, endpoints: detailed(failure.endpoints) }
      }
    case "UpstreamUnavailable":
      return { ...upstream(failure), message, details: upstreamDetails(failure) }
  }
}

const upstream = ({ endpoints, why }: UpstreamUnavailable): Pick<Described, "code" | "retryable"> => {
  switch (why) {
    case "unreadable":
      return ofEndpoints(endpoints, { code: "upstream_unavailable", retryable: true })
    case "deadline":
      return { code: "deadline_exceeded", retryable: true }
    case "block_replaced":
    case "no_later_block":
      return { code: why, retryable: true }
    case "block_differs":
      return { code: why, retryable: false }
  }
}

const upstreamDetails = ({ endpoints, sources_failed }: UpstreamUnavailable): Described["details"] => ({
  sources_failed,
  endpoints: detailed(endpoints)
})

const ofEndpoints = (
  endpoints: ReadonlyArray<EndpointFailure.Placed>,
  otherwise: Pick<Described, "code" | "retryable">
): Pick<Described, "code" | "retryable"> => {
  const [first] = endpoints
  return first === undefined
    ? otherwise
    : { code: first.code, retryable: endpoints.some((each) => EndpointFailure.isRetryable(each)) }
}

const detailed = (endpoints: ReadonlyArray<EndpointFailure.Placed>) =>
  endpoints.map((each) => ({ ...each, message: EndpointFailure.sentenceOf(each) }))
