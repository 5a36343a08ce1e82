import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  Address,
  type Analysis,
  Analyzer,
  type Caller,
  ChainAccess,
  Chains,
  Checks,
  Evidence,
  Executions,
  Id,
  Quota,
  Watch
} from "@assay/core"
import { SharedSandbox } from "@assay/sandbox"
import { SqliteStorage } from "@assay/storage-sqlite"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, Option } from "effect"
import { afterAll, assert, describe, it } from "vitest"

const directory = mkdtempSync(join(tmpdir(), "assay-upgrade-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Checks that the old engine decided otherwise. */
const changed: ReadonlySet<string> = new Set([
  "proxy.upgraded-recently",
  "proxy.implementation-missing",
  "allowance.unlimited",
  "allowance.operator",
  "allowance.outstanding",
  "allowance.spender-risky",
  "wallet.poisoned"
])

const older = (analysis: Analysis.Analysis): Analysis.Analysis => ({
  ...analysis,
  ruleset_version: "2026.11.1+00000000",
  content_hash: `sha256:${"0".repeat(64)}`,
  evidence: analysis.evidence.map((item) =>
    changed.has(Evidence.checkId(item.id))
      ? {
          ...item,
          version: item.version - 1,
          state: item.state === "refuted" ? ("confirmed" as const) : ("refuted" as const),
          value: item.value,
          reason: null
        }
      : item
  )
})

const engine = Layer.provide(
  Analyzer.layer(Checks.all),
  Layer.provide(ChainAccess.layerJsonRpc(), NodeHttpClient.layerUndici)
)

/** The engine before the upgrade. */
const oldEngine = Layer.provide(
  Layer.effect(
    Analyzer.Analyzer,
    Effect.map(Analyzer.Analyzer, (analyzer) => ({
      ...analyzer,
      rulesetVersion: "2026.11.1+00000000",
      analyze: (request: Analyzer.AnalyzeRequest) => Effect.map(analyzer.analyze(request), older)
    }))
  ),
  engine
)

describe("an upgrade of the rules under a database with watches", () => {
  it.each(["uups", "approver"] as const)(
    "reports of %s what the rules changed as such, and nothing as a change of the chain",
    async (name) => {
      const sandbox = await SharedSandbox.take()
      const { address, kind } = sandbox.targets[name]
      const chain = Chains.make({
        id: sandbox.chainId,
        name: "sandbox",
        endpoints: [sandbox.url],
        addressBook: 1,
        explorer: Option.none()
      })
      const filename = join(directory, `${name}.sqlite`)
      const caller: Caller.Caller = {
        id: await Effect.runPromise(Id.make("key")),
        dailyQuota: 50,
        source: Option.none()
      }
      const watchId = await Effect.runPromise(Id.make("wat"))
      /** A process of the service: opens the file, makes one check of the watch, and ends. */
      const check = (analyzer: Layer.Layer<Analyzer.Analyzer>, base: Option.Option<Id.ExecutionId>) =>
        Effect.runPromise(
          Effect.gen(function* () {
            const executions = yield* Executions.Executions
            return yield* executions.check({
              id: yield* Id.make("exe"),
              token: "token",
              caller,
              watchId,
              kind,
              address: Address.checksum(address),
              chain,
              base,
              options: Watch.defaultOptions
            })
          }).pipe(
            Effect.provide(
              Executions.layer().pipe(
                Layer.provide(Quota.layer()),
                Layer.provide([SqliteStorage.layer({ filename }), analyzer])
              )
            )
          )
        )
      // The second check compares the code with that of the first, so from then on every check has its item.
      const base = await check(oldEngine, Option.none())
      const first = await check(oldEngine, Option.some(base.execution_id))
      assert.strictEqual(first.ruleset_version, "2026.11.1+00000000")
      const second = await check(engine, Option.some(first.execution_id))
      assert.notStrictEqual(second.ruleset_version, first.ruleset_version)
      const report = second.change_report
      assert.deepStrictEqual(report?.changes, [])
      assert.isNull(report?.max_severity)
      const told = new Set((report?.ruleset_changes ?? []).map(({ id }) => Evidence.checkId(id)))
      assert.isNotEmpty(told)
      for (const id of told) assert.isTrue(changed.has(id), id)
      // The next check finds nothing new.
      const third = await check(engine, Option.some(second.execution_id))
      assert.deepStrictEqual(third.change_report?.changes, [])
      assert.deepStrictEqual(third.change_report?.ruleset_changes, [])
    }
  )
})
