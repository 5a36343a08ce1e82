import { createHash } from "node:crypto"
import { FetchHttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import canonicalizeModule from "canonicalize"
import { Deferred, Effect, Either, Exit, Fiber, Option, Scope } from "effect"
import * as Hash from "ox/Hash"
import * as ChainAccess from "../../../src/chain/ChainAccess.js"
import type { ChainError } from "../../../src/chain/ChainError.js"
import type { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import {
  blockOf,
  chainOf,
  type FakeNode,
  fakeNode,
  fullBlockOf,
  type Got,
  hashOf,
  type Said,
  standard,
  word
} from "../FakeNode.js"

const canonicalize = canonicalizeModule as unknown as (value: unknown) => string

const sha256 = (value: unknown): string => `0x${createHash("sha256").update(canonicalize(value)).digest("hex")}`

const account = (index: number): Address.Address => Address.checksum(`0x${index.toString(16).padStart(40, "0")}`)

const pin = (nodes: readonly [FakeNode | string, ...Array<FakeNode | string>], maxCalls = 1_000, block?: number) =>
  Effect.gen(function* () {
    const access = yield* ChainAccess.ChainAccess
    const [first, ...rest] = nodes.map((node) => (typeof node === "string" ? node : node.url))
    const chain = chainOf(first ?? "", ...rest)
    const state = yield* access.pin({ chain, block: Option.fromNullable(block), maxCalls })
    for (const node of nodes) if (typeof node !== "string") node.forget()
    return state
  })

/** The read of the headers of the newest blocks. */
const newestHeaders = Array.from({ length: 8 }, () => "eth_getBlockByNumber").join()

const together = <A, E>(effects: ReadonlyArray<Effect.Effect<A, E>>) =>
  Effect.all(effects, { concurrency: "unbounded" })

const test = (title: string, body: () => Effect.Effect<unknown, unknown, ChainAccess.ChainAccess | Scope.Scope>) =>
  it.scoped(title, () =>
    body().pipe(
      Effect.provide(ChainAccess.layerJsonRpc({ retryDelay: 0, headTtl: 0 })),
      Effect.provide(FetchHttpClient.layer)
    )
  )

const reasonOf = (result: Either.Either<unknown, { readonly reason: string }>) =>
  Either.match(result, { onLeft: ({ reason }) => reason, onRight: () => "answered" })

const closedPort = "http://127.0.0.1:1/v3/0123456789abcdef0123456789abcdef"

describe("PinnedState", () => {
  test("sends 30 reads of forked fibers in one request", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard())
      const state = yield* pin([node])
      const fibers = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, index) => index),
        (index) =>
          Effect.fork<unknown, unknown, never>(
            index % 2 === 0 ? state.balance(account(index)) : state.storage(account(index), "0x1")
          )
      )
      yield* Fiber.joinAll(fibers)
      assert.deepStrictEqual(
        node.requests.map((calls) => calls.length),
        [30]
      )
      assert.deepStrictEqual(yield* state.spending, { requests: 1, calls: 30, levels: 1 })
    }))

  test("sends 250 reads in three requests that leave at once", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard())
      const state = yield* pin([node])
      yield* together(Array.from({ length: 250 }, (_, index) => state.balance(account(index))))
      assert.deepStrictEqual(node.requests.map((calls) => calls.length).sort(), [100, 100, 50])
      assert.deepStrictEqual(yield* state.spending, { requests: 3, calls: 250, levels: 1 })
    }))

  test("sends equal reads once, in whatever spelling and however late", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard())
      const state = yield* pin([node])
      yield* together([
        state.storage(account(1), "0x1"),
        state.storage(account(1), word(1n)),
        state.storage(account(1), "0x01")
      ])
      const late = yield* state.storage(account(1), "0x1")
      assert.strictEqual(late.value, word(0x2an))
      assert.deepStrictEqual(yield* state.spending, { requests: 1, calls: 1, levels: 1 })
    }))

  test("counts the longest chain of reads that waited for one another", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard())
      const state = yield* pin([node])
      const chainOfThree = Effect.gen(function* () {
        yield* state.balance(account(1))
        yield* state.balance(account(2))
        yield* state.balance(account(3))
      })
      const chainOfTwo = Effect.zipRight(state.code(account(4)), state.code(account(5)))
      yield* together<unknown, unknown>([chainOfThree, chainOfTwo, state.logs({ topics: [] })])
      const spending = yield* state.spending
      assert.strictEqual(spending.levels, 3)
      // The scan of events reads the pinned block and the headers of the newest eight as well.
      assert.strictEqual(spending.calls, 15)
    }))

  test("fails a bad item alone", () =>
    Effect.gen(function* () {
      const bad: Record<string, Said> = {
        [account(1)]: { error: { code: -32601, message: "Method not found" } },
        [account(2)]: { result: 5 },
        [account(3)]: { result: null },
        [account(4)]: { result: "0xzz" },
        [account(5)]: "absent",
        [account(6)]: { error: { code: -32000, message: "missing trie node 12" } }
      }
      const node = yield* fakeNode((call) => bad[call.params[0] as string] ?? standard()(call))
      const state = yield* pin([node])
      const results = yield* together(
        Array.from({ length: 10 }, (_, index) => Effect.either(state.balance(account(index))))
      )
      assert.deepStrictEqual(results.map(reasonOf), [
        "answered",
        "method_unsupported",
        "rpc_error",
        "rpc_error",
        "rpc_error",
        "rpc_error",
        "archive_required",
        "answered",
        "answered",
        "answered"
      ])
    }))

  test("answers the others when the first caller goes away", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard())
      const state = yield* pin([node])
      const first = yield* Effect.fork(state.balance(account(1)))
      const second = yield* Effect.fork(state.balance(account(1)))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(first)
      const { value } = yield* Fiber.join(second)
      assert.strictEqual(value, 5n)
      assert.strictEqual(node.requests.length, 1)
    }))

  test("aborts the HTTP request and frees who waits when the analysis ends", () =>
    Effect.gen(function* () {
      const hung = yield* Deferred.make<void>()
      const node = yield* fakeNode(standard(), {
        refuse: (calls) => {
          if (calls[0]?.method !== "eth_getCode") return undefined
          Deferred.unsafeDone(hung, Effect.void)
          return "hang"
        }
      })
      const scope = yield* Scope.make()
      const state = yield* Scope.extend(pin([node]), scope)
      const reader = yield* Effect.fork(state.code(account(1)))
      yield* Deferred.await(hung)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.await(reader)))
      assert.isTrue(Exit.isInterrupted(yield* Effect.exit(state.code(account(2)))))
      yield* Effect.promise(async () => {
        while (node.aborted() === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      })
    }))

  test("reads by the block's hash, and by its number where the endpoint takes no hash", () =>
    Effect.gen(function* () {
      const byHash = yield* fakeNode(standard())
      const byNumber = yield* fakeNode((call) =>
        JSON.stringify(call.params).includes("blockHash")
          ? { error: { code: -32602, message: "invalid argument 1: json: cannot unmarshal object" } }
          : standard()(call)
      )
      for (const [node, at] of [
        [byHash, { blockHash: hashOf(1_000) }],
        [byNumber, "0x3e8"]
      ] as const) {
        const state = yield* pin([node])
        yield* together<unknown, unknown>([state.balance(account(1)), state.call({ to: account(2), data: "0x01" })])
        assert.deepStrictEqual(node.requests, [
          [
            { method: "eth_getBalance", params: [account(1), at] },
            { method: "eth_call", params: [{ to: account(2), data: "0x01", gas: "0x989680" }, at] }
          ]
        ])
      }
    }))

  test("sends simulations and scans of events in requests of their own, and constructors with the plain reads", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard())
      const state = yield* pin([node])
      yield* together<unknown, unknown>([
        state.balance(account(1)),
        state.code(account(1)),
        state.simulate({ blocks: [{ calls: [{ to: account(1) }] }] }),
        state.logs({ topics: [word(1n)] }),
        state.call({ data: "0x00" }),
        state.call({ to: account(1), overrides: { [account(1)]: { balance: 1n } } })
      ])
      assert.deepStrictEqual(node.requests.map((calls) => calls.map(({ method }) => method).join()).sort(), [
        "eth_call",
        "eth_getBalance,eth_getCode,eth_call",
        "eth_getBlockByHash,eth_getLogs",
        newestHeaders,
        "eth_simulateV1"
      ])
      assert.strictEqual((yield* state.spending).levels, 1)
    }))

  test("reads an endpoint that refuses batches one call a request", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard(), {
        refuse: (_, isBatch) => (isBatch ? { status: 400, body: "batches are not allowed" } : undefined)
      })
      const state = yield* pin([node])
      assert.isFalse((yield* state.capabilities).batch)
      const balances = yield* together(Array.from({ length: 7 }, (_, index) => state.balance(account(index))))
      assert.deepStrictEqual(
        balances.map(({ value }) => value),
        Array.from({ length: 7 }, () => 5n)
      )
      assert.deepStrictEqual(
        node.requests.map((calls) => calls.length),
        [1, 1, 1, 1, 1, 1, 1]
      )
      assert.strictEqual((yield* state.spending).levels, 1)
    }))

  test("halves a batch that is too large for the endpoint, and remembers", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard(), {
        refuse: (calls) =>
          calls.length > 30
            ? {
                status: 200,
                body: JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "batch too large" } })
              }
            : undefined
      })
      const state = yield* pin([node])
      const read = (from: number) =>
        together(Array.from({ length: 100 }, (_, index) => state.balance(account(from + index))))
      assert.strictEqual((yield* read(0)).length, 100)
      assert.deepStrictEqual(
        node.requests.map((calls) => calls.length).sort((a, b) => b - a),
        [100, 50, 50, 25, 25, 25, 25]
      )
      node.forget()
      assert.strictEqual((yield* read(1_000)).length, 100)
      assert.deepStrictEqual(
        node.requests.map((calls) => calls.length),
        [25, 25, 25, 25]
      )
    }))

  test("sends no more calls than the budget, retries included, and still sees whether the block stands", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode((call) =>
        call.method === "eth_getCode" ? { error: { code: -32603, message: "internal error" } } : standard()(call)
      )
      const state = yield* pin([node], 5)
      const results = yield* together<Either.Either<unknown, ChainError>, never>([
        ...Array.from({ length: 3 }, (_, index) => Effect.either(state.balance(account(index)))),
        Effect.either(state.code(account(9)))
      ])
      assert.deepStrictEqual(results.map(reasonOf), ["answered", "answered", "answered", "rpc_error"])
      const over = yield* Effect.either(state.balance(account(4)))
      assert.strictEqual(reasonOf(over), "budget_exhausted")
      assert.strictEqual(reasonOf(yield* Effect.either(state.balance(account(0)))), "answered")
      assert.deepStrictEqual(yield* state.spending, { requests: 2, calls: 5, levels: 1 })
      assert.isTrue(yield* state.stillCanonical)
    }))

  test("goes on at the next endpoint when the first one dies, at the same block", () =>
    Effect.gen(function* () {
      let dead = false
      const first = yield* fakeNode(standard(), { refuse: () => (dead ? { status: 503, body: "" } : undefined) })
      const second = yield* fakeNode(standard({ head: 1_050 }))
      const state = yield* pin([first, second])
      dead = true
      assert.strictEqual((yield* state.balance(account(1))).value, 5n)
      assert.deepStrictEqual(second.requests.at(-1), [
        { method: "eth_getBalance", params: [account(1), { blockHash: hashOf(1_000) }] }
      ])
      // It does not go back to the dead one for every read, nor does the next analysis start there.
      first.forget()
      yield* state.balance(account(2))
      assert.strictEqual(first.requests.length, 0)
      const access = yield* ChainAccess.ChainAccess
      const next = yield* access.pin({
        chain: chainOf(first.url, second.url),
        block: Option.none(),
        maxCalls: 10
      })
      assert.strictEqual(next.block.number, 1_050)
      assert.strictEqual(first.requests.length, 0)
    }))

  test("sends to the next endpoint what the first one cannot do, and only that", () =>
    Effect.gen(function* () {
      const first = yield* fakeNode((call) =>
        call.method === "eth_simulateV1" || (call.params[2] !== undefined && call.method === "eth_call")
          ? { error: { code: -32601, message: "Method not found" } }
          : standard()(call)
      )
      const second = yield* fakeNode(standard())
      const state = yield* pin([first, second])
      const [simulated] = yield* Effect.all(
        [state.simulate({ blocks: [{ calls: [{ to: account(1) }] }] }), state.balance(account(1))],
        { concurrency: "unbounded" }
      )
      assert.strictEqual(simulated.value[0]?.[0]?.outcome._tag, "Returned")
      assert.deepStrictEqual(first.requests, [
        [{ method: "eth_getBalance", params: [account(1), { blockHash: hashOf(1_000) }] }]
      ])
      assert.isFalse((yield* state.capabilities).simulateV1)
    }))

  test("scans events elsewhere where the endpoint wants an address", () =>
    Effect.gen(function* () {
      const first = yield* fakeNode((call) =>
        call.method === "eth_getLogs"
          ? { error: { code: -32701, message: "Please specify an address in your request" } }
          : standard()(call)
      )
      const lone = yield* pin([first])
      const error = yield* Effect.flip(lone.logs({ topics: [word(1n)] }))
      assert.strictEqual(error.reason, "log_range_limited")
      assert.strictEqual(first.requests.flat().filter(({ method }) => method === "eth_getLogs").length, 1)
      const second = yield* fakeNode(standard())
      const state = yield* pin([first, second])
      assert.isTrue((yield* state.logs({ topics: [word(1n)] })).value.complete)
    }))

  test("never takes the silence about an override for an answer", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode((call) =>
        call.method === "eth_call" && call.params.length > 2 ? { result: "0x" } : standard()(call)
      )
      const state = yield* pin([node])
      const overrides = { [account(1)]: { code: "0x60006000f3" as Hex } }
      const [state_, block] = yield* together([
        Effect.either(state.call({ to: account(1), overrides })),
        Effect.either(state.call({ to: account(1), block: { time: 1 } }))
      ])
      assert.strictEqual(reasonOf(state_ ?? Either.right(0)), "method_unsupported")
      assert.strictEqual(reasonOf(block ?? Either.right(0)), "method_unsupported")
      assert.strictEqual(node.requests.length, 0)
    }))

  test("reads nothing from an endpoint that has another block at that height", () =>
    Effect.gen(function* () {
      let dead = false
      const first = yield* fakeNode(standard(), { refuse: () => (dead ? { status: 500, body: "" } : undefined) })
      // This one takes no hashes, so that only its block at that height gives it away.
      const fork = yield* fakeNode((call) =>
        JSON.stringify(call.params).includes("blockHash")
          ? { error: { code: -32602, message: "no" } }
          : standard({ fork: 7 })(call)
      )
      const state = yield* pin([first, fork])
      dead = true
      const result = yield* Effect.either(state.balance(account(1)))
      assert.strictEqual(reasonOf(result), "rpc_error")
      assert.notInclude(JSON.stringify(fork.requests), account(1))
    }))

  test("says that the source is unavailable where no endpoint can be reached", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const node = yield* Scope.extend(fakeNode(standard()), scope)
      const state = yield* pin([node, closedPort])
      yield* Scope.close(scope, Exit.void)
      const error = yield* Effect.flip(state.balance(account(1)))
      assert.strictEqual(error.reason, "source_unavailable")
      assert.isTrue(error.retryable)
    }))

  test("distinguishes a revert from a failure", () =>
    Effect.gen(function* () {
      const said: Record<string, Said> = {
        "0x01": { error: { code: 3, message: "execution reverted: no", data: "0x08C379A0" } },
        "0x02": { error: { code: -32000, message: "execution aborted (timeout = 5s)" } },
        "0x03": { result: "0x" },
        "0x04": { result: { hex: "0x" } }
      }
      const node = yield* fakeNode((call) =>
        call.method === "eth_call"
          ? (said[(call.params[0] as { readonly data: string }).data] ?? standard()(call))
          : standard()(call)
      )
      const state = yield* pin([node])
      const results = yield* together(
        (["0x01", "0x02", "0x03", "0x04"] as const).map((data) => Effect.either(state.call({ to: account(1), data })))
      )
      const [reverted, aborted, empty, garbage] = results
      assert.deepStrictEqual(
        reverted && Either.map(reverted, ({ value }) => value),
        Either.right({ _tag: "Reverted", data: "0x08c379a0" }) as never
      )
      assert.strictEqual(aborted && reasonOf(aborted), "rpc_error")
      assert.deepStrictEqual(
        empty && Either.map(empty, ({ value }) => value),
        Either.right({ _tag: "Returned", data: "0x" }) as never
      )
      assert.strictEqual(garbage && reasonOf(garbage), "rpc_error")
    }))

  test("gives an observation that the reader can make again", () =>
    Effect.gen(function* () {
      const raw = {
        address: account(7),
        topics: [word(9n)],
        data: "0x",
        blockNumber: "0x2",
        logIndex: "0x0",
        transactionHash: word(3n),
        removed: false
      }
      const node = yield* fakeNode((call) => {
        if (call.method === "eth_getLogs") return { result: [raw] }
        if (call.method === "eth_call" && JSON.stringify(call.params).includes("0xdead")) {
          return { error: { code: 3, message: "execution reverted", data: "0xabcd" } }
        }
        return standard()(call)
      })
      const state = yield* pin([node])
      const at = { blockHash: hashOf(1_000) }
      const [storage, logs, revert] = yield* Effect.all(
        [
          state.storage(account(1), "0x5"),
          state.logs({ topics: [word(9n)] }),
          state.call({ to: account(1), data: "0xdead" })
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(storage.observation(), {
        method: "eth_getStorageAt",
        params_hash: sha256([account(1), word(5n), at]) as Hex,
        block_hash: hashOf(1_000),
        // Nodes write a word with and without leading zeroes.
        answer_hash: sha256(word(0x2an)) as Hex
      })
      assert.deepStrictEqual(logs.observation(), {
        method: "eth_getLogs",
        params_hash: sha256([{ fromBlock: "0x0", toBlock: "0x3e8", topics: [word(9n)] }]) as Hex,
        block_hash: hashOf(1_000),
        answer_hash: sha256([raw]) as Hex
      })
      assert.strictEqual(revert.observation().answer_hash, sha256({ reverted: "0xabcd" }))
      const scanned = node.requests.flat().find(({ method }) => method === "eth_getLogs") as Got
      assert.strictEqual(logs.observation().params_hash, sha256(scanned.params))
    }))

  test("sees that the block was replaced", () =>
    Effect.gen(function* () {
      let fork = 0
      const node = yield* fakeNode((call) => standard({ fork })(call))
      const state = yield* pin([node])
      assert.isTrue(yield* state.stillCanonical)
      fork = 3
      assert.isFalse(yield* state.stillCanonical)
    }))

  test("never reveals the endpoint's URL, nor what it echoes of it", () =>
    Effect.gen(function* () {
      const secret = "s3cr3tk3y0123456789abcdefXYZ"
      const echo = (text: string): Said => ({ error: { code: -32000, message: text } })
      const node = yield* fakeNode((call) =>
        call.method === "eth_getBalance"
          ? echo(
              `project ${secret} at https://rpc.example/v3/${secret}?k=1 is out of \u202etroops\u0007 ${"x ".repeat(400)}`
            )
          : standard()(call)
      )
      const withKey = `${node.url}/v3/${secret}?apikey=${secret}`
      const state = yield* pin([withKey, `http://user:${secret}@127.0.0.1:1/`])
      const error = yield* Effect.flip(state.balance(account(1)))
      const text = JSON.stringify(error) + String(error) + error.stack
      assert.notInclude(text, secret)
      assert.notInclude(text, "127.0.0.1")
      assert.notInclude(text, "rpc.example")
      assert.notMatch(error.detail, /[\p{Cc}\p{Cf}]/u)
      assert.isAtMost(error.detail.length, 160)
      assert.include(error.detail, "is out of")
    }))

  test("gives every read of a hash-taking endpoint the pinned block and never the newest", () =>
    Effect.gen(function* () {
      let head = 1_000
      const node = yield* fakeNode((call) => standard({ head })(call))
      const state = yield* pin([node])
      head = 1_010
      yield* together<unknown, unknown>([
        state.balance(account(1)),
        state.code(account(1)),
        state.nonce(account(1)),
        state.logs({ topics: [] })
      ])
      const text = JSON.stringify(node.requests)
      assert.notInclude(text, "latest")
      assert.notInclude(text, blockOf(1_010).hash)
      assert.include(text, '"toBlock":"0x3e8"')
    }))

  const logs = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => ({
      address: account(7),
      topics: [word(7n)],
      data: "0x",
      blockNumber: `0x${(from + index).toString(16)}`,
      logIndex: "0x0",
      transactionHash: word(BigInt(from + index)),
      removed: false
    }))

  /** The events of one block by its hash, which a node that is behind it refuses. */
  const ofBlock = (head: number, hash: string): Said => {
    const number = Number(`0x${hash.slice(6)}`)
    return number > head
      ? { error: { code: -32000, message: "unknown block" } }
      : { result: number < 990 ? [] : logs(number, number) }
  }

  const isRange = ({ method, params }: Got): boolean =>
    method === "eth_getLogs" && JSON.stringify(params).includes("fromBlock")

  /** A node of a pool that has seen blocks up to a head of its own; of later ones it has no events, and says nothing. */
  const seeing =
    (head: number) =>
    (call: Got): Said => {
      const [first] = call.params as ReadonlyArray<{
        readonly fromBlock: string
        readonly toBlock: string
        readonly blockHash?: string
      }>
      if (call.method === "eth_getBlockByNumber" && call.params[0] !== "latest")
        return { result: fullBlockOf(Number(call.params[0])) }
      if (call.method === "eth_getLogs" && first?.blockHash !== undefined) return ofBlock(head, first.blockHash)
      if (call.method === "eth_getBlockByHash")
        return { result: (call.params[0] as string) === hashOf(1_000) && head < 1_000 ? null : blockOf(1_000) }
      if (call.method !== "eth_getLogs" || first === undefined) return standard()(call)
      return { result: logs(Math.max(990, Number(first.fromBlock)), Math.min(head, Number(first.toBlock))) }
    }

  /** Answers each request from the next node of a pool. */
  const pool = (heads: ReadonlyArray<number>) => {
    let turn = -1
    let asked: ReadonlyArray<Got> = []
    return fakeNode((call) => seeing(heads[turn % heads.length] ?? 1_000)(call), {
      refuse: (calls) => {
        if (calls !== asked && calls.some(({ method }) => method === "eth_getLogs")) turn++
        asked = calls
        return undefined
      }
    })
  }

  test("takes no events from a node behind the same endpoint that has not seen the pinned block", () =>
    Effect.gen(function* () {
      const node = yield* pool([996, 1_000])
      const state = yield* pin([node])
      const { value } = yield* state.logs({ topics: [word(7n)] })
      assert.strictEqual(value.logs.length, 11)
      assert.isTrue(value.complete)
      for (const calls of node.requests.filter((each) => each.some(isRange)))
        assert.deepInclude(calls, { method: "eth_getBlockByHash", params: [hashOf(1_000), false] })
    }))

  test("sends the scan again to a node that says in any words that the pinned block is beyond its head, and no narrower", () =>
    Effect.gen(function* () {
      for (const message of [
        "block range extends beyond current head block: requested 1000, head 996",
        "8633830 could not be found",
        "invalid block range params"
      ]) {
        let refusals = 4
        const node = yield* fakeNode((call) =>
          call.method === "eth_getLogs" && refusals-- > 0 ? { error: { code: -32000, message } } : seeing(1_000)(call)
        )
        const state = yield* pin([node])
        const { value } = yield* state.logs({ topics: [word(7n)] })
        assert.strictEqual(value.logs.length, 11, message)
        assert.isTrue(value.complete)
        const scans = node.requests.flat().filter(isRange)
        assert.strictEqual(new Set(scans.map(({ params }) => JSON.stringify(params))).size, 1, message)
      }
    }))

  test("sends the scan again to a node that fails for lack of the pinned block, in whatever words", () =>
    Effect.gen(function* () {
      let lagging = 3
      const node = yield* fakeNode(
        (call) => {
          if (lagging <= 0) return seeing(1_000)(call)
          return call.method === "eth_getLogs" ? { error: { code: -32000, message: "nope" } } : seeing(996)(call)
        },
        {
          refuse: (calls) => {
            if (calls.some(({ method }) => method === "eth_getLogs")) lagging--
            return undefined
          }
        }
      )
      const state = yield* pin([node])
      const { value } = yield* state.logs({ topics: [word(7n)] })
      assert.strictEqual(value.logs.length, 11)
      const scans = node.requests.flat().filter(isRange)
      assert.strictEqual(new Set(scans.map(({ params }) => JSON.stringify(params))).size, 1)
    }))

  test("reads the events of another endpoint where one goes on saying that the block is beyond its head", () =>
    Effect.gen(function* () {
      for (const message of ["block range extends beyond current head block", "invalid block range"]) {
        const behind = yield* fakeNode((call) =>
          call.method === "eth_getLogs" ? { error: { code: -32602, message } } : seeing(1_000)(call)
        )
        const state = yield* pin([behind, yield* pool([1_000])])
        const { value } = yield* state.logs({ topics: [word(7n)] })
        assert.strictEqual(value.logs.length, 11, message)
        assert.isTrue(value.complete)
      }
    }))

  test("fails where no node of any endpoint has seen the pinned block, and takes no silence for an answer", () =>
    Effect.gen(function* () {
      const node = yield* pool([996])
      const state = yield* pin([node])
      const failed = yield* Effect.flip(state.logs({ topics: [word(7n)] }))
      assert.deepInclude({ ...failed }, { reason: "rpc_error", detail: "the endpoint has not seen the block yet" })
    }))

  test("reads the events of another endpoint where one is behind", () =>
    Effect.gen(function* () {
      const state = yield* pin([yield* pool([996]), yield* pool([1_000])])
      const { value } = yield* state.logs({ topics: [word(7n)] })
      assert.strictEqual(value.logs.length, 11)
    }))

  /** Takes no batches; the same call is answered by the next node of a pool each time. */
  const single = (heads: ReadonlyArray<number>) => {
    const turns = new Map<string, number>()
    return fakeNode(
      (call) => {
        const turn = turns.get(JSON.stringify(call.params)) ?? 0
        turns.set(JSON.stringify(call.params), turn + 1)
        const head = heads[turn % heads.length] ?? 1_000
        if (call.method === "eth_call") return standard({ head: 1_000 })(call)
        return seeing(head)(call)
      },
      { refuse: (_, isBatch) => (isBatch ? { status: 400, body: "batches are not supported" } : undefined) }
    )
  }

  test("reads the newest blocks one by one where an endpoint takes no batch, so that no node behind it hides events", () =>
    Effect.gen(function* () {
      const node = yield* single([995, 1_000, 994])
      const state = yield* pin([node])
      const { value } = yield* state.logs({ topics: [word(7n)] })
      assert.deepStrictEqual(
        value.logs.map(({ blockNumber }) => blockNumber),
        Array.from({ length: 11 }, (_, index) => 990 + index)
      )
      assert.isTrue(value.complete)
      const named = node.requests.flat().filter(({ params }) => JSON.stringify(params).includes("blockHash"))
      assert.isAtLeast(named.length, 8)
    }))

  test("fails where no node of an endpoint that takes no batch has seen the pinned block", () =>
    Effect.gen(function* () {
      const state = yield* pin([yield* single([996])])
      const failed = yield* Effect.flip(state.logs({ topics: [word(7n)] }))
      assert.strictEqual(failed.reason, "rpc_error")
    }))

  test("reads the headers of the newest blocks once for all scans", () =>
    Effect.gen(function* () {
      const node = yield* single([1_000])
      const state = yield* pin([node])
      yield* state.logs({ topics: [word(7n)] })
      const before = node.requests.length
      yield* state.logs({ topics: [word(7n), word(8n)] }).pipe(Effect.ignore)
      assert.isFalse(
        node.requests
          .slice(before)
          .flat()
          .some(({ method }) => method === "eth_getBlockByNumber")
      )
    }))

  test("takes no events from an index that is behind the node that answers the same request", () =>
    Effect.gen(function* () {
      const scanned = (nodes: readonly [FakeNode, ...Array<FakeNode>]) =>
        Effect.flatMap(pin(nodes), (state) => state.logs({ topics: [word(7n)] }))
      // Ranges of events come from an index that is two blocks behind, events by hash from the node or from the index.
      const behind = (byHash: "node" | "index") =>
        fakeNode((call) =>
          seeing(isRange(call) || (byHash === "index" && call.method === "eth_getLogs") ? 998 : 1_000)(call)
        )
      assert.strictEqual((yield* scanned([yield* behind("node")])).value.logs.length, 11)
      assert.strictEqual((yield* Effect.flip(scanned([yield* behind("index")]))).reason, "rpc_error")
      const both = [yield* behind("index"), yield* fakeNode(seeing(1_000))] as const
      assert.strictEqual((yield* scanned(both)).value.logs.length, 11)
    }))

  test("reads no newest block by its hash that has no such event by its bloom filter", () =>
    Effect.gen(function* () {
      // The bits of an event of account 7 with topic 7, as in the header of a block that has one.
      const bloom = [account(7), word(7n)].reduce((bits, value) => {
        const hash = Buffer.from(Hash.keccak256(value).slice(2), "hex")
        return [0, 2, 4].reduce((all, at) => all | (1n << BigInt(hash.readUInt16BE(at) & 2047)), bits)
      }, 0n)
      const node = yield* fakeNode((call) =>
        call.method === "eth_getBlockByNumber" && call.params[0] === "0x3e7"
          ? { result: { ...blockOf(999), logsBloom: `0x${bloom.toString(16).padStart(512, "0")}` } }
          : call.method === "eth_getLogs" && !isRange(call)
            ? { result: logs(999, 999) }
            : standard()(call)
      )
      const state = yield* pin([node])
      const { value } = yield* state.logs({ address: account(7), topics: [word(7n)] })
      assert.deepStrictEqual(
        value.logs.map(({ blockNumber }) => blockNumber),
        [999]
      )
      yield* state.logs({ address: account(8), topics: [word(7n)] })
      const named = node.requests.flat().filter((call) => call.method === "eth_getLogs" && !isRange(call))
      assert.deepStrictEqual(
        named.map(({ params }) => params),
        [[{ blockHash: hashOf(999), address: account(7), topics: [word(7n)] }]]
      )
    }))

  test("sends scans of named contracts in one request with the pinned block, and any other scan alone", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(seeing(1_000))
      const state = yield* pin([node])
      const scans = yield* together([
        state.logs({ address: account(7), topics: [word(7n)] }),
        state.logs({ address: [account(7)], topics: [word(7n)], blocks: [995, 1_000] }),
        state.logs({ topics: [word(7n)] })
      ])
      assert.deepStrictEqual(
        scans.map(({ value }) => value.logs.length),
        [11, 6, 11]
      )
      assert.deepStrictEqual(node.requests.map((calls) => calls.map(({ method }) => method).join()).sort(), [
        "eth_getBlockByHash,eth_getLogs",
        "eth_getBlockByHash,eth_getLogs,eth_getLogs",
        newestHeaders,
        // The newest blocks by their hashes: eight of each scan, and six of the one that begins later.
        Array.from({ length: 8 }, () => "eth_getLogs").join(),
        Array.from({ length: 14 }, () => "eth_getLogs").join()
      ])
      assert.strictEqual((yield* state.spending).calls, 35)
    }))

  const severalScans = (state: ChainState["Type"]) =>
    together(
      [994, 996, 998].map((first) => state.logs({ address: account(7), topics: [word(7n)], blocks: [first, 1_000] }))
    )

  test("takes the events of several scans from no node behind the same endpoint that has not seen the pinned block", () =>
    Effect.gen(function* () {
      const state = yield* pin([yield* pool([996, 1_000])])
      const scans = yield* severalScans(state)
      assert.deepStrictEqual(
        scans.map(({ value }) => [value.logs.length, value.complete]),
        [
          [7, true],
          [5, true],
          [3, true]
        ]
      )
    }))

  test("sends scans alone that an endpoint refuses in one request", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(seeing(1_000), {
        refuse: (calls) =>
          calls.filter(({ method }) => method === "eth_getLogs").length > 1 ? { status: 403, body: "no" } : undefined
      })
      const scans = yield* severalScans(yield* pin([node]))
      assert.deepStrictEqual(
        scans.map(({ value }) => [value.logs.length, value.complete]),
        [
          [7, true],
          [5, true],
          [3, true]
        ]
      )
    }))

  test("scans in narrower ranges where a gateway gives up on a wide one, and reads on from the same endpoint", () =>
    Effect.gen(function* () {
      const wide = ({ params }: Got) => {
        const [filter] = params as ReadonlyArray<{ readonly fromBlock: string; readonly toBlock: string }>
        return Number(filter?.toBlock) - Number(filter?.fromBlock) > 200
      }
      const node = yield* fakeNode(seeing(1_000), {
        refuse: (calls) =>
          calls.some((call) => call.method === "eth_getLogs" && wide(call))
            ? { status: 502, body: "<html>" }
            : undefined
      })
      const state = yield* pin([node])
      const { value } = yield* state.logs({ topics: [word(7n)] })
      assert.isTrue(value.complete)
      assert.strictEqual(value.logs.length, 11)
      assert.strictEqual((yield* state.balance(account(1))).value, 5n)
    }))
})
