import { readFileSync } from "node:fs"
import { SharedSandbox } from "@assay/sandbox"
import * as Modern from "@modelcontextprotocol/client"
import * as ModernStdio from "@modelcontextprotocol/client/stdio"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Ajv2020 } from "ajv/dist/2020.js"
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

const revisions = ["2025-11-25", "2026-07-28"] as const

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of any shape.
type Result = any

interface Agent {
  readonly revision: string | undefined
  readonly call: (name: string, args: Record<string, unknown>) => Promise<Result>
  readonly tools: () => Promise<ReadonlyArray<{ readonly name: string; readonly outputSchema?: object | undefined }>>
  readonly close: () => Promise<unknown>
}

/** A program that is started, or a server that is called. */
type Place =
  | { readonly args: Array<string>; readonly env: Record<string, string> }
  | { readonly url: URL; readonly headers: Record<string, string> }

/** The client of the library before the revision, which cannot speak it, or one that negotiates, which prefers it. */
const connect = async (revision: (typeof revisions)[number], place: Place): Promise<Agent> => {
  const about = { name: "test", version: "1" }
  const program = { command: process.execPath, ...place, args: "args" in place ? [bin, ...place.args] : [] }
  const call = async (client: Modern.Client | Client) => ({
    call: (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args }),
    tools: async () => (await client.listTools()).tools,
    close: () => client.close()
  })
  if (revision === "2026-07-28") {
    const client = new Modern.Client(about, { versionNegotiation: { mode: "auto" } })
    await client.connect(
      "url" in place
        ? new Modern.StreamableHTTPClientTransport(place.url, { requestInit: { headers: place.headers } })
        : new ModernStdio.StdioClientTransport(program)
    )
    return { revision: client.getNegotiatedProtocolVersion(), ...(await call(client)) }
  }
  const client = new Client(about)
  const transport =
    "url" in place
      ? new StreamableHTTPClientTransport(place.url, { requestInit: { headers: place.headers } })
      : new StdioClientTransport(program)
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return { revision, ...(await call(client)) }
}

const text = (result: Result): string => result.content.map((part: { text: string }) => part.text).join("\n")

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

  // The blocks differ in what they are called with, and in where their client keeps it.
  const commands = new Set(started.map(({ entry }) => JSON.stringify(entry.args?.slice(2))))
  const program = (command: string, env: Record<string, string>): Place => {
    assert.include([...commands], command)
    const args = (JSON.parse(command) as Array<string>).map((arg) =>
      arg === "https://assay.example" ? server.origin : arg
    )
    return { args, env: { PATH: process.env.PATH ?? "", ...env } }
  }
  const places = {
    "a program with an endpoint": () => program('["mcp"]', { ASSAY_RPC_URLS: `31337=${sandbox.url}` }),
    "a program that calls a server": () => program('["mcp","--url","https://assay.example"]', { ASSAY_API_KEY: key }),
    "a server": (): Place => {
      const [{ entry } = { entry: {} as Entry }] = called
      return {
        url: new URL(`${server.origin}${new URL(entry.url ?? "").pathname}`),
        headers: { authorization: (entry.headers?.Authorization ?? "").replace(/\$\{.+\}/, key) }
      }
    }
  }

  it("is one of three", () => {
    assert.strictEqual(commands.size, 2)
    assert.isAbove(called.length, 0)
  })

  const hasTools = async (agent: Agent) => {
    assert.isUndefined((await agent.call("get_usage", {})).isError)
    const tools = await agent.tools()
    assert.includeMembers(
      tools.map(({ name }) => name),
      ["analyze_token", "analyze_wallet", "get_execution"]
    )
    return tools
  }

  for (const [way, revision] of [
    ["a server", "2025-11-25"],
    ["a program that calls a server", "2025-11-25"],
    ["a program that calls a server", "2026-07-28"]
  ] as const)
    it(`has the tools, for a client of ${revision}: ${way}`, async () => {
      const agent = await connect(revision, places[way]())
      try {
        assert.strictEqual(agent.revision, revision)
        await hasTools(agent)
      } finally {
        await agent.close()
      }
    })

  for (const [way, revision] of [
    ["a server", "2026-07-28"],
    ["a program with an endpoint", "2025-11-25"],
    ["a program with an endpoint", "2026-07-28"]
  ] as const)
    it(`has the tools, and decides for a client of ${revision} by its policy, with what that rests on: ${way}`, async () => {
      const agent = await connect(revision, places[way]())
      try {
        assert.strictEqual(agent.revision, revision)
        const tools = await hasTools(agent)
        const data = async (name: string, args: Record<string, unknown>) => {
          const answer = await agent.call(name, args)
          assert.isUndefined(answer.isError, text(answer))
          const schema = tools.find((tool) => tool.name === name)?.outputSchema
          const holds = new Ajv2020({ strict: true }).compile(schema ?? assert.fail(`${name} has no output schema`))
          assert.isTrue(holds(answer.structuredContent), JSON.stringify(holds.errors))
          return answer.structuredContent
        }
        const token = await data("analyze_token", { address: sandbox.targets.transparent.address, block_from: "high" })
        assert.strictEqual(token.verdict.level, "high")
        assert.strictEqual(token.decision.outcome, "block")
        assert.deepStrictEqual(token.decision.policy, { block_from: "high", review_from: "medium" })
        assert.isNotEmpty(token.actions)
        assert.include(token.not_checked, "token.mintable")
        assert.isNotEmpty(token.largest_sale.sizes)
        assert.isNull(token.at_risk)
        // The same analysis by another policy: its decision is another one.
        const { execution_id } = token
        const [evidence_id] = token.decision.because[0].evidence_ids
        const explained = text(await agent.call("explain_evidence", { execution_id, evidence_id }))
        assert.include(explained, '"state":"confirmed"')
        const decided = async (policy: object) => text(await agent.call("get_execution", { execution_id, ...policy }))
        assert.match(await decided({ block_from: "high" }), /^Block: /m)
        assert.match(await decided({}), /^Review: /m)
        const wallet = await data("analyze_wallet", { address: sandbox.targets.openlyPulled.address })
        assert.strictEqual(wallet.decision.outcome, "block")
        assert.isNotEmpty(wallet.at_risk.spenders)
        assert.match(wallet.actions[0].transaction.command, /^cast send --from 0x/)
        assert.isNull(wallet.largest_sale)
        for (const [name, args, code] of [
          ["analyze_token", { address: "0x12" }, "validation_failed"],
          ["analyze_token", { address: sandbox.targets.approver.address }, "target_mismatch"],
          ["get_execution", { execution_id: "exe_01JD0000000000000000000000" }, "not_found"]
        ] as const) {
          const refused = await agent.call(name, args)
          assert.isTrue(refused.isError)
          assert.isUndefined(refused.structuredContent)
          assert.strictEqual(JSON.parse(text(refused)).code, code)
        }
      } finally {
        await agent.close()
      }
    })
})
