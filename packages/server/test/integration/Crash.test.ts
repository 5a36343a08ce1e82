import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import type { Row } from "./Database.js"
import { DatabaseFile } from "./DatabaseFile.js"
import { forward, RpcProxy, silence, slowly } from "./RpcProxy.js"
import { type Answer, eventually, ServerProcess, wallet } from "./ServerProcess.js"

/** Within how many seconds a process that is gone is noticed. */
const noticed = 5

/** What a file shows as running while no process lives, newest first, each with the state of its unit. */
const leftIn = async (filename: string): Promise<ReadonlyArray<Row>> => {
  const file = new DatabaseFile(filename)
  try {
    return await file.rows(`
      SELECT execution.id, address, ifnull(reservation.state, 'none') AS unit
      FROM execution LEFT JOIN reservation ON reservation.id = execution.id
      WHERE status = 'running' ORDER BY seq DESC`)
  } finally {
    await file.close()
  }
}

describe.runIf(Tier.landing)("a server that is killed", () => {
  let directory: string
  let filename: string
  let sandbox: SharedSandbox.SharedSandbox
  let proxy: RpcProxy
  let settings: Record<string, string>
  const running = new Set<ServerProcess>()

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "assay-integration-"))
    filename = join(directory, "crash.db")
    sandbox = await SharedSandbox.take()
    proxy = await RpcProxy.start(forward(sandbox.url))
    settings = {
      ASSAY_DATABASE: `sqlite:${filename}`,
      ASSAY_RPC_URLS: `31337=${proxy.url}`,
      ASSAY_DAILY_QUOTA: "100",
      ASSAY_BURST_PER_MINUTE: "10000",
      ASSAY_CONCURRENCY_PER_KEY: "1000"
    }
  })

  afterAll(async () => {
    for (const server of running) await server.kill()
    proxy?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  const start = async (): Promise<ServerProcess> => {
    const server = await ServerProcess.start(settings)
    running.add(server)
    return server
  }

  const kill = async (server: ServerProcess): Promise<void> => {
    await server.kill()
    running.delete(server)
  }

  it("loses nothing that it acknowledged, charges nothing twice, and gives back at once what was in flight", async () => {
    const keys: Array<string> = []
    const acknowledged = new Map<string, Answer>()
    const analyse = async (server: ServerProcess, index: number): Promise<void> => {
      const answer = await server.send(`wallet/${wallet(index)}`, { key: keys[0] })
      assert.strictEqual(answer.status, 200, answer.text)
      acknowledged.set(answer.json.execution_id, answer)
    }
    /** Starts analyses of which a kill takes those that are not answered by then. */
    const launch = (server: ServerProcess, indices: ReadonlyArray<number>): Promise<unknown> =>
      Promise.allSettled(indices.map((index) => analyse(server, index)))
    const range = (from: number, length: number) => Array.from({ length }, (_, index) => from + index)
    const assertNothingLost = async (server: ServerProcess): Promise<void> => {
      for (const key of keys) assert.strictEqual((await server.send("keys/self", { key })).status, 200)
      for (const [id, { json }] of acknowledged)
        assert.deepStrictEqual((await server.send(`executions/${id}`, { key: keys[0] })).json, json)
    }

    const first = await start()
    keys.push(await first.createKey(), await first.createKey())
    await launch(first, range(0, 3))
    assert.strictEqual(acknowledged.size, 3)

    // The first kill falls where it falls: somewhere between the steps of 24 executions.
    proxy.behaviour = slowly(sandbox.url, 5)
    const storm = launch(first, range(3, 24))
    await eventually(
      async () => acknowledged.size,
      (count) => count >= 5
    )
    await kill(first)
    await storm
    const before = await leftIn(filename)

    const second = await start()
    await assertNothingLost(second)
    // What the first one left is ended at once, because its lock is free.
    const left = await eventually(
      () => second.usage(keys[0] ?? ""),
      ({ reserved }) => reserved === 0,
      noticed
    )
    assert.isAtLeast(left.used, acknowledged.size)
    // The second falls while 10 wait for the chain, their units set aside.
    proxy.behaviour = silence
    const waiting = launch(second, range(100, 10))
    await eventually(
      () => second.usage(keys[0] ?? ""),
      ({ reserved }) => reserved === 10
    )
    keys.push(await second.createKey())
    await kill(second)
    await waiting
    proxy.behaviour = forward(sandbox.url)
    const inFlight = await leftIn(filename)
    assert.sameMembers(
      inFlight.map(({ address }) => address.toLowerCase()),
      range(100, 10).map(wallet)
    )
    assert.isTrue(inFlight.every(({ unit }) => unit === "reserved"))
    const stuck = [...inFlight, ...before]
    const [key = ""] = keys

    const server = await start()
    await assertNothingLost(server)
    const usage = await eventually(
      () => server.usage(key),
      ({ reserved }) => reserved === 0,
      noticed
    )
    assert.strictEqual(usage.used, left.used)
    const after = await server.executions(key)
    assert.deepStrictEqual(
      after.filter(({ status }) => status === "failed").map(({ execution_id }) => execution_id),
      stuck.map(({ id }) => id)
    )
    for (const { id } of stuck) {
      const { json } = await server.send(`executions/${id}`, { key })
      assert.deepInclude(json, { status: "failed", units: 0, evidence: [] })
      assert.strictEqual(json.error.code, "lease_lost")
    }
    const stored = after.filter(({ status }) => status === "complete" || status === "partial").length
    assert.strictEqual(stored + stuck.length, after.length)
    assert.isAtLeast(stored, acknowledged.size)
    assert.deepInclude(await server.usage(key), { used: stored, reserved: 0, remaining: 100 - stored })
    await assertNothingLost(server)

    // What was given back can be spent, and what failed is analysed as if for the first time.
    await launch(server, [100])
    assert.deepInclude(await server.usage(key), { used: stored + 1, reserved: 0 })
    const [newest] = await server.executions(key)
    assert.strictEqual(acknowledged.get(newest.execution_id)?.json.change_report.status, "baseline")
    assert.deepInclude(await server.usage(keys[1] ?? ""), { used: 0, reserved: 0, remaining: 100 })
  })
})
