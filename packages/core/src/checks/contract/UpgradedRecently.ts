import { Effect, Either, Option, Schema } from "effect"
import { ChainState, type Log } from "../../chain/ChainState.js"
import * as Together from "../../chain/Together.js"
import * as ChainTable from "../../data/ChainTable.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import { Proxy } from "../../facts/code/Proxy.js"
import * as Getter from "../../facts/Getter.js"
import * as Check from "../Check.js"

/**
 * Whether the code behind a proxy, or who may replace it, was changed in the last thirty days. What the first transaction
 * with such an event set up is how the proxy came to be, and no change. Days are counted in blocks, by the time that the
 * chain takes for one.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1967#specification
 * @since 0.1.0
 * @category models
 */
export const upgradedRecently = Check.make({
  id: "proxy.upgraded-recently",
  code: "P-08",
  version: 1,
  targets: ["token", "contract"],
  claim: "The code was replaced in the last 30 days",
  polarity: "risk",
  severity: "medium",
  dimension: "control",
  value: Schema.Struct({
    /** Transactions that changed something, in the blocks that were seen, and those of the last thirty days. */
    changes: Schema.NonNegativeInt,
    recent: Schema.NonNegativeInt,
    last_block: Schema.NullOr(Schema.NonNegativeInt),
    from_block: Schema.NonNegativeInt
  }),
  run: (target) =>
    Effect.gen(function* () {
      const state = yield* ChainState
      const proxy = yield* Proxy
      // The events are asked for as soon as the code can be a proxy's, not when it is known which.
      const scanned = Effect.gen(function* () {
        const [code, beacon] = yield* Together.all([
          state.code(target.address),
          Effect.either(state.storage(target.address, Slots.beacon))
        ])
        const reach = Bytecode.reach(Bytecode.parse(code.value))
        if (Bytecode.presence(reach, "DELEGATECALL") === "absent") return Option.none()
        const { value: word } = yield* beacon
        const address = [target.address, ...Option.toArray(Getter.storedAddress(word))]
        return Option.some(yield* state.logs({ address, topics: [events] }))
      })
      const { scan, structure } = yield* Together.all({
        structure: proxy.of(target.address),
        scan: Effect.either(scanned)
      })
      const { kind, upgrade } = structure.value
      if (kind === "none" || kind === "safe" || kind === "eip1167" || kind === "clone_with_immutable_args")
        return Check.notApplicable
      const found = yield* Either.match(scan, { onLeft: Effect.fail, onRight: Effect.succeed })
      if (Option.isNone(found)) return Check.notApplicable
      const { observation, value } = found.value
      const since = state.block.number - Math.ceil((recentDays * 86_400_000) / blockTimeOf(state.chain))
      const addresses = [...new Set(value.logs.map((log) => log.address))]
      const changes = addresses.flatMap((address) => later(value.logs.filter((log) => log.address === address)))
      const recent = changes.filter(({ blockNumber }) => blockNumber >= since)
      const seen = {
        value: {
          changes: changes.length,
          recent: recent.length,
          last_block: changes.reduce<number | null>((last, log) => Math.max(last ?? 0, log.blockNumber), null),
          from_block: value.fromBlock
        },
        observation: observation()
      }
      if (recent.length > 0)
        return [Check.confirmed({ ...seen, detail: `${recent.length} times, last in block ${seen.value.last_block}` })]
      const isCovered = value.fromBlock <= Math.max(0, since)
      // Without the blocks before, the one event may be how the proxy came to be, or a change of it.
      const isDoubtful = !value.complete && value.logs.some(({ blockNumber }) => blockNumber >= since)
      return isCovered && !isDoubtful
        ? [Check.refuted({ ...seen, detail: `no event of a change since block ${Math.max(0, since)} (${upgrade})` })]
        : [Check.unknown("log_range_limited", `only the blocks from ${value.fromBlock} could be searched`, seen)]
    })
})

const { topics } = Selectors

const events: ReadonlyArray<Hex> = [
  topics.Upgraded,
  topics.BeaconUpgraded,
  topics.AdminChanged,
  topics.DiamondCut,
  topics.ChangedMasterCopy
]

const recentDays = 30

/** One event of every transaction but the first that was seen. */
const later = (logs: ReadonlyArray<Log>): ReadonlyArray<Log> =>
  [...new Map(logs.map((log) => [log.transactionHash, log])).values()].slice(1)

// A quarter of a second is as fast as chains are; where nothing is known, thirty days are then more blocks rather than
// fewer.
const fastestBlock = 250

const blockTimeOf = ({ addressBook, id }: ChainState["Type"]["chain"]): number =>
  Option.getOrElse(
    Option.orElse(
      Option.flatMap(ChainTable.find(id), ({ blockTime }) => blockTime),
      () => Option.flatMap(ChainTable.find(addressBook), ({ blockTime }) => blockTime)
    ),
    () => fastestBlock
  )
