import * as Analyzer from "@assay/core/analysis/Analyzer"
import type * as ChainAccess from "@assay/core/chain/ChainAccess"
import type * as Chains from "@assay/core/chain/Chains"
import * as Address from "@assay/core/domain/Address"
import type * as Analysis from "@assay/core/domain/Analysis"
import type * as Target from "@assay/core/domain/Target"
import { Effect, Either, Option } from "effect"
import * as KindGuess from "./KindGuess.js"
import { Refusal } from "./Refusal.js"

/**
 * The address that a text is, or what is wrong with it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = (text: string): Either.Either<Address.Address, string> =>
  Either.mapLeft(Address.parse(text), ({ reason }) =>
    reason === "bad_checksum"
      ? `${text} has a wrong checksum (EIP-55); copy it again, or write it in lower case`
      : `${JSON.stringify(text.slice(0, 64))} is no address; give 0x and 40 hex digits`
  )

/**
 * The address of an argument.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parse = (text: string): Effect.Effect<Address.Address, Refusal> =>
  Effect.mapError(read(text), (detail) => new Refusal({ detail }))

/**
 * Analyses an address at a block, as the kind that is named or guessed.
 *
 * @since 0.1.0
 * @category combinators
 */
export const analyze = (options: {
  readonly address: Address.Address
  readonly chain: Chains.Chain
  readonly kind: Option.Option<Target.TargetKind>
  readonly block: Option.Option<number>
}): Effect.Effect<Analysis.Analysis, Refusal, Analyzer.Analyzer | ChainAccess.ChainAccess> =>
  Effect.gen(function* () {
    const { address, block, chain } = options
    const kind = Option.isSome(options.kind) ? options.kind.value : yield* KindGuess.make(address, chain, block)
    const analyzer = yield* Analyzer.Analyzer
    return yield* Effect.mapError(
      analyzer.analyze({ kind, address, chain, block }),
      (error) =>
        new Refusal({
          detail:
            error._tag === "TargetMismatch"
              ? `${address} is no ${kind} on this chain (${error.detected}); leave out --kind, or name another --chain`
              : `${address} could not be read: ${error.sources_failed.map(({ name, reason }) => `${name}: ${reason}`).join(", ")}; check the endpoint and the block`
        })
    )
  })
