import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Caller, type Chains, Executions, Id, Quota, Reaper } from "@assay/core"
import { Documents, ScriptedAnalyzer, StorageFault } from "@assay/core/testing"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Option, TestClock } from "effect"
import * as Draw from "../../../test/Draw.js"
import * as SqliteStorage from "../src/SqliteStorage.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-executions-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const chain: Chains.Chain = {
  id: 1,
  name: "ethereum",
  shortName: "eth",
  endpoints: ["http://localhost:8545"],
  explorer: Option.none(),
  addressBook: 1
}
const makeCaller: Effect.Effect<Caller.Caller> = Effect.map(Id.make("key"), (id) => ({
  id,
  dailyQuota: 50,
  source: Option.none()
}))
const run = (caller: Caller.Caller, address = Documents.address(7)) =>
  Effect.flatMap(Executions.Executions, (executions) =>
    executions.run({
      caller,
      kind: "token",
      address,
      chain,
      summary: "not_requested",
      compareTo: Option.none()
    })
  )
const usage = (caller: Caller.Caller) => Effect.flatMap(Quota.Quota, (quota) => quota.usage(caller))
const everything = {
  kind: Option.none(),
  address: Option.none(),
  chainId: Option.none(),
  watchId: Option.none(),
  since: Option.none()
}
const list = (caller: Caller.Caller) =>
  Effect.flatMap(Executions.Executions, (executions) =>
    executions.list(caller, everything, { limit: 100, cursor: Option.none() })
  )

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
      yield* Layer.build(Reaper.layer().pipe(Layer.provide(Layer.succeedContext(storage))))
      const dying = (fault: Option.Option<StorageFault.Fault>) =>
        Effect.gen(function* () {
          const caller = yield* makeCaller
          const faults = yield* StorageFault.StorageFault
          yield* faults.arm(fault)
          const exit = yield* Effect.exit(run(caller))
          const calls = yield* faults.calls
          yield* faults.arm(Option.none())
          yield* TestClock.adjust("150 seconds")
          const { reserved, used } = yield* usage(caller)
          const { data } = yield* list(caller)
          assert.strictEqual(reserved, 0)
          assert.lengthOf(
            data.filter((stub) => stub.status === "complete"),
            used
          )
          assert.lengthOf(
            data.filter((stub) => stub.status === "running"),
            0
          )
          return { calls, exit }
        }).pipe(
          Effect.provide(
            Layer.fresh(Executions.layer()).pipe(
              Layer.provideMerge(Quota.layer()),
              Layer.provideMerge(StorageFault.layer),
              Layer.provide([Layer.succeedContext(storage), ScriptedAnalyzer.layerConfirming])
            )
          )
        )
      const whole = yield* dying(Option.none())
      assert.isTrue(Exit.isSuccess(whole.exit))
      assert.strictEqual(whole.calls, 7)
      const deaths = StorageFault.each(whole.calls).filter(({ kind }) => kind === "crashes")
      for (const death of Draw.portion(deaths)) {
        const { exit } = yield* dying(Option.some(death))
        assert.isTrue(Exit.isFailure(exit))
      }
    })
  )
})
