import type { HttpClient } from "@effect/platform"
import { Context, Effect, Layer, type Option, type Scope } from "effect"
import type { Address } from "../domain/Address.js"
import type { Hex } from "../domain/Hex.js"
import type { ChainError } from "./ChainError.js"
import type { CreationRecord } from "./CreationRecord.js"
import type { Asked, SourceReading } from "./SourceReading.js"

/**
 * How well the source that a registry has of a contract compiles to its code.
 *
 * - `exact`: to every byte of it, metadata included.
 * - `partial`: to the same instructions, while comments, names or the creation may differ.
 * - `none`: the registry has no source of it.
 *
 * `code` is the hash of the code that the registry compared with, where it tells.
 *
 * @since 0.1.0
 * @category models
 */
export interface SourceMatch {
  readonly level: "exact" | "partial" | "none"
  readonly code: Option.Option<Hex>
}

/**
 * A public registry of contracts: of their sources, and of who created them. `page` is where a reader can look for himself.
 *
 * @since 0.1.0
 * @category models
 */
export interface Registry {
  readonly name: string
  readonly page: (at: Asked, address: Address) => string
  /** None where the registry does not cover the chain. */
  readonly look: (at: Asked, address: Address) => Effect.Effect<Option.Option<SourceReading<SourceMatch>>, ChainError>
  /** None where the registry does not cover the chain, and a reading of none where it has no record. */
  readonly creation: (
    at: Asked,
    address: Address
  ) => Effect.Effect<Option.Option<SourceReading<Option.Option<CreationRecord>>>, ChainError>
}

/**
 * The registries that are asked whether the source of a contract is published, and who created it. Optional: without any
 * of them nothing is known about the source.
 *
 * @since 0.1.0
 * @category services
 */
export class VerifiedSource extends Context.Tag("@assay/core/VerifiedSource")<
  VerifiedSource,
  { readonly registries: ReadonlyArray<Registry> }
>() {}

/**
 * Asks these registries, such as `Sourcify.make()` and `Etherscan.make({ key })`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  registries: ReadonlyArray<Effect.Effect<Registry, never, HttpClient.HttpClient | Scope.Scope>>
): Layer.Layer<VerifiedSource, never, HttpClient.HttpClient> =>
  Layer.scoped(
    VerifiedSource,
    Effect.map(Effect.all(registries), (made) => ({ registries: made }))
  )

/**
 * Asks nobody.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerDisabled: Layer.Layer<VerifiedSource> = Layer.succeed(VerifiedSource, { registries: [] })
