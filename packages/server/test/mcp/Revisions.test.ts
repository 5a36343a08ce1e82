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
      assert.include(missing, "there is no resource")
      const { json } = yield* TestServer.send("/api/v1/executions", { key })
      assert.strictEqual(json.data.length, 1)
    })
  )

  it.scoped("names the revisions that it speaks to a message of another, and opens no stream of changes", () =>
    Effect.gen(function* () {
      const key = yield* TestServer.createKey
      const post = (method: string, revision: string) =>
        TestServer.send("/api/v1/mcp", {
          method: "POST",
          key,
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-protocol-version": revision,
            "mcp-method": method
          },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method,
            params: {
              notifications: {},
              _meta: {
                "io.modelcontextprotocol/protocolVersion": revision,
                "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
                "io.modelcontextprotocol/clientCapabilities": {}
              }
            }
          })
        })
      const other = yield* post("tools/list", "2099-01-01")
      assert.deepStrictEqual([other.status, other.json.error.code], [400, -32022])
      assert.include(other.json.error.data.supported, "2026-07-28")
      const stream = yield* post("subscriptions/listen", "2026-07-28")
      assert.match(stream.text, /limit reached/)
    })
  )
})
