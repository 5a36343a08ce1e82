import * as Analyzer from "@assay/core/analysis/Analyzer"
import type * as ChainAccess from "@assay/core/chain/ChainAccess"
import type * as Chains from "@assay/core/chain/Chains"
import * as Address from "@assay/core/domain/Address"
import type * as Analysis from "@assay/core/domain/Analysis"
import type * as Target from "@assay/core/domain/Target"
import { Effect, Either, Option, Schema } from "effect"
import * as KindGuess from "./KindGuess.js"
import { part, Refusal } from "./Refusal.js"

/** The address that a text is, or what is wrong with it. */
export const read = (text: string): Either.Either<Address.Address, string> => Either.mapLeft(Address.parse(text), part)

/** The address of an argument. */
export const parse = (text: string): Effect.Effect<Address.Address, Refusal> =>
  Effect.mapError(read(text), (detail) => new Refusal({ detail }))

/** Analyses an address at a block, as the kind that is named or guessed. */
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
              ? `${part(error).replace(/; .*$/, "")}; leave out --kind, or name another --chain`
              : `${address} could not be read: ${part(error)}`
        })
    )
  })

/**
 * What is odd about an address that was analysed as the kind of `--kind`; none where nothing is, or the kind was guessed.
 */
export const oddity = (
  { evidence, target: { address } }: Analysis.Analysis,
  named: Option.Option<Target.TargetKind>
): Option.Option<string> => {
  const item = (id: string) => evidence.find((each) => each.id === id)
  const guess = "leave out --kind to have it guessed"
  if (Option.contains(named, "wallet") && isContract(item("address.kind")?.value) && item("safe.setup") === undefined)
    return Option.some(`${address} is a contract and was analysed as a wallet: ${guess}`)
  if (Option.contains(named, "token") && item("token.standard")?.state === "refuted")
    return Option.some(`${address} behaves as no known token and was analysed as one: ${guess}`)
  return Option.none()
}

const isContract = Schema.is(Schema.Struct({ kind: Schema.Literal("contract") }))
