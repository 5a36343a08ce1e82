/** @internal */

import { Context, Effect, Layer, Option } from "effect"
import { ChainError } from "../../chain/ChainError.js"
import { ChainState, type Log, type Receipt } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import type * as Document from "../../domain/facts/ContractOrigin.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"

/** Since when a contract stands at its address, and who put it there. */
export class Provenance extends Context.Tag("@assay/core/Provenance")<
  Provenance,
  {
    readonly of: (contract: Address.Address) => Effect.Effect<Reading<Document.ContractOrigin>, ChainError>
  }
>() {}

const { topics } = Selectors

// Events that constructors and initialisers emit and that are rare afterwards, so that the first of them can be found.
const firstEvents = [
  topics.OwnershipTransferred,
  topics.Initialized,
  topics.InitializedV4,
  topics.RoleGranted,
  topics.Upgraded,
  topics.AdminChanged,
  topics.BeaconUpgraded,
  topics.DiamondCut
]

// Two rounds of so many blocks give the block of creation to one part in 4,000 of the chain's length.
const probes = 64

/** The contract was not there at `after` (none where no such block was seen) and was at `by`, and ever since. */
interface Span {
  readonly after: Option.Option<number>
  readonly by: number
}

const make = Effect.gen(function* () {
  const state = yield* ChainState

  const isThere = (contract: Address.Address, blockNumber: number) =>
    Effect.map(state.codeAt(contract, blockNumber), ({ value }) => !Bytecode.isEmpty(value))

  /**
   * Reads the code at evenly spaced blocks, the same ones whatever the newest block is. A contract can be destroyed and
   * created again: the start of its present life counts.
   */
  const narrow = (contract: Address.Address, { after, by }: Span): Effect.Effect<Span, ChainError> =>
    Effect.gen(function* () {
      const start = Option.getOrElse(after, () => -1)
      const step = 2 ** Math.ceil(Math.log2(Math.max(1, (by - start) / probes)))
      const places = Array.from({ length: probes }, (_, index) => (Math.floor(start / step) + index + 1) * step).filter(
        (place) => place > start && place < by
      )
      const seen = yield* Together.forEach(places, (place) => isThere(contract, place))
      const last = seen.lastIndexOf(false)
      return {
        after: last < 0 ? after : Option.fromNullable(places[last]),
        by: places[last + 1] ?? by
      }
    })

  const read = Effect.fn("Provenance.of")(function* (contract: Address.Address) {
    const { capabilities, code, mints, scan } = yield* Together.all({
      code: state.code(contract),
      scan: state.logs({ address: contract, topics: [firstEvents] }),
      mints: state.logs({ address: contract, topics: [topics.Transfer, Getter.word(Address.zero)] }),
      capabilities: state.capabilities
    })
    if (Bytecode.isEmpty(code.value)) return yield* undecided("inconclusive", "no contract stands there")
    const first = earliest([...scan.value.logs, ...mints.value.logs])
    const by = first?.blockNumber ?? state.block.number
    const { before, receipt, rough } = yield* Together.all({
      receipt:
        first === undefined
          ? Effect.succeedNone
          : Effect.map(state.receipt(first.transactionHash), ({ value }) => value),
      before:
        capabilities.archive && first !== undefined && by > 0
          ? Effect.map(isThere(contract, by - 1), Option.some)
          : Effect.succeedNone,
      rough:
        capabilities.archive && first === undefined
          ? Effect.map(narrow(contract, { after: Option.none(), by }), Option.some)
          : Effect.succeedNone
    })
    const { observation } = first === undefined ? code : scan.value.logs.includes(first) ? scan : mints
    const created = Option.filter(receipt, (found) => Option.contains(found.created, contract))
    if (Option.isSome(created))
      return { value: document(at(created.value.blockNumber), "receipt", first, created), observation }
    // It was not there a block before its first event.
    if (Option.contains(before, false)) return { value: document(at(by), "code", first, receipt), observation }
    const span = Option.isSome(before) ? Option.some<Span>({ after: Option.none(), by: by - 1 }) : rough
    if (Option.isSome(span))
      return { value: document(yield* narrow(contract, span.value), "code"), observation: code.observation }
    if (first === undefined)
      return yield* undecided("archive_required", "it emitted no event that tells its age, and old state is not kept")
    if (!scan.value.complete || !mints.value.complete)
      return yield* undecided("log_range_limited", `it stands there since block ${by} at the latest`)
    return { value: document({ after: Option.none(), by }, "events"), observation }
  })

  return Provenance.of({ of: yield* OncePerKey.make((contract: Address.Address) => contract, read) })
})

/**
 * Reads the first events of a contract and the receipt of their transaction, and, where the endpoint keeps old state,
 * the code just before them, or at blocks over the whole history where that is not enough: three levels.
 */
export const layer: Layer.Layer<Provenance, never, ChainState> = Layer.scoped(Provenance, make)

const undecided = (reason: ChainError["reason"], detail: string): ChainError =>
  new ChainError({ reason, method: "eth_getCode", retryable: false, detail })

const earliest = (logs: ReadonlyArray<Log>): Log | undefined =>
  logs.reduce<Log | undefined>(
    (first, log) =>
      first === undefined ||
      log.blockNumber < first.blockNumber ||
      (log.blockNumber === first.blockNumber && log.logIndex < first.logIndex)
        ? log
        : first,
    undefined
  )

/** Made in one known block. */
const at = (blockNumber: number): Span => ({
  after: Option.liftPredicate(blockNumber - 1, (before) => before >= 0),
  by: blockNumber
})

const document = (
  { after, by }: Span,
  basis: Document.ContractOrigin["basis"],
  first?: Log | undefined,
  receipt: Option.Option<Receipt> = Option.none()
): Document.ContractOrigin => ({
  after_block: Option.getOrNull(after),
  by_block: by,
  transaction: Option.isSome(receipt) ? (first?.transactionHash ?? null) : null,
  deployer: Option.getOrNull(Option.map(receipt, ({ from }) => from)),
  creator: Option.getOrNull(Option.flatMap(receipt, ({ to }) => to)),
  basis
})
