import { Analyzer, Executions } from "@assay/core"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Logger, LogLevel } from "effect"
import { assertProblem, codesOf, json } from "../Problems.js"
import * as TestServer from "../TestServer.js"

const { createKey, send, target } = TestServer

/** Analyses that end when the gate opens. */
const serving = <A, E>(
  test: (open: Effect.Effect<boolean>) => Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof TestServer.layer>>>
) =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const analyzer = Layer.succeed(Analyzer.Analyzer, {
      analyzeMany: () => Effect.die("not scripted"),
      verify: () => Effect.die("not scripted"),
      analyze: (request) => {
        const of = { kind: request.kind, address: request.address, chain: { id: 31_337, name: "sandbox" } }
        if (request.address.toLowerCase() === target.mismatch)
          return Effect.zipRight(Deferred.await(gate), new Analyzer.TargetMismatch({ detected: "empty", target: of }))
        const { engine_version, evidence, facts, recipes, ruleset_version, sources, warnings } = TestServer.result(
          request,
          TestServer.executionId
        )
        return Effect.as(Deferred.await(gate), {
          target: of,
          status: "complete" as const,
          block: TestServer.report.head.block,
          content_hash: TestServer.contentHash,
          engine_version,
          ruleset_version,
          evidence,
          facts,
          recipes,
          sources,
          warnings
        })
      },
      ruleset: Effect.succeed({ rules: [], optional: [], version: "0" }),
      engineVersion: "0"
    })
    const context = yield* Layer.build(TestServer.over(Layer.provideMerge(Executions.layer(), analyzer)))
    return yield* Effect.provide(test(Deferred.succeed(gate, undefined)), context)
  }).pipe(Logger.withMinimumLogLevel(LogLevel.None))

const ended = (path: string, key: string): ReturnType<typeof send> =>
  Effect.flatMap(send(path, { key }), (answer) =>
    answer.json.status === "running"
      ? Effect.zipRight(Effect.sleep("20 millis"), ended(path, key))
      : Effect.succeed(answer)
  )

describe("an analysis that its caller does not wait for", () => {
  it.scopedLive("is named as soon as it has its unit, costs it once, and is fetched when it is done", () =>
    serving((open) =>
      Effect.gen(function* () {
        const key = yield* createKey
        const path = `/api/v1/token/${target.works}`
        const first = yield* send(path, { key, headers: { prefer: "respond-async" } })
        assert.strictEqual(first.status, 202)
        assert.strictEqual(first.json.status, "running")
        assert.strictEqual(first.headers.get("location"), `/api/v1/executions/${first.json.execution_id}`)
        assert.strictEqual(first.headers.get("preference-applied"), "respond-async")
        assert.deepStrictEqual([first.headers.get("units-charged"), first.headers.get("retry-after")], ["1", "2"])
        const second = yield* send(path, { key, headers: { prefer: "wait=0" } })
        assert.deepStrictEqual(
          [second.status, second.json.execution_id, second.headers.get("units-charged")],
          [202, first.json.execution_id, "0"]
        )
        assert.strictEqual(second.headers.get("preference-applied"), "wait=0")
        const started = yield* send("/api/v1/executions", { key, ...json({ target: "token", address: target.works }) })
        assert.deepStrictEqual(
          [started.status, started.json.execution_id, started.headers.get("units-charged")],
          [202, first.json.execution_id, "0"]
        )
        assert.isNull(started.headers.get("preference-applied"))
        yield* open
        const done = yield* ended(first.headers.get("location") ?? "", key)
        assert.deepStrictEqual([done.json.status, done.json.units], ["complete", 1])
        assert.strictEqual((yield* send("/api/v1/usage", { key })).json.used, 1)
      })
    )
  )

  it.scopedLive("is the response where it is done in time", () =>
    serving((open) =>
      Effect.gen(function* () {
        const key = yield* createKey
        yield* open
        const answer = yield* send(`/api/v1/token/${target.works}`, { key, headers: { prefer: "wait=30" } })
        assert.deepStrictEqual(
          [answer.status, answer.headers.get("preference-applied"), answer.headers.get("units-charged")],
          [200, "wait=30", "1"]
        )
        const started = yield* send("/api/v1/executions", {
          key,
          ...json({ target: "wallet", address: target.works }),
          headers: { "content-type": "application/json", prefer: "wait=30" }
        })
        assert.deepStrictEqual([started.status, started.json.status], [202, "complete"])
      })
    )
  )

  it.scopedLive("may be the stored one, for nothing, where that is young enough", () =>
    serving((open) =>
      Effect.gen(function* () {
        const [key, other] = [yield* createKey, yield* createKey]
        yield* open
        const path = `/api/v1/token/${target.works}`
        const first = yield* send(path, { key })
        const kept = yield* send(`${path}?max_age=3600`, { key })
        assert.deepStrictEqual(
          [kept.json.execution_id, kept.headers.get("units-charged")],
          [first.json.execution_id, "0"]
        )
        const fresh = yield* send(`${path}?max_age=0`, { key })
        assert.notStrictEqual(fresh.json.execution_id, first.json.execution_id)
        assert.strictEqual((yield* send(`${path}?max_age=3600`, { key: other })).headers.get("units-charged"), "1")
        assert.strictEqual((yield* send("/api/v1/usage", { key })).json.used, 2)
        const refused = yield* send(`${path}?max_age=-1`, { key })
        assertProblem(refused, 422, "validation_failed")
        assert.deepStrictEqual(codesOf(refused), ["max_age below_minimum"])
      })
    )
  )

  it.scopedLive("counts as a refund where the target is not of the kind, also where nobody waits for it", () =>
    serving((open) =>
      Effect.gen(function* () {
        const key = yield* createKey
        const begun = yield* send("/api/v1/executions", { key, ...json({ target: "token", address: target.mismatch }) })
        assert.strictEqual(begun.status, 202)
        yield* open
        const done = yield* ended(begun.headers.get("location") ?? "", key)
        assert.deepStrictEqual([done.json.status, done.json.error.code], ["failed", "target_mismatch"])
        for (let count = 1; count < 30; count++)
          assertProblem(yield* send(`/api/v1/token/${target.mismatch}`, { key }), 422, "target_mismatch")
        const refused = yield* send("/api/v1/executions", { key, ...json({ target: "token", address: target.works }) })
        assertProblem(refused, 429, "rate_limited")
        assert.deepStrictEqual(refused.json.violated_policies, ["released-executions"])
        assert.strictEqual((yield* send("/api/v1/usage", { key })).json.used, 0)
      })
    )
  )
})
