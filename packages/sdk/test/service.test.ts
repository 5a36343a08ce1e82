import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { SharedSandbox } from "@assay/sandbox"
import { AssayError } from "@assay/sdk"
import { createService, type Service } from "@assay/sdk/service"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const code = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "",
    (error) => (error instanceof AssayError ? error.code : String(error))
  )

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

  it("serves the API of the server below its path, by web requests and by those of Node.js", async () => {
    const web = await service.handler(new Request("http://wallet.example/risk/api/v1/limits"))
    assert.strictEqual(web.status, 200)
    const listener = createServer(service.nodeHandler).listen(0, "127.0.0.1")
    await new Promise((resolve) => listener.once("listening", resolve))
    const { port } = listener.address() as AddressInfo
    const answer = await fetch(`http://127.0.0.1:${port}/risk/api/v1/keys`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ label: "by HTTP" })
    })
    assert.strictEqual(answer.status, 201)
    const { key } = (await answer.json()) as { readonly key: string }
    assert.strictEqual((await service.keys.get(key)).label, "by HTTP")
    await new Promise((resolve) => listener.close(resolve))
  })

  it("is closed for good", async () => {
    const own = createService({ chains: { ethereum: "http://127.0.0.1:1" } })
    await own.close()
    assert.strictEqual(await code(own.keys.create({ label: "late" })), "closed")
  })
})
