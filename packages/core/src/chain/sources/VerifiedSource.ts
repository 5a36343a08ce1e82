import type * as HttpClient from "@effect/platform/HttpClient"
import { Context, Effect, Layer, type Option, type Scope } from "effect"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import type { ChainError } from "../ChainError.js"
import type { CreationRecord } from "./CreationRecord.js"
import type { Asked, SourceReading } from "./SourceReading.js"

/**
 * How well the source that a registry has for a contract compiles to its code.
 *
 * - `exact`: to every byte of it, metadata included.
 * - `partial`: to the same instructions; comments, names or the creation code may differ.
 * - `none`: the registry has no source.
 *
 * `code` is the hash of the code that the registry compared with, if it reports it.
 *
 * @since 0.1.0
 * @category models
 */
export interface SourceMatch {
  readonly level: "exact" | "partial" | "none"
  readonly code: Option.Option<Hex>
}

/**
 * A public registry of contract sources and creators. `page` is where a reader can look up the same contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface Registry {
  readonly name: string
  readonly page: (at: Asked, address: Address) => string
  /** None if the registry does not cover the chain. */
  readonly look: (at: Asked, address: Address) => Effect.Effect<Option.Option<SourceReading<SourceMatch>>, ChainError>
  /** None if the registry does not cover the chain; a reading of none if it has no record. */
  readonly creation: (
    at: Asked,
    address: Address
  ) => Effect.Effect<Option.Option<SourceReading<Option.Option<CreationRecord>>>, ChainError>
}

/**
 * The registries that say whether the source of a contract is published, and who created it. Optional: without any,
 * nothing is known about the source.
 *
 * @since 0.1.0
 * @category services
 */
export class VerifiedSource extends Context.Tag("@assay/core/VerifiedSource")<
  VerifiedSource,
  { readonly registries: ReadonlyArray<Registry> }
>() {}

/**
 * Uses these registries, such as `Sourcify.make()` and `Etherscan.make({ key })`.
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
 * Uses no registry.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerDisabled: Layer.Layer<VerifiedSource> = Layer.succeed(VerifiedSource, { registries: [] })
