import * as Failure from "@assay/core/analysis/Failure"
import type { BadCursor } from "@assay/core/domain/Cursor"
import type * as Executions from "@assay/core/executions/Executions"
import type { KeyRefused } from "@assay/core/keys/Keys"
import type { SecretUnreadable } from "@assay/core/keys/Secrets"
import type { CheckFailed } from "@assay/core/watches/LocalWatch"
import type { WatchLimitReached, WatchNotFound } from "@assay/core/watches/Watches"
import { Cause, Option, Predicate } from "effect"

/**
 * Why a call failed: what the core says of it, or
 *
 * - `aborted`: its signal ended it; `cause` is the reason of the signal.
 * - `closed`: it came after `close`.
 * - `chain_missing`: there are several chains, and the target names none.
 * - `invalid_option`, `invalid_document`: an argument is not what its type says.
 * - `not_comparable`: two analyses are of different targets.
 * - `check_failed`, `watch_limit`: a watch could not be checked this time, or not be made.
 * - of a service: `key_refused`, `quota_exceeded`, `too_many_at_once`, `not_found`, `execution_failed`, `still_running`.
 * - `internal_error`: a defect of this library.
 */
export type ErrorCode =
  | Failure.Code
  | "aborted"
  | "chain_missing"
  | "check_failed"
  | "closed"
  | "execution_failed"
  | "internal_error"
  | "invalid_document"
  | "invalid_option"
  | "key_refused"
  | "not_comparable"
  | "not_found"
  | "quota_exceeded"
  | "still_running"
  | "too_many_at_once"
  | "watch_limit"

/**
 * Every failure of this package. Neither its text nor its cause contains the path, query or headers of an endpoint.
 * `retryable`: the same call may succeed a moment later. `details` are the parts of the sentence, by name.
 *
 * @example
 * ```ts
 * import { AssayError, createAssay } from "@assay/sdk"
 *
 * const assay = createAssay({ chains: { ethereum: "https://rpc.example" } })
 * try {
 *   await assay.report("0xdAC17F958D2ee523a2206206994597C13D831ec7")
 * } catch (error) {
 *   if (error instanceof AssayError && error.retryable) console.error(error.message)
 *   else throw error
 * }
 * ```
 */
export class AssayError extends Error {
  override readonly name = "AssayError"
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    message: string,
    options: {
      readonly code: ErrorCode
      readonly retryable?: boolean | undefined
      readonly details?: Readonly<Record<string, unknown>> | undefined
      readonly cause?: unknown
    }
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = options.code
    this.retryable = options.retryable ?? false
    this.details = options.details ?? {}
  }

  static make(code: ErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}): AssayError {
    return new AssayError(message, { code, details })
  }
}

/** What a failed effect is to a caller who knows no Effect. */
export const ofCause = (cause: Cause.Cause<unknown>, signal?: AbortSignal | undefined): AssayError => {
  if (signal?.aborted) return new AssayError("The call was aborted.", { code: "aborted", cause: signal.reason })
  const failure = Option.getOrElse(Cause.failureOption(cause), () => Cause.squash(cause))
  return of(failure)
}

/** What an error of the core is to a caller who knows no Effect. */
export const of = (failure: unknown): AssayError => {
  if (failure instanceof AssayError) return failure
  const described = Predicate.hasProperty(failure, "_tag") ? describe(failure as Expected) : undefined
  return described === undefined
    ? new AssayError("A defect of the library; please report it.", { code: "internal_error", cause: failure })
    : new AssayError(described.message, described)
}

type Expected =
  | Failure.Failure
  | BadCursor
  | CheckFailed
  | Exclude<Executions.RunError, Failure.Failure | { readonly _tag: "IdempotencyKeyReused" }>
  | KeyRefused
  | SecretUnreadable
  | SettingInvalid
  | WatchLimitReached
  | WatchNotFound

/** An option of the server that is wrong. `@assay/server` is not there for whoever makes no service, nor are its types. */
interface SettingInvalid {
  readonly _tag: "SettingInvalid"
  readonly message: string
}

const describe = (
  failure: Expected
): { readonly code: ErrorCode; readonly message: string; readonly retryable: boolean } | undefined => {
  switch (failure._tag) {
    case "AddressRefused":
    case "ChainError":
    case "CheckInvalid":
    case "EvmoleUnavailable":
    case "EndpointFailed":
    case "EndpointUrlInvalid":
    case "PartUnavailable":
    case "StorageError":
    case "TargetMismatch":
    case "UnsupportedChain":
    case "UpstreamUnavailable":
      return Failure.describe(failure)
    case "CheckFailed":
      return { code: "check_failed", message: `A check of the watch failed: ${failure.detail}`, retryable: true }
    case "NotComparable":
      return {
        code: "not_comparable",
        message: `The analyses cannot be compared: ${failure.detail}.`,
        retryable: false
      }
    case "WatchLimitReached":
      return {
        code: "watch_limit",
        message: `The storage has ${failure.limit} watches of this kind; use another one.`,
        retryable: false
      }
    case "SettingInvalid":
      return { code: "invalid_option", message: failure.message, retryable: false }
    case "SecretUnreadable":
      return {
        code: "invalid_option",
        message:
          failure.reason === "unknown_key"
            ? `The storage has secrets of webhooks that another key encrypted (${failure.keyId}): give that key in secretsKeys too.`
            : `A secret of a webhook in the storage is not what the key ${failure.keyId} encrypted.`,
        retryable: false
      }
    case "KeyRefused":
      return {
        code: "key_refused",
        message: `The API key is not accepted (${failure.reason}).`,
        retryable: false
      }
    case "QuotaExceeded":
      return {
        code: "quota_exceeded",
        message: `The ${failure.limit} units of this ${failure.bucket} are spent until ${failure.resets_at}.`,
        retryable: false
      }
    case "ConcurrencyExceeded":
      return {
        code: "too_many_at_once",
        message: `The key has ${failure.limit} analyses running already; wait for one of them.`,
        retryable: true
      }
    case "ExecutionNotFound":
    case "ExecutionExpired":
    case "WatchNotFound":
      return { code: "not_found", message: `This key has no ${failure.id}, or no longer.`, retryable: false }
    case "ExecutionFailed":
      return {
        code: "execution_failed",
        message: `${failure.execution_id} failed (${failure.failure.code}): ${failure.failure.detail}`,
        retryable: true
      }
    case "DeadlineExceeded":
      return {
        code: "still_running",
        message: `${failure.execution_id} is still running; get it in a moment.`,
        retryable: true
      }
    case "Draining":
      return { code: "closed", message: "This service is being closed.", retryable: false }
    case "BadCursor":
      return { code: "invalid_option", message: "cursor is the next_cursor of another page.", retryable: false }
    default:
      return undefined
  }
}

/** The call came after `close`. */
export const closed = (): AssayError => AssayError.make("closed", "This assay is closed; make another one.")
