import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import { forward, RpcProxy, silence, slowly } from "./RpcProxy.js"
import { type Answer, eventually, ServerProcess, wallet } from "./ServerProcess.js"

describe.runIf(Tier.landing)("a server with a signal to stop", () => {
  let directory: string
  let sandbox: SharedSandbox.SharedSandbox
  let proxy: RpcProxy
  let server: ServerProcess
  let settings: Record<string, string>

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "assay-integration-"))
    sandbox = await SharedSandbox.take()
    proxy = await RpcProxy.start(forward(sandbox.url))
    settings = { ASSAY_DATABASE: `sqlite:${join(directory, "stop.db")}`, ASSAY_RPC_URLS: `31337=${proxy.url}` }
    server = await ServerProcess.start(settings)
  })

  afterEach(async () => {
    await server.kill()
    proxy.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  it("answers every analysis in flight, and finishes those without a caller", async () => {
    await server.kill()
    // However slow the machine is.
    server = await ServerProcess.start({ ...settings, ASSAY_SHUTDOWN_SECONDS: "600" })
    const key = await server.createKey()
    await server.send(`wallet/${wallet(0)}`, { key })
    proxy.behaviour = slowly(sandbox.url, 300)
    const kinds = ["plain", "honeypot"] as const
    const answers = kinds.map((name) => server.send(`token/${sandbox.targets[name].address}`, { key }))
    const gone = new AbortController()
    const dropped = server.send(`wallet/${sandbox.targets.approver.address}`, { key, signal: gone.signal }).then(
      () => "answered",
      () => "gone"
    )
    await eventually(
      () => server.usage(key),
      ({ reserved }) => reserved === 3
    )
    gone.abort()
    assert.strictEqual(await dropped, "gone")
    const ended = server.stop()
    const results: ReadonlyArray<Answer> = await Promise.all(answers)
    for (const { headers, status, text } of results) {
      assert.strictEqual(status, 200, text)
      assert.strictEqual(headers.get("units-charged"), "1")
    }
    assert.strictEqual(await ended, 0)

    proxy.behaviour = forward(sandbox.url)
    server = await ServerProcess.start(settings)
    for (const { json } of results)
      assert.deepStrictEqual((await server.send(`executions/${json.execution_id}`, { key })).json, json)
    const list = await server.executions(key)
    assert.deepStrictEqual(
      list.map(({ status }) => status),
      ["complete", "complete", "complete", "complete"]
    )
    assert.include(
      list.map(({ address }) => address),
      sandbox.targets.approver.address
    )
    assert.deepInclude(await server.usage(key), { used: 4, reserved: 0, remaining: 46 })
  })

  it("gives up what hangs, gives its unit back, and ends with 0", async () => {
    const key = await server.createKey()
    await server.send(`wallet/${wallet(0)}`, { key })
    proxy.behaviour = silence
    const hanging = server.send(`token/${sandbox.targets.plain.address}`, { key }).then(
      ({ status }) => status,
      () => "cut off"
    )
    await eventually(
      () => server.usage(key),
      ({ reserved }) => reserved === 1
    )
    assert.strictEqual(await server.stop(), 0)
    assert.include([502, 503, "cut off"], await hanging)

    proxy.behaviour = forward(sandbox.url)
    server = await ServerProcess.start(settings)
    const list = await server.executions(key)
    assert.deepStrictEqual(
      list.map(({ status }) => status),
      ["failed", "complete"]
    )
    assert.deepInclude(await server.usage(key), { used: 1, reserved: 0, remaining: 49 })
  })
})
