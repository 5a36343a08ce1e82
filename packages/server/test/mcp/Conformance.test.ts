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

/** What each revision requires, as the package froze it when the revision was released: both are served by one address. */
const revisions = ["2025-11-25", "2026-07-28"] as const

interface Outcome {
  readonly code: number
  /** The scenarios without a failed check. */
  readonly passed: ReadonlyArray<string>
  readonly output: string
}

/** Every scenario for servers that a revision names, one after the other. */
const run = (origin: string, revision: string, server: string): Promise<Outcome> =>
  new Promise((resolve) => {
    const expected = path(`${server}-${revision}.yml`)
    const args = ["--url", `${origin}/api/v1/mcp`, "--requirements", revision, "--expected-failures", expected]
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
  assert.includeMembers([...passed], [...scenarios], output)
  assert.strictEqual(code, 0, output)
}

/** Those that need no tool of their own. */
const withoutTools: Readonly<Record<(typeof revisions)[number], ReadonlyArray<string>>> = {
  "2025-11-25": [
    "server-initialize",
    "server-session-lifecycle",
    "ping",
    "tools-list",
    "server-sse-polling",
    "server-sse-multiple-streams",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection"
  ],
  "2026-07-28": [
    "tools-list",
    "server-sse-multiple-streams",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
    "caching",
    "http-header-validation",
    "sep-2164-resource-not-found",
    "input-required-result-unsupported-methods"
  ]
}

const withTools = [
  "completion-complete",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
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
const withLog = ["logging-set-level", "tools-call-with-logging"]

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

  for (const revision of revisions)
    it.runIf(Tier.landing)(`of ${revision} that need no tool of their own pass against assay serve`, async () => {
      holds(await run(proxy.origin, revision, "server"), withoutTools[revision])
    })

  it("that are expected to fail have a reason each", () => {
    for (const revision of revisions)
      for (const server of ["server", "extended"]) {
        const [, entries = ""] = readFileSync(path(`${server}-${revision}.yml`), "utf8").split(/^server:\n/m)
        const groups = entries.split(/(?<=^ {2}- .+\n)(?= {2}#)/m)
        assert.isAtLeast(groups.length, 2)
        for (const group of groups) assert.match(group, /^ {2}# .{40,}\n( {2}# .+\n)*( {2}- [\w:-]+\n)+$/)
      }
  })
})

layer(
  Layer.provide(
    TestServer.layer({ allowedHosts: Option.some(Host.loopback) }),
    Layer.succeed(McpExtension.McpExtension, { extend: TestTools.extend })
  )
)("the scenarios of @modelcontextprotocol/conformance, on a server with the tools that they look for,", (it) => {
  it.scoped.runIf(Tier.landing)("pass of each revision where one request is enough", () =>
    Effect.gen(function* () {
      const options = { origin: yield* TestServer.base, key: yield* TestServer.createKey }
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() => KeyProxy.start(options)),
        (proxy) => Effect.sync(() => proxy.stop())
      )
      for (const revision of revisions) {
        const outcome = yield* Effect.promise(() => run(proxy.origin, revision, "extended"))
        holds(outcome, [...withoutTools[revision], ...withTools, ...(revision === "2025-11-25" ? withLog : [])])
      }
    })
  )
})
