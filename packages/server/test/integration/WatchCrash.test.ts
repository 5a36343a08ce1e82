import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { Effect, Random } from "effect"
import { encodeFunctionData, parseAbi } from "viem/utils"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"
import * as TestPostgres from "../../../storage-postgres/test/TestPostgres.js"
import type { Database } from "./Database.js"
import { DatabaseFile, type Write } from "./DatabaseFile.js"
import { DatabaseOnPostgres } from "./DatabaseOnPostgres.js"
import { accept, FickleReceiver, neverAnswer } from "./FickleReceiver.js"
import { type Account, all, assertBalanced, assertBalancedWhenStill, quiet } from "./Reckoning.js"
import { forward, RpcProxy, silence } from "./RpcProxy.js"
import { eventually, ServerProcess } from "./ServerProcess.js"

// Few before a change lands, at moments that take turns; a seed repeats a run, up to the order of processes.
const kills = Number(process.env.ASSAY_TEST_KILLS ?? (Tier.all ? 100 : 1))
const seed = Number(process.env.ASSAY_TEST_SEED ?? (Tier.all ? 1 : Draw.draw))

/** How long a silent process is believed alive, in milliseconds. */
const lease = 120_000

/** A moment between two steps of a check: where the process stops, and what stands in the file then. */
interface Point {
  readonly before: Write | "analysis" | "answer"
  readonly left: { readonly execution: string; readonly unit: string; readonly run: string; readonly events: number }
}

const claimed = { execution: "none", unit: "none", run: "running", events: 0 }
const begun = { ...claimed, execution: "running" }
const reserved = { ...begun, unit: "reserved" }
const stored = { ...reserved, execution: "stored" }
const settled = { ...stored, unit: "committed" }
const finished = { ...settled, run: "succeeded" }
const told = { ...finished, events: 1 }

const points: ReadonlyArray<Point> = [
  { before: "begin the execution", left: claimed },
  { before: "reserve the unit", left: begun },
  { before: "analysis", left: reserved },
  { before: "store the result", left: reserved },
  { before: "settle the unit", left: stored },
  { before: "finish the run", left: settled },
  { before: "append the event", left: finished },
  { before: "clear the outbox", left: told },
  { before: "claim the delivery", left: told },
  { before: "answer", left: told },
  { before: "note the delivery", left: told }
]

/** Before a change lands two of them, far from each other, which take turns with the draw. */
const taken = points.filter((_, index) => Tier.all || index % 6 === Draw.draw % 6)

/** Numbers below a bound, the same ones for the same seed. */
const drawing = (from: number) => {
  const random = Random.make(from)
  return (below: number): number => Effect.runSync(random.nextIntBetween(0, below))
}

const json = (body: unknown) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

const postgres = await TestPostgres.databaseAtLanding()
afterAll(() => postgres?.drop())

/** Where the server keeps everything, and how that is opened from outside. */
interface Store {
  readonly name: string
  readonly setting: string
  readonly open: () => Database
}

describe.runIf(Tier.landing)("checks of a server that is killed", () => {
  const directory = mkdtempSync(join(tmpdir(), "assay-integration-"))
  let sandbox: SharedSandbox.SharedSandbox
  let proxy: RpcProxy
  let receiver: FickleReceiver
  const running = new Set<ServerProcess>()
  const open = new Set<Database>()

  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    proxy = await RpcProxy.start(forward(sandbox.url))
    receiver = await FickleReceiver.start(accept)
  })

  afterAll(async () => {
    for (const server of running) await server.kill()
    for (const file of open) await file.close()
    receiver?.stop()
    proxy?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  const start = async (database: string): Promise<ServerProcess> => {
    const server = await ServerProcess.start({
      ASSAY_DATABASE: database,
      ASSAY_SECRETS_KEY: "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=",
      ASSAY_RPC_URLS: `31337=${proxy.url}`,
      ASSAY_DAILY_QUOTA: "10000",
      ASSAY_BURST_PER_MINUTE: "10000",
      ASSAY_WEBHOOKS_ALLOW_PRIVATE: "on",
      ASSAY_WEBHOOKS_ALLOW_HTTP: "on"
    })
    running.add(server)
    return server
  }

  const kill = async (server: ServerProcess): Promise<void> => {
    await server.kill()
    running.delete(server)
  }

  const opened = <A extends Database>(database: A): A => {
    open.add(database)
    return database
  }

  const makeWatch = async (server: ServerProcess, key: string, body: Record<string, unknown>): Promise<string> => {
    const options = { verify: false, notify_unchanged: true }
    const watch = await server.send("watches", { key, ...json({ ...body, options }) })
    assert.strictEqual(watch.status, 201, watch.text)
    return watch.json.id
  }

  const run = async (server: ServerProcess, key: string, watch: string): Promise<string> => {
    const asked = await server.send(`watches/${watch}/run`, { key, method: "POST" })
    assert.strictEqual(asked.status, 202, asked.text)
    return asked.json.id
  }

  const makeAccount = async (server: ServerProcess): Promise<Account> => {
    const key = await server.createKey()
    const { json: webhook } = await server.send("webhooks", {
      key,
      ...json({ url: `${receiver.origin}/hook`, event_types: ["watch.changed", "watch.checked"] })
    })
    return { key, secret: webhook.secret, webhook: webhook.id, watches: [], runs: new Set() }
  }

  const approve = (amount: bigint) =>
    sandbox.transact({
      from: sandbox.accounts.approver,
      to: sandbox.targets.plain.address,
      data: encodeFunctionData({
        abi: parseAbi(["function approve(address, uint256) returns (bool)"]),
        args: [sandbox.accounts.spender, amount]
      })
    })

  it("between any two steps of a check leaves nothing stuck, charged twice or unreported", async () => {
    const filename = join(directory, "points.db")
    const setting = `sqlite:${filename}`
    const { address, kind } = sandbox.targets.approver
    receiver.received.length = 0
    let server = await start(setting)
    const file = opened(new DatabaseFile(filename))
    const account = await makeAccount(server)
    const { key, runs, watches } = account
    for (const { before } of taken)
      watches.push(await makeWatch(server, key, { target: kind, address, label: before, paused: true }))
    for (const watch of watches) runs.add(await run(server, key, watch))
    await quiet(file)
    await assertBalanced(server, file, receiver, account)

    // From here on there is one change to report to each of them.
    await kill(server)
    await approve(0n)
    await file.elapse(lease)

    const standing = async (id: string) => {
      const [found] = await file.rows(
        `SELECT
          ifnull((SELECT CASE status WHEN 'running' THEN status WHEN 'failed' THEN status ELSE 'stored' END
            FROM execution WHERE id = execution_id), 'none') AS execution,
          ifnull((SELECT state FROM reservation WHERE id = execution_id), 'none') AS unit,
          status AS run,
          (SELECT count(*) FROM event
            WHERE event.watch_id = watch_run.watch_id
              AND json_extract(body, '$.data.execution_id') = execution_id) AS events
         FROM watch_run WHERE id = ?`,
        [id]
      )
      return found
    }

    for (const [index, { before, left }] of taken.entries()) {
      server = await start(setting)
      await quiet(file)
      const messages = receiver.received.length
      let asked = ""
      const isReached = async (): Promise<boolean> => {
        if (before === "analysis") return (await standing(asked)).unit === "reserved"
        return before === "answer" ? receiver.received.length > messages : file.isStopped()
      }
      if (before === "analysis") proxy.behaviour = silence
      else if (before === "answer") receiver.answer = neverAnswer
      else await file.stopAt(before)
      asked = await run(server, key, watches[index] ?? "")
      runs.add(asked)
      await eventually(isReached, (reached) => reached, 120)
      await kill(server)
      assert.deepStrictEqual(await standing(asked), left, before)

      proxy.behaviour = forward(sandbox.url)
      receiver.answer = accept
      if (before !== "analysis" && before !== "answer") await file.release()
      await file.elapse(lease)
    }

    server = await start(setting)
    await quiet(file)
    await assertBalanced(server, file, receiver, account)
    for (const [index, { before, left }] of taken.entries()) {
      const [last] = await all(server, `watches/${watches[index]}/runs`, key)
      const isStored = left.execution === "stored"
      assert.deepInclude(
        last,
        isStored
          ? { status: "succeeded", change_status: "changed", units: 1 }
          : { status: "abandoned", change_status: null, units: 0 },
        before
      )
      assert.strictEqual((await server.send(`watches/${watches[index]}/resume`, { key, method: "POST" })).status, 200)
    }

    await kill(server)
    const [next] = await file.rows("SELECT max(next_due_at) AS due FROM watch")
    await file.elapse(next.due - Date.now())
    server = await start(setting)
    await eventually(
      () => file.rows("SELECT id FROM watch_run WHERE json_extract(document, '$.trigger') <> 'manual'"),
      ({ length }) => length === watches.length,
      120
    )
    await quiet(file)
    await assertBalanced(server, file, receiver, account)
    for (const [index, { before, left }] of taken.entries()) {
      const [last] = await all(server, `watches/${watches[index]}/runs`, key)
      const change_status = left.execution === "stored" ? "unchanged" : "changed"
      assert.deepInclude(last, { trigger: "schedule", status: "succeeded", change_status }, before)
    }
    await kill(server)
  })

  const moments = join(directory, "moments.db")
  const stores: ReadonlyArray<Store> = [
    { name: "SQLite", setting: `sqlite:${moments}`, open: () => new DatabaseFile(moments) },
    ...(postgres === undefined
      ? []
      : [{ name: "Postgres", setting: postgres.url, open: () => new DatabaseOnPostgres(postgres.url) }])
  ]
  for (const store of stores)
    it(`at ${kills === 1 ? "a moment" : `${kills} moments`} drawn from seed ${seed}, on ${store.name}, leaves nothing stuck, charged twice, unreported or running twice`, async () => {
      const draw = drawing(seed)
      const answers = drawing(seed + 1)
      const { setting } = store
      receiver.received.length = 0
      let server = await start(setting)
      const file = opened(store.open())
      const account = await makeAccount(server)
      const { key, runs, watches } = account
      const { approver, plain, unused, uups } = sandbox.targets
      const targets = Tier.all ? [approver, approver, unused, unused, plain, uups] : [approver, unused, plain]
      for (const { address, kind } of targets)
        watches.push(await makeWatch(server, key, { target: kind, address, interval_seconds: 900 }))

      let calls = 0
      proxy.behaviour = async (body) => {
        calls++
        return forward(sandbox.url)(body)
      }

      /** Requests checks and resolves at a moment of their progress: after so many calls, or so many writes. */
      const work = async (): Promise<void> => {
        const untilCalls = draw(100) < 40 ? calls + 1 + draw(60) : Number.POSITIVE_INFINITY
        let untilWrites = 1 + draw(60)
        for (const watch of watches.filter(() => draw(100) < 50))
          server.send(`watches/${watch}/run`, { key, method: "POST" }).then(
            ({ json: asked, status }) => {
              if (status === 202) runs.add(asked.id)
            },
            () => {}
          )
        let version: unknown
        let idle = 0
        let heard = calls
        while (untilWrites > 0 && calls < untilCalls && idle < 200) {
          const now = await file.version()
          if (now === version) {
            // What nobody goes on with for a while waits for a lease or an endpoint, and that is a moment too.
            idle = calls === heard ? idle + 1 : 0
            heard = calls
            await new Promise((resolve) => setTimeout(resolve, 2))
            continue
          }
          version = now
          idle = 0
          untilWrites--
          const most = await file.mostAtOnce()
          assert.isAtMost(most.runs, 1)
          assert.isAtMost(most.executions, 1)
        }
      }

      for (let killed = 0; killed < kills; killed++) {
        receiver.answer = async () => {
          const answer = answers(100)
          return answer < 10 ? neverAnswer() : answer < 30 ? 500 : 204
        }
        await work()
        await kill(server)
        if (draw(100) < 30) await approve(BigInt(1 + draw(1_000_000)))
        // Now and then it is back before anybody could believe that it is gone.
        if (draw(100) < 75) await file.elapse(lease + draw(900_000))
        server = await start(setting)
      }

      receiver.answer = accept
      await kill(server)
      const [{ due }] = await file.rows("SELECT max(due_at) AS due FROM delivery WHERE status = 'pending'")
      await file.elapse(Math.max(lease, (due ?? 0) - Date.now()))
      server = await start(setting)
      // Nothing is unfinished before the first check begins.
      await eventually(
        async () => (await file.rows("SELECT memory FROM watch")).map(({ memory }) => JSON.parse(memory).lastCheckedAt),
        (checked) => checked.every((at) => typeof at === "number"),
        120
      )
      await assertBalancedWhenStill(server, file, receiver, account)

      for (const watch of watches) runs.add(await run(server, key, watch))
      await assertBalancedWhenStill(server, file, receiver, account)
      for (const watch of watches) {
        const [last] = await all(server, `watches/${watch}/runs`, key)
        assert.strictEqual(last.status, "succeeded")
      }
      const ended = await file.rows("SELECT status, count(*) AS count FROM watch_run GROUP BY status ORDER BY status")
      const counts = ended.map(({ count, status }) => `${count} ${status}`).join(", ")
      if (Tier.all) console.log(`${store.name}, ${kills} kills: runs ${counts}; ${receiver.received.length} messages`)
      await kill(server)
    }, 3_600_000)
})
