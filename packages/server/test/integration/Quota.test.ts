import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import { ServerProcess, wallet } from "./ServerProcess.js"

describe.runIf(Tier.landing)("a daily quota", () => {
  let directory: string
  let sandbox: SharedSandbox.SharedSandbox
  let server: ServerProcess

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "assay-integration-"))
    sandbox = await SharedSandbox.take()
    server = await ServerProcess.start({
      ASSAY_DATABASE: `sqlite:${join(directory, "quota.db")}`,
      ASSAY_RPC_URLS: `31337=${sandbox.url}`,
      ASSAY_DAILY_QUOTA: "50",
      ASSAY_BURST_PER_MINUTE: "10000",
      ASSAY_CONCURRENCY_PER_KEY: "1000"
    })
  })

  afterAll(async () => {
    await server?.kill()
    rmSync(directory, { recursive: true, force: true })
  })

  it("of 50 units grants exactly 50 of 200 analyses at once, and the others leave nothing behind", async () => {
    const [key, other] = [await server.createKey(), await server.createKey()]
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => server.send(`wallet/${wallet(index)}`, { key }))
    )
    const granted = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 429)
    assert.strictEqual(granted.length, 50)
    assert.strictEqual(refused.length, 150)
    for (const { headers, json } of granted) {
      assert.strictEqual(headers.get("units-charged"), "1")
      assert.strictEqual(json.units, 1)
    }
    for (const { headers, json } of refused) {
      assert.strictEqual(headers.get("content-type"), "application/problem+json")
      assert.strictEqual(headers.get("units-charged"), "0")
      assert.deepInclude(json, { code: "quota_exceeded", status: 429, violated_policies: ["daily"], retryable: true })
      const wait = Number(headers.get("retry-after"))
      assert.isAtLeast(wait, 1)
      assert.isAtMost(wait, 86_400)
      assert.strictEqual(json.retry_after_seconds, wait)
    }
    assert.deepInclude(await server.usage(key), { daily_quota: 50, used: 50, reserved: 0, remaining: 0 })
    const stored = await server.executions(key)
    assert.deepStrictEqual(
      new Set(stored.map(({ execution_id }) => execution_id)),
      new Set(granted.map(({ json }) => json.execution_id))
    )
    assert.strictEqual(stored.length, 50)
    for (const { status } of stored) assert.include(["complete", "partial"], status)
    const first = (await server.send("usage/ledger?limit=30", { key })).json
    const next = (await server.send(`usage/ledger?limit=30&cursor=${first.next_cursor}`, { key })).json
    assert.deepStrictEqual([first.data.length, next.data.length, next.next_cursor], [30, 20, null])
    assert.deepStrictEqual(
      new Set([...first.data, ...next.data].map(({ execution_id }) => execution_id)),
      new Set(stored.map(({ execution_id }) => execution_id))
    )
    for (const entry of [...first.data, ...next.data])
      assert.deepInclude(entry, { kind: "wallet", units: 1, state: "committed", reason: null, watch_id: null })

    assert.deepInclude(await server.usage(other), { used: 0, remaining: 50 })
    assert.strictEqual((await server.send(`wallet/${wallet(0)}`, { key: other })).status, 200)
    assert.strictEqual((await server.send(`token/${wallet(0)}`, { key: other })).json.code, "target_mismatch")
    const [released, committed] = (await server.send("usage/ledger", { key: other })).json.data
    assert.deepInclude(released, { kind: "token", state: "released", reason: "target_mismatch" })
    assert.deepInclude(committed, { kind: "wallet", state: "committed", reason: null })
  })

  it("is not spent by reading what is stored, which goes on when it is gone", async () => {
    const key = await server.createKey()
    await Promise.all(Array.from({ length: 50 }, (_, index) => server.send(`wallet/${wallet(index)}`, { key })))
    const [stub] = await server.executions(key)
    const [stored, changes, refused] = await Promise.all([
      server.send(`executions/${stub.execution_id}`, { key }),
      server.send(`executions/${stub.execution_id}/changes`, { key }),
      server.send(`wallet/${wallet(0)}`, { key })
    ])
    assert.deepStrictEqual([stored.status, changes.status, refused.status], [200, 200, 429])
    assert.deepInclude(await server.usage(key), { used: 50, reserved: 0, remaining: 0 })
  })

  it("concurrency over the limit of a key is refused without a unit or a trace", async () => {
    const strict = await ServerProcess.start({
      ASSAY_DATABASE: `sqlite:${join(directory, "slots.db")}`,
      ASSAY_RPC_URLS: `31337=${sandbox.url}`,
      ASSAY_CONCURRENCY_PER_KEY: "3"
    })
    try {
      const key = await strict.createKey()
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, index) => strict.send(`wallet/${wallet(index)}`, { key }))
      )
      const done = answers.filter(({ status }) => status === 200).length
      const refused = answers.filter(({ status }) => status === 429)
      assert.isAtLeast(done, 3)
      assert.isAbove(refused.length, 0)
      assert.strictEqual(done + refused.length, 30)
      for (const { headers, json } of refused) {
        assert.strictEqual(json.code, "concurrency_exceeded")
        assert.strictEqual(headers.get("units-charged"), "0")
        assert.isNotNull(headers.get("retry-after"))
      }
      assert.deepInclude(await strict.usage(key), { used: done, reserved: 0, remaining: 50 - done })
      assert.strictEqual((await strict.executions(key)).length, done)
    } finally {
      await strict.kill()
    }
  })
})
