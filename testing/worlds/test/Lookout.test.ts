import { UpstreamUnavailable } from "@assay/core/analysis/Analyzer"
import * as Chains from "@assay/core/chain/Chains"
import { Documents, ScriptedAnalyzer } from "@assay/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Lookout from "../src/Lookout.js"

const chain = Chains.make({ id: 1, endpoints: ["http://localhost:8545"] })
const target = { kind: "token", address: Documents.address(7) } as const

/** What is found at each look in turn: one claim, nothing of it, or no chain. */
const over = (found: ReadonlyArray<"confirmed" | "refuted" | "unknown" | "down">) => {
  let looks = 0
  const analyzer = ScriptedAnalyzer.layer(({ address, chain, kind }) =>
    Effect.suspend(() => {
      const state = found[looks++] ?? "down"
      if (state === "down") return new UpstreamUnavailable({ sources_failed: [{ name: "rpc", reason: "rpc_error" }] })
      const item = { ...Documents.evidence("token.mintable", "confirmed"), state }
      return Effect.succeed(
        Documents.analysis({ kind, address, chain: { id: chain.id, name: chain.name } }, [item], looks)
      )
    })
  )
  return Layer.provide(Lookout.layer(chain), analyzer)
}

describe("a lookout", () => {
  it.effect("compares each look at a target with the one before", () =>
    Effect.gen(function* () {
      const { look } = yield* Lookout.Lookout
      const statuses = yield* Effect.replicateEffect(
        Effect.map(look(target), ({ status }) => status),
        4
      )
      assert.deepStrictEqual(statuses, ["baseline", "unchanged", "changed", "unchanged"])
    }).pipe(Effect.provide(over(["refuted", "refuted", "confirmed", "confirmed"])))
  )

  it.effect("counts the reports about a target on which nothing should happen, and what it could not see", () =>
    Effect.gen(function* () {
      const { told, ...rest } = yield* Lookout.quiet(target, { looks: 6, meanwhile: Effect.void })
      assert.deepStrictEqual(rest, { looks: 6, unchanged: 3, hidden: 1, failed: 1 })
      assert.strictEqual(told.length, 1)
      assert.match(told[0] ?? "", /^2 high: Changed: risk \(100 minimal → \d+ high\); Now: /)
    }).pipe(Effect.provide(over(["refuted", "refuted", "unknown", "down", "refuted", "confirmed", "confirmed"])))
  )
})
