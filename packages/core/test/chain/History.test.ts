import { FetchHttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Option, type Scope } from "effect"
import * as ChainAccess from "../../src/chain/ChainAccess.js"
import * as Address from "../../src/domain/Address.js"
import { chainOf, fakeNode, type Got, type Said, standard, word } from "./FakeNode.js"

const contract = Address.checksum(`0x${"c0".repeat(20)}`)
const signer = Address.checksum(`0x${"aa".repeat(20)}`)

const pinned = (say: (call: Got) => Said | undefined) =>
  Effect.gen(function* () {
    const usual = standard()
    const node = yield* fakeNode((call) => say(call) ?? usual(call))
    const access = yield* ChainAccess.ChainAccess
    const state = yield* access.pin({ chain: chainOf(node.url), block: Option.none(), maxCalls: 100 })
    node.forget()
    return { node, state }
  })

const test = (title: string, body: () => Effect.Effect<unknown, unknown, ChainAccess.ChainAccess | Scope.Scope>) =>
  it.scoped(title, () =>
    body().pipe(
      Effect.provide(ChainAccess.layerJsonRpc({ retryDelay: 0, headTtl: 0 })),
      Effect.provide(FetchHttpClient.layer)
    )
  )

describe("reads of earlier blocks", () => {
  test("read code by the number of the block, and can be repeated as they were made", () =>
    Effect.gen(function* () {
      const { node, state } = yield* pinned(({ method, params }) =>
        method === "eth_getCode" && params[1] === "0x10" ? { result: "0x6002" } : undefined
      )
      const then = yield* state.codeAt(contract, 16)
      const now = yield* state.code(contract)
      assert.strictEqual(then.value, "0x6002")
      assert.strictEqual(now.value, "0x6001")
      assert.deepStrictEqual(node.requests[0]?.[0]?.params, [contract, "0x10"])
      const seen = then.observation()
      const [recipe] = yield* state.recipes
      if (recipe === undefined) throw new Error("no recipe")
      assert.deepStrictEqual(recipe.params, [contract, "0x10"])
      assert.strictEqual((yield* state.repeat(recipe)).answer_hash, seen.answer_hash)
    }))

  test("read a variable by the number of the block, beside its present value", () =>
    Effect.gen(function* () {
      const { node, state } = yield* pinned(({ method, params }) =>
        method === "eth_getStorageAt" ? { result: word(params[2] === "0x10" ? 1n : 2n) } : undefined
      )
      assert.strictEqual((yield* state.storageAt(contract, word(0n), 16)).value, word(1n))
      assert.strictEqual((yield* state.storage(contract, word(0n))).value, word(2n))
      assert.deepStrictEqual(node.requests[0]?.[0]?.params, [contract, word(0n), "0x10"])
    }))

  test("fail as archive_required where the node has forgotten the state", () =>
    Effect.gen(function* () {
      const { state } = yield* pinned(({ method, params }) =>
        method === "eth_getCode" && params[1] === "0x10"
          ? { error: { code: -32000, message: "missing trie node abc" } }
          : undefined
      )
      const read = yield* Effect.either(state.codeAt(contract, 16))
      assert.strictEqual(Either.isLeft(read) ? read.left.reason : "answered", "archive_required")
    }))

  test("give the signer and the created contract of a transaction, and nothing of one after the block", () =>
    Effect.gen(function* () {
      const receipts: Readonly<Record<string, unknown>> = {
        [word(1n)]: {
          blockNumber: "0x10",
          from: signer.toLowerCase(),
          to: null,
          contractAddress: contract.toLowerCase()
        },
        [word(2n)]: {
          blockNumber: "0x10",
          from: signer.toLowerCase(),
          to: contract.toLowerCase(),
          contractAddress: null
        },
        [word(3n)]: null,
        [word(4n)]: { blockNumber: "0x3e9", from: signer.toLowerCase(), to: null },
        [word(5n)]: { blockNumber: "0x10", from: "somebody", to: null }
      }
      const { state } = yield* pinned(({ method, params }) =>
        method === "eth_getTransactionReceipt" ? { result: receipts[String(params[0])] ?? null } : undefined
      )
      const created = yield* state.receipt(word(1n))
      assert.deepStrictEqual(Option.getOrNull(created.value), {
        blockNumber: 16,
        from: signer,
        to: Option.none(),
        created: Option.some(contract)
      })
      const called = yield* state.receipt(word(2n))
      assert.deepInclude(Option.getOrNull(called.value), { to: Option.some(contract), created: Option.none() })
      // Null is what a node says that has not seen it yet.
      assert.strictEqual((yield* Effect.flip(state.receipt(word(3n)))).reason, "rpc_error")
      assert.isTrue(Option.isNone((yield* state.receipt(word(4n))).value))
      const malformed = yield* Effect.either(state.receipt(word(5n)))
      assert.strictEqual(Either.isLeft(malformed) ? malformed.left.reason : "answered", "rpc_error")
    }))

  test("scan for events between two blocks, in one request and no further than the pinned block", () =>
    Effect.gen(function* () {
      const { node, state } = yield* pinned(() => undefined)
      const { value } = yield* state.logs({ topics: [word(7n)], blocks: [990, 2_000] })
      assert.deepInclude(value, { fromBlock: 990, toBlock: 1_000, complete: true })
      const [asked] = node.requests[0]?.find(({ method }) => method === "eth_getLogs")?.params ?? []
      assert.deepStrictEqual(asked, { fromBlock: "0x3de", toBlock: "0x3e8", topics: [word(7n)] })
      const early = yield* state.logs({ topics: [word(7n)], blocks: [-5, 4] })
      assert.deepInclude(early.value, { fromBlock: 0, toBlock: 4, complete: true })
    }))
})
