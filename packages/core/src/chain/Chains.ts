import { Context, Effect, Layer, Option, Schema } from "effect"
import type { ChainRef } from "../domain/Target.js"

/**
 * A chain that this engine was told to read. `endpoints` are JSON-RPC URLs in order of preference and are secrets:
 * they never enter evidence, logs or errors. `addressBook` is the chain id whose known addresses apply here, which
 * differs from `id` on a local copy of another chain.
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
    /** Finds a chain by id (`"8453"`) or name (`"base"`); the default one where none is named. */
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
 * The chain is not among those that this engine was told to read.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnsupportedChain extends Schema.TaggedError<UnsupportedChain>()("UnsupportedChain", {
  chain: Schema.String
}) {}
