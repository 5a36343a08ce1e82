import { Diagnosis, Transport } from "@assay/core"
import { RpcFault } from "@assay/core/testing"
import { SharedSandbox } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Either, Layer, Option } from "effect"
import { assert, beforeAll, describe, it } from "vitest"

const layer = RpcFault.layer.pipe(Layer.provide(Transport.layerHttpClient()), Layer.provide(NodeHttpClient.layerUndici))

describe("Diagnosis", () => {
  let sandbox: SharedSandbox.SharedSandbox
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })

  const examine = (
    rules: ReadonlyArray<RpcFault.Rule>,
    settings: Parameters<typeof Diagnosis.make>[0]["settings"] = undefined,
    chainId = sandbox.chainId
  ) =>
    Effect.gen(function* () {
      const faults = yield* RpcFault.RpcFault
      yield* faults.replace(rules)
      const found = yield* Effect.either(Diagnosis.make({ url: sandbox.url, chainId, settings }))
      return { found, requests: yield* faults.requests }
    }).pipe(Effect.provide(layer), Effect.runPromise)

  it("measures what an endpoint does, in at most 70 requests", async () => {
    const { found, requests } = await examine([])
    const diagnosis = Either.getOrThrow(found)
    assert.strictEqual(diagnosis.head.number, sandbox.head.number)
    assert.deepStrictEqual(
      Object.values(diagnosis.capabilities).map((answer) => Either.getOrThrow(answer)),
      [true, true, true, true, true, true]
    )
    assert.strictEqual(diagnosis.batch, 100)
    assert.strictEqual(diagnosis.logBlocks, sandbox.head.number)
    assert.deepInclude(Option.getOrThrow(diagnosis.burst), { requests: 32, answered: 32, limited: 0 })
    assert.isAtMost(requests, 70)
  })

  it("finds the widest range of events, and counts what is refused for its rate", async () => {
    const span = ({ params: [filter] }: RpcFault.SeenCall): number => {
      const { fromBlock, toBlock } = filter as { readonly fromBlock: string; readonly toBlock: string }
      return Number(toBlock) - Number(fromBlock) + 1
    }
    const { found } = await examine([
      { when: (call) => call.method === "eth_getLogs" && span(call) > 40, kind: "log_limit" },
      { when: ({ method, nth }) => method === "eth_blockNumber" && nth > 10, kind: "rate_limited" },
      { when: ({ method }) => method === "eth_simulateV1", kind: "method_missing" }
    ])
    const diagnosis = Either.getOrThrow(found)
    assert.isAtMost(diagnosis.logBlocks, 40)
    assert.isAbove(diagnosis.logBlocks, 4)
    assert.deepStrictEqual(diagnosis.capabilities.simulateV1, Either.right(false))
    const burst = Option.getOrThrow(diagnosis.burst)
    assert.strictEqual(burst.limited + burst.answered, 32)
    assert.isAbove(burst.limited, 20)
  })

  it("puts no stated rate to the test", async () => {
    const { found } = await examine([], { limits: { callsPerSecond: 100, batch: 10 } })
    const diagnosis = Either.getOrThrow(found)
    assert.isTrue(Option.isNone(diagnosis.burst))
    assert.strictEqual(diagnosis.batch, 10)
  })

  it("fails where the endpoint serves another chain, or is not there", async () => {
    const other = await examine([], undefined, 1)
    assert.strictEqual(Either.getOrThrow(Either.flip(other.found)).message, "The endpoint serves chain 31337, not 1.")
    const gone = await examine([{ when: () => true, kind: "unreachable" }])
    assert.strictEqual(Either.getOrThrow(Either.flip(gone.found)).message, "The endpoint cannot be reached.")
  })
})
