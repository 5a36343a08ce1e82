import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Transport } from "../../src/chain/rpc/Transport.js"
import type { Evidence } from "../../src/domain/Evidence.js"
import * as Documents from "../../src/testing/Documents.js"
import * as FaultSweep from "../../src/testing/FaultSweep.js"
import * as RpcFault from "../../src/testing/RpcFault.js"

interface Item {
  readonly id: number
  readonly result?: unknown
}

const wire = Layer.provide(
  RpcFault.layer,
  Layer.succeed(Transport, {
    post: (_, body) =>
      Effect.sync(() => {
        const items = JSON.parse(body) as ReadonlyArray<Item>
        return {
          status: 200,
          headers: {},
          body: JSON.stringify(items.map(({ id }) => ({ jsonrpc: "2.0", id, result: "0x1" })))
        }
      })
  })
)

/** Reads some slots in one request, and gives those that were answered. */
const ask = (slots: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const transport = yield* Transport
    const body = slots.map((slot, id) => ({ id, method: "eth_getStorageAt", params: [slot] }))
    const reply = yield* transport.post("http://node", JSON.stringify(body))
    const items = JSON.parse(reply.body) as ReadonlyArray<Item>
    return slots.filter((_, id) => items.find((item) => item.id === id)?.result === "0x1")
  }).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))

/** What is said of three calls in one request and of one in another. */
const analysis = (say: (answered: ReadonlyArray<string>) => ReadonlyArray<Evidence>) =>
  Effect.gen(function* () {
    const answered = [...(yield* ask(["a", "b", "c"])), ...(yield* ask(["d"]))]
    const document = Documents.analysis(Documents.token(1), say(answered), 1)
    return { ...document, content_hash: `sha256:${answered.join("").padStart(64, "0")}` } as const
  })

const unknown: Evidence = {
  ...Documents.evidence("token.mintable", "confirmed"),
  state: "unknown",
  value: null,
  verified: false,
  reason: "rpc_error",
  controller: null
}

/** Of a sweep of the four calls in which every fault was noticed and the law was kept. */
const kept = { calls: 4, refused: 0, unnoticed: [], breaches: [] }

describe("FaultSweep", () => {
  it.effect("makes one run stand for all calls of a request that fails as a whole, and one for each call else", () =>
    Effect.gen(function* () {
      const honest = analysis((answered) =>
        answered.length < 4 ? [unknown] : [Documents.evidence("token.mintable", "confirmed")]
      )
      const requests = yield* FaultSweep.of(honest, ["timeout"])
      assert.deepStrictEqual(requests, { ...kept, cases: 4, runs: 2, noticed: 4 })
      const calls = yield* FaultSweep.of(honest, ["pruned", "empty"])
      assert.deepStrictEqual(calls, { ...kept, cases: 8, runs: 8, noticed: 8 })
    }).pipe(Effect.provide(wire))
  )

  it.effect("takes what it is to take, by the place of a call or of its request", () =>
    Effect.gen(function* () {
      const one = analysis((answered) =>
        answered.length < 4 ? [unknown] : [Documents.evidence("token.mintable", "confirmed")]
      )
      const places: Array<readonly [RpcFault.Kind, number]> = []
      const found = yield* FaultSweep.of(one, ["timeout", "pruned"], (kind, place) => {
        places.push([kind, place])
        return kind === "timeout" ? place === 0 : place === 3
      })
      const of = (kind: RpcFault.Kind, ...numbers: ReadonlyArray<number>) =>
        numbers.map((place) => [kind, place] as const)
      assert.deepStrictEqual(places, [...of("timeout", 0, 0, 0, 1), ...of("pruned", 0, 1, 2, 3)])
      assert.deepStrictEqual(found, { ...kept, cases: 4, runs: 2, noticed: 4 })
    }).pipe(Effect.provide(wire))
  )

  it.effect("reports what a fault made worse than unknown, with the failed call", () =>
    Effect.gen(function* () {
      const credulous = analysis((answered) => [
        Documents.evidence("token.mintable", answered.includes("b") ? "confirmed" : "refuted")
      ])
      const { breaches } = yield* FaultSweep.of(credulous, ["pruned"])
      assert.isNotEmpty(breaches)
      for (const breach of breaches) assert.match(breach, /^pruned of eth_getStorageAt \["b"\]: /)
      assert.isTrue(breaches.some((breach) => breach.endsWith("token.mintable turned from confirmed to refuted")))
    }).pipe(Effect.provide(wire))
  )

  it.effect("lists each fault that changed nothing that is said, with its call", () =>
    Effect.gen(function* () {
      const indifferent = Effect.map(
        analysis(() => [Documents.evidence("token.mintable", "confirmed")]),
        (document) => ({ ...document, content_hash: `sha256:${"0".repeat(64)}` }) as const
      )
      const { unnoticed, ...counts } = yield* FaultSweep.of(indifferent, ["timeout", "pruned"])
      assert.deepStrictEqual(counts, { calls: 4, cases: 8, runs: 6, noticed: 0, refused: 0, breaches: [] })
      const calls = ["a", "b", "c", "d"].map((name) => `eth_getStorageAt ["${name}"]`)
      assert.deepStrictEqual(
        unnoticed,
        ["timeout", "pruned"].flatMap((kind) => calls.map((call) => `${kind} of ${call}`))
      )
    }).pipe(Effect.provide(wire))
  )

  it.effect("takes a refusal for an answer, and any other failure for a breach", () =>
    Effect.gen(function* () {
      const failing = (tag: string) =>
        Effect.filterOrFail(
          analysis((answered) => (answered.length < 4 ? [] : [unknown])),
          ({ evidence }) => evidence.length > 0,
          () => ({ _tag: tag })
        )
      const refused = yield* FaultSweep.of(failing("UpstreamUnavailable"), ["garbage"])
      assert.deepInclude(refused, { refused: 4, breaches: [] })
      const broken = yield* FaultSweep.of(failing("TargetMismatch"), ["garbage"])
      assert.lengthOf(broken.breaches, 4)
    }).pipe(Effect.provide(wire))
  )
})
