import { readFileSync } from "node:fs"
import { Api, Problem } from "@assay/server"
import { OpenApi } from "@effect/platform"
import { describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { assert, it } from "vitest"
import * as TestServer from "../TestServer.js"

const document = OpenApi.fromApi(Api.Api)

describe("Api", () => {
  it("the committed OpenAPI document is the derived one; packages/server/scripts/generateOpenApi.mjs writes it", () => {
    const committed = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"))
    assert.deepStrictEqual(committed, JSON.parse(JSON.stringify(document)))
  })

  it("every operation documents its errors as problems, and none as anything else", () => {
    for (const [path, operations] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(operations))
        for (const [status, response] of Object.entries(operation.responses))
          if (Number(status) >= 400 && path !== "/api/v1/health/ready")
            assert.deepStrictEqual(
              Object.keys(response.content ?? {}),
              [Problem.contentType],
              `${method} ${path} ${status}`
            )
  })

  it("answers may gain members; requests may not", () => {
    const { schemas } = document.components
    const requests = ["NewKey", "NewWatch", "WatchPatch", "NewWebhook", "WebhookPatch", "Rotation"]
    for (const name of requests)
      assert.strictEqual((schemas[name] as unknown as Record<string, unknown>).additionalProperties, false, name)
    const closed = Object.entries(schemas).filter(
      ([name, schema]) => !requests.includes(name) && JSON.stringify(schema).includes('"additionalProperties":false')
    )
    assert.deepStrictEqual(
      closed.map(([name]) => name),
      []
    )
  })

  it("every reference leads somewhere", () => {
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => name
    )
    for (const name of new Set(references)) assert.property(document.components.schemas, name ?? "")
  })

  layer(TestServer.layer())("served", (it) => {
    it.effect("the document", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          (yield* TestServer.send("/api/v1/openapi.json")).json,
          JSON.parse(JSON.stringify(document))
        )
      })
    )

    it.effect("the documentation of every problem, where its type points", () =>
      Effect.gen(function* () {
        const { json } = yield* TestServer.send("/api/v1/problems")
        assert.strictEqual(json.data.length, Object.keys(Problem.catalogue).length)
        for (const listed of json.data) {
          const answer = yield* TestServer.send(listed.type)
          assert.strictEqual(answer.status, 200)
          assert.deepStrictEqual(answer.json, listed)
        }
        assert.strictEqual((yield* TestServer.send("/api/v1/problems/nothing")).json.code, "not_found")
      })
    )

    it.effect("every limit, each once", () =>
      Effect.gen(function* () {
        const { json } = yield* TestServer.send("/api/v1/limits")
        const names = json.data.map((limit: Record<string, unknown>) => limit.name)
        assert.strictEqual(new Set(names).size, names.length)
        assert.deepInclude(json.data[0], { name: "daily_quota", value: 50, setting: "ASSAY_DAILY_QUOTA" })
        const bySource = json.data.filter((limit: Record<string, unknown>) => limit.scope === "source")
        for (const limit of bySource) assert.isNull(limit.value, "no limit by network is in force on loopback")
      })
    )
  })
})
