import { FetchHttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Option, Redacted, type Scope, TestClock } from "effect"
import * as ChainAccess from "../../src/chain/ChainAccess.js"
import * as Address from "../../src/domain/Address.js"
import type { Hex } from "../../src/domain/Hex.js"
import { anvil } from "./Anvil.js"
import { chainOf, type FakeNode, fakeNode, hashOf, standard, word } from "./FakeNode.js"

const options = { retryDelay: 0 }

const test = (title: string, body: () => Effect.Effect<unknown, unknown, ChainAccess.ChainAccess | Scope.Scope>) =>
  it.scoped(title, () =>
    body().pipe(Effect.provide(ChainAccess.layerJsonRpc(options)), Effect.provide(FetchHttpClient.layer))
  )

const pin = (nodes: readonly [FakeNode, ...Array<FakeNode>], block?: number) =>
  Effect.flatMap(ChainAccess.ChainAccess, (access) => {
    const [first, ...rest] = nodes.map(({ url }) => url)
    return access.pin({ chain: chainOf(first ?? "", ...rest), block: Option.fromNullable(block), maxCalls: 100 })
  })

const methods = (node: FakeNode) =>
  node.requests
    .flat()
    .map(({ method }) => method)
    .sort()

describe("ChainAccess", () => {
  test("pins the newest block, and reads it again only when it may be another", () =>
    Effect.gen(function* () {
      let head = 1_000
      const node = yield* fakeNode((call) => standard({ head })(call))
      const first = yield* pin([node])
      assert.deepStrictEqual(first.block, {
        number: 1_000,
        hash: hashOf(1_000),
        timestamp: "2023-11-14T22:30:00.000Z"
      } as never)
      node.forget()
      head = 1_001
      assert.strictEqual((yield* pin([node])).block.number, 1_000)
      assert.deepStrictEqual(methods(node), [])
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* pin([node])).block.number, 1_001)
      assert.deepStrictEqual(methods(node), ["eth_getBlockByNumber"])
    }))

  test("reads the newest block anew instead of one that was replaced", () =>
    Effect.gen(function* () {
      let fork = 0
      // Calls at the first head are refused, as that of one that is replaced at once.
      const node = yield* fakeNode((call) =>
        fork === 0 && JSON.stringify(call.params).includes(hashOf(1_000))
          ? { error: { code: -32000, message: "hash is not currently canonical" } }
          : standard({ fork })(call)
      )
      const access = yield* ChainAccess.ChainAccess
      const first = yield* pin([node])
      assert.isFalse((yield* first.capabilities).blockByHash)
      fork = 1
      assert.strictEqual((yield* pin([node])).block.hash, hashOf(1_000, 0))
      const request = { chain: chainOf(node.url), block: Option.none(), maxCalls: 100, insteadOf: first }
      yield* TestClock.adjust("1 millis")
      const next = yield* access.pin(request)
      assert.strictEqual(next.block.hash, hashOf(1_000, 1))
      assert.isTrue((yield* next.capabilities).blockByHash)
    }))

  test("pins the requested block, and fails where the endpoint does not have it", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard())
      assert.strictEqual((yield* pin([node], 7)).block.hash, hashOf(7))
      const error = yield* Effect.flip(pin([node], 5_000))
      assert.strictEqual(error.reason, "rpc_error")
    }))

  test("probes an endpoint once for all analyses that start together", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard())
      yield* Effect.all(
        Array.from({ length: 8 }, () => pin([node])),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(methods(node).filter((method) => method === "eth_simulateV1").length, 2)
      // The batch probe requests it a second time.
      assert.strictEqual(methods(node).filter((method) => method === "eth_chainId").length, 2)
      assert.strictEqual(methods(node).filter((method) => method === "eth_getBlockByNumber").length, 1)
    }))

  test("refuses an endpoint that serves another chain, and takes it back when it serves ours", () =>
    Effect.gen(function* () {
      let chainId = "0x1"
      const node = yield* fakeNode((call) => standard({ chainId })(call))
      const error = yield* Effect.flip(pin([node]))
      assert.strictEqual(error.reason, "source_unavailable")
      assert.include(error.detail, "serves chain 1, not 31337")
      const other = yield* fakeNode(standard({ head: 900 }))
      assert.strictEqual((yield* pin([node, other])).block.number, 900)
      chainId = "0x7a69"
      // Until the probe expires it stays out where there is another one.
      assert.strictEqual((yield* pin([node, other])).block.number, 900)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* pin([node, other])).block.number, 1_000)
    }))

  test("waits for an endpoint that limits everything for as long as it may, and says then that it limits the rate", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard(), { refuse: () => ({ status: 429, body: "" }) })
      const access = yield* ChainAccess.ChainAccess
      const waitUntil = 60_000
      const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
      const error = yield* Effect.raceFirst(
        Effect.flip(access.pin({ chain: chainOf(node.url), block: Option.none(), maxCalls: 9, waitUntil })),
        Effect.forever(Effect.zipRight(turn, TestClock.adjust("100 millis")))
      )
      assert.strictEqual(error.reason, "rate_limited")
      assert.isTrue(error.retryable)
      assert.isAtLeast(yield* Clock.currentTimeMillis, waitUntil)
      assert.isAbove(node.requests.length, 10)
    }))

  test("tries a lone endpoint again although it was down a moment ago", () =>
    Effect.gen(function* () {
      let down = true
      const node = yield* fakeNode(standard(), { refuse: () => (down ? { status: 502, body: "" } : undefined) })
      assert.strictEqual((yield* Effect.flip(pin([node]))).reason, "rpc_error")
      down = false
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* pin([node])).block.number, 1_000)
    }))

  it.scoped("gives up on an endpoint that never answers, in bounded time", () =>
    Effect.gen(function* () {
      const arrived = yield* Effect.makeLatch()
      const node = yield* fakeNode(standard(), {
        refuse: () => {
          Effect.runSync(arrived.open)
          return "hang"
        }
      })
      const pinning = yield* Effect.fork(Effect.flip(pin([node])))
      yield* arrived.await
      yield* TestClock.adjust("10 seconds")
      const error = yield* pinning
      assert.strictEqual(error.reason, "source_unavailable")
      assert.isTrue(error.retryable)
    }).pipe(Effect.provide(ChainAccess.layerJsonRpc(options)), Effect.provide(FetchHttpClient.layer))
  )
})

describe("ChainAccess with settings of an endpoint", () => {
  it.scoped("sends the headers that an endpoint requires, and repeats them nowhere", () =>
    Effect.gen(function* () {
      const secret = "k3y/of=the+house"
      const node = yield* fakeNode(() => ({ error: { code: -32000, message: `unknown key ${secret} of the house` } }))
      const settings = new Map([[node.url, { headers: { "x-api-key": Redacted.make(secret) } }]])
      const error = yield* Effect.flip(
        pin([node]).pipe(
          Effect.provide(ChainAccess.layerJsonRpc({ ...options, endpoints: settings })),
          Effect.provide(FetchHttpClient.layer)
        )
      )
      assert.isAbove(node.headers.length, 0)
      for (const headers of node.headers) assert.strictEqual(headers["x-api-key"], secret)
      assert.include(error.detail, "unknown key")
      assert.notInclude(error.detail, secret)
    })
  )

  it.scoped("sends no batch where the limits allow none, and no larger one than they state", () =>
    Effect.gen(function* () {
      const batches = (node: FakeNode) => node.requests.map((calls) => calls.length)
      const read = (node: FakeNode, limits: NonNullable<ChainAccess.EndpointSettings["limits"]>) =>
        Effect.gen(function* () {
          const state = yield* pin([node])
          yield* Effect.all(
            Array.from({ length: 7 }, (_, place) =>
              state.balance(Address.checksum(`0x${place.toString().repeat(40)}`))
            ),
            { concurrency: "unbounded" }
          )
        }).pipe(
          Effect.provide(ChainAccess.layerJsonRpc({ ...options, endpoints: new Map([[node.url, { limits }]]) })),
          Effect.provide(FetchHttpClient.layer)
        )
      const single = yield* fakeNode(standard())
      yield* read(single, { batch: 1 })
      assert.strictEqual(Math.max(...batches(single)), 1)
      const small = yield* fakeNode(standard())
      yield* read(small, { batch: 3 })
      // The balances and the lens that they are compared with.
      assert.deepStrictEqual(batches(small).slice(-3), [3, 3, 2])
    })
  )
})

// Init code that returns `runtime`: copies the bytes after itself.
const deploying = (runtime: string): Hex => `0x600d380380600d6000396000f3${runtime}`

describe("ChainAccess on anvil", () => {
  test("reads state, calls, simulations and events of a real node as it says them", () =>
    Effect.gen(function* () {
      const node = yield* anvil
      const rpc = (method: string, params: ReadonlyArray<unknown>) => Effect.promise(() => node.rpc(method, params))
      const [from] = (yield* rpc("eth_accounts", [])) as [string]
      // Logs the word 42 with topic 7 when called, and reverts with the word 1 when called with value.
      const runtime = "3415600f57600160005260206000fd5b602a600052600760206000a100"
      const hash = yield* rpc("eth_sendTransaction", [{ from, data: deploying(runtime) }])
      yield* rpc("anvil_mine", ["0x1"])
      const receipt = (yield* rpc("eth_getTransactionReceipt", [hash])) as { readonly contractAddress: Hex }
      const contract = Address.checksum(receipt.contractAddress)
      yield* rpc("eth_sendTransaction", [{ from, to: contract }])
      yield* rpc("anvil_mine", ["0x3"])
      yield* rpc("anvil_setStorageAt", [contract, word(5n), word(99n)])
      yield* rpc("anvil_setBalance", [contract, "0x77"])
      yield* rpc("anvil_mine", ["0x1"])

      const access = yield* ChainAccess.ChainAccess
      const state = yield* access.pin({ chain: chainOf(node.url), block: Option.none(), maxCalls: 100 })
      const sender = Address.checksum(`0x${"b0".repeat(20)}`)
      const read = yield* Effect.all(
        {
          capabilities: state.capabilities,
          code: state.code(contract),
          storage: state.storage(contract, "0x5"),
          balance: state.balance(contract),
          nonce: state.nonce(Address.checksum(from as Hex)),
          returned: state.call({ to: contract }),
          reverted: state.call({
            from: sender,
            to: contract,
            value: 1n,
            gasPrice: 10_000_000_000n,
            gas: 100_000n,
            overrides: { [sender]: { balance: 10n ** 18n } }
          }),
          halted: state.call({ data: "0xfe" }),
          price: state.call({
            from: sender,
            data: "0x3a3d52593df3",
            gasPrice: 10_000_000_000n,
            gas: 100_000n,
            overrides: { [sender]: { balance: 10n ** 18n } }
          }),
          logs: state.logs({ address: contract, topics: [[word(7n), word(8n)]] }),
          others: state.logs({ topics: [word(8n)] }),
          simulated: state.simulate({
            blocks: [
              {
                overrides: { [sender]: { balance: 10n ** 18n } },
                block: { time: 2_000_000_000, feeRecipient: sender },
                calls: [
                  { from: sender, to: contract, gas: 100_000n, gasPrice: 10_000_000_000n },
                  { from: sender, to: contract, gas: 100_000n, value: 1n }
                ]
              },
              { calls: [{ from: sender, to: contract, gas: 100_000n }] }
            ]
          }),
          standing: state.stillCanonical
        },
        { concurrency: "unbounded" }
      )
      assert.isTrue(Object.values(read.capabilities).every((able) => able))
      assert.strictEqual(read.code.value, `0x${runtime}`)
      assert.strictEqual(read.storage.value, word(99n))
      assert.strictEqual(read.balance.value, 0x77n)
      assert.strictEqual(read.nonce.value, 2)
      assert.deepStrictEqual(read.returned.value, { _tag: "Returned", data: "0x" })
      assert.deepStrictEqual(read.reverted.value, { _tag: "Reverted", data: word(1n) })
      assert.deepStrictEqual(read.halted.value, { _tag: "Reverted", data: "0x" })
      assert.deepStrictEqual(read.price.value, { _tag: "Returned", data: word(10_000_000_000n) })
      assert.isTrue(read.logs.value.complete)
      assert.deepInclude(read.logs.value.logs[0], {
        address: contract,
        topics: [word(7n)],
        data: word(42n),
        logIndex: 0
      })
      assert.strictEqual(read.logs.value.logs.length, 1)
      assert.deepStrictEqual(read.others.value.logs, [])
      const [[logged, refused] = [], [again] = []] = read.simulated.value
      assert.deepStrictEqual(logged?.outcome, { _tag: "Returned", data: "0x" })
      assert.deepStrictEqual(logged?.logs, [{ address: contract, topics: [word(7n)], data: word(42n) }])
      assert.deepStrictEqual(refused?.outcome, { _tag: "Reverted", data: word(1n) })
      assert.strictEqual(again?.logs.length, 1)
      assert.isTrue(read.standing)
      assert.strictEqual((yield* state.spending).levels, 1)
    }))

  test("keeps reading the pinned block while the chain goes on, and sees it replaced", () =>
    Effect.gen(function* () {
      const node = yield* anvil
      const rpc = (method: string, params: ReadonlyArray<unknown>) => Effect.promise(() => node.rpc(method, params))
      const account = Address.checksum(`0x${"c0".repeat(20)}`)
      const [from] = (yield* rpc("eth_accounts", [])) as [string]
      const give = rpc("eth_sendTransaction", [{ from, to: account, value: "0x1" }])
      const snapshot = yield* rpc("evm_snapshot", [])
      yield* give
      yield* rpc("anvil_mine", ["0x1"])
      const access = yield* ChainAccess.ChainAccess
      const state = yield* access.pin({ chain: chainOf(node.url), block: Option.none(), maxCalls: 100 })
      yield* give
      yield* rpc("anvil_mine", ["0x1"])
      assert.strictEqual((yield* state.balance(account)).value, 1n)
      assert.isTrue(yield* state.stillCanonical)
      yield* rpc("evm_revert", [snapshot])
      // Another history, of at least the same length.
      yield* rpc("anvil_mine", ["0x5", "0x7"])
      assert.isFalse(yield* state.stillCanonical)
      const error = yield* Effect.flip(state.code(account))
      assert.strictEqual(error.reason, "archive_required")
    }))
})
