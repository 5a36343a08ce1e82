import { SharedSandbox } from "@assay/sandbox"
import * as Modern from "@modelcontextprotocol/client"
import * as ModernStdio from "@modelcontextprotocol/client/stdio"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import { bin } from "../Bin.js"
import * as ForwardProxy from "../ForwardProxy.js"
import { forward, RpcProxy } from "./RpcProxy.js"
import { eventually, ServerProcess } from "./ServerProcess.js"

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of any shape.
type Result = any

const text = (result: Result): string => result.content.map((part: { text: string }) => part.text).join("\n")

const connect = async (transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Client> => {
  const client = new Client({ name: "test", version: "1" })
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return client
}

const onStandardStreams = (rpc: string): Promise<Client> =>
  connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [bin, "mcp", "--rpc", rpc],
      env: { PATH: process.env.PATH ?? "" }
    })
  )

/** A client of 2026-07-28, which begins with no handshake; it cancels by the id of a request as those before it. */
const onStandardStreams2026 = async (rpc: string): Promise<Modern.Client> => {
  const client = new Modern.Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } }
  )
  await client.connect(
    new ModernStdio.StdioClientTransport({
      command: process.execPath,
      args: [bin, "mcp", "--rpc", rpc],
      env: { PATH: process.env.PATH ?? "" }
    })
  )
  return client
}

describe.runIf(Tier.landing)("assay mcp", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let client: Client

  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    client = await onStandardStreams(sandbox.url)
    await client.listTools()
  })
  afterAll(() => client?.close())

  const ask = (name: string, args: Record<string, unknown>): Promise<Result> =>
    client.callTool({ name, arguments: args })

  it("analyses straight from an endpoint, reports its progress, and explains what it found", async () => {
    const { address } = sandbox.targets.honeypot
    const told: Array<string> = []
    const found: Result = await client.callTool({ name: "analyze_token", arguments: { address } }, undefined, {
      onprogress: ({ message }) => told.push(message ?? "")
    })
    assert.strictEqual(found.structuredContent.verdict.level, "critical", text(found))
    const { because, outcome } = found.structuredContent.decision
    assert.strictEqual(outcome, "block")
    assert.include(JSON.stringify(because), "trade.honeypot")
    assert.match(text(found), /trade\.honeypot/)
    for (const message of told) assert.match(message, /^execution exe_/)
    const explained = await ask("explain_evidence", {
      execution_id: found.structuredContent.execution_id,
      evidence_id: "trade.honeypot"
    })
    assert.include(text(explained), '"state":"confirmed"')
    assert.include(text(explained), '"rule":{')
    // The simulation behind it is called with tens of kilobytes.
    assert.isBelow(text(explained).length, 9_000)
    const [, uri = ""] = /the resource (\S+) has all of it/.exec(text(explained)) ?? []
    const { contents } = await client.readResource({ uri })
    const whole = JSON.parse((contents[0] as { text: string }).text)
    assert.isAbove(JSON.stringify(whole.recipe).length, 20_000)
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
  })

  it("offers no keys of a server that there is not, and says of nothing how long a server keeps it", async () => {
    const { tools } = await client.listTools()
    assert.notInclude(JSON.stringify(tools), "90 days")
    assert.notInclude(
      tools.map(({ name }) => name),
      "create_key"
    )
    const refused = await ask("create_key", { label: "for a friend" }).then(String, String)
    assert.include(refused, "there is no tool")
  })

  it("answers a bad address with a problem", async () => {
    const refused = await ask("analyze_token", { address: "0x12" })
    assert.isTrue(refused.isError)
    assert.deepInclude(JSON.parse(text(refused)), { code: "validation_failed", retryable: false })
  })

  it("makes keys of the server that it calls, through the proxy of the environment, and says what that one keeps", async () => {
    const server = await ServerProcess.start({
      ASSAY_DATABASE: "memory:",
      ASSAY_RPC_URLS: `31337=${sandbox.url}`,
      ASSAY_SCHEDULER: "off",
      ASSAY_ALLOWED_HOSTS: "assay.test,127.0.0.1"
    })
    const proxy = await ForwardProxy.open({ "assay.test:80": Number(new URL(server.origin).port) })
    const through = await connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [bin, "mcp", "--url", "http://assay.test"],
        env: { PATH: process.env.PATH ?? "", ASSAY_API_KEY: await server.createKey(), HTTP_PROXY: proxy.url }
      })
    )
    try {
      assert.include(JSON.stringify(await through.listTools()), "kept 90 days")
      const made: Result = await through.callTool({ name: "create_key", arguments: { label: "for a friend" } })
      assert.isUndefined(made.isError, text(made))
      const { key } = JSON.parse(text(made).split("\n").slice(1).join("\n"))
      assert.strictEqual((await server.usage(key)).used, 0)
      assert.deepStrictEqual(proxy.seen, ["POST http://assay.test/api/v1/keys"])
    } finally {
      await through.close()
      proxy.close()
      await server.stop()
    }
  })
})

/** An endpoint of which the requests that arrive from now on are answered only when it is let go. */
class HeldEndpoint {
  requests = 0
  readonly proxy: RpcProxy
  letGo: () => void = () => {}

  private constructor(proxy: RpcProxy) {
    this.proxy = proxy
  }

  static async start(url: string): Promise<HeldEndpoint> {
    const held = new HeldEndpoint(await RpcProxy.start(forward(url)))
    return held
  }

  hold(url: string): void {
    const opened = new Promise<void>((resolve) => {
      this.letGo = resolve
    })
    this.proxy.behaviour = async (body) => {
      this.requests += 1
      await opened
      return forward(url)(body)
    }
  }
}

describe.runIf(Tier.landing)("a call that its client cancels", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let endpoint: HeldEndpoint

  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    endpoint = await HeldEndpoint.start(sandbox.url)
  })
  afterAll(() => endpoint.proxy.stop())

  /** Cancels once the progress names the execution, which is returned. */
  const cancelled = async (client: Client | Modern.Client, address: string): Promise<string> => {
    const cancelling = new AbortController()
    let last = ""
    const call = { name: "analyze_token", arguments: { address } }
    const options = {
      signal: cancelling.signal,
      onprogress: ({ message = "" }) => {
        last = message
        cancelling.abort("enough")
      }
    }
    const refused = await (client instanceof Client
      ? client.callTool(call, undefined, options)
      : client.callTool(call, options)
    ).then(String, String)
    assert.match(refused, /enough/)
    const [, id = ""] = /^execution (exe_\w+)/.exec(last) ?? []
    assert.isNotEmpty(id, "the last message names the execution")
    return id
  }

  const usage = async (client: Client | Modern.Client): Promise<Result> => {
    const asked: Result = await client.callTool({ name: "get_usage", arguments: {} })
    return JSON.parse(text(asked).split("\n").slice(1).join("\n"))
  }

  for (const [revision, connected] of [
    ["2025-11-25", onStandardStreams],
    ["2026-07-28", onStandardStreams2026]
  ] as const)
    it(`of ${revision} stops the work over standard streams without a server: no further read, and the unit is given back`, async () => {
      endpoint.requests = 0
      endpoint.proxy.behaviour = forward(sandbox.url)
      const client = await connected(endpoint.proxy.url)
      try {
        // What an endpoint can do is read once, for all analyses: that is over before the reads that are held.
        const { address } = sandbox.targets.approver
        await client.callTool({ name: "analyze_wallet", arguments: { address } })
        endpoint.hold(sandbox.url)
        const id = await cancelled(client, sandbox.targets.plain.address)
        // Sooner than its reads would be given up.
        const { used } = await eventually(
          () => usage(client),
          ({ reserved }) => reserved === 0,
          8
        )
        assert.strictEqual(used, 1, "that of the wallet")
        const stored: Result = await client.callTool({ name: "get_execution", arguments: { execution_id: id } })
        assert.include(text(stored), '"status":"failed"')
        const before = endpoint.requests
        assert.isAbove(before, 0)
        endpoint.letGo()
        // Whatever had gone on would read with what it was answered, and be done.
        endpoint.hold(sandbox.url)
        for (let count = 0; count < 20; count++) await usage(client)
        assert.strictEqual(endpoint.requests, before)
      } finally {
        endpoint.letGo()
        await client.close()
      }
    })

  it("ends the wait over HTTP: the execution goes on, is stored by its id, and is charged once", async () => {
    const server = await ServerProcess.start({
      ASSAY_DATABASE: "memory:",
      ASSAY_RPC_URLS: `31337=${endpoint.proxy.url}`,
      ASSAY_SCHEDULER: "off"
    })
    const key = await server.createKey()
    const client = await connect(
      new StreamableHTTPClientTransport(new URL(`${server.origin}/api/v1/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${key}` } }
      })
    )
    try {
      endpoint.hold(sandbox.url)
      const id = await cancelled(client, sandbox.targets.plain.address)
      assert.strictEqual((await usage(client)).reserved, 1)
      endpoint.letGo()
      const [stub, ...more] = await eventually(
        () => server.executions(key),
        ([first]) => first?.status !== "running"
      )
      assert.deepStrictEqual([stub.execution_id, stub.status, more], [id, "complete", []])
      const { reserved, used } = await usage(client)
      assert.deepStrictEqual({ reserved, used }, { reserved: 0, used: 1 })
      const report: Result = await client.callTool({ name: "get_execution", arguments: { execution_id: id } })
      assert.include(text(report), id)
    } finally {
      endpoint.letGo()
      await client.close()
      await server.stop()
    }
  })
})
