import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { AssayError, memory } from "@assay/sdk"
import { createService, type Service } from "@assay/sdk/service"
import { sqlite } from "@assay/sdk/sqlite"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const code = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "",
    (error) => (error instanceof AssayError ? error.code : String(error))
  )

const listening = async ({ nodeHandler }: Service) => {
  const server = createServer(nodeHandler).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    }
  }
}

describe("a service", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let service: Service
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    service = createService({
      chains: { local: { id: 31_337, endpoints: sandbox.url, addressBook: 1 } },
      basePath: "/risk",
      dailyQuota: 2
    })
  })
  afterAll(() => service.close())

  it("meters and compares what a key requests, and says in a code why it refuses", async () => {
    const { key } = await service.keys.create({ label: "mine" })
    const { plain, honeypot } = sandbox.targets
    const first = await service.executions.run(key, plain.address)
    assert.strictEqual(first.change_report?.status, "baseline")
    const again = await service.executions.run(key, { address: plain.address, kind: "token" })
    assert.strictEqual(again.change_report?.status, "unchanged")
    assert.strictEqual(await code(service.executions.run(key, honeypot.address)), "quota_exceeded")
    const { data } = await service.executions.list(key)
    assert.deepStrictEqual(
      data.map(({ execution_id }) => execution_id),
      [again.execution_id, first.execution_id]
    )
    assert.strictEqual((await service.executions.get(key, first.execution_id)).content_hash, first.content_hash)
    assert.strictEqual(await code(service.executions.get(key, "exe_01JD0000000000000000000000")), "not_found")
    const watch = await service.watches.create(key, plain.address, { label: "daily", everySeconds: 86_400 })
    assert.deepStrictEqual(
      (await service.watches.list(key)).data.map(({ id }) => id),
      [watch.id]
    )
    await service.watches.remove(key, watch.id)
    await service.keys.revoke(key)
    assert.strictEqual(await code(service.executions.list(key)), "key_refused")
    // The same engine, without a key.
    assert.strictEqual((await service.report(honeypot.address)).verdict.level, "critical")
  })

  it("ends a call with a key by its signal, and charges nothing for an analysis that was ended", async () => {
    const { key } = await service.keys.create({ label: "hasty" })
    const { plain } = sandbox.targets
    const ended = new AbortController()
    const running = service.executions.run(key, plain.address, { signal: ended.signal })
    ended.abort("enough")
    assert.strictEqual(await code(running), "aborted")
    const signal = AbortSignal.abort()
    for (const call of [
      service.keys.get(key, { signal }),
      service.executions.list(key, {}, { signal }),
      service.watches.create(key, plain.address, { label: "none", everySeconds: 86_400 }, { signal })
    ])
      assert.strictEqual(await code(call), "aborted")
    assert.isEmpty((await service.watches.list(key)).data)
    // Both units of the day are there.
    for (const _ of [1, 2]) await service.executions.run(key, plain.address)
    assert.strictEqual(await code(service.executions.run(key, plain.address)), "quota_exceeded")
  })

  it("serves the API of the server below its path, by web requests and by those of Node.js", async () => {
    const web = await service.handler(new Request("http://wallet.example/risk/api/v1/limits"))
    assert.strictEqual(web.status, 200)
    const { close, origin } = await listening(service)
    const answer = await fetch(`${origin}/risk/api/v1/keys`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ label: "by HTTP" })
    })
    assert.strictEqual(answer.status, 201)
    const { key } = (await answer.json()) as { readonly key: string }
    assert.strictEqual((await service.keys.get(key)).label, "by HTTP")
    await close()
  })

  it("says in a problem that its storage cannot be opened, and works once it can", async () => {
    const folder = mkdtempSync(join(tmpdir(), "assay-service-"))
    const file = join(folder, "service.db")
    mkdirSync(file)
    const warnings: Array<string> = []
    const warn = (message: string) => void warnings.push(message)
    const own = createService({
      chains: { ethereum: "http://127.0.0.1:1" },
      basePath: "/risk",
      storage: sqlite(file),
      secretsKeys: [new Uint8Array(32)],
      logger: { ...console, warn, info: () => {} }
    })
    const { close, origin } = await listening(own)
    const path = "/risk/api/v1/problems/draining"
    const both = () =>
      Promise.all([own.handler(new Request(`http://wallet.example${path}`)), fetch(`${origin}${path}`)])
    for (const answer of await both()) {
      assert.strictEqual(answer.status, 503)
      assert.deepInclude(Object.fromEntries(answer.headers), {
        "content-type": "application/problem+json",
        "retry-after": "5",
        "access-control-allow-origin": "*"
      })
      const problem = (await answer.json()) as { readonly [member: string]: unknown }
      assert.deepInclude(problem, {
        type: "/risk/api/v1/problems/storage-unavailable",
        code: "storage_unavailable",
        retryable: true,
        request_id: answer.headers.get("request-id")
      })
      assert.notInclude(JSON.stringify(problem), folder)
    }
    assert.include(warnings.join(), "could not be opened")
    assert.strictEqual(await code(own.keys.create({ label: "early" })), "storage_unavailable")
    rmdirSync(file)
    for (const answer of await both()) assert.strictEqual(answer.status, 200)
    assert.strictEqual(await code(own.keys.create({ label: "later" })), "")
    await own.close()
    for (const answer of await both())
      assert.deepInclude(await answer.json(), {
        status: 503,
        code: "draining",
        detail: "This assay is closed; make another one."
      })
    assert.strictEqual(await code(own.keys.create({ label: "late" })), "closed")
    await close()
    rmSync(folder, { recursive: true })
  })

  it("refuses an option that is wrong when it is made", () => {
    const chains = { ethereum: "http://127.0.0.1:1" }
    const refusal = (options: object) => {
      try {
        createService({ chains, ...options })
        return ""
      } catch (error) {
        return error instanceof AssayError ? `${error.code} ${error.message}` : String(error)
      }
    }
    assert.match(refusal({ basePath: "risk" }), /^invalid_option basePath: expected a path such as \/risk/)
    assert.match(refusal({ storage: sqlite("kept.db") }), /^invalid_option secretsKeys is missing/)
    assert.match(refusal({ secretsKeys: [new Uint8Array(16)] }), /^invalid_option secretsKeys are keys of 32 bytes/)
    assert.match(refusal({ dailyQuota: Number.NaN }), /^invalid_option dailyQuota/)
    assert.strictEqual(refusal({ storage: memory(), dailyQuota: 0 }), "")
  })
})
