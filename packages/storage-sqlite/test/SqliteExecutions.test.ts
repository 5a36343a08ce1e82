import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Executions, Quota } from "@assay/core"
import { Documents, ScriptedAnalyzer } from "@assay/core/testing"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Option } from "effect"
import { dying, list, makeCaller, run, usage } from "../../storage-sql/test/Executing.js"
import * as SqliteStorage from "../src/SqliteStorage.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-executions-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const over = (name: string, options: Executions.Options = {}) =>
  Executions.layer(options).pipe(
    Layer.provideMerge(Quota.layer()),
    Layer.provide([SqliteStorage.layer({ filename: join(directory, name) }), ScriptedAnalyzer.layerConfirming])
  )

describe("Executions in SQLite", () => {
  it.effect("of 200 at once against a quota of 50 exactly 50 are charged", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller
      const exits = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, index) => Documents.address(index)),
        (address) => Effect.exit(run(caller, address)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 50)
      const refused = exits.flatMap((exit) =>
        Exit.isFailure(exit) ? Option.toArray(Cause.failureOption(exit.cause)) : []
      )
      assert.strictEqual(refused.filter((error) => error._tag === "QuotaExceeded").length, 150)
      const { remaining, reserved, used } = yield* usage(caller)
      assert.deepStrictEqual([used, reserved, remaining], [50, 0, 0])
      assert.lengthOf((yield* list(caller)).data, 50)
    }).pipe(Effect.provide(over("quota.db", { slotsPerKey: 1000 })))
  )

  it.effect("an unchanged target reports so after a restart, and the earlier result is as it was", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller
      const before = yield* Effect.provide(run(caller), Layer.fresh(over("restart.db")))
      yield* Effect.gen(function* () {
        const executions = yield* Executions.Executions
        assert.deepStrictEqual(yield* executions.get(caller, before.execution_id), before)
        const after = yield* run(caller)
        assert.deepStrictEqual(
          [after.change_report?.status, after.change_report?.base?.execution_id],
          ["unchanged", before.execution_id]
        )
        assert.strictEqual((yield* usage(caller)).used, 2)
      }).pipe(Effect.provide(Layer.fresh(over("restart.db"))))
    })
  )

  it.scoped("whatever store call a process dies at, it is consistent within 150 s", () =>
    Effect.gen(function* () {
      const storage = yield* Layer.build(SqliteStorage.layer({ filename: join(directory, "crash.db") }))
      yield* dying(storage)
    })
  )
})
