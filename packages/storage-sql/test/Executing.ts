import { type Caller, type Chains, Executions, Id, Quota, Reaper, type Storage } from "@assay/core"
import { Documents, ScriptedAnalyzer, StorageFault } from "@assay/core/testing"
import { assert } from "@effect/vitest"
import { type Context, Effect, Exit, Layer, Option, TestClock } from "effect"
import * as Draw from "../../../test/Draw.js"

const chain: Chains.Chain = {
  id: 1,
  name: "ethereum",
  shortName: "eth",
  endpoints: ["http://localhost:8545"],
  explorer: Option.none(),
  addressBook: 1
}

export const makeCaller: Effect.Effect<Caller.Caller> = Effect.map(Id.make("key"), (id) => ({
  id,
  dailyQuota: 50,
  source: Option.none()
}))

/** Analyses a token for a caller. */
export const run = (caller: Caller.Caller, address = Documents.address(7)) =>
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

export const usage = (caller: Caller.Caller) => Effect.flatMap(Quota.Quota, (quota) => quota.usage(caller))

const everything = {
  kind: Option.none(),
  address: Option.none(),
  chainId: Option.none(),
  watchId: Option.none(),
  since: Option.none()
}

export const list = (caller: Caller.Caller) =>
  Effect.flatMap(Executions.Executions, (executions) =>
    executions.list(caller, everything, { limit: 100, cursor: Option.none() })
  )

/** Runs an analysis in processes that die at each store call in turn, and judges what is there 150 s later. */
export const dying = (storage: Context.Context<Storage.Storage>) =>
  Effect.gen(function* () {
    yield* Layer.build(Reaper.layer().pipe(Layer.provide(Layer.succeedContext(storage))))
    const dyingAt = (fault: Option.Option<StorageFault.Fault>) =>
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
    const whole = yield* dyingAt(Option.none())
    assert.isTrue(Exit.isSuccess(whole.exit))
    assert.strictEqual(whole.calls, 7)
    const deaths = StorageFault.each(whole.calls).filter(({ kind }) => kind === "crashes")
    for (const death of Draw.portion(deaths, 5, 2)) {
      const { exit } = yield* dyingAt(Option.some(death))
      assert.isTrue(Exit.isFailure(exit))
    }
  })
