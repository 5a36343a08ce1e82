import { Context, type Effect, Layer, type Option } from "effect"
import type { Address } from "../domain/Address.js"
import { ChainError } from "./ChainError.js"
import type { Asked, SourceReading } from "./SourceReading.js"

/**
 * What may be said of a token, in our words.
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
 * What another service says of each claim: yes, no, or nothing. Nothing is never no.
 *
 * @since 0.1.0
 * @category models
 */
export type Opinions<Claim extends string> = { readonly [claim in Claim]: Option.Option<boolean> }

/**
 * A service that judges tokens and accounts by its own means. Optional. What it says is repeated, not checked.
 *
 * @since 0.1.0
 * @category services
 */
export class SecondOpinion extends Context.Tag("@assay/core/SecondOpinion")<
  SecondOpinion,
  {
    readonly name: string
    readonly tokenPage: (at: Asked, address: Address) => string
    /** None where it does not cover the chain. */
    readonly token: (
      at: Asked,
      address: Address
    ) => Effect.Effect<Option.Option<SourceReading<Opinions<TokenClaim>>>, ChainError>
    readonly accountPage: (at: Asked, address: Address) => string
    /** What an account is accused of, by the words of the service. None where it does not cover the chain. */
    readonly account: (
      at: Asked,
      address: Address
    ) => Effect.Effect<Option.Option<SourceReading<Opinions<string>>>, ChainError>
  }
>() {}

/**
 * Says nothing.
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
