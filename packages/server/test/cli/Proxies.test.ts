import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { Effect } from "effect"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as Receiver from "../../../core/test/events/Receiver.js"
import * as ForwardProxy from "../ForwardProxy.js"
import { Terminal } from "./Terminal.js"
import { stranger } from "./TestChain.js"
import { assay } from "./TestShell.js"

describe("the command in a network that only a proxy leaves", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let proxy: ForwardProxy.ForwardProxy
  const folder = mkdtempSync(join(tmpdir(), "assay-proxies-"))
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })
  afterEach(() => proxy.close())
  afterAll(() => rmSync(folder, { recursive: true }))

  const open = async (credentials?: string) => {
    proxy = await ForwardProxy.open({ "rpc.test:8545": Number(new URL(sandbox.url).port) }, credentials)
    return proxy.url
  }
  const endpoint = "http://rpc.test:8545/?key=secret"

  it("reads an endpoint through the proxy, which resolves its name, and one on this machine directly", async () => {
    const url = await open()
    const settings = { HTTP_PROXY: url, HTTPS_PROXY: url }
    const through = await assay(["analyze", stranger, "--rpc", endpoint, "--json"], { settings })
    assert.strictEqual(through.code, 0, through.errors)
    assert.isAbove(proxy.seen.length, 3)
    assert.isTrue(proxy.seen.every((asked) => asked === `POST ${endpoint}`))
    proxy.seen.length = 0
    const direct = await assay(["analyze", stranger, "--rpc", sandbox.url, "--json"], { settings })
    assert.strictEqual(direct.output, through.output)
    assert.deepStrictEqual(proxy.seen, [])
  })

  it("doctor names the proxy without its password", async () => {
    const url = (await open("u:hunter2")).replace("http://", "http://u:hunter2@")
    const { code, errors, output } = await assay(["doctor", "--rpc", endpoint], { settings: { http_proxy: url } })
    assert.strictEqual(code, 0, errors)
    assert.match(
      output.replace(/\n +/g, " "),
      new RegExp(`Endpoint 1 \\(http://rpc\\.test:8545\\) through the proxy ${proxy.url}: block`)
    )
    assert.notMatch(output, /hunter2|secret/)
  })

  it("names the proxy where an endpoint cannot be reached through it, or does not answer with JSON-RPC", async () => {
    const url = await open("u:hunter2")
    const withPassword = url.replace("http://", "http://u:hunter2@")
    const gone = "http://u:hunter2@127.0.0.1:1"
    const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, setting: string, line: string]> = [
      [
        ["analyze", stranger, "--rpc", "https://rpc.test/secret"],
        withPassword,
        `(https://rpc.test) cannot be reached (UND_ERR_ABORTED) through the proxy ${url}; check the URL and the proxy`
      ],
      [
        ["analyze", stranger, "--rpc", endpoint],
        gone,
        "(http://rpc.test:8545) cannot be reached (ECONNREFUSED) through the proxy http://127.0.0.1:1; check the URL and the proxy"
      ],
      [
        ["doctor", "--rpc", "http://other.test/secret"],
        withPassword,
        `answered HTTP 502 through the proxy ${url}; check the URL and the proxy`
      ],
      [["doctor", "--rpc", endpoint], "http://", "HTTP_PROXY: expected the URL of an HTTP proxy"],
      [["mcp", "--rpc", endpoint], gone, "cannot be reached (ECONNREFUSED) through the proxy http://127.0.0.1:1"]
    ]
    for (const [args, setting, line] of cases) {
      const { code, errors } = await assay(args, { settings: { HTTP_PROXY: setting, HTTPS_PROXY: setting } })
      assert.include(errors, line)
      assert.notMatch(errors, /hunter2|secret|\n./)
      assert.strictEqual(code, 1)
    }
  })

  it("names the proxy where it goes away in the middle of an analysis", async () => {
    const url = await open()
    const settings = { HTTP_PROXY: url, ASSAY_RPC_URLS: `31337=${endpoint}` }
    proxy.close()
    const { code, errors } = await assay(["analyze", stranger, "--no-progress"], { settings })
    assert.include(errors, `assay: http://rpc.test:8545 cannot be reached (ECONNREFUSED) through the proxy ${url}\n`)
    assert.notInclude(errors, "secret")
    assert.strictEqual(code, 1)
  })

  it.runIf(Tier.landing)("the built command reads an endpoint of https through a tunnel", async () => {
    const certificate = join(folder, "certificate.pem")
    writeFileSync(certificate, Receiver.certificate)
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const secure = yield* Receiver.secure((response, { body }) => {
            fetch(sandbox.url, { method: "POST", body, headers: { "content-type": "application/json" } })
              .then((answer) => answer.text())
              .then((text) => response.end(text))
          })
          proxy = yield* Effect.promise(() => ForwardProxy.open({ "hooks.example:443": secure.port }))
          const terminal = new Terminal(["analyze", stranger, "--rpc", "https://hooks.example/secret"], {
            https_proxy: proxy.url,
            NODE_EXTRA_CA_CERTS: certificate
          })
          assert.strictEqual(yield* Effect.promise(() => terminal.ended), 0, terminal.written)
          assert.match(terminal.screen, /risk/)
          assert.isAbove(secure.received.length, 3)
          assert.isTrue(proxy.seen.every((asked) => asked === "CONNECT hooks.example:443"))
        })
      )
    )
  })
})
