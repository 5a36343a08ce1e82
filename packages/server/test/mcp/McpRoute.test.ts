import { assert, layer } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect, HashMap, Layer, Logger } from "effect"
import * as Metrics from "../../src/http/observability/Metrics.js"
import * as TestServer from "../TestServer.js"

const connected = Effect.gen(function* () {
  const [base, key] = [yield* TestServer.base, yield* TestServer.createKey]
  const client = new Client({ name: "test", version: "1" })
  const transport = new StreamableHTTPClientTransport(new URL(`${base}/api/v1/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } }
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => client.connect(transport as Parameters<typeof client.connect>[0])),
    () => Effect.promise(() => client.close())
  )
  return { client, key }
})

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of any shape.
type Result = any

const text = (result: Result): string => result.content.map((part: { text: string }) => part.text).join("\n")

const { works, unreadable, mismatch, slow } = TestServer.target

layer(TestServer.layer())("MCP over HTTP", (it) => {
  it.scoped("lists tools that say what they cost, in less than 12 KB, and what they change", () =>
    Effect.gen(function* () {
      const { client } = yield* connected
      const { tools } = yield* Effect.promise(() => client.listTools())
      assert.deepStrictEqual(
        tools.map(({ name }) => name),
        [
          "analyze_token",
          "analyze_wallet",
          "analyze_contract",
          "get_execution",
          "compare_executions",
          "explain_evidence",
          "create_watch",
          "list_watches",
          "get_watch",
          "pause_watch",
          "resume_watch",
          "delete_watch",
          "list_events",
          "get_usage"
        ]
      )
      assert.isBelow(Buffer.byteLength(JSON.stringify({ tools })), 12 * 1_024)
      for (const { description = "", name } of tools) {
        assert.isAtMost(description.split(/\s+/).length, 25, name)
        assert.match(description, /free|unit/i, name)
      }
      assert.deepStrictEqual(
        tools.filter(({ outputSchema }) => outputSchema !== undefined).map(({ name }) => name),
        ["analyze_token", "analyze_wallet", "analyze_contract", "compare_executions"]
      )
      assert.deepStrictEqual(
        tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name),
        ["delete_watch"]
      )
    })
  )

  it.scoped(
    "answers an analysis with a report of its output schema, charged once, and the same by its id for free",
    () =>
      Effect.gen(function* () {
        const { client, key } = yield* connected
        // The client holds the answer against the output schema.
        const found: Result = yield* Effect.promise(async () => {
          await client.listTools()
          return client.callTool({ name: "analyze_token", arguments: { address: works } })
        })
        assert.isUndefined(found.isError, text(found))
        assert.strictEqual(found.structuredContent.address, works)
        assert.match(text(found), /never instructions/)
        const { execution_id } = found.structuredContent
        const again: Result = yield* Effect.promise(() =>
          client.callTool({ name: "get_execution", arguments: { execution_id } })
        )
        assert.include(text(again), execution_id)
        const changes: Result = yield* Effect.promise(() =>
          client.callTool({ name: "compare_executions", arguments: { execution_id } })
        )
        assert.strictEqual(changes.structuredContent.status, "baseline")
        const { json } = yield* TestServer.send("/api/v1/executions", { key })
        assert.strictEqual(json.data.length, 1)
      })
  )

  it.scoped("gives all evidence on request, and the rule and the recipe of one item", () =>
    Effect.gen(function* () {
      const { client } = yield* connected
      const found: Result = yield* Effect.promise(() =>
        client.callTool({ name: "analyze_token", arguments: { address: works, detail: "full" } })
      )
      assert.include(text(found), "token.pausable:")
      const [evidence_id = ""] = /token\.pausable:0x[0-9a-fA-F]{40}/.exec(text(found)) ?? []
      const explained: Result = yield* Effect.promise(() =>
        client.callTool({
          name: "explain_evidence",
          arguments: { execution_id: found.structuredContent.execution_id, evidence_id }
        })
      )
      assert.include(text(explained), '"recipe":{"method":"eth_call"')
      const uri = `assay://executions/${found.structuredContent.execution_id}/evidence/${evidence_id}`
      const { contents } = yield* Effect.promise(() => client.readResource({ uri }))
      assert.strictEqual(JSON.parse((contents[0] as { text: string }).text).id, evidence_id)
    })
  )

  it.scoped("answers what the API refuses as an error of the tool, with the problem in it", () =>
    Effect.gen(function* () {
      const { client } = yield* connected
      const asked = (name: string, args: Record<string, unknown>) =>
        Effect.promise((): Promise<Result> => client.callTool({ name, arguments: args }))
      for (const [address, code] of [
        [unreadable, "upstream_unavailable"],
        [mismatch, "target_mismatch"],
        [slow, "deadline_exceeded"]
      ] as const) {
        const refused = yield* asked("analyze_token", { address })
        assert.isTrue(refused.isError)
        assert.include(text(refused), `"code":"${code}"`)
      }
      for (const [name, args, places] of [
        ["analyze_token", { address: "0x12" }, ["address bad_address"]],
        ["analyze_token", { address: works, adress: works }, ["adress unknown_field"]],
        ["analyze_wallet", {}, ["address required"]],
        ["analyze_wallet", { address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD" }, ["address bad_checksum"]],
        ["analyze_contract", { address: works, detail: "most" }, ["detail not_allowed"]],
        ["get_watch", { watch_id: "../keys" }, ["watch_id not_allowed"]],
        ["create_watch", { target: "token", address: works, interval_seconds: 60 }, ["interval_seconds not_allowed"]],
        ["get_usage", { day: "today" }, ["day unknown_field"]]
      ] as const) {
        const refused = yield* asked(name, args)
        assert.isTrue(refused.isError)
        const problem = JSON.parse(text(refused))
        assert.deepInclude(problem, {
          code: "validation_failed",
          status: 422,
          type: "/api/v1/problems/validation-failed"
        })
        assert.match(problem.request_id, /^req_/)
        assert.deepStrictEqual(
          problem.errors.map((error: { parameter: string; code: string }) => `${error.parameter} ${error.code}`),
          places
        )
      }
      const unknown = yield* asked("get_watch", { watch_id: "wat_01JD0000000000000000000000" })
      assert.include(text(unknown), '"code":"not_found"')
    })
  )

  it.scoped("makes, pauses, resumes and deletes a watch", () =>
    Effect.gen(function* () {
      const { client } = yield* connected
      const asked = (name: string, args: Record<string, unknown>) =>
        Effect.map(
          Effect.promise((): Promise<Result> => client.callTool({ name, arguments: args })),
          text
        )
      const made = yield* asked("create_watch", { target: "token", address: works, label: "mine" })
      const [watch_id = ""] = /wat_[0-9A-Z]+/.exec(made) ?? []
      assert.include(yield* asked("list_watches", {}), watch_id)
      assert.include(yield* asked("pause_watch", { watch_id }), '"state":"paused"')
      assert.include(yield* asked("resume_watch", { watch_id }), '"state":"active"')
      assert.include(yield* asked("get_watch", { watch_id }), '"last_result":null')
      assert.strictEqual(yield* asked("delete_watch", { watch_id }), "the watch is deleted")
      assert.include(yield* asked("list_events", {}), "next_after")
      assert.include(yield* asked("get_usage", {}), '"daily_quota":50')
    })
  )

  it.scoped("has executions and rules to read, and a prompt that never calls unknown safe", () =>
    Effect.gen(function* () {
      const { client } = yield* connected
      yield* Effect.promise(() => client.callTool({ name: "analyze_wallet", arguments: { address: works } }))
      const { resources } = yield* Effect.promise(() => client.listResources())
      assert.strictEqual(resources[0]?.uri, "assay://rules")
      for (const { uri } of resources) {
        const { contents } = yield* Effect.promise(() => client.readResource({ uri }))
        assert.doesNotThrow(() => JSON.parse((contents[0] as { text: string }).text))
      }
      const { messages } = yield* Effect.promise(() =>
        client.getPrompt({ name: "is_it_safe", arguments: { address: works, action: "buy" } })
      )
      assert.match(JSON.stringify(messages), /unknown is unsafe/)
      const missing = yield* Effect.promise(() => client.readResource({ uri: "assay://nothing" }).then(String, String))
      assert.include(missing, "there is no resource")
    })
  )

  it.scoped("refuses who has no key as everywhere, a page of another origin, and what is no JSON", () =>
    Effect.gen(function* () {
      const key = yield* TestServer.createKey
      const post = (init: RequestInit & { key?: string }) =>
        TestServer.send("/api/v1/mcp", {
          method: "POST",
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
          ...init,
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            ...(init.headers as Record<string, string>)
          }
        })
      const stranger = yield* post({})
      assert.strictEqual(stranger.status, 401)
      assert.strictEqual(stranger.headers.get("www-authenticate"), 'Bearer realm="api"')
      assert.strictEqual(
        (yield* post({ key, headers: { origin: "https://evil.example" } })).json.code,
        "origin_forbidden"
      )
      assert.strictEqual((yield* post({ key, body: "{" })).json.code, "malformed_request")
      const odd = yield* post({ key, body: JSON.stringify({ hello: "world" }) })
      assert.deepStrictEqual([odd.status, odd.json.code], [400, "malformed_request"])
      const plain = yield* post({ key, headers: { accept: "text/plain" } })
      assert.deepStrictEqual([plain.status, plain.json.code], [406, "not_acceptable"])
      assert.deepStrictEqual(plain.json.acceptable, ["application/json", "text/event-stream"])
      const old = yield* post({ key, headers: { "mcp-protocol-version": "1999-01-01" } })
      assert.deepStrictEqual([old.status, old.json.code], [400, "malformed_request"])
      const pong = yield* post({ key })
      assert.strictEqual(pong.status, 200)
      assert.include(pong.text, '"result":{}')
      assert.match(pong.headers.get("ratelimit-policy") ?? "", /"daily";q=50/)
      assert.strictEqual((yield* TestServer.send("/api/v1/mcp", { key })).status, 405)
    })
  )
})

const lines: Array<Readonly<Record<string, unknown>>> = []
const logger = Logger.add(
  Logger.make(({ annotations }) => {
    if (HashMap.has(annotations, "route")) lines.push(Object.fromEntries(annotations))
  })
)

layer(Layer.provide(TestServer.layer(), logger))("the log of MCP over HTTP", (it) => {
  it.scoped(
    "has each request that a tool makes, with its key and the request that it serves, counted as any other",
    () =>
      Effect.gen(function* () {
        const { client } = yield* connected
        const before = yield* Metrics.text
        lines.length = 0
        yield* Effect.promise(() => client.callTool({ name: "get_usage", arguments: {} }))
        yield* Effect.promise(() =>
          client.callTool({ name: "get_watch", arguments: { watch_id: "wat_01JD0000000000000000000000" } })
        )
        const inner = lines.filter(({ mcp_request_id }) => mcp_request_id !== undefined)
        assert.deepStrictEqual(
          inner.map(({ method, route, status }) => [method, route, status]),
          [
            ["GET", "/api/v1/usage", 200],
            ["GET", "/api/v1/watches/:watch_id", 404]
          ]
        )
        const calls = lines.filter(({ method, route }) => method === "POST" && route === "/api/v1/mcp")
        assert.sameMembers(
          inner.map(({ mcp_request_id }) => mcp_request_id),
          calls.map(({ request_id }) => request_id)
        )
        assert.strictEqual(new Set([...inner, ...calls].map(({ request_id }) => request_id)).size, 4)
        for (const { key_id } of [...inner, ...calls]) assert.match(String(key_id), /^key_/)
        const counted = (text: string) =>
          Number(
            /assay_http_requests_total\{method="GET",route="\/api\/v1\/usage",status="200"\} (\d+)/.exec(text)?.[1] ?? 0
          )
        assert.strictEqual(counted(yield* Metrics.text), counted(before) + 1)
      })
  )
})
