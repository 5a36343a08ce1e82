import type * as HttpClient from "@effect/platform/HttpClient"
import { Effect, Either, Option, Schema, type Scope } from "effect"
import type { Hex } from "../../domain/Hex.js"
import * as HttpSource from "./HttpSource.js"
import { isNameOf, type Names, type SignatureDatabase } from "./SignatureNames.js"
import * as SourceReading from "./SourceReading.js"

/**
 * The public directory.
 *
 * @since 0.1.0
 * @category constructors
 */
export const publicUrl = "https://www.4byte.directory"

// The service answers one selector per request and requests that clients do not send many at once.
const mostSelectors = 16

/**
 * The Ethereum signature database of 4byte.directory, or another one with the same API; without a key. Of several
 * signatures of a selector, the one submitted first comes first: signatures forged for a selector are newer.
 *
 * @see https://www.4byte.directory/docs/
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: HttpSource.HttpSourceOptions & { readonly url?: string | undefined } = {}
): Effect.Effect<SignatureDatabase, never, HttpClient.HttpClient | Scope.Scope> =>
  Effect.map(
    HttpSource.make("4byte.directory", { perSecond: 8, concurrency: 2, keep: "1 hour", ...options }),
    (source) => {
      const base = (options.url ?? publicUrl).replace(/\/+$/, "")
      return {
        name: "4byte.directory",
        page: ([selector, ...more]) =>
          `${base}/signatures/${selector === undefined || more.length > 0 ? "" : `?bytes4_signature=${selector}`}`,
        mostSelectors,
        find: (at, selectors) =>
          Effect.forEach(
            selectors.slice(0, mostSelectors),
            (selector) =>
              Effect.map(
                source.get(
                  { url: `${base}/api/v1/signatures/?hex_signature=${selector}&ordering=created_at` },
                  decode(selector)
                ),
                (answer) => SourceReading.fromAnswer(answer, at)
              ),
            { concurrency: "unbounded" }
          )
      }
    }
  )

const Page = Schema.Struct({
  next: Schema.NullOr(Schema.String),
  results: Schema.Array(Schema.Struct({ id: Schema.NonNegativeInt, text_signature: Schema.String }))
})

const decode =
  (selector: Hex): HttpSource.Decode<Names> =>
  (body, status) => {
    const page = status === 200 ? Schema.decodeUnknownOption(Page)(body) : Option.none()
    // Only the first of several pages is read, which has to be that of the oldest.
    if (Option.isNone(page) || (page.value.next !== null && !isAscending(page.value.results.map(({ id }) => id))))
      return Either.left({ reason: "source_unavailable", detail: "its answer is not what its documentation says" })
    const names = [...page.value.results]
      .sort((a, b) => a.id - b.id)
      .map(({ text_signature }) => text_signature)
      .filter((name) => isNameOf(name, selector))
    return Either.right(new Map(names.length === 0 ? [] : [[selector, names]]))
  }

const isAscending = (ids: ReadonlyArray<number>): boolean => ids.every((id, index) => id >= (ids[index - 1] ?? 0))
