import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import {
  Analyzer,
  Bell,
  ChainAccess,
  Chains,
  Checks,
  EventBell,
  Executions,
  Id,
  KeyStore,
  Quota,
  Relay,
  Watches
} from "@assay/core"
import { Sandbox } from "@assay/sandbox"
import { SqliteStorage } from "@assay/storage-sqlite"
import { NodeHttpClient } from "@effect/platform-node"
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Layer, ManagedRuntime, Option } from "effect"
import { sandboxChain } from "../scripts/sandboxChain.mjs"

const hour = 3_600_000

/** What a check of a watch costs in the database: main.mjs says what the figures mean. */
export const storage = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      checks: { type: "string", default: "60" },
      target: { type: "string", multiple: true, default: ["plain", "usdc", "approver"] },
      moving: { type: "string", multiple: true, default: ["plain", "usdc"] },
      directory: { type: "string", default: tmpdir() },
      keep: { type: "boolean", default: false }
    }
  })
  const checks = Number(values.checks)
  const directory = mkdtempSync(join(values.directory, "assay-bench-"))
  const sandbox = await Sandbox.start()
  try {
    console.log(`storage: ${checks} hourly checks of a watch after its first 10, a database for each target\n`)
    console.log(
      "target             what stays the same    bytes a check   of these the execution   document bytes   unchanged"
    )
    const quiet = []
    for (const name of values.target) {
      const measured = await measure({ sandbox, directory, name, checks, move: () => mine(sandbox) })
      print(name, "all but the block", measured)
      quiet.push(measured.bytes)
    }
    for (const name of values.moving)
      print(
        name,
        "no reserve or balance",
        await measure({
          sandbox,
          directory,
          name: `${name}`,
          suffix: "-moving",
          checks,
          move: () => trade(sandbox, name)
        })
      )
    const mean = quiet.reduce((sum, bytes) => sum + bytes, 0) / quiet.length
    console.log(
      `\n100 hourly quiet watches for 30 days, extrapolated from these ${quiet.length * checks} quiet checks: ${((mean * 100 * 24 * 30) / 1e6).toFixed(0)} MB`
    )
  } finally {
    await sandbox.stop()
    if (values.keep) console.log(directory)
    else rmSync(directory, { recursive: true, force: true })
  }
}

const print = (name, what, { bytes, document, execution, unchanged }) =>
  console.log(
    `${name.padEnd(18)} ${what.padEnd(22)} ${bytes.toFixed(0).padStart(13)}   ${execution.toFixed(0).padStart(22)}   ${document.toFixed(0).padStart(14)}   ${unchanged}`
  )

const mine = (sandbox) => sandbox.rpc.call("anvil_mine", ["0x1", "0xe10"])

/** Someone buys a little of the token, so that reserves, prices and balances are others. */
const trade = async (sandbox, name) => {
  const { address } = sandbox.targets[name]
  const word = (value) => value.replace(/^0x/, "").toLowerCase().padStart(64, "0")
  const { uniswapV2Router, weth } = sandbox.infrastructure
  const buyer = sandbox.accounts.deployer
  // swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 least, address[] path, address to, uint256 deadline)
  const data = `0xb6f9de95${word("0")}${word("80")}${word(buyer)}${"f".repeat(64)}${word("2")}${word(weth)}${word(address)}`
  await sandbox.transact({ from: buyer, to: uniswapV2Router, data, value: 10n ** 13n, gas: 1_000_000n })
  await mine(sandbox)
}

const measure = async ({ checks, directory, move, name, sandbox, suffix = "" }) => {
  const filename = join(directory, `${name}${suffix}.db`)
  const chain = sandboxChain(sandbox)
  const clock = laterClock()
  const runtime = ManagedRuntime.make(
    Watches.layer({ graceSeconds: 0 }).pipe(
      Layer.provideMerge(Executions.layer({ graceSeconds: 0 })),
      Layer.provideMerge(Quota.layer()),
      Layer.provideMerge(Layer.mergeAll(Analyzer.layer(Checks.all), Chains.layer([chain]), Bell.layer)),
      Layer.provide(ChainAccess.layerJsonRpc({ headTtl: "1 millis" })),
      Layer.provide(NodeHttpClient.layerUndici),
      Layer.provideMerge(Relay.layer()),
      Layer.provideMerge(EventBell.layer),
      Layer.provideMerge(SqliteStorage.layer({ filename })),
      Layer.provideMerge(SqliteStorage.layerClient({ filename })),
      Layer.provideMerge(Layer.setClock(clock))
    )
  )
  try {
    const { address, kind } = sandbox.targets[name]
    const { caller, watch } = await runtime.runPromise(begin({ kind, address, chain }))
    const check = async () => {
      await move()
      clock.later(hour)
      return runtime.runPromise(checkNow(caller, watch))
    }
    for (let run = 0; run < 10; run++) await check()
    const before = await runtime.runPromise(size)
    let unchanged = 0
    for (let run = 0; run < checks; run++) if ((await check()).change_status === "unchanged") unchanged++
    const after = await runtime.runPromise(size)
    return {
      bytes: (after.bytes - before.bytes) / checks,
      execution: (after.execution - before.execution) / checks,
      document: await runtime.runPromise(documentBytes(caller, watch)),
      unchanged: `${unchanged} of ${checks}`
    }
  } finally {
    await runtime.dispose()
  }
}

/** The clock of this machine, set forward; it waits as that one does. */
const laterClock = () => {
  let ahead = 0
  const real = Clock.make()
  return {
    ...real,
    sleep: (duration) => real.sleep(duration),
    unsafeCurrentTimeMillis: () => real.unsafeCurrentTimeMillis() + ahead,
    unsafeCurrentTimeNanos: () => real.unsafeCurrentTimeNanos() + BigInt(ahead) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => real.unsafeCurrentTimeMillis() + ahead),
    currentTimeNanos: Effect.sync(() => real.unsafeCurrentTimeNanos() + BigInt(ahead) * 1_000_000n),
    later: (millis) => {
      ahead += millis
    }
  }
}

const begin = (target) =>
  Effect.gen(function* () {
    const keys = yield* KeyStore.KeyStore
    const id = yield* Id.make("key")
    yield* keys.insert({
      id,
      hashVersion: 1,
      hash: `0x${"0".repeat(64)}`,
      hint: "asy_test…test",
      label: "bench",
      state: "active",
      dailyQuota: 1_000_000,
      createdAt: 0,
      expiresAt: Option.none(),
      lastUsedAt: Option.none(),
      source: Option.none(),
      former: Option.none(),
      plan: Option.none(),
      invitation: Option.none()
    })
    const caller = { id, dailyQuota: 1_000_000, source: Option.none() }
    const watches = yield* Watches.Watches
    const { value } = yield* watches.create(caller, {
      ...target,
      label: "",
      intervalSeconds: 3600,
      options: {},
      paused: false
    })
    return { caller, watch: value.id }
  })

const checkNow = (caller, watch) =>
  Effect.gen(function* () {
    const watches = yield* Watches.Watches
    const { id } = yield* watches.runNow(caller, watch)
    while (true) {
      const { data } = yield* watches.runs(caller, watch, { limit: 1, cursor: Option.none() })
      if (data[0].id === id && data[0].status !== "running") {
        if (data[0].status !== "succeeded") throw new Error(JSON.stringify(data[0]))
        return data[0]
      }
      yield* Effect.promise(() => setTimeout(5))
    }
  })

const documentBytes = (caller, watch) =>
  Effect.gen(function* () {
    const watches = yield* Watches.Watches
    const executions = yield* Executions.Executions
    const { data } = yield* watches.runs(caller, watch, { limit: 1, cursor: Option.none() })
    return Buffer.byteLength(JSON.stringify(yield* executions.get(caller, data[0].execution_id)))
  })

/** The pages in use, and those of the tables and indexes of executions, in bytes. */
const size = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [pages] = yield* sql`
    SELECT (page_count - freelist_count) * page_size AS bytes
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`
  const [own] = yield* sql`
    SELECT coalesce(sum(pgsize), 0) AS bytes FROM dbstat
    WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name IN ('execution', 'document'))`
  return { bytes: pages.bytes, execution: own.bytes }
})
