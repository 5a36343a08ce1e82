import { createHash } from "node:crypto"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, type Option } from "effect"
import type { Problem } from "../../api/Problem.js"
import * as Problems from "./Problems.js"

/**
 * The entity tag of a version of a document: its revision, which an edit has to match, and a hash of the shown
 * document, because warnings can change without a new revision.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3
 */
export const make = (revision: number, text: string): string =>
  `"${revision}.${createHash("sha256").update(text).digest("base64url").slice(0, 16)}"`

/**
 * Whether an If-None-Match header has this tag: then the caller already has the document.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export const isKnown = (request: HttpServerRequest.HttpServerRequest, tag: string): boolean => {
  const known = request.headers["if-none-match"]
  return known?.trim() === "*" || (known ?? "").split(",").some((one) => one.trim().replace(/^W\//, "") === tag)
}

/**
 * The revisions in an If-Match header; none where it is absent or `*`. Weak and foreign tags match nothing.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1
 */
export const expected = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<
  Option.Option<ReadonlyArray<number>>,
  Problem<"malformed_request">,
  HttpServerRequest.HttpServerRequest
> => {
  const header = request.headers["if-match"]?.trim()
  if (header === undefined || header === "*") return Effect.succeedNone
  if (!list.test(header))
    return Problems.fail("malformed_request", { detail: "If-Match must be quoted entity tags or *." })
  return Effect.succeedSome([...header.matchAll(ours)].map(([, revision]) => Number(revision)))
}

const ours = /(?<!W\/)"(\d{1,15})\.[\w-]{16}"/g
const tag = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"'
const list = new RegExp(`^${tag}(?:\\s*,\\s*${tag})*$`)
