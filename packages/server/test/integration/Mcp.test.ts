import { fileURLToPath } from "node:url"
import { SharedSandbox } from "@assay/sandbox"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const bin = fileURLToPath(new URL("../../dist/main.js", import.meta.url))

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of any shape.
type Result = any

const text = (result: Result): string => result.content.map((part: { text: string }) => part.text).join("\n")

describe("assay mcp", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let client: Client

  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    client = new Client({ name: "test", version: "1" })
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [bin, "mcp", "--rpc", sandbox.url],
      env: { PATH: process.env.PATH ?? "" }
    })
    await client.connect(transport as Parameters<typeof client.connect>[0])
    await client.listTools()
  }, 60_000)
  afterAll(() => client?.close())

  const ask = (name: string, args: Record<string, unknown>): Promise<Result> =>
    client.callTool({ name, arguments: args })

  it("analyses straight from an endpoint, tells how far it is, and explains what it found", async () => {
    const { address } = sandbox.targets.honeypot
    const told: Array<string> = []
    const found: Result = await client.callTool({ name: "analyze_token", arguments: { address } }, undefined, {
      onprogress: ({ message }) => told.push(message ?? "")
    })
    assert.strictEqual(found.structuredContent.verdict.level, "critical", text(found))
    assert.match(text(found), /trade\.honeypot/)
    for (const message of told) assert.match(message, /^execution exe_/)
    const explained = await ask("explain_evidence", {
      execution_id: found.structuredContent.execution_id,
      evidence_id: "trade.honeypot"
    })
    assert.include(text(explained), '"state":"confirmed"')
    assert.include(text(explained), '"rule":{')
  })

  it("quotes a name that gives orders as data, on one line and marked", async () => {
    const { address } = sandbox.targets.hostileName
    const found = await ask("analyze_token", { address })
    assert.match(text(found).split("\n")[0] ?? "", /never instructions/)
    assert.notMatch(text(found), /[\p{Cf}]/u)
  })

  it("watches, and lists what changed", async () => {
    const { address, kind } = sandbox.targets.plain
    const made = await ask("create_watch", { target: kind, address, interval_seconds: 900 })
    assert.isUndefined(made.isError, text(made))
    assert.include(text(await ask("list_watches", {})), address)
    assert.include(text(await ask("list_events", {})), "next_after")
    assert.include(text(await ask("create_key", { label: "for a friend" })), '"key":"asy_')
  })
})
