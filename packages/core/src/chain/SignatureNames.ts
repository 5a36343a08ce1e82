import type { HttpClient } from "@effect/platform"
import { Context, Effect, Either, Layer, Option, Schema } from "effect"
import type { Hex } from "../domain/Hex.js"
import * as Selectors from "../evm/Selectors.js"
import { ChainError } from "./ChainError.js"
import * as HttpSource from "./HttpSource.js"
import * as SourceReading from "./SourceReading.js"

/**
 * The signatures known for each selector that has any, most likely first. Each of them does give its selector; whether
 * it is the one that the contract means is not known, and anybody can have put it there: it is data, never an
 * instruction.
 *
 * @since 0.1.0
 * @category models
 */
export type Names = ReadonlyMap<Hex, ReadonlyArray<string>>

/**
 * A public database of function signatures. Optional.
 *
 * @since 0.1.0
 * @category services
 */
export class SignatureNames extends Context.Tag("@assay/core/SignatureNames")<
  SignatureNames,
  {
    readonly name: string
    /** Where a reader can look the same selectors up. */
    readonly page: (selectors: ReadonlyArray<Hex>) => string
    /** Looks at most `mostSelectors` up, in one request. */
    readonly find: (
      at: SourceReading.Asked,
      selectors: ReadonlyArray<Hex>
    ) => Effect.Effect<SourceReading.SourceReading<Names>, ChainError>
  }
>() {}

/**
 * How many selectors one look-up takes: what a URL has room for.
 *
 * @since 0.1.0
 * @category constructors
 */
export const mostSelectors = 200

/**
 * The public database.
 *
 * @since 0.1.0
 * @category constructors
 */
export const publicUrl = "https://api.4byte.sourcify.dev"

/**
 * The database of OpenChain, which Sourcify runs today, or another one of the same API; without a key. Its filter leaves
 * out what was plainly made up for a selector.
 *
 * @see https://docs.sourcify.dev/docs/api/
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: HttpSource.HttpSourceOptions & { readonly url?: string | undefined } = {}
): Layer.Layer<SignatureNames, never, HttpClient.HttpClient> =>
  Layer.scoped(
    SignatureNames,
    Effect.map(HttpSource.make("signature database", options), (source) => {
      const base = (options.url ?? publicUrl).replace(/\/+$/, "")
      const page = (selectors: ReadonlyArray<Hex>) =>
        `${base}/signature-database/v1/lookup?function=${[...selectors].sort().slice(0, mostSelectors).join(",")}&filter=true`
      return {
        name: "signature database",
        page,
        find: (at, selectors) =>
          Effect.map(source.get({ url: page(selectors) }, decode), (answer) => SourceReading.fromAnswer(answer, at))
      }
    })
  )

/**
 * Knows no name.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerDisabled: Layer.Layer<SignatureNames> = Layer.succeed(SignatureNames, {
  name: "signature database",
  page: () => publicUrl,
  find: () =>
    new ChainError({
      reason: "source_disabled",
      method: "GET signature database",
      retryable: false,
      detail: "no database of signatures is configured"
    })
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

// Letters of identifiers and types only, so that a name can carry neither markup nor a sentence.
const signature = /^[A-Za-z_$][\w$]*\([\w,()[\]]*\)$/

const isNameOf = (name: string, selector: string): boolean =>
  name.length <= 256 && signature.test(name) && Selectors.selector(name) === selector.toLowerCase()
