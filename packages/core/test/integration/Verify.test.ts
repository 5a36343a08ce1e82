import { Address, Analyzer, Checks } from "@assay/core"
import { FaultSweep, RpcFault } from "@assay/core/testing"
import { Effect, Either, Layer, ManagedRuntime, Option } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as World from "./World.js"

describe("an analysis that is checked against the chain", () => {
  let world: World.World
  beforeAll(async () => {
    world = await World.start()
  })

  const analyze = (name: "usdc" | "approver" | "diamond") =>
    Effect.flatMap(Analyzer.Analyzer, (analyzer) => {
      const { address, kind } = world.sandbox.targets[name]
      return analyzer.analyze({ kind, address: Address.checksum(address), chain: world.chain })
    })

  const verify = (analysis: Analyzer.VerifyRequest["analysis"]) =>
    Effect.flatMap(Analyzer.Analyzer, (analyzer) => analyzer.verify({ analysis, chain: world.chain }))

  it.each(["usdc", "approver", "diamond"] as const)("agrees with every observation of %s", async (name) => {
    const { analysis, verification } = await world.run(
      Effect.gen(function* () {
        const analysis = yield* analyze(name)
        // What the reader has is the document, not our memory of it.
        return { analysis, verification: yield* verify(JSON.parse(JSON.stringify(analysis))) }
      })
    )
    const observed = analysis.evidence.filter((item) => item.observation !== null).map((item) => item.id)
    assert.isAbove(observed.length, 5)
    assert.deepStrictEqual(
      verification.items.map((item) => item.id),
      observed
    )
    for (const { id, outcome, reason } of verification.items) assert.strictEqual(outcome, "agrees", `${id}: ${reason}`)
    const wanted = new Set(analysis.evidence.flatMap((item) => item.observation?.params_hash ?? []))
    assert.deepStrictEqual(new Set(analysis.recipes.map((recipe) => recipe.params_hash)), wanted)
  })

  it("is the same to the byte, observations included, where most reads travel in lenses", async () => {
    const engine = ManagedRuntime.make(Layer.provide(FaultSweep.layer(Checks.all, { lenses: true }), World.http))
    const counted = (name: "usdc" | "approver" | "diamond") =>
      Effect.gen(function* () {
        const faults = yield* RpcFault.RpcFault
        yield* faults.forget
        const { content_hash, evidence, facts, recipes } = yield* analyze(name)
        return { said: { content_hash, evidence, facts, recipes }, calls: (yield* faults.seen).length }
      })
    for (const name of ["usdc", "approver", "diamond"] as const) {
      const plain = await world.run(counted(name))
      const lensed = await engine.runPromise(counted(name))
      assert.deepStrictEqual(lensed.said, plain.said)
      assert.isBelow(lensed.calls, plain.calls * 0.75)
    }
    await engine.dispose()
  })

  it("differs where the answer was another one, for that item alone", async () => {
    const verification = await world.run(
      Effect.gen(function* () {
        const analysis = yield* analyze("usdc")
        const evidence = analysis.evidence.map((item) =>
          item.id === "proxy.kind" && item.observation !== null
            ? { ...item, observation: { ...item.observation, answer_hash: `0x${"00".repeat(32)}` as const } }
            : item
        )
        return yield* verify({ ...analysis, evidence })
      })
    )
    for (const { id, outcome } of verification.items)
      assert.strictEqual(outcome, id === "proxy.kind" ? "differs" : "agrees", id)
  })

  it("does not take a recipe of another question for an answer", async () => {
    const verification = await world.run(
      Effect.gen(function* () {
        const analysis = yield* analyze("usdc")
        const [first, ...rest] = analysis.recipes
        if (first === undefined) throw new Error("no recipe")
        const swapped = { ...first, params: rest.at(-1)?.params ?? [] }
        return yield* verify({ ...analysis, recipes: [swapped, ...rest] })
      })
    )
    const refused = verification.items.filter((item) => item.outcome !== "agrees")
    assert.isAbove(refused.length, 0)
    for (const { outcome, reason } of refused)
      assert.strictEqual(`${outcome} ${reason}`, "unavailable method_unsupported")
  })

  it("says unavailable, and why, where an observation cannot be made again", async () => {
    const { analysis, verification } = await world.run(
      Effect.gen(function* () {
        const faults = yield* RpcFault.RpcFault
        const analysis = yield* analyze("approver")
        yield* faults.replace([{ when: ({ method }) => method === "eth_getLogs", kind: "method_missing" }])
        const verification = yield* verify(analysis)
        yield* faults.replace([])
        return { analysis, verification }
      })
    )
    const methods = new Map(analysis.evidence.map((item) => [item.id, item.observation?.method]))
    const lost = verification.items.filter((item) => item.outcome !== "agrees")
    assert.isAbove(lost.length, 0)
    for (const { id, outcome, reason } of lost) {
      assert.strictEqual(methods.get(id), "eth_getLogs", id)
      assert.strictEqual(outcome, "unavailable")
      assert.strictEqual(reason, "method_unsupported")
    }
  })

  it("fails where the chain has another block at that height", async () => {
    const outcome = await world.run(
      Effect.gen(function* () {
        const analysis = yield* analyze("diamond")
        return yield* Effect.either(verify({ ...analysis, block: { ...analysis.block, hash: `0x${"ab".repeat(32)}` } }))
      })
    )
    assert.deepInclude(Either.getOrThrow(Either.flip(outcome)), { _tag: "UpstreamUnavailable" })
  })
})

describe("many targets at once", () => {
  let world: World.World
  beforeAll(async () => {
    world = await World.start()
  })

  it("get what each would have got alone at that block, in their order, in fewer requests", async () => {
    const names = ["plain", "usdc", "unused", "approver", "diamond"] as const
    const targets = names.map((name) => {
      const { address, kind } = world.sandbox.targets[name]
      // An address without code is no token, and fails alone.
      return { address: Address.checksum(address), kind: name === "unused" ? ("token" as const) : kind }
    })
    const { alone, apart, many, together } = await world.run(
      Effect.gen(function* () {
        const analyzer = yield* Analyzer.Analyzer
        const faults = yield* RpcFault.RpcFault
        const block = Option.some(world.sandbox.head.number)
        yield* faults.forget
        const many = yield* analyzer.analyzeMany({ targets, chain: world.chain, block })
        const together = yield* faults.requests
        yield* faults.forget
        const alone = yield* Effect.forEach(targets, (target) =>
          Effect.either(analyzer.analyze({ ...target, chain: world.chain, block }))
        )
        return { alone, apart: yield* faults.requests, many, together }
      })
    )
    assert.deepStrictEqual(
      many.map(Either.match({ onLeft: ({ _tag }) => _tag, onRight: ({ content_hash }) => content_hash })),
      alone.map(Either.match({ onLeft: ({ _tag }) => _tag, onRight: ({ content_hash }) => content_hash }))
    )
    assert.strictEqual(many.filter(Either.isLeft).length, 1)
    assert.isBelow(together, apart * 0.75)
  })
})
