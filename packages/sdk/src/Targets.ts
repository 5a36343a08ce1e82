import * as KindGuess from "@assay/core/analysis/KindGuess"
import type { ChainAccess } from "@assay/core/chain/ChainAccess"
import type * as Chains from "@assay/core/chain/Chains"
import * as Address from "@assay/core/domain/Address"
import type { TargetKind } from "@assay/core/domain/Target"
import { Effect, Option } from "effect"
import * as AssayErrors from "./AssayError.js"
import { AssayError } from "./AssayError.js"

/**
 * An address, and of which kind, chain and block. Without a kind it is guessed from the code; without a chain it is the only
 * one that was given; without a block the newest is read.
 */
export interface TargetInput {
  readonly address: string
  readonly kind?: TargetKind | undefined
  readonly chain?: string | number | undefined
  readonly block?: number | bigint | undefined
}

/** A target that can be analysed. */
export interface Target {
  readonly address: Address.Address
  readonly kind: TargetKind
  readonly chain: Chains.Chain
  readonly block: Option.Option<number>
}

type AllChains = readonly [Chains.Chain, ...Array<Chains.Chain>]

/** The chain that is named, or the only one. */
export const chainOf = (
  chains: AllChains,
  reference: string | number | undefined
): Effect.Effect<Chains.Chain, AssayError> => {
  const known = chains.map(({ id, name }) => `${name} (${id})`).join(", ")
  if (reference === undefined)
    return chains.length === 1
      ? Effect.succeed(chains[0])
      : Effect.fail(AssayError.make("chain_missing", `Name the chain of the target: one of ${known}.`))
  const wanted = String(reference).toLowerCase()
  return Effect.mapError(
    Effect.fromNullable(chains.find(({ id, name }) => String(id) === wanted || name.toLowerCase() === wanted)),
    () =>
      AssayError.make(
        "unsupported_chain",
        `${JSON.stringify(String(reference).slice(0, 64))} is none of the chains of this assay: ${known}.`
      )
  )
}

/** A target as it was given, with what was left out. */
export const find = (chains: AllChains, input: string | TargetInput): Effect.Effect<Target, AssayError, ChainAccess> =>
  Effect.gen(function* () {
    const given = typeof input === "string" ? { address: input } : input
    const address = yield* Effect.mapError(Address.parse(String(given.address)), AssayErrors.of)
    const chain = yield* chainOf(chains, given.chain)
    const block = Option.map(Option.fromNullable(given.block), Number)
    if (Option.exists(block, (number) => !Number.isSafeInteger(number) || number < 0))
      return yield* Effect.fail(AssayError.make("invalid_option", "block is a block number, 0 or more."))
    if (given.kind !== undefined && !["token", "wallet", "contract"].includes(given.kind))
      return yield* Effect.fail(AssayError.make("invalid_option", 'kind is "token", "wallet" or "contract".'))
    const kind = given.kind ?? (yield* Effect.mapError(KindGuess.make(address, chain, block), AssayErrors.of))
    return { address, chain, block, kind }
  })
