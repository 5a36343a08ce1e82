import * as Analyzer from "@assay/core/analysis/Analyzer"
import * as ChainAccess from "@assay/core/chain/ChainAccess"
import type * as Chains from "@assay/core/chain/Chains"
import * as Address from "@assay/core/domain/Address"
import type * as Analysis from "@assay/core/domain/Analysis"
import type * as Target from "@assay/core/domain/Target"
import { Effect, Either, Option, Schema } from "effect"
import * as KindGuess from "./KindGuess.js"
import { Refusal } from "./Refusal.js"

/** The address that a text is, or what is wrong with it. */
export const read = (text: string): Either.Either<Address.Address, string> =>
  Either.mapLeft(Address.parse(text), ({ reason }) =>
    reason === "bad_checksum"
      ? `${text} has a wrong checksum (EIP-55); copy it again, or write it in lower case`
      : `${JSON.stringify(text.slice(0, 64))} is no address; give 0x and 40 hex digits`
  )

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
              ? `${address} is no ${kind} on this chain (${error.detected}); leave out --kind, or name another --chain`
              : `${address} could not be read: ${error.sources_failed.map(({ name, reason }) => `${name}: ${reason}`).join(", ")}; check the endpoint and the block`
        })
    )
  }).pipe(
    Effect.catchAll((refusal) =>
      Effect.flatMap(beyondHead(options), (beyond) => Effect.fail(Option.getOrElse(beyond, () => refusal)))
    )
  )

// Endpoints say of such a block that it is unknown, pruned or an error of theirs.
const beyondHead = ({ block, chain }: { readonly block: Option.Option<number>; readonly chain: Chains.Chain }) =>
  Option.match(block, {
    onNone: () => Effect.succeedNone,
    onSome: (wanted) =>
      Effect.gen(function* () {
        const access = yield* ChainAccess.ChainAccess
        const { block: head } = yield* access.pin({ chain, block: Option.none(), maxCalls: 1 })
        return wanted > head.number
          ? Option.some(new Refusal({ detail: `block ${wanted} is beyond the head of the chain, ${head.number}` }))
          : Option.none()
      }).pipe(
        Effect.scoped,
        Effect.orElseSucceed(() => Option.none<Refusal>())
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
