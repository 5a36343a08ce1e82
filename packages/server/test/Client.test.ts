import { Address, AnalysisResult, type Id, RecipeSet, Report, type ResultView, type RiskReport } from "@assay/core"
import { Client } from "@assay/server"
import { FetchHttpClient } from "@effect/platform"
import { describe, layer } from "@effect/vitest"
import { Effect, Either, Option, Redacted, Schema } from "effect"
import { assert } from "vitest"
import * as TestServer from "./TestServer.js"

const connect = (key?: string) =>
  Effect.flatMap(TestServer.base, (baseUrl) =>
    Client.make({ baseUrl, ...(key === undefined ? {} : { key: Redacted.make(key) }) })
  ).pipe(Effect.provide(FetchHttpClient.layer))

/** What was answered without `view=report`. */
const resultOf = (answer: ResultView.ResultView | RiskReport.RiskReport): ResultView.ResultView =>
  "evidence" in answer ? answer : assert.fail("a report")

const addressOf = (text: string) => Either.getOrThrow(Address.parse(text))

describe("Client", () => {
  layer(TestServer.layer())("derived", (it) => {
    it.effect("makes a key, analyses, fetches, lists and compares", () =>
      Effect.gen(function* () {
        const { key, label } = yield* (yield* connect()).keys.create({ payload: { label: "client" } })
        assert.strictEqual(label, "client")
        const client = yield* connect(key)
        const address = addressOf(TestServer.target.works)
        const result = resultOf(
          yield* client.analyses.token({ path: { address }, urlParams: { summary: false, chain: "sandbox" } })
        )
        assert.strictEqual(result.address, address)
        const path = { execution_id: result.execution_id }
        assert.deepStrictEqual(yield* client.executions.get({ path, urlParams: {} }), result)
        const full = resultOf(yield* client.executions.get({ path, urlParams: { include: "recipes" } }))
        assert.isTrue(Schema.is(AnalysisResult.AnalysisResult)(full))
        const brief = yield* client.executions.get({ path, urlParams: { view: "report" } })
        const made = Schema.is(AnalysisResult.AnalysisResult)(full) ? Report.ofResult(full) : Option.none()
        assert.deepStrictEqual(brief, Option.getOrThrow(Option.map(made, Report.compact)))
        assert.deepStrictEqual(RecipeSet.recipesOf(yield* client.executions.recipes({ path })), full.recipes)
        for (const { id, observation } of full.evidence) {
          const item = yield* client.executions.evidence({ path: { ...path, evidence_id: id } })
          assert.deepStrictEqual(item.observation, observation)
          assert.deepStrictEqual(item.recipe, full.recipes?.[0])
        }
        const page = yield* client.executions.list({ urlParams: { target: "token", limit: 5, since: 0 } })
        assert.deepStrictEqual(
          page.data.map((stub) => stub.execution_id),
          [result.execution_id]
        )
        const report = yield* client.executions.changes({ path, urlParams: { base: "previous" } })
        assert.strictEqual(report.head.execution_id, result.execution_id)
        assert.strictEqual((yield* client.usage.today()).daily_quota, 50)
        assert.strictEqual((yield* client.meta.ready()).status, "ok")
      })
    )

    it.effect("watches, reads the log and has events sent", () =>
      Effect.gen(function* () {
        const client = yield* connect(yield* TestServer.createKey)
        const address = addressOf(TestServer.target.works)
        const created = yield* client.watches.create({ payload: { target: "token", address, interval_seconds: 900 } })
        const path = { watch_id: created.id }
        const changed = yield* client.watches.change({ path, payload: { label: "mine" } })
        assert.deepStrictEqual(changed, { ...created, label: "mine", updated_at: changed.updated_at })
        assert.strictEqual((yield* client.watches.pause({ path })).state, "paused")
        assert.isNull((yield* client.watches.get({ path })).last_result)
        assert.deepStrictEqual((yield* client.watches.runs({ path, urlParams: {} })).data, [])
        const { data } = yield* client.watches.list({ urlParams: { state: "paused", failing: false } })
        assert.deepStrictEqual(
          data.map(({ id }) => id),
          [created.id]
        )

        const webhook = yield* client.webhooks.create({ payload: { url: "https://hooks.example/" } })
        const endpoint = { webhook_id: webhook.id }
        const ping = yield* client.webhooks.test({ path: endpoint })
        const page = yield* client.events.read({ urlParams: { types: ["test.ping"], wait: 0 } })
        assert.deepStrictEqual(page.data, [ping])
        const rotated = yield* client.webhooks.rotate({ path: endpoint, payload: {} })
        assert.notStrictEqual(rotated.secret, webhook.secret)
        assert.isUndefined(yield* client.webhooks.remove({ path: endpoint }))
        assert.isUndefined(yield* client.watches.remove({ path }))
        const gone = yield* Effect.flip(client.watches.get({ path }))
        assert.isTrue("code" in gone && gone.code === "not_found")
      })
    )

    it.effect("fails with the problem that the endpoint declares", () =>
      Effect.gen(function* () {
        const client = yield* connect(yield* TestServer.createKey)
        const path = { address: addressOf(TestServer.target.mismatch) }
        const problem = yield* Effect.flip(client.analyses.contract({ path, urlParams: {} }))
        assert.isTrue("code" in problem && problem.code === "target_mismatch" && problem.detected === "eoa")
        const id: Id.ExecutionId = TestServer.executionId
        const missing = yield* Effect.flip(client.executions.get({ path: { execution_id: id }, urlParams: {} }))
        assert.isTrue("code" in missing && missing.code === "not_found")
        const unauthorised = yield* Effect.flip((yield* connect("x")).usage.today())
        assert.isTrue("code" in unauthorised && unauthorised.code === "invalid_key")
      })
    )
  })
})
