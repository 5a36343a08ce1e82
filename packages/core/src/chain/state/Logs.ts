/** @internal */

import { Effect, Either, Option, Schema } from "effect"
import * as OxBytes from "ox/Bytes"
import * as OxHash from "ox/Hash"
import * as Address from "../../domain/Address.js"
import { Hex } from "../../domain/Hex.js"
import * as Together from "../../runtime/Together.js"
import * as JsonRpc from "../rpc/JsonRpc.js"
import * as RpcValue from "../rpc/RpcValue.js"
import type { Log, LogFilter, LogScan } from "./ChainState.js"

/** The events of a range of blocks as an endpoint gave them: read, and as they were, for who wants to hash them. */
export interface LogPage {
  readonly logs: ReadonlyArray<{ readonly log: Log; readonly raw: unknown }>
}

/** A scan together with the one `eth_getLogs` that would have given it. */
export interface LogReading {
  readonly scan: LogScan
  readonly params: ReadonlyArray<unknown>
  readonly result: ReadonlyArray<unknown>
}

/**
 * How to scan: `page` reads one range, `firstBlock` to `lastBlock` is the whole, `maxRequests` how many ranges may be
 * read in all, `maxTimeouts` how many may time out before the endpoint counts as gone. After `maxLogs` events no
 * further range is read, so that a busy contract does not fill the memory.
 */
export interface ScanOptions {
  readonly page: (fromBlock: number, toBlock: number) => Effect.Effect<LogPage, JsonRpc.Fault>
  readonly firstBlock: number
  readonly lastBlock: number
  readonly maxRequests: number
  readonly maxTimeouts: number
  readonly maxLogs: number
  /** Blocks that the endpoint is known to read at once, at most. */
  readonly widest?: number | undefined
}

// Until a range fits, the next one is an eighth: from 20 million blocks to a limit of 2,000 that is five requests.
const descent = 8
// So many ranges leave together, once one of their size has fitted.
const width = 4

/**
 * Reads the events of the whole history, newest first: in one range where the endpoint allows it, else in ranges that
 * shrink after a refusal (to the limit that the endpoint names, if it does) and grow after a success. If the budget or
 * the endpoint fails, or enough was found, the events so far are a lower bound and not complete. The scan fails only
 * where nothing was read, with the failure of the last range.
 */
export const scan = (filter: LogFilter, options: ScanOptions): Effect.Effect<LogReading, JsonRpc.Fault> =>
  Effect.gen(function* () {
    const pages: Array<LogPage["logs"]> = []
    let top = options.lastBlock
    const first = options.firstBlock
    const widest = options.widest ?? Number.POSITIVE_INFINITY
    let span = Math.min(widest, top - first + 1)
    let fits = 0
    let tooWide = widest + 1
    let left = options.maxRequests
    let timeouts = 0
    let met = Option.none<JsonRpc.Fault>()
    let count = 0

    while (top >= first && left > 0 && count < options.maxLogs) {
      const ranges = rangesBelow(first, top, span, span <= fits ? Math.min(width, left) : 1)
      left -= ranges.length
      const answers = yield* Together.forEach(ranges, ([from, to]) => Effect.either(options.page(from, to)))
      let failed = Option.none<JsonRpc.Fault>()
      for (const [place, answer] of answers.entries()) {
        if (Either.isLeft(answer)) {
          failed = Option.some(answer.left)
          break
        }
        pages.unshift(answer.right.logs)
        count += answer.right.logs.length
        top = (ranges[place]?.[0] ?? 0) - 1
      }
      if (Option.isNone(failed)) {
        fits = Math.max(fits, span)
        // Once a size was too much, only sizes below it are worth a request.
        if (span * 2 < tooWide) span *= 2
        continue
      }
      met = failed
      const size = Math.min(span, top - first + 1)
      if (failed.value.kind === "timeout") timeouts++
      const narrower = failed.value.reason === "log_range_limited" && failed.value.kind !== "addressless"
      if (!narrower || size === 1 || timeouts > options.maxTimeouts) break
      tooWide = Math.min(tooWide, size)
      const smaller = Math.max(1, Math.floor(size / (fits > 0 ? 2 : descent)))
      span = Option.match(failed.value.blockSpan, {
        onNone: () => smaller,
        onSome: (named) => (named < size ? named : smaller)
      })
    }

    const fromBlock = top + 1
    if (fromBlock > options.lastBlock) {
      return yield* Effect.fail(
        Option.getOrElse(met, () =>
          JsonRpc.fault({ reason: "budget_exhausted", elsewhere: false, detail: "no range of blocks was read" })
        )
      )
    }
    const found = pages.flat()
    return {
      scan: {
        logs: found.map(({ log }) => log),
        fromBlock,
        toBlock: options.lastBlock,
        complete: fromBlock === first
      },
      params: params(filter, fromBlock, options.lastBlock),
      result: found.map(({ raw }) => raw)
    }
  })

const rangesBelow = (
  first: number,
  top: number,
  span: number,
  count: number
): ReadonlyArray<readonly [number, number]> => {
  const ranges: Array<readonly [number, number]> = []
  for (let to = top; to >= first && ranges.length < count; to -= span) ranges.push([Math.max(first, to - span + 1), to])
  return ranges
}

/** The filter and the range of blocks behind the parameters of `eth_getLogs` that {@link params} made. */
export const parseParams = (
  params: ReadonlyArray<unknown>
): Option.Option<{ readonly filter: LogFilter; readonly fromBlock: number; readonly toBlock: number }> =>
  Option.gen(function* () {
    const asked = yield* RpcValue.parseRecord(params[0])
    const fromBlock = yield* RpcValue.parseNumber(asked.fromBlock)
    const toBlock = yield* RpcValue.parseNumber(asked.toBlock)
    const filter = yield* Schema.decodeUnknownOption(Filter)(asked)
    return { filter, fromBlock, toBlock }
  })

const Filter = Schema.Struct({
  address: Schema.optional(Schema.Union(Address.Address, Schema.Array(Address.Address))),
  topics: Schema.Array(Schema.NullOr(Schema.Union(Hex, Schema.Array(Hex))))
})

/** The parameters of `eth_getLogs`. */
export const params = (filter: LogFilter, fromBlock: number, toBlock: number): ReadonlyArray<unknown> => [
  {
    fromBlock: RpcValue.quantity(fromBlock),
    toBlock: RpcValue.quantity(toBlock),
    ...asked(filter)
  }
]

/** A block with the bloom filter of its header (none: it may have any event). */
export interface BloomedBlock {
  readonly number: number
  readonly hash: Hex
  readonly bloom: Option.Option<Hex>
}

/**
 * A scan as one call for each of the blocks in its range that may have such events, which names the block by its hash
 * (EIP-234).
 */
export const byBlock = (
  scan: JsonRpc.RpcCall,
  blocks: ReadonlyArray<BloomedBlock>
): ReadonlyArray<{ readonly block: BloomedBlock; readonly call: JsonRpc.RpcCall }> =>
  Option.match(parseParams(scan.params), {
    onNone: () => [],
    onSome: ({ filter, fromBlock, toBlock }) => {
      const mayHold = bloomTest(filter)
      return blocks
        .filter(
          ({ bloom, number }) =>
            fromBlock <= number && number <= toBlock && Option.getOrElse(Option.map(bloom, mayHold), () => true)
        )
        .map((block) => ({
          block,
          call: { method: scan.method, params: [{ blockHash: block.hash, ...asked(filter) }] }
        }))
    }
  })

/** Whether a bloom filter admits an event of a filter. */
const bloomTest = ({ address, topics }: LogFilter): ((bloom: Hex) => boolean) => {
  // Each place of the filter by the bits of the values that it takes; so many values are nearly always admitted.
  const places = [address, ...topics]
    .flatMap((place) => (place === undefined || place === null ? [] : [typeof place === "string" ? [place] : place]))
    .filter((values) => values.length > 0 && values.length <= valuesAtMost)
    .map((values) => values.map(bitsOf))
  return (bloom) => {
    const bits = BigInt(bloom)
    return bits !== 0n && places.every((values) => values.some((needed) => (bits & needed) === needed))
  }
}

const valuesAtMost = 16

/**
 * The three bits of a value in a bloom filter: the low 11 bits of each of the first three pairs of bytes of its hash.
 *
 * @see https://ethereum.github.io/yellowpaper/paper.pdf section 4.3.1
 */
const bitsOf = (value: Hex): bigint => {
  const hash = OxHash.keccak256(OxBytes.fromHex(value))
  return [0, 2, 4].reduce(
    (bits, at) => bits | (1n << (((BigInt(hash[at] ?? 0) << 8n) | BigInt(hash[at + 1] ?? 0)) & 2047n)),
    0n
  )
}

const asked = (filter: LogFilter) => ({
  ...(filter.address === undefined ? {} : { address: filter.address }),
  topics: filter.topics
})

/**
 * Reads what `eth_getLogs` answered, oldest first and each event once; none where an event is malformed, was removed
 * from the chain, or does not match the filter.
 */
export const parsePage =
  (filter: LogFilter, fromBlock: number, toBlock: number) =>
  (result: unknown): Option.Option<LogPage> => {
    if (!Array.isArray(result)) return Option.none()
    const matches = matcher(filter)
    const logs = new Map<string, LogPage["logs"][number]>()
    for (const raw of result) {
      const log = Option.getOrUndefined(parseLog(raw))
      if (log === undefined || log.blockNumber < fromBlock || log.blockNumber > toBlock || !matches(log)) {
        return Option.none()
      }
      logs.set(`${log.blockNumber}:${log.transactionHash}:${log.logIndex}`, { log, raw })
    }
    return Option.some({
      logs: [...logs.values()].sort(
        (left, right) => left.log.blockNumber - right.log.blockNumber || left.log.logIndex - right.log.logIndex
      )
    })
  }

const parseLog = (value: unknown): Option.Option<Log> =>
  Option.gen(function* () {
    const log = yield* RpcValue.parseRecord(value)
    // Nested members are not events' own, and are not hashed.
    if (log.removed === true || !Object.values(log).every(isPlain)) return yield* Option.none()
    const address = yield* RpcValue.parseAccount(log.address)
    const topics = yield* Array.isArray(log.topics) ? Option.all(log.topics.map(RpcValue.parseHash)) : Option.none()
    const data = yield* RpcValue.parseBytes(log.data)
    const blockNumber = yield* RpcValue.parseNumber(log.blockNumber)
    const logIndex = yield* RpcValue.parseNumber(log.logIndex)
    const transactionHash = yield* RpcValue.parseHash(log.transactionHash)
    return { address: Address.checksum(address), topics, data, blockNumber, logIndex, transactionHash }
  })

const isPlain = (value: unknown): boolean =>
  value === null ||
  typeof value !== "object" ||
  (Array.isArray(value) && value.every((part) => typeof part === "string"))

const matcher = (filter: LogFilter): ((log: Log) => boolean) => {
  const lower = (values: Hex | ReadonlyArray<Hex>) =>
    new Set((typeof values === "string" ? [values] : values).map((value) => value.toLowerCase()))
  const addresses = filter.address === undefined ? undefined : lower(filter.address)
  const places = filter.topics.map((place) => (place === null ? undefined : lower(place)))
  return (log) =>
    (addresses === undefined || addresses.size === 0 || addresses.has(log.address.toLowerCase())) &&
    places.every((wanted, index) => {
      const topic = log.topics[index]
      // A wildcard position still requires that the topic exists.
      return topic !== undefined && (wanted === undefined || wanted.size === 0 || wanted.has(topic.toLowerCase()))
    })
}
