import { Context, Effect, Layer, Option, Schema } from "effect"
import * as ChainTable from "../data/ChainTable.js"
import type { ChainRef } from "../domain/Target.js"
import * as Url from "../domain/Url.js"

/**
 * A configured chain. `endpoints` are JSON-RPC URLs in order of preference. They are secrets and never enter evidence,
 * logs or errors. `addressBook` is the id of the chain that known addresses are looked up for; it differs from `id` on
 * a local fork.
 *
 * @since 0.1.0
 * @category models
 */
export interface Chain extends ChainRef {
  readonly shortName: string
  readonly endpoints: readonly [string, ...Array<string>]
  readonly explorer: Option.Option<string>
  readonly addressBook: number
}

/**
 * Makes a chain from its id and endpoints; `ChainTable` supplies what is not given. A chain that it does not list is
 * called `chain-<id>` and has no explorer. `explorer` is a URL that accepts `/address/…`. Throws {@link EndpointUrlInvalid}
 * where an endpoint is no URL: a mistake in the program or its settings, which is seen before anything is read.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  readonly id: number
  readonly endpoints: readonly [string, ...Array<string>]
  readonly name?: string | undefined
  readonly explorer?: Option.Option<string> | undefined
  readonly addressBook?: number | undefined
}): Chain => {
  const known = ChainTable.find(options.id)
  const name =
    options.name ?? Option.match(known, { onNone: () => `chain-${options.id}`, onSome: ({ alias }) => alias })
  const invalid = options.endpoints.findIndex((url) => !isUrl(url))
  if (invalid >= 0) throw new EndpointUrlInvalid({ chain: name, endpoint: invalid + 1 })
  return {
    id: options.id,
    name,
    shortName: name,
    endpoints: options.endpoints,
    explorer: options.explorer ?? Option.flatMap(known, ({ explorer }) => explorer),
    addressBook: options.addressBook ?? options.id
  }
}

/**
 * The id of a chain by its name in `ChainTable`, such as `ethereum`, `base` or `bnb`, in any letter case.
 *
 * @since 0.1.0
 * @category combinators
 */
export const idOf = (name: string): Option.Option<number> => Option.map(ChainTable.findByAlias(name), ({ id }) => id)

// Of any scheme, because a transport of the embedder's may have its own. `localhost:8545` is a URL of the scheme localhost.
const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/[^\s]+$/i.test(text) && Option.isSome(Url.parse(text))

/**
 * The symbol of the native currency of a chain, where `ChainTable` lists it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const currencyOf = ({ id }: Chain): Option.Option<string> =>
  Option.map(ChainTable.find(id), ({ native }) => native.symbol)

/**
 * The configured chains.
 *
 * @since 0.1.0
 * @category services
 */
export class Chains extends Context.Tag("@assay/core/Chains")<
  Chains,
  {
    readonly all: readonly [Chain, ...Array<Chain>]
    readonly default: Chain
    /** Finds a chain by id (`"8453"`) or name (`"base"`); the default chain if none is named. */
    readonly find: (reference: Option.Option<string>) => Effect.Effect<Chain, UnsupportedChain>
  }
>() {}

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  chains: readonly [Chain, ...Array<Chain>],
  options: { readonly default?: number | undefined } = {}
): Layer.Layer<Chains> => {
  const preferred = chains.find((chain) => chain.id === (options.default ?? 1)) ?? chains[0]
  return Layer.succeed(Chains, {
    all: chains,
    default: preferred,
    find: (reference) => {
      if (Option.isNone(reference)) return Effect.succeed(preferred)
      const wanted = reference.value.toLowerCase()
      const found = chains.find(
        (chain) =>
          String(chain.id) === wanted || chain.name.toLowerCase() === wanted || chain.shortName.toLowerCase() === wanted
      )
      return found
        ? Effect.succeed(found)
        : new UnsupportedChain({
            chain: reference.value.slice(0, 64),
            known: chains.map(({ id, name }) => `${name} (${id})`)
          })
    }
  })
}

/**
 * The chain is not configured. `known` are those that are, with their ids.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnsupportedChain extends Schema.TaggedError<UnsupportedChain>()("UnsupportedChain", {
  chain: Schema.String,
  known: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] })
}) {
  override get message(): string {
    const known = this.known.length === 0 ? "" : `; these are: ${this.known.join(", ")}`
    return `Chain ${JSON.stringify(this.chain)} is not configured${known}.`
  }
}

/**
 * An endpoint of a chain is no URL. `endpoint` is its place, from 1; the text is not repeated, because it may hold a key.
 *
 * @since 0.1.0
 * @category errors
 */
export class EndpointUrlInvalid extends Schema.TaggedError<EndpointUrlInvalid>()("EndpointUrlInvalid", {
  chain: Schema.String,
  endpoint: Schema.Int
}) {
  override get message(): string {
    return `Endpoint ${this.endpoint} of ${this.chain} is no URL; give one that begins with https:// or http://.`
  }
}
