import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, it } from "vitest"
import { Terminal } from "./cli/Terminal.js"
import { ServerProcess, wallet } from "./integration/ServerProcess.js"

const directory = mkdtempSync(join(tmpdir(), "assay-smoke-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

// The one file of `npm test` that starts a process of ours: all that is left out of it is tested at landing.
it("the server as shipped analyses, grants 50 of 200 requests at once, ends on SIGTERM, and has all of it afterwards", async () => {
  const sandbox = await SharedSandbox.take()
  const settings = {
    ASSAY_DATABASE: `sqlite:${join(directory, "smoke.db")}`,
    ASSAY_RPC_URLS: `31337=${sandbox.url}`,
    ASSAY_DAILY_QUOTA: "50",
    ASSAY_BURST_PER_MINUTE: "10000",
    ASSAY_CONCURRENCY_PER_KEY: "1000"
  }
  const first = await ServerProcess.start(settings)
  try {
    const [key, other] = [await first.createKey(), await first.createKey()]
    const { json: analysis } = await first.send(`token/${sandbox.targets.honeypot.address}`, { key: other })
    assert.deepInclude(analysis, { status: "complete", units: 1 })
    assert.strictEqual(analysis.facts.risk.level, "critical")

    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => first.send(`wallet/${wallet(index)}`, { key }))
    )
    const granted = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ json, status }) => status === 429 && json.code === "quota_exceeded")
    assert.deepStrictEqual([granted.length, refused.length], [50, 150])
    assert.strictEqual(await first.stop(), 0, first.log)

    const second = await ServerProcess.start(settings)
    try {
      assert.deepInclude(await second.usage(key), { used: 50, reserved: 0, remaining: 0 })
      assert.deepStrictEqual(
        new Set((await second.executions(key)).map(({ execution_id }) => execution_id)),
        new Set(granted.map(({ json }) => json.execution_id))
      )
      const stored = await second.send(`executions/${analysis.execution_id}`, { key: other })
      assert.deepStrictEqual(stored.json, analysis)
    } finally {
      await second.kill()
    }
  } finally {
    await first.kill()
  }
})

it("the command as shipped shows on a terminal how far it is, and ends with its verdict", async () => {
  const sandbox = await SharedSandbox.take()
  const terminal = new Terminal(["analyze", sandbox.targets.honeypot.address, "--rpc", sandbox.url])
  try {
    assert.strictEqual(await terminal.ended, 2, terminal.written)
    assert.match(terminal.written, /\d+ of \d+ checks/)
    assert.match(terminal.screen, /Critical risk/i)
  } finally {
    terminal.close()
  }
})
