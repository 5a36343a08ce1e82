/** @internal */

import { Effect, Either, Option } from "effect"
import * as OxHex from "ox/Hex"
import type { BlockRef } from "../../domain/BlockRef.js"
import type { Hex } from "../../domain/Hex.js"
import * as Together from "../../runtime/Together.js"
import * as Capabilities from "../rpc/Capabilities.js"
import type { Endpoint, Meter } from "../rpc/Endpoint.js"
import * as JsonRpc from "../rpc/JsonRpc.js"
import * as RpcValue from "../rpc/RpcValue.js"
import * as Logs from "./Logs.js"

/**
 * Sends scans of events up to a pinned block to an endpoint. `batches` is false where it was shown to take no batch.
 */
export type BoundScan = (
  endpoint: Endpoint,
  scans: ReadonlyArray<JsonRpc.RpcCall>,
  reader: Meter,
  batches: boolean
) => Effect.Effect<ReadonlyArray<Answer>>

type Answer = Either.Either<JsonRpc.RpcAnswer, JsonRpc.Fault>

/**
 * One of several nodes behind an endpoint may be a few blocks behind, and has fewer events without saying so: `eth_getLogs`
 * over a range names no block by hash. So two things bind a scan to the pinned block:
 *
 * - It leaves in one request with a read of that block by hash, where the endpoint takes them as one: a node that lacks the
 *   block shows it. Several scans share the request; what fails there with them is sent alone, as all are from then on where
 *   the request timed out.
 * - A gateway may send each call of a request to another node, or scans to an index of events. So the events of the newest
 *   {@link newestCount} blocks are read by the hashes of these blocks, which a node without the block refuses (EIP-234),
 *   but for blocks that have no such event by the bloom filter of their headers. An index further behind than that goes
 *   unnoticed.
 *
 * @see https://eips.ethereum.org/EIPS/eip-234
 */
export const make = (block: BlockRef): BoundScan => {
  const pinnedBlock: JsonRpc.RpcCall = { method: "eth_getBlockByHash", params: [block.hash, false] }
  let known: ReadonlyArray<NumberedBlock> | undefined
  let shares = true
  const once = Effect.unsafeMakeSemaphore(1)

  /** Whether a scan goes up to one of the newest blocks. */
  const isNew = ({ params }: JsonRpc.RpcCall): boolean =>
    Option.exists(Logs.parseParams(params), ({ toBlock }) => toBlock > block.number - newestCount)

  /** Sends the pinned block with the scans, and returns how many requests that took. */
  const send = (endpoint: Endpoint, scans: ReadonlyArray<JsonRpc.RpcCall>, reader: Meter) =>
    Effect.suspend(() => {
      let parts = 0
      // A request that is refused for its rate and sent again is the same part.
      const counting: Meter = {
        ...reader,
        together: {
          answered: () => {
            parts += 1
          }
        }
      }
      return Effect.map(endpoint.send([pinnedBlock, ...scans], counting), ([shown, ...answers]) => ({
        answers,
        lack: lackOf(shown, block.hash),
        isWhole: parts === 1
      }))
    })

  const shared = (
    endpoint: Endpoint,
    scans: ReadonlyArray<JsonRpc.RpcCall>,
    reader: Meter
  ): Effect.Effect<ReadonlyArray<Answer>> =>
    // What would be tried again is tried alone.
    Effect.flatMap(send(endpoint, scans, { ...reader, take: () => false }), ({ answers, isWhole, lack }) => {
      const isShown = isWhole && lack === "none"
      if (answers.some((answer) => Either.isLeft(answer) && answer.left.kind === "timeout")) shares = false
      return Together.forEach(answers, (answer, place) => {
        const scan = scans[place]
        if (scan === undefined || !mayDiffer(answer, isShown)) return Effect.succeed(answer)
        if (!reader.take(1)) return Effect.succeed<Answer>(Either.left(JsonRpc.overBudget))
        return Effect.map(together(endpoint, [scan], reader), ([alone]) => alone ?? answer)
      })
    })

  const together = (
    endpoint: Endpoint,
    scans: ReadonlyArray<JsonRpc.RpcCall>,
    reader: Meter,
    attempt = 0
  ): Effect.Effect<ReadonlyArray<Answer>> =>
    // A retry contains the block as well: the scan alone could reach a node that has not shown the block.
    Effect.flatMap(send(endpoint, scans, { ...reader, take: (calls) => calls === 0 }), ({ answers, isWhole, lack }) => {
      const isShown = lack === "none" && isWhole
      const isLost = answers.every(Either.isLeft)
      // Whatever a node without the block says of the scan, it says it for lack of the block.
      const isBehind = isWhole && typeof lack !== "string" && lack.kind === "behind"
      const met = isBehind ? answers.map(() => Either.left(lack)) : answers
      const faults = [...met, ...(typeof lack === "string" ? [] : [Either.left(lack)])].flatMap((answer) =>
        Option.toArray(Either.getLeft(answer))
      )
      const again = Effect.suspend(() => together(endpoint, scans, reader, attempt + 1))
      if (faults.length > 0 && attempt < Math.max(...faults.map(retriesOf)) && reader.take(scans.length))
        return Effect.zipRight(endpoint.pause(attempt), again)
      if (isShown || isLost || isBehind) return Effect.succeed(met)
      if (lack !== "unasked" && attempt < retries) return again
      return Effect.succeed(lack === "none" || lack === "unasked" ? answers : answers.map(() => Either.left(lack)))
    })

  /** The answers, with the events of the newest blocks as they are read by the hashes of these blocks. */
  const oneByOne = (
    endpoint: Endpoint,
    scans: ReadonlyArray<JsonRpc.RpcCall>,
    reader: Meter,
    answers: ReadonlyArray<Answer>
  ): Effect.Effect<ReadonlyArray<Answer>> =>
    Effect.gen(function* () {
      if (answers.every(Either.isLeft) || !scans.some(isNew)) return answers
      const newest = yield* once.withPermits(1)(newestOf(endpoint, reader))
      if (Either.isLeft(newest)) return answers.map(() => Either.left(newest.left))
      const asked = scans.map((scan, place) =>
        Either.match(answers[place] ?? Either.left(behind), {
          onLeft: () => [],
          onRight: () => Logs.byBlock(scan, newest.right)
        })
      )
      const read = yield* byHash(
        endpoint,
        asked.flatMap((each) => each.map(({ call }) => call)),
        reader
      )
      let from = 0
      return answers.map((answer, place) => {
        const blocks = (asked[place] ?? []).map(({ block: one }) => one)
        const ofBlocks = Either.all(read.slice(from, from + blocks.length))
        from += blocks.length
        return blocks.length === 0
          ? answer
          : Either.flatMap(ofBlocks, (found) => Either.map(answer, joined(found, blocks)))
      })
    })

  /** Sends what a node that is behind refuses again, as another node may have the block. */
  const byHash = (
    endpoint: Endpoint,
    calls: ReadonlyArray<JsonRpc.RpcCall>,
    reader: Meter,
    attempt = 0
  ): Effect.Effect<ReadonlyArray<Answer>> =>
    Effect.gen(function* () {
      if (calls.length === 0) return []
      if (!reader.take(calls.length)) return calls.map(() => Either.left(JsonRpc.overBudget))
      const read = yield* endpoint.send(calls, reader)
      const isRefused = (_: unknown, place: number): boolean =>
        Either.match(read[place] ?? Either.left(behind), {
          onLeft: (fault) => attempt < retriesOf(fault),
          onRight: () => false
        })
      const refused = calls.filter(isRefused)
      if (refused.length === 0) return read
      yield* endpoint.pause(attempt)
      const again = [...(yield* byHash(endpoint, refused, reader, attempt + 1))]
      return read.map((answer, place) => (isRefused(answer, place) ? (again.shift() ?? answer) : answer))
    })

  // The pinned block and those before it, each named by the one after it.
  const newestOf = (
    endpoint: Endpoint,
    reader: Meter,
    attempt = 0
  ): Effect.Effect<Either.Either<ReadonlyArray<NumberedBlock>, JsonRpc.Fault>> =>
    Effect.gen(function* () {
      if (known !== undefined) return Either.right(known)
      const count = Math.min(newestCount, block.number + 1)
      const calls = Array.from(
        { length: count },
        (_, step): JsonRpc.RpcCall => ({
          method: "eth_getBlockByNumber",
          params: [RpcValue.quantity(block.number - step), false]
        })
      )
      if (!reader.take(calls.length)) return Either.left(JsonRpc.overBudget)
      const answers = yield* endpoint.send(calls, reader)
      const failed = answers.find(Either.isLeft)
      if (failed !== undefined) return Either.left(failed.left)
      const found = chained(
        block.hash,
        answers.flatMap((answer) => (Either.isRight(answer) ? [answer.right] : []))
      )
      if (found.length === calls.length) {
        known = found
        return Either.right(found)
      }
      if (attempt >= retriesBehind) return Either.left(behind)
      yield* endpoint.pause(attempt)
      return yield* newestOf(endpoint, reader, attempt + 1)
    })

  const sent = (
    endpoint: Endpoint,
    scans: ReadonlyArray<JsonRpc.RpcCall>,
    reader: Meter,
    batches: boolean
  ): Effect.Effect<ReadonlyArray<Answer>> => {
    if (!batches) return endpoint.send(scans, reader)
    if (scans.length === 1) return together(endpoint, scans, reader)
    if (shares) return shared(endpoint, scans, reader)
    return Effect.map(
      Together.forEach(scans, (scan) => together(endpoint, [scan], reader)),
      (answers) => answers.flat()
    )
  }

  return (endpoint, scans, reader, batches) =>
    Effect.flatMap(
      Together.all([
        sent(endpoint, scans, reader, batches),
        // The headers are sent with the scan. Their failures show again where the headers are needed.
        scans.some(isNew) ? Effect.asVoid(once.withPermits(1)(newestOf(endpoint, reader))) : Effect.void
      ]),
      ([answers]) => oneByOne(endpoint, scans, reader, answers)
    )
}

/** How many blocks are read by their hashes: 96 seconds of Ethereum. */
export const newestCount = 8

/** Whether a scan may be answered otherwise when it is sent without the others. */
const mayDiffer = (answer: Answer, isShown: boolean): boolean =>
  Either.match(answer, {
    onLeft: ({ kind, reason, retryable, spread }) =>
      reason !== "rate_limited" &&
      (retryable || spread === "endpoint" || kind === "timeout" || kind === "oversized" || kind === "refused"),
    onRight: () => !isShown
  })

type NumberedBlock = Logs.BloomedBlock

const retries = 2

// A new block gets to all nodes of an endpoint in a second or two.
const retriesBehind = 5

/** How often a fault of a scan is worth a further attempt at the same endpoint. */
const retriesOf = ({ kind, reason, retryable }: JsonRpc.Fault): number => {
  if (kind === "behind") return reason === "log_range_limited" ? 1 : retriesBehind
  if (!retryable || reason === "rate_limited" || reason === "log_range_limited") return 0
  return kind === "timeout" ? 1 : retries
}

/**
 * Why an endpoint did not show the block: `none` if it did, `unasked` where it does not support look-ups of blocks by
 * hash.
 */
const lackOf = (shown: Answer | undefined, hash: Hex): JsonRpc.Fault | "none" | "unasked" => {
  if (shown === undefined) return behind
  if (Either.isLeft(shown)) return shown.left.reason === "method_unsupported" ? "unasked" : shown.left
  const found = Option.flatMap(JsonRpc.resultOf(shown.right), Capabilities.parseBlock)
  return Option.exists(found, (block) => block.hash === hash) ? "none" : behind
}

/** As many of the blocks, newest first, as are named by the one after them. */
const chained = (newest: Hex, answers: ReadonlyArray<JsonRpc.RpcAnswer>): ReadonlyArray<NumberedBlock> => {
  const found: Array<NumberedBlock> = []
  let expected: Hex | undefined = newest
  for (const answer of answers) {
    const header = Option.flatMap(JsonRpc.resultOf(answer), RpcValue.parseRecord)
    const block = Option.flatMap(header, Capabilities.parseBlock)
    if (Option.isNone(block) || block.value.hash !== expected) break
    found.push({ ...block.value, bloom: Option.flatMap(header, bloomOf) })
    expected = Option.getOrUndefined(Option.flatMap(header, ({ parentHash }) => RpcValue.parseHash(parentHash)))
  }
  return found
}

/** The bloom filter of a block; none where it has none, or an empty one though it may have events. */
const bloomOf = ({ logsBloom, transactions }: Readonly<Record<string, unknown>>): Option.Option<Hex> =>
  Option.filter(
    RpcValue.parseBytes(logsBloom),
    (bloom) =>
      OxHex.size(bloom) === 256 && (BigInt(bloom) !== 0n || (Array.isArray(transactions) && transactions.length === 0))
  )

/** The events of a scan, those of the newest blocks as these were read. */
const joined =
  (ofBlocks: ReadonlyArray<JsonRpc.RpcAnswer>, blocks: ReadonlyArray<NumberedBlock>) =>
  (scan: JsonRpc.RpcAnswer): JsonRpc.RpcAnswer => {
    const pages = [scan, ...ofBlocks].map((answer) => Option.getOrNull(JsonRpc.resultOf(answer)))
    const [whole, ...newest] = pages
    // Decoding reports answers that are not lists of events.
    const odd = pages.find((page) => !Array.isArray(page))
    if (odd !== undefined || !Array.isArray(whole)) return { _tag: "Result", result: odd }
    const numbers = new Set(blocks.map(({ number }) => number))
    const isOlder = (log: unknown) =>
      !Option.exists(
        Option.flatMap(RpcValue.parseRecord(log), ({ blockNumber }) => RpcValue.parseNumber(blockNumber)),
        (number) => numbers.has(number)
      )
    return { _tag: "Result", result: [...whole.filter(isOlder), ...newest.reverse().flat()] }
  }

const behind = JsonRpc.fault({
  reason: "rpc_error",
  kind: "behind",
  retryable: true,
  detail: "the endpoint has not seen the block yet"
})
