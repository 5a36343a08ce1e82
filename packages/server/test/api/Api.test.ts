import { readFileSync } from "node:fs"
import { Api, Problem } from "@assay/server"
import { OpenApi } from "@effect/platform"
import { describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { assert, it } from "vitest"
import * as JsonSchema from "../JsonSchema.js"
import * as TestServer from "../TestServer.js"

const document = OpenApi.fromApi(Api.Api)

interface Media {
  readonly schema: JsonSchema.JsonSchema
  readonly examples?: Readonly<Record<string, unknown>>
}
interface Part {
  readonly content?: Readonly<Record<string, Media>>
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>
}
interface Operation {
  readonly requestBody?: Part
  readonly responses: Readonly<Record<string, Part>>
}

/** The document as clients read it. */
const written: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema.JsonSchema>>
    readonly examples: Readonly<Record<string, { readonly value: object }>>
    readonly headers: Readonly<Record<string, unknown>>
  }
} = JSON.parse(JSON.stringify(document))

const resolve = (reference: string): JsonSchema.JsonSchema =>
  written.components.schemas[reference.replace("#/components/schemas/", "")] ?? assert.fail(`no ${reference}`)

const bodies = Object.entries(written.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { requestBody, responses }]) =>
    [["request", requestBody ?? {}] as const, ...Object.entries(responses)].flatMap(([status, part]) =>
      Object.entries(part.content ?? {}).map(([type, media]) => ({ at: `${method} ${path} ${status}`, type, media }))
    )
  )
)

/** The health of a process that is not ready, and the errors of the Model Context Protocol: beside problems, or alone. */
const others: { readonly [pathAndStatus: string]: ReadonlyArray<string> } = {
  "/api/v1/health/ready 503": ["application/json", Problem.contentType],
  "/api/v1/mcp 400": ["application/json", Problem.contentType],
  "/api/v1/mcp 404": ["application/json"]
}

describe("Api", () => {
  it("the committed OpenAPI document is the derived one; packages/server/scripts/generateOpenApi.mjs writes it", () => {
    const committed = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"))
    assert.deepStrictEqual(committed, JSON.parse(JSON.stringify(document)))
  })

  it("every operation documents its errors as problems, and none as anything else", () => {
    for (const [path, operations] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(operations))
        for (const [status, response] of Object.entries(operation.responses))
          if (Number(status) >= 400)
            assert.deepStrictEqual(
              Object.keys(response.content ?? {}),
              others[`${path} ${status}`] ?? [Problem.contentType],
              `${method} ${path} ${status}`
            )
  })

  it("answers may gain members; requests may not", () => {
    const { schemas } = document.components
    const requests = [
      "NewKey",
      "NewExecution",
      "KeyEdit",
      "KeyRotation",
      "NewWatch",
      "WatchPatch",
      "NewWebhook",
      "WebhookPatch",
      "Rotation"
    ]
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

  it("says under which licence it is, and that its paths are those of the host that serves it", () => {
    assert.strictEqual(document.info.license?.name, "MIT")
    assert.deepStrictEqual(
      document.servers?.map(({ url }) => url),
      ["/"]
    )
  })

  it("every schema is one that a strict validator loads", () => {
    for (const [name, schema] of Object.entries(written.components.schemas))
      assert.deepStrictEqual(JsonSchema.unloadable(schema, name, resolve), [])
    for (const { at, media } of bodies) assert.deepStrictEqual(JsonSchema.unloadable(media.schema, at, resolve), [])
    assert.notInclude(JSON.stringify(written), '"$id"')
  })

  it("every JSON body has an example, and each is as its schema says", () => {
    for (const { at, media, type } of bodies) {
      if (!type.endsWith("json")) continue
      const names = Object.keys(media.examples ?? {})
      assert.isNotEmpty(names, `${at} has no example`)
      for (const name of names) {
        const example = written.components.examples[name]
        if (example === undefined) return assert.fail(`${at}: there is no example ${name}`)
        assert.deepStrictEqual(JsonSchema.faults(media.schema, example.value, `${at} ${name}`, resolve), [])
      }
    }
    // That the judge sees a wrong one.
    const watch = written.components.schemas.Watch ?? assert.fail("no watch")
    assert.isNotEmpty(
      JsonSchema.faults(watch, { ...(written.components.examples.Watch?.value ?? {}), id: 1 }, "", resolve)
    )
  })

  it("a report has an example in each form in which it is returned, and MCP is documented with what it refuses", () => {
    for (const path of ["token/{address}", "wallet/{address}", "contract/{address}", "executions/{execution_id}"]) {
      const { content = {} } = written.paths[`/api/v1/${path}`]?.get?.responses["200"] ?? {}
      assert.sameMembers(Object.keys(content), ["application/json", "text/markdown", "text/plain", "text/html"], path)
      assert.sameMembers(Object.keys(content["application/json"]?.examples ?? {}), ["ResultView", "RiskReport"], path)
      for (const type of ["text/markdown", "text/plain", "text/html"]) {
        const { report } = (content[type]?.examples ?? {}) as { readonly report?: { readonly value: string } }
        assert.include(report?.value, "mint", `${path} ${type}`)
      }
    }
    assert.isAtMost(Buffer.byteLength(JSON.stringify(written.components.examples.RiskReport?.value)), 3_072)
    const mcp = written.paths["/api/v1/mcp"]?.post ?? assert.fail("no MCP")
    assert.sameMembers(Object.keys(mcp.requestBody?.content ?? {}), ["application/json"])
    assert.sameMembers(Object.keys(mcp.responses["200"]?.content ?? {}), ["text/event-stream"])
    assert.includeMembers(Object.keys(mcp.responses), ["202", "400", "401", "403", "406", "413", "415", "429", "503"])
    assert.include(JSON.stringify(mcp.responses["403"]), "OriginForbiddenProblem")
  })

  it("every operation declares what any request may meet, and the header fields that come with it", () => {
    const declared = (path: string, method: string, status: string) =>
      Object.keys(written.paths[path]?.[method]?.responses[status]?.headers ?? {})
    for (const [path, methods] of Object.entries(written.paths))
      for (const [method, { responses }] of Object.entries(methods)) {
        assert.includeMembers(Object.keys(responses), ["405", "406", "414", "431", "500", "503"], `${method} ${path}`)
        if (method === "post" || method === "patch")
          assert.includeMembers(Object.keys(responses), ["413", "415"], `${method} ${path}`)
        for (const { headers } of Object.values(responses)) {
          assert.property(headers, "Request-Id")
          for (const { $ref } of Object.values(headers ?? {}))
            assert.property(written.components.headers, $ref.slice($ref.lastIndexOf("/") + 1))
        }
      }
    const analysis = "/api/v1/token/{address}"
    assert.includeMembers(declared(analysis, "get", "200"), ["RateLimit", "RateLimit-Policy", "Units-Charged"])
    assert.includeMembers(declared(analysis, "get", "429"), ["RateLimit", "Retry-After"])
    assert.includeMembers(declared("/api/v1/executions/{execution_id}", "get", "304"), ["ETag"])
    assert.includeMembers(declared("/api/v1/watches", "post", "201"), ["ETag", "Location"])
    assert.includeMembers(declared("/api/v1/keys", "post", "201"), ["Location"])
    assert.notInclude(declared("/api/v1/keys", "post", "201"), "RateLimit")
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
