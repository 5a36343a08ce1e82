import { once } from "node:events"
import { createServer, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { stranger } from "./TestChain.js"
import { assay } from "./TestShell.js"

// Commands wait for an endpoint more than they work.
describe("the first request of a command", { concurrent: true }, () => {
  let sandbox: SharedSandbox.SharedSandbox
  const closing: Array<() => void> = []
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })
  afterAll(() => {
    for (const close of closing.splice(0)) close()
  })

  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener).listen(0, "127.0.0.1")
    closing.push(() => {
      server.close()
      server.closeAllConnections()
    })
    await once(server, "listening")
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  /** The sandbox behind an endpoint that answers its first requests so. */
  const after = (first: ReadonlyArray<(response: ServerResponse) => void>) => {
    const left = [...first]
    return serve(async (request, response) => {
      const body = await text(request)
      const odd = left.shift()
      if (odd !== undefined) return odd(response)
      const answer = await fetch(sandbox.url, { method: "POST", body, headers: { "content-type": "application/json" } })
      response.setHeader("content-type", "application/json").end(await answer.text())
    })
  }

  const status = (code: number) => (response: ServerResponse) => {
    response.writeHead(code).end()
  }
  const says = (body: string) => (response: ServerResponse) => {
    response.setHeader("content-type", "application/json").end(body)
  }

  it("is sent again where it was refused for the rate, failed, or was answered with nothing of use", async () => {
    const nothing = says('{"jsonrpc":"2.0","id":1,"result":null}')
    const limited = says('{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"too many requests"}}')
    const starts: ReadonlyArray<readonly [command: ReadonlyArray<string>, first: Parameters<typeof after>[0]]> = [
      [["doctor"], [status(429)]],
      [
        ["analyze", stranger, "--json"],
        [status(429), limited, status(503), nothing]
      ],
      [["analyze", stranger, "--json"], [(response) => response.destroy()]]
    ]
    const all = await Promise.all(
      starts.map(async ([command, first]) => assay([...command, "--rpc", await after(first)]))
    )
    for (const { code, errors } of all) {
      // A machine that takes longer than a request may take says what the command waits for.
      assert.strictEqual(errors.replace(/^assay: .* has not said yet which chain it serves; .*\n/m, ""), "")
      assert.strictEqual(code, 0)
    }
  })

  it("names an endpoint that hangs with the time that it had, wherever the endpoint is set", async () => {
    const url = await serve(() => {})
    const settings = { ASSAY_RPC_URLS: `31337=${url}/secret` }
    const late = "did not answer within 10 s"
    const commands: ReadonlyArray<readonly [args: ReadonlyArray<string>, says: string]> = [
      [["analyze", stranger, "--rpc", `${url}/secret`], `assay: endpoint 1 of --rpc (${url}) ${late}; check the URL`],
      [["watch", stranger, "--rpc", `${url}/secret`], `assay: endpoint 1 of --rpc (${url}) ${late}; check the URL`],
      [["analyze", stranger], `assay: ${url} ${late}\n`],
      [["doctor"], `Endpoint 1 (${url}) ${late}\n`]
    ]
    const all = await Promise.all(
      commands.map(async ([args, says]) => ({ ...(await assay(args, { settings })), says }))
    )
    for (const { code, errors, output, says } of all) {
      assert.include(errors + output.replace(/\n +/g, " "), says)
      assert.notInclude(errors + output, "secret")
      assert.strictEqual(code, 1)
    }
  })
})
