import { readFileSync } from "node:fs"
import { SharedSandbox } from "@assay/sandbox"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import * as Toml from "toml"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import { bin } from "../Bin.js"
import { ServerProcess } from "../integration/ServerProcess.js"

const repository = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8")
const guide = repository("docs/guides/use-it-from-an-agent.md")

/** An entry of a client's settings, under the names that clients have for it. */
interface Entry {
  readonly command?: string
  readonly args?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly url?: string
  readonly httpUrl?: string
  readonly serverUrl?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly bearer_token_env_var?: string
}

/** The blocks of the guide, parsed, by what they begin with: that is what a client looks for. */
const blocks = [...guide.matchAll(/^```(json|toml)\n([\s\S]*?)^```/gm)].map(([, language, text = ""]) => {
  const settings = (language === "json" ? JSON.parse(text) : Toml.parse(text)) as Record<string, { assay: Entry }>
  const { inputs: _, ...rest } = settings
  const [[root = "", servers] = []] = Object.entries(rest)
  return { root, names: Object.keys(servers ?? {}), entry: servers?.assay ?? {} }
})
const started = blocks.filter(({ entry }) => entry.command !== undefined)
const called = blocks.filter(({ entry }) => entry.command === undefined)

describe("the guide for agents", () => {
  it("has one server in each block, under a name that its client knows, and two ways for each", () => {
    for (const { names } of blocks) assert.deepStrictEqual(names, ["assay"])
    const roots = (of: typeof blocks) => of.map(({ root }) => root).sort()
    assert.deepStrictEqual(roots(started), ["context_servers", "mcpServers", "mcpServers", "mcp_servers", "servers"])
    assert.deepStrictEqual(roots(called), [
      "context_servers",
      "mcpServers",
      "mcpServers",
      "mcpServers",
      "mcpServers",
      "mcp_servers",
      "servers"
    ])
  })

  it("starts the package of the registry of MCP servers, with its arguments and settings", () => {
    const [npm] = JSON.parse(repository("packages/assay/server.json")).packages
    const args = npm.packageArguments.map(({ value }: { value: string }) => value)
    for (const { entry } of started) {
      assert.strictEqual(entry.command, npm.runtimeHint)
      assert.deepStrictEqual(entry.args?.slice(0, 2 + args.length), ["-y", npm.identifier, ...args])
      const others = entry.args?.slice(2 + args.length) ?? []
      if (others.length > 0) assert.deepStrictEqual(others, ["--url", "https://assay.example"])
      assert.deepStrictEqual(
        Object.keys(entry.env ?? {}),
        others.length > 0 ? ["ASSAY_API_KEY"] : npm.environmentVariables.map(({ name }: { name: string }) => name)
      )
    }
  })

  it("calls the route of a server with a key in the header, which is in no file where a client can read it elsewhere", () => {
    for (const { entry } of called) {
      assert.strictEqual(entry.url ?? entry.httpUrl ?? entry.serverUrl, "https://assay.example/api/v1/mcp")
      assert.match(
        entry.bearer_token_env_var ?? entry.headers?.Authorization ?? "",
        /^ASSAY_API_KEY$|^Bearer (\$\{(env:)?ASSAY_API_KEY\}|\$ASSAY_API_KEY|\$\{input:key\}|YOUR_KEY)$/
      )
    }
  })
})

describe.runIf(Tier.landing)("each way of the guide for agents", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let server: ServerProcess
  let key: string
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    server = await ServerProcess.start({
      ASSAY_DATABASE: "memory:",
      ASSAY_RPC_URLS: `31337=${sandbox.url}`,
      ASSAY_SCHEDULER: "off"
    })
    key = await server.createKey()
  })
  afterAll(() => server?.stop())

  const toolsOf = async (transport: StdioClientTransport | StreamableHTTPClientTransport) => {
    const client = new Client({ name: "test", version: "1" })
    await client.connect(transport as Parameters<typeof client.connect>[0])
    try {
      const { isError } = await client.callTool({ name: "get_usage", arguments: {} })
      assert.isUndefined(isError)
      return (await client.listTools()).tools.map(({ name }) => name)
    } finally {
      await client.close()
    }
  }

  it("that starts the command has the tools", async () => {
    // The blocks differ in what they are called with, and in where their client keeps it.
    const commands = new Set(started.map(({ entry }) => JSON.stringify(entry.args?.slice(2))))
    assert.isAtMost(commands.size, 2)
    for (const command of commands) {
      const args = (JSON.parse(command) as ReadonlyArray<string>).map((arg) =>
        arg === "https://assay.example" ? server.origin : arg
      )
      const env = args.includes("--url") ? { ASSAY_API_KEY: key } : { ASSAY_RPC_URLS: `31337=${sandbox.url}` }
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [bin, ...args],
        env: { PATH: process.env.PATH ?? "", ...env }
      })
      assert.include(await toolsOf(transport), "analyze_token", command)
    }
  })

  it("that calls a server has the tools", async () => {
    const [{ entry } = { entry: {} as Entry }] = called
    const url = new URL(`${server.origin}${new URL(entry.url ?? "").pathname}`)
    const headers = { authorization: (entry.headers?.Authorization ?? "").replace(/\$\{.+\}/, key) }
    assert.include(await toolsOf(new StreamableHTTPClientTransport(url, { requestInit: { headers } })), "analyze_token")
  })
})
