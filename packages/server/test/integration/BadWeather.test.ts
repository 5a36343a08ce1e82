import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import { type Behaviour, forward, RpcProxy, secret, silence, without } from "./RpcProxy.js"
import { ServerProcess, wallet } from "./ServerProcess.js"

/** A port that nothing listens on any more. */
const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const answering =
  (status: number, body: string, headers: Record<string, string> = {}): Behaviour =>
  async () => ({ status, body, headers })

describe.runIf(Tier.landing)("bad weather", () => {
  let directory: string
  let sandbox: SharedSandbox.SharedSandbox
  let server: ServerProcess
  let clear: RpcProxy
  const proxies = new Map<number, RpcProxy>()

  // One endpoint a chain, each with a weather of its own; what it knows of the upstream is in its answers.
  const page = `<html>${secret} at 10.0.0.7: bad gateway</html>`
  const rpcError = JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32_000, message: `${secret} broke` } })
  // Longer than an execution has: a limit that ends before is waited for.
  const limits = answering(429, `slow down, ${secret}`, { "retry-after": "3600" })
  const weathers: ReadonlyArray<readonly [number, string, Behaviour | "down" | "sandbox"]> = [
    [1, "nobody listens", "down"],
    [10, "a page instead of JSON", answering(200, page)],
    [100, "truncated JSON", answering(200, '{"jsonrpc":"2.0","id":1,"resu')],
    [137, "JSON that is no JSON-RPC", answering(200, '[null, 7, {"id":"x"}]')],
    [8453, "an error for everything", answering(200, rpcError)],
    [42_161, "HTTP 429 for everything", limits],
    [43_114, "HTTP 500 for everything", answering(500, page)],
    [56, "another chain", "sandbox"],
    [59_144, "no answer at all", silence]
  ]

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "assay-integration-"))
    sandbox = await SharedSandbox.take()
    const urls: Array<string> = []
    for (const [chain, , weather] of weathers) {
      if (weather === "down") urls.push(`${chain}=http://127.0.0.1:${await closedPort()}/${secret}`)
      else {
        const proxy = await RpcProxy.start(weather === "sandbox" ? forward(sandbox.url) : weather)
        proxies.set(chain, proxy)
        urls.push(`${chain}=${proxy.url}`)
      }
    }
    clear = await RpcProxy.start(without(sandbox.url, "eth_simulateV1"))
    server = await ServerProcess.start({
      ASSAY_DATABASE: `sqlite:${join(directory, "weather.db")}`,
      ASSAY_RPC_URLS: [...urls, `31337=${clear.url}`].join(",")
    })
  })

  afterAll(async () => {
    await server?.kill()
    for (const proxy of [...proxies.values(), clear]) proxy?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  const endpoints = () => [...proxies.values(), clear].flatMap(({ url }) => [url, new URL(url).host])

  const assertUnavailable = async (chain: number, path: string): Promise<void> => {
    const key = await server.createKey()
    const answer = await server.send(`${path}?chain=${chain}`, { key })
    assert.strictEqual(answer.status, 502, answer.text)
    assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
    assert.strictEqual(answer.headers.get("units-charged"), "0")
    assert.deepInclude(answer.json, { code: "upstream_unavailable", status: 502, retryable: true })
    assert.strictEqual(answer.json.sources_failed.length, 1)
    assert.deepInclude(await server.usage(key), { used: 0, reserved: 0, remaining: 50 })

    const list = await server.send("executions", { key })
    assert.deepInclude(list.json.data[0], { status: "failed", content_hash: null, score: null })
    assert.strictEqual(list.json.data.length, 1)
    const stored = await server.send(`executions/${list.json.data[0].execution_id}`, { key })
    assert.deepInclude(stored.json, { status: "failed", units: 0, evidence: [] })
    assert.strictEqual(stored.json.error.code, "upstream_unavailable")
    for (const { text } of [answer, list, stored])
      for (const told of [secret, "127.0.0.1", "10.0.0.7", ...endpoints()]) assert.notInclude(text, told)
  }

  for (const [chain, title] of weathers)
    it.concurrent(`${title}: nothing could be read, the unit is back, and nothing of the endpoint is revealed`, () =>
      assertUnavailable(chain, `wallet/${wallet(chain)}`))

  it("one method missing: what it alone could show is unknown and says why, and the rest is charged", async () => {
    const key = await server.createKey()
    const { address } = sandbox.targets.honeypot
    const answer = await server.send(`token/${address}?chain=31337`, { key })
    assert.strictEqual(answer.status, 200, answer.text)
    assert.strictEqual(answer.headers.get("units-charged"), "1")
    const unknown = answer.json.evidence.filter((item: Record<string, string>) => item.state === "unknown")
    assert.isAbove(unknown.filter((item: Record<string, string>) => item.reason === "method_unsupported").length, 0)
    const states = new Map(answer.json.evidence.map((item: Record<string, string>) => [item.id, item.state]))
    // What is said of the endpoint itself is not about the target.
    for (const { evidence, kind, state, target } of sandbox.truth)
      if (target === "honeypot" && kind === "token" && states.has(evidence) && evidence !== "endpoint.capable")
        assert.include([state, "unknown"], states.get(evidence), evidence)
    assert.deepInclude(await server.usage(key), { used: 1, reserved: 0, remaining: 49 })
    for (const told of [secret, ...endpoints()]) assert.notInclude(answer.text, told)
  })

  it("when an endpoint comes back, the next analysis reads it, and the failed ones are no base", async () => {
    const key = await server.createKey()
    const path = `wallet/${sandbox.targets.holder.address}?chain=31337`
    const kept = clear.behaviour
    clear.behaviour = answering(500, page)
    assert.strictEqual((await server.send(path, { key })).status, 502)
    clear.behaviour = kept
    const answer = await server.send(path, { key })
    assert.strictEqual(answer.status, 200, answer.text)
    assert.strictEqual(answer.json.change_report.status, "baseline")
    assert.deepInclude(await server.usage(key), { used: 1, reserved: 0, remaining: 49 })
  })

  it("no endpoint and no word of it was logged", () => {
    assert.include(server.log, "/api/v1/wallet/:address")
    for (const told of [secret, "10.0.0.7", ...endpoints()]) assert.notInclude(server.log, told)
  })
})
