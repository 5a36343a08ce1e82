import { Context, type Effect, Layer, type Option } from "effect"
import type { Address } from "../../domain/Address.js"
import { ChainError } from "../ChainError.js"
import type { Asked, SourceReading } from "./SourceReading.js"

/**
 * The claims of a second opinion about a token, in the terms of this library.
 *
 * @since 0.1.0
 * @category models
 */
export const tokenClaims = [
  "honeypot",
  "mintable",
  "pausable",
  "blacklistable",
  "balances_seizable",
  "tax_changeable",
  "hidden_control",
  "reclaimable"
] as const

/**
 * @since 0.1.0
 * @category models
 */
export type TokenClaim = (typeof tokenClaims)[number]

/**
 * What another service says about each claim: yes, no, or nothing. Nothing never counts as no.
 *
 * @since 0.1.0
 * @category models
 */
export type Opinions<Claim extends string> = { readonly [claim in Claim]: Option.Option<boolean> }

/**
 * A service that judges tokens and accounts by its own methods. Optional. Its answers are repeated, not checked.
 *
 * @since 0.1.0
 * @category services
 */
export class SecondOpinion extends Context.Tag("@assay/core/SecondOpinion")<
  SecondOpinion,
  {
    readonly name: string
    readonly tokenPage: (at: Asked, address: Address) => string
    /** None if it does not cover the chain. */
    readonly token: (
      at: Asked,
      address: Address
    ) => Effect.Effect<Option.Option<SourceReading<Opinions<TokenClaim>>>, ChainError>
    readonly accountPage: (at: Asked, address: Address) => string
    /** The accusations against an account, in the words of the service. None if it does not cover the chain. */
    readonly account: (
      at: Asked,
      address: Address
    ) => Effect.Effect<Option.Option<SourceReading<Opinions<string>>>, ChainError>
  }
>() {}

/**
 * No second opinion: every read fails with `source_disabled`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerDisabled: Layer.Layer<SecondOpinion> = Layer.suspend(() => {
  const disabled = new ChainError({
    reason: "source_disabled",
    method: "GET second opinion",
    retryable: false,
    detail: "no second opinion is configured"
  })
  return Layer.succeed(SecondOpinion, {
    name: "second opinion",
    tokenPage: ({ chain }, address) => `eip155:${chain.id}:${address}`,
    token: () => disabled,
    accountPage: ({ chain }, address) => `eip155:${chain.id}:${address}`,
    account: () => disabled
  })
})
