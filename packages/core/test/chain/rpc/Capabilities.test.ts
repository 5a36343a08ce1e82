import { FetchHttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer, Option } from "effect"
import * as Capabilities from "../../../src/chain/rpc/Capabilities.js"
import * as JsonRpc from "../../../src/chain/rpc/JsonRpc.js"
import * as Transport from "../../../src/chain/rpc/Transport.js"
import { anvil } from "../Anvil.js"
import { blockOf, fakeNode, hashOf, standard } from "../FakeNode.js"

const transport = Transport.layerHttpClient().pipe(Layer.provide(FetchHttpClient.layer))

const probe = (url: string, chainId = 31_337) =>
  Effect.flatMap(Transport.Transport, (transport) => {
    const one = (call: JsonRpc.RpcCall) =>
      Effect.map(JsonRpc.exchange(transport, url, [call]), ([answer]) => answer ?? Either.left(JsonRpc.garbage("")))
    return Capabilities.probe({
      chainId,
      one,
      needed: (call, decode) => Effect.map(one(call), decode),
      batch: (calls) => JsonRpc.exchange(transport, url, calls)
    })
  })

const known = (found: Capabilities.Probe) => Either.getOrThrow(Either.all(found.capabilities))

describe("Capabilities", () => {
  it.scoped("finds every capability on anvil, with history from block 1 on", () =>
    Effect.gen(function* () {
      const node = yield* anvil
      const all = { batch: true, blockByHash: true, codeOverride: true, blockOverride: true, simulateV1: true }
      assert.deepStrictEqual(known(yield* probe(node.url)), { ...all, archive: false })
      yield* Effect.promise(() => node.rpc("anvil_mine", ["0x2"]))
      assert.deepStrictEqual(known(yield* probe(node.url)), { ...all, archive: true })
    }).pipe(Effect.provide(transport))
  )

  it.scoped("believes results, not politeness: what is ignored or refused was not shown", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(
        (call) => {
          const second = call.params[1]
          if (call.method === "eth_call" && call.params.length > 2) return { result: "0x" }
          if (call.method === "eth_simulateV1") return { result: [] }
          if (call.method === "eth_getBalance" && second === "0x1") {
            return { error: { code: -32000, message: "missing trie node" } }
          }
          if (typeof second === "object") return { error: { code: -32602, message: "invalid argument" } }
          return standard()(call)
        },
        { refuse: (_, isBatch) => (isBatch ? { status: 200, body: "<html>" } : undefined) }
      )
      assert.deepStrictEqual(known(yield* probe(node.url)), {
        batch: false,
        blockByHash: false,
        codeOverride: false,
        blockOverride: false,
        simulateV1: false,
        archive: false
      })
    }).pipe(Effect.provide(transport))
  )

  it.scoped("probes with gas stated, as trades do: some nodes refuse calls that leave it out", () =>
    Effect.gen(function* () {
      const withoutGas = (value: unknown): boolean =>
        Array.isArray(value)
          ? value.some(withoutGas)
          : typeof value === "object" && value !== null && ("calls" in value || "blockStateCalls" in value)
            ? Object.values(value).some(withoutGas)
            : typeof value === "object" && value !== null && ("to" in value || "data" in value) && !("gas" in value)
      const node = yield* fakeNode((call) =>
        (call.method === "eth_call" || call.method === "eth_simulateV1") && withoutGas(call.params[0] ?? null)
          ? { error: { code: -32000, message: "intrinsic gas too high -- CallGasCostMoreThanGasLimit" } }
          : standard()(call)
      )
      const able = { batch: true, blockByHash: true, codeOverride: true, blockOverride: true, simulateV1: true }
      assert.deepInclude(known(yield* probe(node.url)), able)
      const calls = node.requests.flat().filter(({ method }) => method === "eth_call" || method === "eth_simulateV1")
      assert.isAtLeast(calls.length, 4)
      for (const { params } of calls) assert.isFalse(withoutGas(params[0]), JSON.stringify(params))
    }).pipe(Effect.provide(transport))
  )

  it.scoped("does not take a part of an override for the whole", () =>
    Effect.gen(function* () {
      // Code and storage are pretended, the balance is not: the sum lacks it.
      const node = yield* fakeNode((call) =>
        call.method === "eth_call" && call.params.length === 3 ? { result: "0x10" } : standard()(call)
      )
      const { codeOverride } = known(yield* probe(node.url))
      assert.isFalse(codeOverride)
    }).pipe(Effect.provide(transport))
  )

  it.scoped("fails on another chain, and on a node without a head", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard())
      assert.strictEqual((yield* Effect.flip(probe(node.url, 1))).reason, "source_unavailable")
      const headless = yield* fakeNode((call) =>
        call.method === "eth_getBlockByNumber" ? { result: null } : standard()(call)
      )
      assert.strictEqual((yield* Effect.flip(probe(headless.url))).reason, "rpc_error")
    }).pipe(Effect.provide(transport))
  )

  it("reads a block only where its number, hash and time are what they should be", () => {
    assert.deepStrictEqual(
      Capabilities.parseBlock(blockOf(7)),
      Option.some({ number: 7, hash: hashOf(7), timestamp: "2023-11-14T22:13:27.000Z" }) as never
    )
    const bad = [null, [], {}, { number: 7 }, { hash: "0x7" }, { timestamp: "0xffffffffffffff" }, { number: "0x" }]
    for (const member of bad) {
      const block = member !== null && !Array.isArray(member) && Object.keys(member).length > 0
      assert.isTrue(Option.isNone(Capabilities.parseBlock(block ? { ...blockOf(7), ...member } : member)))
    }
  })
})
