import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { StorageSuite } from "@assay/core/testing"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, describe, it } from "@effect/vitest"
import { assert } from "vitest"
import * as Tier from "../../../test/Tier.js"
import * as LibsqlStorage from "../src/LibsqlStorage.js"

const directory = mkdtempSync(join(tmpdir(), "assay-libsql-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const suite = StorageSuite.suite("LibsqlStorage", LibsqlStorage.layer(join(directory, "suite.db")), {
  persistent: true
})

describe(`examples/custom-storage: ${suite.name}`, () => {
  for (const { effect, title } of suite.cases) it.effect(title, () => effect)
})

it("is what the guide to storage layers shows", () => {
  const guide = new URL("../../../docs/guides/write-a-storage-layer.md", import.meta.url)
  const source = new URL("../src/LibsqlStorage.ts", import.meta.url)
  assert.include(readFileSync(guide, "utf8"), readFileSync(source, "utf8"))
})

const main = fileURLToPath(new URL("../dist/main.js", import.meta.url))

/** The program, with the working directory and the settings of a test. */
const start = (settings: Record<string, string>): ChildProcess =>
  spawn(process.execPath, [main], {
    cwd: directory,
    env: { PATH: process.env.PATH, ASSAY_PORT: "0", ASSAY_LOG_FORMAT: "json", ...settings },
    stdio: ["ignore", "pipe", "pipe"]
  })

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    if (child.exitCode !== null) return resolve(child.exitCode)
    child.once("exit", resolve)
  })

/** Where it listens, as its log says. */
const originOf = async (child: ChildProcess): Promise<string> => {
  if (child.stdout !== null)
    for await (const line of createInterface({ input: child.stdout })) {
      const found = /Listening on (http:\/\/[\d.:]+)/.exec(line)?.[1]
      if (found !== undefined) {
        child.stdout.resume()
        return found
      }
    }
  throw new Error("It ended before it listened")
}

describe.runIf(Tier.landing)("examples/custom-storage: the server", () => {
  it("serves HTTP and MCP on the store, and finds everything again when it is started again", async () => {
    const sandbox = await SharedSandbox.take()
    const settings = {
      ASSAY_RPC_URLS: `31337=${sandbox.url}`,
      ASSAY_SECRETS_KEY: Buffer.alloc(32, 7).toString("base64")
    }
    const { address } = sandbox.targets.honeypot
    const post = (key: string, body: object) => ({
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(key === "" ? {} : { authorization: `Bearer ${key}` })
      },
      body: JSON.stringify(body)
    })
    const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })
    const call = (name: string, input: object) => ({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: input }
    })

    const first = start(settings)
    let key = ""
    let location = ""
    try {
      const api = `${await originOf(first)}/api/v1`
      const created = await fetch(`${api}/keys`, post("", { label: "libsql" }))
      key = ((await created.json()) as { key: string }).key
      const report = await fetch(`${api}/token/${address}?view=report`, bearer(key))
      assert.nestedPropertyVal(await report.json(), "verdict.level", "critical")
      location = report.headers.get("content-location") ?? ""
      const tool = await fetch(`${api}/mcp`, post(key, call("analyze_token", { address })))
      assert.include(await tool.text(), "critical")
      const hook = await fetch(`${api}/webhooks`, post(key, { url: "https://93.184.215.14/" }))
      assert.strictEqual(hook.status, 201, await hook.text())
      first.kill("SIGTERM")
      await ended(first)
    } finally {
      first.kill("SIGKILL")
    }

    const second = start(settings)
    try {
      const origin = await originOf(second)
      const again = await fetch(`${origin}${location}`, bearer(key))
      assert.nestedPropertyVal(await again.json(), "verdict.level", "critical")
      const usage = await fetch(`${origin}/api/v1/mcp`, post(key, call("get_usage", {})))
      assert.match(await usage.text(), /2/)
      const hooks = await fetch(`${origin}/api/v1/webhooks`, bearer(key))
      assert.lengthOf(((await hooks.json()) as { data: ReadonlyArray<unknown> }).data, 1)
      second.kill("SIGTERM")
      await ended(second)
    } finally {
      second.kill("SIGKILL")
    }
  })

  const refusal = async (settings: Record<string, string>): Promise<string> => {
    const child = start({ ASSAY_RPC_URLS: "31337=http://127.0.0.1:1/", ...settings })
    let said = ""
    child.stderr?.on("data", (text) => {
      said += text
    })
    assert.strictEqual(await ended(child), 1)
    return said
  }

  it("does not start without the key that its webhook secrets need, and says so in one line", async () => {
    assert.match(await refusal({}), /^ASSAY_SECRETS_KEY: .*\n$/)
  })

  it("does not start without its file, and names no setting of another database", async () => {
    const ASSAY_SECRETS_KEY = Buffer.alloc(32, 7).toString("base64")
    const said = await refusal({ ASSAY_SECRETS_KEY, LIBSQL_FILE: "nowhere/assay.libsql" })
    assert.strictEqual(said, "The storage: nowhere/assay.libsql cannot be opened.\n")
  })
})
