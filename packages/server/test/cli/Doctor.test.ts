import { createServer, type Server } from "node:http"
import { text } from "node:stream/consumers"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { assay } from "./TestShell.js"

describe("assay doctor", () => {
  let sandbox: SharedSandbox.SharedSandbox
  /** The sandbox without eth_simulateV1. */
  let bare: Server
  let bareUrl: string
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    bare = createServer(async (request, response) => {
      const body = await text(request)
      const answer = body.includes("eth_simulateV1")
        ? JSON.stringify({
            jsonrpc: "2.0",
            id: JSON.parse(body).id,
            error: { code: -32601, message: "no such method" }
          })
        : await (
            await fetch(sandbox.url, { method: "POST", body, headers: { "content-type": "application/json" } })
          ).text()
      response.setHeader("content-type", "application/json").end(answer)
    })
    await new Promise<void>((listening) => bare.listen(0, "127.0.0.1", listening))
    const address = bare.address()
    bareUrl = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  })
  afterAll(() => {
    bare.close()
    bare.closeAllConnections()
  })

  it("ends with 0 where an endpoint does all that an analysis uses, in lines of 80 columns", async () => {
    const { code, errors, output } = await assay(["doctor", "--rpc", sandbox.url])
    assert.strictEqual(errors, "")
    assert.match(output, new RegExp(`^sandbox \\(31337\\)\n\nEndpoint 1 \\(${sandbox.url}\\): block \\d+`))
    assert.match(output, /yes {2}eth_simulateV1\n/)
    assert.match(output, /No check is lost/)
    for (const line of output.split("\n")) assert.isAtMost(line.length, 80, line)
    assert.strictEqual(code, 0)
  })

  it("ends with 3 where a capability is missing, names the checks that it costs, and never a URL", async () => {
    const { code, output } = await assay(["doctor", "--json"], { settings: { ASSAY_RPC_URLS: `31337=${bareUrl}` } })
    const [chain] = JSON.parse(output).chains
    assert.strictEqual(chain.endpoints[0].capabilities.simulate_v1, false)
    assert.deepStrictEqual(
      chain.losses.map(({ need }: { readonly need: string }) => need),
      ["simulate_v1"]
    )
    assert.include(chain.losses[0].checks, "trade.honeypot")
    assert.notInclude(output, bareUrl)
    assert.strictEqual(code, 3)
  })

  it("loses nothing that another endpoint of the chain does, but says which endpoint fails", async () => {
    const settings = { ASSAY_RPC_URLS: `31337=${bareUrl}|${sandbox.url}` }
    const both = await assay(["doctor"], { settings })
    assert.match(both.output, /no {3}eth_simulateV1\n/)
    assert.match(both.output, /No check is lost/)
    assert.strictEqual(both.code, 0)
    const failed = await assay(["doctor"], {
      settings: { ASSAY_RPC_URLS: `31337=http://127.0.0.1:1/secret|${sandbox.url}` }
    })
    assert.match(failed.output, /Endpoint 1 \(http:\/\/127\.0\.0\.1:1\) cannot be reached \(ECONNREFUSED\)\n/)
    assert.notInclude(failed.output, "secret")
    assert.strictEqual(failed.code, 3)
  })

  it("ends with 1 where no endpoint of a chain answers", async () => {
    const { code, output } = await assay(["doctor"], { settings: { ASSAY_RPC_URLS: "31337=http://127.0.0.1:1" } })
    assert.match(output, /No endpoint answers/)
    assert.strictEqual(code, 1)
  })
})
