import { Address, Analyzer, Evidence } from "@assay/core"
import { RpcFault } from "@assay/core/testing"
import { Effect, Either, Option } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as CapabilityLosses from "../../src/analysis/CapabilityLosses.js"
import * as Checks from "../../src/checks/Checks.js"
import * as World from "../integration/World.js"

const block = { number: 1_000, hash: `0x${"ab".repeat(32)}`, timestamp: "2026-11-26T00:00:00.000Z" }

const able: Parameters<typeof CapabilityLosses.of>[0][number] = {
  head: block as (typeof able)["head"],
  headAgeSeconds: 1,
  capabilities: {
    batch: Either.right(true),
    blockByHash: Either.right(true),
    codeOverride: Either.right(true),
    blockOverride: Either.right(true),
    simulateV1: Either.right(true),
    archive: Either.right(true)
  },
  latencyMillis: 1,
  batch: 100,
  burst: Option.none(),
  logBlocks: 1_000
}

const without = (capabilities: Partial<(typeof able)["capabilities"]>) => ({
  ...able,
  capabilities: { ...able.capabilities, ...capabilities }
})

const needsOf = (losses: ReadonlyArray<CapabilityLosses.Loss>) => losses.map(({ certain, need }) => [need, certain])

describe("CapabilityLosses", () => {
  it("counts what no endpoint can do, and nothing that one of them can", () => {
    const bare = without({ simulateV1: Either.right(false), archive: Either.right(false) })
    assert.deepStrictEqual(needsOf(CapabilityLosses.of([able])), [])
    assert.deepStrictEqual(needsOf(CapabilityLosses.of([bare, able])), [])
    assert.deepStrictEqual(needsOf(CapabilityLosses.of([bare, without({ archive: Either.right(false) })])), [
      ["archive", true]
    ])
  })

  it("takes a probe without an answer for a loss that is not certain", () => {
    assert.deepStrictEqual(needsOf(CapabilityLosses.of([without({ archive: Either.left("rate_limited") })])), [
      ["archive", false]
    ])
  })

  it("loses the history where 24 ranges of an endpoint do not reach its first block, and all events where it has none", () => {
    assert.deepStrictEqual(needsOf(CapabilityLosses.of([{ ...able, logBlocks: 41 }])), [["history", true]])
    assert.deepStrictEqual(needsOf(CapabilityLosses.of([{ ...able, logBlocks: 42 }])), [])
    assert.deepStrictEqual(needsOf(CapabilityLosses.of([{ ...able, logBlocks: 0 }])), [["logs", true]])
  })

  it("names checks that exist", () => {
    const ids = new Set<string>(Checks.all.map(({ id }) => id))
    for (const [need, checks] of Object.entries(CapabilityLosses.checks))
      for (const check of checks) assert.isTrue(ids.has(check), `${need}: ${check}`)
  })

  describe("against the sandbox", () => {
    let world: World.World
    beforeAll(async () => {
      world = await World.start()
    })

    const refusals: Partial<Record<CapabilityLosses.Need, RpcFault.Rule>> = {
      codeOverride: { when: ({ method, params }) => method === "eth_call" && params.length === 3, kind: "blank" },
      blockOverride: { when: ({ method, params }) => method === "eth_call" && params.length === 4, kind: "blank" },
      simulateV1: { when: ({ method }) => method === "eth_simulateV1", kind: "method_missing" },
      archive: { when: ({ params }) => params.at(-1) === "0x1" || params[1] === "0x1", kind: "pruned" },
      logs: { when: ({ method }) => method === "eth_getLogs", kind: "method_missing" }
    }
    // One that counts transfers, for code that proves nothing of them.
    const targets = ["counting", "moduleSafe", "timelock", "safeWallet"] as const

    const analyze = (name: (typeof targets)[number], rules: ReadonlyArray<RpcFault.Rule>) =>
      world.run(
        Effect.gen(function* () {
          const analyzer = yield* Analyzer.Analyzer
          const faults = yield* RpcFault.RpcFault
          const { address, kind } = world.sandbox.targets[name]
          const at = { chain: world.chain, block: Option.some(world.sandbox.head.number) }
          yield* faults.replace(rules)
          return yield* analyzer.analyze({ kind, address: Address.checksum(address), ...at })
        })
      )

    it("lists every check that an endpoint without a need makes unknown", async () => {
      const seen: { [need: string]: Set<string> } = {}
      for (const name of targets) {
        const whole = await analyze(name, [])
        const decided = new Set(whole.evidence.filter(({ state }) => state !== "unknown").map(({ id }) => id))
        for (const [need, rule] of Object.entries(refusals)) {
          const { evidence } = await analyze(name, [rule])
          const lost = evidence.filter(({ id, state }) => state === "unknown" && decided.has(id))
          seen[need] = new Set([...(seen[need] ?? []), ...lost.map(({ id }) => Evidence.checkId(id))])
        }
      }
      for (const [need, checks] of Object.entries(CapabilityLosses.checks)) {
        const found = seen[need]
        if (found === undefined) continue
        assert.isAbove(found.size, 0, need)
        assert.deepStrictEqual(
          [...found].filter((check) => !checks.includes(check)),
          [],
          need
        )
      }
    })
  })
})
