import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { UpstreamUnavailable } from "../../src/analysis/Analyzer.js"
import * as Chains from "../../src/chain/Chains.js"
import type { Evidence } from "../../src/domain/Evidence.js"
import * as KeyStore from "../../src/storage/KeyStore.js"
import * as Storage from "../../src/storage/Storage.js"
import * as Documents from "../../src/testing/Documents.js"
import * as ScriptedAnalyzer from "../../src/testing/ScriptedAnalyzer.js"
import * as LocalWatch from "../../src/watches/LocalWatch.js"
import * as World from "./World.js"

const chain = Chains.make({ id: 1, endpoints: ["http://127.0.0.1:1"] })

/** An analyser that finds what is set, or nothing, at a block that is later each time. */
const sky = () => {
  let block = 100
  const state: { evidence: ReadonlyArray<Evidence>; isDark: boolean } = { evidence: [], isDark: false }
  const analyzer = ScriptedAnalyzer.layer(({ address, chain, kind }) =>
    state.isDark
      ? new UpstreamUnavailable({ sources_failed: [{ name: "ethereum JSON-RPC", reason: "source_unavailable" }] })
      : Effect.sync(() =>
          Documents.analysis({ kind, address, chain: { id: chain.id, name: chain.name } }, state.evidence, block++)
        )
  )
  return { state, analyzer }
}

const watched = {
  label: "mine",
  kind: "token",
  address: World.newWatch({}).address,
  chain,
  seconds: 60
} as const

describe("a local watch", () => {
  it.live("compares each check with the one before, and goes on after one that failed", () => {
    const { analyzer, state } = sky()
    return Effect.gen(function* () {
      state.evidence = [Documents.evidence("token.mintable", "refuted")]
      const watch = yield* LocalWatch.open(watched)
      const first = yield* watch.check
      assert.strictEqual(first.change_report?.status, "baseline")
      state.isDark = true
      const failed = yield* Effect.flip(watch.check)
      assert.deepInclude(failed, { _tag: "CheckFailed", code: "upstream_unavailable" })
      state.isDark = false
      state.evidence = [Documents.evidence("token.mintable", "confirmed")]
      // Opened again, as a later process does: it is the same watch of the same key.
      const again = yield* LocalWatch.open(watched)
      const changed = yield* again.check
      assert.strictEqual(changed.change_report?.status, "changed")
      assert.strictEqual((yield* Stream.runCollect(KeyStore.all)).length, 1)
      const { change_report: report } = yield* watch.check
      assert.strictEqual(report?.status, "unchanged")
    }).pipe(
      Effect.provide(
        LocalWatch.layer.pipe(Layer.provideMerge(Layer.mergeAll(analyzer, Chains.layer([chain]), Storage.layerMemory)))
      )
    )
  })
})
