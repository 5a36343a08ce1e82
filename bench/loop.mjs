import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Sandbox } from "@assay/sandbox"
import autocannon from "autocannon"
import { started } from "./server-process.mjs"

const bin = fileURLToPath(new URL("../packages/server/dist/main.js", import.meta.url))

const watcher = new URL("./loop-watcher.mjs", import.meta.url)

/** How long the event loop of a server is blocked: main.mjs says what the figures mean. */
export const loop = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: "string", default: "10" },
      rate: { type: "string", default: "1000" },
      analyses: { type: "string", default: "4" },
      target: { type: "string", multiple: true, default: ["plain", "usdc", "safeOwned", "approver"] }
    }
  })
  const directory = mkdtempSync(join(tmpdir(), "assay-loop-"))
  const sandbox = await Sandbox.start()
  const server = await serving(directory, sandbox)
  try {
    const send = async (path, options) => {
      const response = await fetch(server.origin + path, options)
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return response.json()
    }
    const newKey = async () => {
      const { key } = await send("/api/v1/keys", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"label":"bench"}'
      })
      return { authorization: `Bearer ${key}` }
    }
    const headers = await newKey()
    const paths = values.target.map((name) => {
      const { address, kind } = sandbox.targets[name]
      return `/api/v1/${kind}/${address}`
    })
    // Once each, so that the code is compiled and there is something to read.
    const ids = []
    for (const path of paths) ids.push((await send(path, { headers })).execution_id)

    const reads = (seconds) =>
      autocannon({
        url: server.origin,
        connections: 16,
        duration: seconds,
        overallRate: Number(values.rate),
        requests: ids.map((id) => ({ path: `/api/v1/executions/${id}`, headers }))
      })
    const row = (title, { max, own, p50, p99 }, { requests }, analyses) =>
      console.log(
        `${title.padEnd(26)}${p50.toFixed(1).padStart(8)}${p99.toFixed(1).padStart(8)}${max.toFixed(1).padStart(8)}${own.toFixed(1).padStart(8)}${(requests.total / Number(values.seconds)).toFixed(0).padStart(10)}${String(analyses).padStart(10)}`
      )
    console.log(`loop: ${values.rate} requests a second, ${values.seconds} s\n`)
    console.log(
      `${"".padEnd(26)}${["p50 ms", "p99 ms", "max ms", "own ms"].map((word) => word.padStart(8)).join("")}${"req/s".padStart(10)}${"analyses".padStart(10)}`
    )
    await reads(2)
    await server.delay()
    const alone = await reads(Number(values.seconds))
    row("reads alone", await server.delay(), alone, 0)
    let goesOn = true
    let made = 0
    const analysing = Promise.all(
      Array.from({ length: Number(values.analyses) }, async (_, place) => {
        // A key of its own, since one runs few analyses at once.
        const headers = await newKey()
        for (let turn = place; goesOn; turn++) {
          await send(`${paths[turn % paths.length]}`, { headers })
          made++
        }
      })
    )
    await server.delay()
    const beside = await reads(Number(values.seconds))
    const delay = await server.delay()
    const analyses = made
    goesOn = false
    await analysing
    row(`beside ${values.analyses} analyses at once`, delay, beside, analyses)
  } finally {
    await server.stop()
    await sandbox.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

const serving = async (directory, sandbox) => {
  const server = await started([`--import=${watcher}`, bin, "serve"], directory, {
    ASSAY_PORT: "0",
    ASSAY_DATABASE: `sqlite:${join(directory, "assay.db")}`,
    ASSAY_RPC_URLS: `${sandbox.chainId}=${sandbox.url}`,
    ASSAY_SCHEDULER: "off",
    ASSAY_LOG_FORMAT: "json",
    ASSAY_DAILY_QUOTA: "100000",
    ASSAY_BURST_PER_MINUTE: "1000000"
  })
  return {
    ...server,
    /** What was seen since the last time, in ms. */
    delay: async () => {
      const report = server.said(/^loop (.+)$/)
      server.signal("SIGUSR2")
      return JSON.parse((await report)[1])
    }
  }
}
