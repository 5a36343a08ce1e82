import { Effect, Either, Option, Schema } from "effect"
import * as BlockUse from "../../chain/state/BlockUse.js"
import { ChainState, type Log } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import * as ChainTable from "../../data/ChainTable.js"
import type { Address } from "../../domain/Address.js"
import * as Count from "../../domain/Count.js"
import type { ProxyKind, ProxyStructure } from "../../domain/facts/ProxyStructure.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import { Proxy } from "../../facts/code/Proxy.js"
import * as Getter from "../../facts/Getter.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether the implementation or the admin of a proxy changed in the last 30 days. The first transaction with such an
 * event is the creation of the proxy and not a change. The check converts days to blocks by the block time of the
 * chain. That no event came refutes it only where the code that replaces the implementation emits one, or nothing does.
 * Of other code, a variable of a known pattern that had another value 30 days ago confirms it.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1967#specification
 */
export const upgradedRecently = Check.make({
  id: "proxy.upgraded-recently",
  code: "P-08",
  version: 3,
  targets: ["token", "contract"],
  claim: "The implementation or admin changed in the last 30 days",
  polarity: "risk",
  severity: "medium",
  dimension: "control",
  value: Schema.Struct({
    /** Transactions with a change in the searched blocks, and those of the last 30 days. */
    changes: Schema.NonNegativeInt,
    recent: Schema.NonNegativeInt,
    last_block: Schema.NullOr(Schema.NonNegativeInt),
    from_block: Schema.NonNegativeInt
  }),
  run: (target) =>
    Effect.gen(function* () {
      const state = yield* ChainState
      const proxy = yield* Proxy
      // The scan starts as soon as the code may be a proxy, before its kind is known.
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
      const span = Math.ceil((recentDays * 86_400_000) / blockTimeOf(state.chain))
      const isBehind = (number: number): boolean => BlockUse.hasReached(state.block, "number", number + span + 1)
      const isRecent = (number: number): boolean => !isBehind(number)
      const since = isBehind(0) ? BlockUse.numberAfter(state.block, -span) : 0
      const addresses = [...new Set(value.logs.map((log) => log.address))]
      const changes = addresses.flatMap((address) => later(value.logs.filter((log) => log.address === address)))
      const recent = changes.filter(({ blockNumber }) => isRecent(blockNumber))
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
        return [
          Check.confirmed({
            ...seen,
            detail: `${Count.of(recent.length, "change")} in the last 30 days, the latest in block ${seen.value.last_block}`
          })
        ]
      const isCovered = value.fromBlock === 0 || isBehind(value.fromBlock - 1)
      // Without the earlier blocks, a single event may be the creation of the proxy or a change.
      const isDoubtful = !value.complete && value.logs.some(({ blockNumber }) => isRecent(blockNumber))
      if (isCovered && !isDoubtful && upgrade !== "none" && !(yield* tellsOf(state, structure.value))) {
        const replaced = since === 0 ? Option.none() : yield* replacedSince(state, target.address, since)
        if (Option.isSome(replaced))
          return [
            Check.confirmed({
              value: { ...seen.value, recent: 1, changes: seen.value.changes + 1 },
              observation: replaced.value.observation(),
              detail: `the variable that names its ${replaced.value.value} has another value than in block ${since}, without an event`
            })
          ]
        return [
          Phrases.unknown(
            "inconclusive",
            `no event of a change since block ${since}, but this code may be replaced without one`,
            { observation: observation() }
          )
        ]
      }
      return isCovered && !isDoubtful
        ? [
            Check.refuted({
              ...seen,
              detail: `no upgrade or admin event since block ${since} (upgrade path ${upgrade})`
            })
          ]
        : [Phrases.unknown("log_range_limited", `events before block ${value.fromBlock} were not searched`, seen)]
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

/**
 * Whether an upgrade emits an event: for proxy kinds with an event in their standard, if the code that can write the
 * slot has that event. For others, the absence of events shows nothing.
 */
const tellsOf = (state: ChainState["Type"], structure: ProxyStructure) =>
  Effect.gen(function* () {
    const told = telling.get(structure.kind)
    if (told === undefined) return false
    const writers = [structure.address, ...(structure.beacon === null ? structure.implementations : [structure.beacon])]
    const codes = yield* Together.forEach(writers, state.code)
    return codes.some(({ value }) => told.some((topic) => value.includes(topic.slice(2))))
  })

// https://eips.ethereum.org/EIPS/eip-1967#specification, https://eips.ethereum.org/EIPS/eip-2535#specification
const telling: ReadonlyMap<ProxyKind, ReadonlyArray<Hex>> = new Map([
  ["eip1967", [topics.Upgraded]],
  ["eip1967_uups", [topics.Upgraded]],
  ["eip1967_transparent", [topics.Upgraded]],
  ["eip1967_beacon", [topics.Upgraded]],
  ["zeppelinos", [topics.Upgraded]],
  ["eip2535_diamond", [topics.DiamondCut]]
])

/**
 * Which variable of a known pattern has another value now than at an earlier block, with the reading of then. None where
 * none does, which shows nothing, since it may have been changed back, and where no endpoint has the state of that block.
 * A variable that was empty then was set when the proxy was made.
 */
const replacedSince = (state: ChainState["Type"], address: Address, blockNumber: number) =>
  Effect.gen(function* () {
    const compared = yield* Together.forEach(variables, ([name, slot]) =>
      Effect.gen(function* () {
        const now = yield* state.storage(address, slot)
        if (BigInt(now.value) === 0n) return Option.none()
        const then = yield* state.storageAt(address, slot, blockNumber)
        return BigInt(then.value) === 0n || then.value === now.value
          ? Option.none()
          : Option.some(Reading.map(then, () => name))
      })
    )
    return Option.firstSomeOf(compared)
  }).pipe(Effect.catchAll(() => Effect.succeedNone))

const variables: ReadonlyArray<readonly [name: string, slot: Hex]> = [
  ["implementation", Slots.implementation],
  ["implementation", Slots.proxiable],
  ["implementation", Slots.zeppelinOsImplementation],
  ["implementation", Slots.polygonImplementation],
  ["beacon", Slots.beacon],
  ["admin", Slots.admin]
]

const recentDays = 30

/** One event of every transaction except the first. */
const later = (logs: ReadonlyArray<Log>): ReadonlyArray<Log> =>
  [...new Map(logs.map((log) => [log.transactionHash, log])).values()].slice(1)

// No chain is faster than 0.25 s a block. As the fallback it makes 30 days more blocks rather than fewer.
const fastestBlock = 250

const blockTimeOf = ({ addressBook, id }: ChainState["Type"]["chain"]): number =>
  Option.getOrElse(
    Option.orElse(
      Option.flatMap(ChainTable.find(id), ({ blockTime }) => blockTime),
      () => Option.flatMap(ChainTable.find(addressBook), ({ blockTime }) => blockTime)
    ),
    () => fastestBlock
  )
