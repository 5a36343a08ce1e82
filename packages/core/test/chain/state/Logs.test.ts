import { FetchHttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, Option } from "effect"
import * as ChainAccess from "../../../src/chain/ChainAccess.js"
import * as JsonRpc from "../../../src/chain/rpc/JsonRpc.js"
import * as Logs from "../../../src/chain/state/Logs.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import { chainOf, fakeNode, type Got, standard, word } from "../FakeNode.js"

const emitter = Address.checksum(`0x${"e1".repeat(20)}`)

const rawLog = (blockNumber: number, logIndex = 0) => ({
  address: emitter.toLowerCase(),
  topics: [word(7n)],
  data: "0x",
  blockNumber: `0x${blockNumber.toString(16)}`,
  logIndex: `0x${logIndex.toString(16)}`,
  transactionHash: word(BigInt(blockNumber)),
  removed: false
})

const filter = { topics: [word(7n)] }

/** A page reader over events at `blocks` that refuses what `refuse` refuses; it records its requests. */
const pagesOf = (
  blocks: ReadonlyArray<number>,
  refuse: (from: number, to: number, found: number) => JsonRpc.Fault | undefined
) => {
  const asked: Array<readonly [number, number]> = []
  const page = (from: number, to: number) =>
    Effect.suspend(() => {
      asked.push([from, to])
      const found = blocks.filter((block) => block >= from && block <= to)
      const fault = refuse(from, to, found.length)
      if (fault !== undefined) return Effect.fail(fault)
      const logs = Logs.parsePage(filter, from, to)(found.map((block) => rawLog(block)))
      return Option.match(logs, { onNone: () => Effect.die("malformed"), onSome: Effect.succeed })
    })
  return { asked, page }
}

const tooMuch = (detail = "range too large", blockSpan = Option.none<number>()) =>
  JsonRpc.fault({ reason: "log_range_limited", detail, blockSpan })

describe("Logs", () => {
  it.effect("reads the whole history at once where the endpoint lets it", () =>
    Effect.gen(function* () {
      const { asked, page } = pagesOf([0, 5, 1_000], () => undefined)
      const { scan } = yield* Logs.scan(filter, {
        page,
        firstBlock: 0,
        lastBlock: 1_000,
        maxRequests: 24,
        maxTimeouts: 1,
        maxLogs: 1_000_000
      })
      assert.deepStrictEqual(asked, [[0, 1_000]])
      assert.deepStrictEqual(
        scan.logs.map(({ blockNumber }) => blockNumber),
        [0, 5, 1_000]
      )
      assert.deepInclude(scan, { fromBlock: 0, toBlock: 1_000, complete: true })
    })
  )

  it.effect.prop(
    "finds every event of the range that it says it saw, whatever the endpoint's limits",
    {
      // In clusters, so that a range can be too much between two that are not.
      blocks: FastCheck.array(
        FastCheck.record({
          from: FastCheck.integer({ min: 0, max: 50_000 }),
          count: FastCheck.integer({ min: 1, max: 8 })
        }),
        { maxLength: 12 }
      ).map((clusters) => [
        ...new Set(clusters.flatMap(({ count, from }) => Array.from({ length: count }, (_, index) => from + index)))
      ]),
      lastBlock: FastCheck.integer({ min: 0, max: 50_000 }),
      maxSpan: FastCheck.integer({ min: 1, max: 60_000 }),
      maxLogs: FastCheck.integer({ min: 1, max: 12 }),
      maxRequests: FastCheck.integer({ min: 1, max: 40 }),
      named: FastCheck.boolean()
    },
    ({ blocks, lastBlock, maxLogs, maxRequests, maxSpan, named }) =>
      Effect.gen(function* () {
        const { asked, page } = pagesOf(blocks, (from, to, found) =>
          to - from + 1 > maxSpan
            ? tooMuch("too wide", named ? Option.some(maxSpan) : Option.none())
            : found > maxLogs
              ? tooMuch("too many results")
              : undefined
        )
        const result = yield* Effect.either(
          Logs.scan(filter, { page, firstBlock: 0, lastBlock, maxRequests, maxTimeouts: 1, maxLogs: 1_000_000 })
        )
        assert.isAtMost(asked.length, maxRequests)
        if (result._tag === "Left") {
          assert.strictEqual(result.left.reason, "log_range_limited")
          return
        }
        const { params, result: raw, scan } = result.right
        const expected = blocks.filter((block) => block >= scan.fromBlock && block <= lastBlock).sort((a, b) => a - b)
        assert.deepStrictEqual(
          scan.logs.map(({ blockNumber }) => blockNumber),
          expected
        )
        assert.strictEqual(scan.toBlock, lastBlock)
        assert.strictEqual(scan.complete, scan.fromBlock === 0)
        assert.strictEqual(raw.length, scan.logs.length)
        assert.deepStrictEqual(params, Logs.params(filter, scan.fromBlock, lastBlock))
      })
  )

  it.effect("covers twenty ranges of an endpoint that names its limit, most of them in flight together", () =>
    Effect.gen(function* () {
      const { asked, page } = pagesOf([], (from, to) =>
        to - from + 1 > 2_000 ? tooMuch("limited to a 2,000 block range", Option.some(2_000)) : undefined
      )
      const { scan } = yield* Logs.scan(filter, {
        page,
        firstBlock: 0,
        lastBlock: 20_000_000,
        maxRequests: 24,
        maxTimeouts: 1,
        maxLogs: 1_000_000
      })
      assert.strictEqual(asked.length, 24)
      // One request found the limit out, one that it is exact.
      assert.strictEqual(scan.toBlock - scan.fromBlock + 1, 22 * 2_000)
      assert.isFalse(scan.complete)
    })
  )

  it.effect("gives what it had read when the endpoint gave out, and says so", () =>
    Effect.gen(function* () {
      let answers = 0
      const { page } = pagesOf([10, 900], (from, to) =>
        to - from + 1 > 100
          ? tooMuch()
          : ++answers > 3
            ? JsonRpc.fault({ reason: "rate_limited", detail: "" })
            : undefined
      )
      const { scan } = yield* Logs.scan(filter, {
        page,
        firstBlock: 0,
        lastBlock: 999,
        maxRequests: 24,
        maxTimeouts: 1,
        maxLogs: 1_000_000
      })
      assert.isFalse(scan.complete)
      assert.isAbove(scan.fromBlock, 10)
      assert.deepStrictEqual(
        scan.logs.map(({ blockNumber }) => blockNumber),
        [900]
      )
    })
  )

  it.effect("does not wait again and again for an endpoint that is gone", () =>
    Effect.gen(function* () {
      const { asked, page } = pagesOf([], () => ({ ...tooMuch(), kind: "timeout" }))
      const fault = yield* Effect.flip(
        Logs.scan(filter, { page, firstBlock: 0, lastBlock: 999, maxRequests: 24, maxTimeouts: 1, maxLogs: 1_000_000 })
      )
      assert.strictEqual(fault.kind, "timeout")
      assert.strictEqual(asked.length, 2)
    })
  )

  it("refuses events that do not match the filter, that were removed, or that are no events", () => {
    const parse = Logs.parsePage({ address: emitter, topics: [null, [word(1n), word(2n)]] }, 10, 20)
    const good = { ...rawLog(15), topics: [word(7n), word(2n)] }
    assert.isTrue(Option.isSome(parse([good])))
    const bad: ReadonlyArray<object | number | null> = [
      { ...good, address: `0x${"ff".repeat(20)}` },
      { ...good, topics: [word(7n), word(3n)] },
      { ...good, topics: [word(7n)] },
      { ...good, blockNumber: "0x9" },
      { ...good, blockNumber: "0x15" },
      { ...good, blockNumber: null },
      { ...good, removed: true },
      { ...good, data: "0x1" },
      { ...good, transactionHash: "0x12" },
      { ...good, extra: { nested: { deep: [] } } },
      7,
      null
    ]
    for (const log of bad) assert.isTrue(Option.isNone(parse([good, log])), JSON.stringify(log))
    assert.isTrue(Option.isNone(parse({ logs: [] })))
  })

  it("gives each event once and in the order of the chain", () => {
    const page = Logs.parsePage(filter, 0, 100)([rawLog(9, 1), rawLog(3), rawLog(9, 0), rawLog(3)])
    assert.deepStrictEqual(
      Option.map(page, ({ logs }) => logs.map(({ log }) => [log.blockNumber, log.logIndex])),
      Option.some([
        [3, 0],
        [9, 0],
        [9, 1]
      ])
    )
  })

  it.scoped("scans a server that takes 2,000 blocks at a time to the end", () =>
    Effect.gen(function* () {
      const blocks = [1, 1_999, 2_000, 7_777, 29_999]
      const node = yield* fakeNode((call: Got) => {
        if (call.method !== "eth_getLogs") return standard({ head: 30_000 })(call)
        const { fromBlock, toBlock } = call.params[0] as { fromBlock: Hex; toBlock: Hex }
        if (Number(toBlock) - Number(fromBlock) + 1 > 2_000) {
          return { error: { code: -32602, message: "eth_getLogs is limited to a 2000 block range" } }
        }
        return {
          result: blocks
            .filter((block) => block >= Number(fromBlock) && block <= Number(toBlock))
            .map((block) => rawLog(block))
        }
      })
      const access = yield* ChainAccess.ChainAccess
      const state = yield* access.pin({ chain: chainOf(node.url), block: Option.none(), maxCalls: 100 })
      const { value } = yield* state.logs(filter)
      assert.deepInclude(value, { fromBlock: 0, toBlock: 30_000, complete: true })
      assert.deepStrictEqual(
        value.logs.map(({ blockNumber }) => blockNumber),
        blocks
      )
      const spending = yield* state.spending
      // 2 to find the limit, 1 range alone, 15 more by four at a time; each together with the pinned block; 1 for the newest headers.
      assert.deepStrictEqual([spending.requests, spending.calls, spending.levels], [19, 44, 7])
    }).pipe(Effect.provide(ChainAccess.layerJsonRpc({ retryDelay: 0 })), Effect.provide(FetchHttpClient.layer))
  )

  it.effect("reads no further where it has found enough, and says that it is not all", () =>
    Effect.gen(function* () {
      const blocks = Array.from({ length: 1_000 }, (_, index) => index)
      const { asked, page } = pagesOf(blocks, (from, to) => (to - from >= 100 ? tooMuch() : undefined))
      const { scan } = yield* Logs.scan(filter, {
        page,
        firstBlock: 0,
        lastBlock: 999,
        maxRequests: 100,
        maxTimeouts: 1,
        maxLogs: 250
      })
      assert.isAtLeast(scan.logs.length, 250)
      assert.isBelow(scan.logs.length, 1_000)
      assert.isFalse(scan.complete)
      assert.strictEqual(scan.logs[0]?.blockNumber, scan.fromBlock)
      assert.isBelow(asked.length, 15)
    })
  )
})
