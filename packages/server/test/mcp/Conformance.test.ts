import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { McpExtension } from "@assay/server"
import { layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as Host from "../../src/Host.js"
import { ServerProcess } from "../integration/ServerProcess.js"
import * as TestServer from "../TestServer.js"
import { KeyProxy } from "./conformance/KeyProxy.js"
import * as TestTools from "./conformance/TestTools.js"

const path = (relative: string) => fileURLToPath(new URL(`./conformance/${relative}`, import.meta.url))
const runner = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/dist/index.js")

interface Outcome {
  readonly code: number
  /** The scenarios without a failed check. */
  readonly passed: ReadonlyArray<string>
  readonly output: string
}

/** Every scenario of servers, one after the other. */
const run = (origin: string, expectedFailures: string): Promise<Outcome> =>
  new Promise((resolve) => {
    const args = ["--url", `${origin}/api/v1/mcp`, "--suite", "all", "--expected-failures", path(expectedFailures)]
    execFile(
      process.execPath,
      ["--import", path("FileGlob.mjs"), runner, "server", ...args],
      { maxBuffer: 16 * 1_024 * 1_024 },
      (error, stdout, stderr) =>
        resolve({
          code: error === null ? 0 : Number(error.code),
          passed: [...stdout.matchAll(/^✓ (\S+): \d+ passed, 0 failed/gm)].map(([, name = ""]) => name),
          output: `${stdout}\n${stderr}`
        })
    )
  })

const holds = ({ code, output, passed }: Outcome, scenarios: ReadonlyArray<string>) => {
  assert.sameMembers([...passed], [...scenarios], output)
  assert.strictEqual(code, 0, output)
}

const withoutTools = [
  "server-initialize",
  "ping",
  "tools-list",
  "server-sse-polling",
  "server-sse-multiple-streams",
  "resources-list",
  "prompts-list",
  "dns-rebinding-protection"
]

const withTools = [
  "logging-set-level",
  "completion-complete",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-with-logging",
  "tools-call-error",
  "tools-call-with-progress",
  "json-schema-2020-12",
  "resources-read-text",
  "resources-read-binary",
  "resources-templates-read",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-embedded-resource",
  "prompts-get-with-image"
]

describe("the scenarios of @modelcontextprotocol/conformance", () => {
  let server: ServerProcess
  let proxy: KeyProxy
  beforeAll(async () => {
    if (!Tier.landing) return
    server = await ServerProcess.start({ ASSAY_DATABASE: "memory:", ASSAY_RPC_URLS: "1=http://127.0.0.1:9" })
    proxy = await KeyProxy.start({ origin: server.origin, key: await server.createKey() })
  })
  afterAll(async () => {
    proxy?.stop()
    await server?.stop()
  })

  it.runIf(Tier.landing)("that need no tool of their own pass against assay serve, and no other does", async () => {
    holds(await run(proxy.origin, "server.yml"), withoutTools)
  })

  it("that are expected to fail have a reason each", () => {
    for (const file of ["server.yml", "extended.yml"]) {
      const [, entries = ""] = readFileSync(path(file), "utf8").split(/^server:\n/m)
      const groups = entries.split(/(?<=^ {2}- .+\n)(?= {2}#)/m)
      assert.isAtLeast(groups.length, 3)
      for (const group of groups) assert.match(group, /^ {2}# .{40,}\n( {2}# .+\n)*( {2}- [\w-]+\n)+$/)
    }
  })
})

layer(
  Layer.provide(
    TestServer.layer({ allowedHosts: Option.some(Host.loopback) }),
    Layer.succeed(McpExtension.McpExtension, { extend: TestTools.extend })
  )
)("the scenarios of @modelcontextprotocol/conformance, on a server with the tools that they look for,", (it) => {
  it.scoped.runIf(Tier.landing)("pass where one request is enough", () =>
    Effect.gen(function* () {
      const options = { origin: yield* TestServer.base, key: yield* TestServer.createKey }
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() => KeyProxy.start(options)),
        (proxy) => Effect.sync(() => proxy.stop())
      )
      const outcome = yield* Effect.promise(() => run(proxy.origin, "extended.yml"))
      holds(outcome, [...withoutTools, ...withTools])
    })
  )
})
