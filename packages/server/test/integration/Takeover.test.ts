import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import { forward, RpcProxy, silence } from "./RpcProxy.js"
import { eventually, ServerProcess, wallet } from "./ServerProcess.js"

/** Within how many seconds what a dead process left ends: far sooner than its lease, which is 120 s. */
const noticed = 60

describe.runIf(Tier.landing)("two servers on one database, of which one is killed", () => {
  let directory: string
  let sandbox: SharedSandbox.SharedSandbox
  let proxy: RpcProxy
  const running = new Set<ServerProcess>()

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "assay-integration-"))
    sandbox = await SharedSandbox.take()
    proxy = await RpcProxy.start(forward(sandbox.url))
  })

  afterAll(async () => {
    for (const server of running) await server.kill()
    proxy?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  const start = async (): Promise<ServerProcess> => {
    const server = await ServerProcess.start({
      ASSAY_DATABASE: `sqlite:${join(directory, "takeover.db")}`,
      ASSAY_RPC_URLS: `31337=${proxy.url}`,
      ASSAY_DAILY_QUOTA: "100",
      ASSAY_BURST_PER_MINUTE: "10000"
    })
    running.add(server)
    return server
  }

  const kill = async (server: ServerProcess): Promise<void> => {
    await server.kill()
    running.delete(server)
  }

  it("ends nothing of the other, and what the dead one left ends long before its lease, here and in a new one", async () => {
    const [one, two] = [await start(), await start()]
    const key = await one.createKey()
    const statuses = async () => (await two.executions(key)).map(({ status }) => status)

    // All three slots of the key wait for the chain in the first.
    proxy.behaviour = silence
    const lost = Promise.allSettled([0, 1, 2].map((index) => one.send(`wallet/${wallet(index)}`, { key })))
    await eventually(
      () => two.usage(key),
      ({ reserved }) => reserved === 3
    )
    // Long enough for the second to look at what the first one does, several times.
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    assert.deepStrictEqual(await statuses(), ["running", "running", "running"])
    const refused = await two.send(`wallet/${wallet(3)}`, { key })
    assert.deepStrictEqual([refused.status, refused.json.code], [429, "concurrency_exceeded"])
    const joined = two.send(`wallet/${wallet(0)}`, { key })

    proxy.behaviour = forward(sandbox.url)
    await kill(one)
    await lost
    // The analysis that it had joined runs here now, and so does the one that waited for a slot.
    const [same, other] = await Promise.all([joined, two.send(`wallet/${wallet(3)}`, { key })])
    assert.deepStrictEqual([same.status, same.json.units, other.status, other.json.units], [200, 1, 200, 1])
    await eventually(statuses, (all) => !all.includes("running"), noticed)
    assert.deepInclude(await two.usage(key), { used: 2, reserved: 0 })

    // The other way round, with nobody left, and a new process.
    proxy.behaviour = silence
    const again = Promise.allSettled([0, 1, 2].map((index) => two.send(`wallet/${wallet(index)}`, { key })))
    await eventually(
      () => two.usage(key),
      ({ reserved }) => reserved === 3
    )
    await kill(two)
    await again
    proxy.behaviour = forward(sandbox.url)
    const three = await start()
    const result = await three.send(`wallet/${wallet(0)}`, { key })
    assert.deepStrictEqual([result.status, result.json.units], [200, 1])
    await eventually(
      () => three.usage(key),
      ({ reserved }) => reserved === 0,
      noticed
    )
    const executions = await three.executions(key)
    assert.strictEqual(executions.filter(({ status }) => status === "failed").length, 6)
    assert.strictEqual(executions.length, 9)
    assert.deepInclude(await three.usage(key), { used: 3, reserved: 0 })
    assert.strictEqual(await three.stop(), 0)
    running.delete(three)
    // That of the first went when the third started, at the latest; that of the second may be left, as its work named it then.
    assert.isAtMost(readdirSync(directory).filter((file) => file.includes("-process-")).length, 1)
  })
})
