import { assert, layer } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import * as Old from "@modelcontextprotocol/sdk/client/index.js"
import * as OldHttp from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import * as TestServer from "../TestServer.js"

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of any shape.
type Result = any

/** What clients of both revisions can do. */
interface Caller {
  readonly listTools: () => Promise<{
    readonly tools: ReadonlyArray<{ readonly name: string; readonly outputSchema?: object | undefined }>
  }>
  readonly callTool: (call: { readonly name: string; readonly arguments: Record<string, unknown> }) => Promise<Result>
}

const connected = Effect.gen(function* () {
  const [base, key] = [yield* TestServer.base, yield* TestServer.createKey]
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } })
  yield* Effect.acquireRelease(
    Effect.promise(() =>
      client.connect(
        new StreamableHTTPClientTransport(new URL(`${base}/api/v1/mcp`), {
          requestInit: { headers: { authorization: `Bearer ${key}` } }
        })
      )
    ),
    () => Effect.promise(() => client.close())
  )
  return { client, key }
})

const old = Effect.gen(function* () {
  const [base, key] = [yield* TestServer.base, yield* TestServer.createKey]
  const client = new Old.Client({ name: "test", version: "1" })
  const transport = new OldHttp.StreamableHTTPClientTransport(new URL(`${base}/api/v1/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } }
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => client.connect(transport as Parameters<typeof client.connect>[0])),
    () => Effect.promise(() => client.close())
  )
  return { client, key }
})

layer(TestServer.layer())("MCP over HTTP, for a client that negotiates,", (it) => {
  it.scoped("speaks revision 2026-07-28, without a handshake, with the same tools and answers", () =>
    Effect.gen(function* () {
      const { client, key } = yield* connected
      assert.strictEqual(client.getNegotiatedProtocolVersion(), "2026-07-28")
      const { tools } = yield* Effect.promise(() => client.listTools())
      assert.isAbove(tools.length, 10)
      const found: Result = yield* Effect.promise(() =>
        client.callTool({ name: "analyze_token", arguments: { address: TestServer.target.works } })
      )
      assert.strictEqual(found.structuredContent.address, TestServer.target.works)
      const refused: Result = yield* Effect.promise(() =>
        client.callTool({ name: "analyze_token", arguments: { address: "0x12" } })
      )
      assert.isTrue(refused.isError)
      const missing = yield* Effect.promise(() => client.readResource({ uri: "assay://nothing" }).then(String, String))
      assert.include(missing, 'there is no resource "assay://nothing"')
      const { json } = yield* TestServer.send("/api/v1/executions", { key })
      assert.strictEqual(json.data.length, 1)
    })
  )

  for (const [revision, connection] of [
    ["2025-11-25", old],
    ["2026-07-28", connected]
  ] as const)
    it.scoped(
      `answers each tool of a client of ${revision} as its output schema says, and its errors as problems`,
      () =>
        Effect.gen(function* () {
          const { client }: { readonly client: Caller } = yield* connection
          const { tools } = yield* Effect.promise(() => client.listTools())
          const called = new Set<string>()
          const call = (name: string, args: Record<string, unknown>) =>
            Effect.gen(function* () {
              called.add(name)
              const answer: Result = yield* Effect.promise(() => client.callTool({ name, arguments: args }))
              const schema = tools.find((tool) => tool.name === name)?.outputSchema
              if (answer.isError === true) {
                assert.isUndefined(answer.structuredContent, name)
                assert.match(JSON.parse(answer.content[0].text).code, /^[a-z_]+$/)
              } else if (schema === undefined) assert.isUndefined(answer.structuredContent, name)
              else {
                const holds = new Ajv2020({ strict: true }).compile(schema)
                assert.isTrue(holds(answer.structuredContent), `${name}: ${JSON.stringify(holds.errors)}`)
              }
              return answer
            })
          const address = TestServer.target.works
          const { structuredContent } = yield* call("analyze_token", { address, block_from: "low", review_from: "low" })
          assert.deepStrictEqual(structuredContent.decision.policy, { block_from: "low", review_from: "low" })
          const { execution_id } = structuredContent
          yield* call("analyze_wallet", { address: TestServer.target.wallet })
          yield* call("analyze_contract", { address })
          yield* call("get_execution", { execution_id, block_from: "high" })
          yield* call("compare_executions", { execution_id })
          yield* call("explain_evidence", { execution_id, evidence_id: "token.pausable" })
          const made = yield* call("create_watch", { target: "token", address })
          const [watch_id = ""] = /wat_[0-9A-Z]+/.exec(JSON.stringify(made)) ?? []
          for (const name of ["get_watch", "pause_watch", "resume_watch", "delete_watch"])
            yield* call(name, { watch_id })
          for (const name of ["list_watches", "list_events", "get_usage"]) yield* call(name, {})
          assert.sameMembers(
            [...called],
            tools.map(({ name }) => name)
          )
          for (const [target, code] of [
            [TestServer.target.unreadable, "upstream_unavailable"],
            [TestServer.target.mismatch, "target_mismatch"]
          ] as const) {
            const refused = yield* call("analyze_token", { address: target })
            assert.isTrue(refused.isError)
            assert.strictEqual(JSON.parse(refused.content[0].text).code, code)
          }
        })
    )

  const post = (key: string, method: string, revision: string, params: object) =>
    TestServer.send("/api/v1/mcp", {
      method: "POST",
      key,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": revision,
        "mcp-method": method,
        ...("uri" in params ? { "mcp-name": String(params.uri) } : {})
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
  const envelope = (revision: string) => ({
    _meta: {
      "io.modelcontextprotocol/protocolVersion": revision,
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {}
    }
  })
  const messages = (text: string) =>
    [...text.matchAll(/^data: (.+)$/gm)].map(([, data = ""]): Result => JSON.parse(data))

  it.scoped("names the revisions that it speaks to a message of another, and a missing resource with its URI", () =>
    Effect.gen(function* () {
      const key = yield* TestServer.createKey
      const other = yield* post(key, "tools/list", "2099-01-01", envelope("2099-01-01"))
      assert.deepStrictEqual([other.status, other.json.error.code], [400, -32022])
      assert.include(other.json.error.data.supported, "2026-07-28")
      const missing = yield* post(key, "resources/read", "2026-07-28", {
        uri: "assay://nothing",
        ...envelope("2026-07-28")
      })
      const [{ error }] = messages(missing.text)
      assert.deepInclude(error, { code: -32602, data: { uri: "assay://nothing" } })
    })
  )

  it.scoped(
    "refuses a message without its envelope in the form of the protocol, by the header that names the revision",
    () =>
      Effect.gen(function* () {
        const key = yield* TestServer.createKey
        const bare = yield* post(key, "tools/list", "2026-07-28", {})
        assert.deepStrictEqual([bare.status, bare.json.error.code, bare.json.id], [400, -32602, 1])
      })
  )

  it.scoped("acknowledges a stream of changes with none of them, and ends it", () =>
    Effect.gen(function* () {
      const key = yield* TestServer.createKey
      const stream = yield* post(key, "subscriptions/listen", "2026-07-28", {
        notifications: { toolsListChanged: true, resourceSubscriptions: ["assay://rules"] },
        ...envelope("2026-07-28")
      })
      const [first, last, ...more] = messages(stream.text)
      assert.strictEqual(first.method, "notifications/subscriptions/acknowledged")
      assert.deepInclude(first.params, { notifications: {} })
      assert.deepStrictEqual([last.id, last.result.resultType, more], [1, "complete", []])
    })
  )
})
