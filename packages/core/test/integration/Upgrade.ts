import {
  type Address,
  type Analysis,
  Analyzer,
  type Caller,
  type Chains,
  type ChangeReport,
  Executions,
  Id,
  Quota,
  Storage,
  type Target,
  Watch
} from "@assay/core"
import { Effect, Layer, ManagedRuntime, Option, Ref } from "effect"

/** What the old rules made of the same chain: each claim decided otherwise by an older version of its check. */
const older = (analysis: Analysis.Analysis): Analysis.Analysis => ({
  ...analysis,
  ruleset_version: "2026.1.1+00000000",
  content_hash: `sha256:${"0".repeat(64)}`,
  facts: {
    ...analysis.facts,
    risk: analysis.facts.risk && { ...analysis.facts.risk, score: 100 - (analysis.facts.risk.score ?? 0) }
  },
  evidence: analysis.evidence.map((item) => ({
    ...item,
    version: item.version - 1,
    state: item.state === "refuted" ? ("confirmed" as const) : ("refuted" as const),
    reason: null
  }))
})

/** Watches over an upgrade, each of which is checked by the old rules, by the new ones, and by these again. */
export const over = (chain: Chains.Chain) => {
  const speaking = Effect.runSync(Ref.make(Option.none<Analysis.Analysis>()))
  const analyzer = Layer.succeed(Analyzer.Analyzer, {
    analyze: () => Effect.flatMap(Ref.get(speaking), (analysis) => Effect.orDie(analysis)),
    analyzeMany: () => Effect.die("not asked"),
    verify: () => Effect.die("not asked"),
    ruleset: Effect.succeed({ rules: [], optional: [], version: "0" }),
    engineVersion: "0"
  })
  const runtime = ManagedRuntime.make(
    Executions.layer().pipe(Layer.provide(Quota.layer()), Layer.provide([Storage.layerMemory, analyzer]))
  )

  const watch = (
    target: { readonly kind: Target.TargetKind; readonly address: Address.Address },
    analysis: Analysis.Analysis
  ): Promise<{
    readonly after: ChangeReport.ChangeReport | null
    readonly again: ChangeReport.ChangeReport | null
  }> =>
    runtime.runPromise(
      Effect.gen(function* () {
        const executions = yield* Executions.Executions
        const caller: Caller.Caller = { id: yield* Id.make("key"), dailyQuota: 50, source: Option.none() }
        const watchId = yield* Id.make("wat")
        const check = (said: Analysis.Analysis, base: Option.Option<Id.ExecutionId>) =>
          Effect.gen(function* () {
            yield* Ref.set(speaking, Option.some(said))
            return yield* executions.check({
              id: yield* Id.make("exe"),
              token: "token",
              caller,
              watchId,
              ...target,
              chain,
              base,
              options: Watch.defaultOptions
            })
          })
        const before = yield* check(older(analysis), Option.none())
        const after = yield* check(analysis, Option.some(before.execution_id))
        const again = yield* check(analysis, Option.some(after.execution_id))
        return { after: after.change_report, again: again.change_report }
      })
    )
  return { watch }
}
