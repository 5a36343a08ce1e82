import type * as HttpClient from "@effect/platform/HttpClient"
import { Effect, Either, Option, Schema, type Scope } from "effect"
import type { Hex } from "../../domain/Hex.js"
import * as HttpSource from "./HttpSource.js"
import { isNameOf, type Names, type SignatureDatabase } from "./SignatureNames.js"
import * as SourceReading from "./SourceReading.js"

/**
 * The public database.
 *
 * @since 0.1.0
 * @category constructors
 */
export const publicUrl = "https://api.4byte.sourcify.dev"

// What a URL has room for.
const mostSelectors = 200

/**
 * The database of OpenChain, operated by Sourcify today, or another one with the same API; without a key. Its filter
 * removes signatures that were plainly made up for a selector. All selectors are looked up in one request.
 *
 * @see https://docs.sourcify.dev/docs/api/
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: HttpSource.HttpSourceOptions & { readonly url?: string | undefined } = {}
): Effect.Effect<SignatureDatabase, never, HttpClient.HttpClient | Scope.Scope> =>
  Effect.map(HttpSource.make("signature database", options), (source) => {
    const base = (options.url ?? publicUrl).replace(/\/+$/, "")
    const page = (selectors: ReadonlyArray<Hex>) =>
      `${base}/signature-database/v1/lookup?function=${[...selectors].sort().slice(0, mostSelectors).join(",")}&filter=true`
    return {
      name: "signature database",
      page,
      mostSelectors,
      find: (at, selectors) =>
        Effect.map(source.get({ url: page(selectors) }, decode), (answer) => [SourceReading.fromAnswer(answer, at)])
    }
  })

const Found = Schema.Struct({
  ok: Schema.Literal(true),
  result: Schema.Struct({
    function: Schema.Record({
      key: Schema.String,
      value: Schema.NullOr(Schema.Array(Schema.Struct({ name: Schema.String })))
    })
  })
})

const decode: HttpSource.Decode<Names> = (body, status) =>
  Option.match(status === 200 ? Schema.decodeUnknownOption(Found)(body) : Option.none(), {
    onNone: () =>
      Either.left({ reason: "source_unavailable", detail: "its answer is not what its documentation says" }),
    onSome: ({ result }) =>
      Either.right(
        new Map(
          Object.entries(result.function).flatMap(([selector, found]) => {
            const names = (found ?? []).map(({ name }) => name).filter((name) => isNameOf(name, selector))
            return names.length === 0 ? [] : [[selector.toLowerCase() as Hex, names] as const]
          })
        )
      )
  })
