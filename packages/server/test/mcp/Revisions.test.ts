import { assert, layer } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Effect } from "effect"
import * as TestServer from "../TestServer.js"

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of any shape.
type Result = any

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
