import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, type Option } from "effect"
import type { Problem } from "../../api/Problem.js"
import * as Problems from "../representation/Problems.js"

/**
 * The name in an Idempotency-Key header; none where it is absent.
 *
 * @see https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07
 */
export const of = ({
  headers
}: HttpServerRequest.HttpServerRequest): Effect.Effect<
  Option.Option<string>,
  Problem<"validation_failed">,
  HttpServerRequest.HttpServerRequest
> => {
  const header = headers["idempotency-key"]
  if (header === undefined) return Effect.succeedNone
  const refuse = (code: "too_short" | "too_long" | "not_allowed", detail: string, limit: number | null) =>
    Problems.invalid([{ header: "Idempotency-Key", code, detail, limit }])
  if (header.length === 0) return refuse("too_short", "Minimum is 1 character.", 1)
  if (header.length > longest) return refuse("too_long", `Maximum is ${longest} characters.`, longest)
  return printable.test(header)
    ? Effect.succeedSome(header)
    : refuse("not_allowed", "Only printable ASCII characters are allowed.", null)
}

const longest = 255

const printable = /^[\x20-\x7e]+$/
