import { Context, Effect, Layer, Option, Schema } from "effect"
import * as ChainTable from "../data/ChainTable.js"
import type { ChainRef } from "../domain/Target.js"

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
 * called `chain-<id>` and has no explorer. `explorer` is a URL that accepts `/address/…`.
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
      return found ? Effect.succeed(found) : new UnsupportedChain({ chain: reference.value.slice(0, 64) })
    }
  })
}

/**
 * The chain is not configured.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnsupportedChain extends Schema.TaggedError<UnsupportedChain>()("UnsupportedChain", {
  chain: Schema.String
}) {}
