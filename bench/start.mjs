import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { median } from "../scripts/quantiles.mjs"

const inServer = (path) => fileURLToPath(new URL(`../packages/server/${path}`, import.meta.url))

// What is published, and the same modules as the compiler wrote them.
const bin = inServer("bin/assay.js")
const unbundled = inServer("dist/main.js")

// The last fields of a process's line in /proc: user and system time, in hundredths of a second.
const cpuOf = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const residentOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

const begin = (args, directory) =>
  spawn(process.execPath, args, {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      ASSAY_PORT: "0",
      ASSAY_RPC_URLS: `1=${endpoint.url}`,
      ASSAY_LOG_FORMAT: "json"
    },
    stdio: ["ignore", "pipe", "inherit"]
  })

// Readiness reads the newest block, and its wait for a chain is no part of a start.
const endpoint = { url: "" }
const block = {
  number: "0x1",
  hash: `0x${"11".repeat(32)}`,
  parentHash: `0x${"22".repeat(32)}`,
  timestamp: "0x65000000",
  baseFeePerGas: "0x1",
  gasLimit: "0x1c9c380"
}
const answers = { eth_chainId: "0x1", eth_blockNumber: block.number, eth_getBlockByNumber: block }
const answer = ({ id, method }) =>
  method in answers
    ? { jsonrpc: "2.0", id, result: answers[method] }
    : { jsonrpc: "2.0", id, error: { code: -32_601, message: "not found" } }
const chain = createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8").on("data", (text) => {
    body += text
  })
  request.on("end", () => {
    const asked = JSON.parse(body)
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)))
  })
})

const endOf = (child) => new Promise((resolve) => child.once("close", resolve))

/** A process that ends by itself: its wall time, and CPU by the difference in what the children of this one used. */
const once = async (args, directory) => {
  const began = performance.now()
  const script = `const { spawnSync } = require("node:child_process")
spawnSync(process.execPath, ${JSON.stringify(args)}, { stdio: "ignore" })
const fields = require("node:fs").readFileSync("/proc/self/stat", "utf8").replace(/^.*\\) /, "").split(" ")
console.log((Number(fields[13]) + Number(fields[14])) * 10)`
  const child = begin(["-e", script], directory)
  let output = ""
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text
  })
  await endOf(child)
  return { wall: performance.now() - began, cpu: Number(output) }
}

/** A server from its start until it answers that it is ready, and what it holds at rest after that. */
const serving = async (program, directory, rest) => {
  const began = performance.now()
  const child = begin([program, "serve"], directory)
  const ended = endOf(child)
  try {
    const origin = await new Promise((resolve, reject) => {
      let output = ""
      child.stdout.setEncoding("utf8").on("data", (text) => {
        output += text
        const found = /(http:\/\/127\.0\.0\.1:\d+)\/api\/v1\/docs/.exec(output)
        if (found !== null) resolve(found[1])
      })
      ended.then((code) => reject(new Error(`the server ended with ${code}: ${output}`)))
    })
    while (!(await fetch(`${origin}/api/v1/health/ready`)).ok) await pause(0.01)
    const ready = { wall: performance.now() - began, cpu: cpuOf(child.pid) }
    await pause(rest)
    return { ...ready, resident: residentOf(child.pid) }
  } finally {
    child.kill("SIGTERM")
    await ended
  }
}

const row = (name, values) => console.log(`${name.padEnd(34)}${values.join("   ")}`)
const ms = (values) =>
  `${Math.round(median(values))} (${Math.round(Math.min(...values))}..${Math.round(Math.max(...values))}) ms`

const resident = (runs) => `${Math.round(median(runs.map(({ resident }) => resident)))} MB`

export const start = async (args) => {
  const { values } = parseArgs({
    args,
    options: { runs: { type: "string", default: "5" }, rest: { type: "string", default: "10" } }
  })
  const directory = mkdtempSync(join(tmpdir(), "assay-start-"))
  const { status } = spawnSync(process.execPath, [inServer("scripts/bundleBin.mjs")], { stdio: "inherit" })
  if (status !== 0) throw new Error("the command cannot be bundled")
  await new Promise((resolve) => chain.listen(0, "127.0.0.1", resolve))
  endpoint.url = `http://127.0.0.1:${chain.address().port}`
  try {
    const runs = { empty: [], help: [], first: [], again: [], unbundledHelp: [], unbundled: [] }
    for (let i = 0; i < Number(values.runs); i++) {
      runs.empty.push(await once(["-e", ""], directory))
      runs.help.push(await once([bin, "--help"], directory))
      runs.unbundledHelp.push(await once([unbundled, "--help"], directory))
      rmSync(join(directory, "data"), { recursive: true, force: true })
      runs.first.push(await serving(bin, directory, 0))
      runs.again.push(await serving(bin, directory, Number(values.rest)))
      runs.unbundled.push(await serving(unbundled, directory, Number(values.rest)))
    }
    console.log("start: medians with (lowest..highest)\n")
    const line = (name, all) =>
      row(name, [`wall ${ms(all.map(({ wall }) => wall))}`, `CPU ${ms(all.map(({ cpu }) => cpu))}`])
    line("node -e ''", runs.empty)
    line("assay --help", runs.help)
    line("assay serve, new database, ready", runs.first)
    line("assay serve, its database, ready", runs.again)
    row(`at rest, ${values.rest} s after`, [resident(runs.again)])
    console.log("\none file a module, as tsc writes them\n")
    line("assay --help", runs.unbundledHelp)
    line("assay serve, its database, ready", runs.unbundled)
    row(`at rest, ${values.rest} s after`, [resident(runs.unbundled)])
  } finally {
    chain.close()
    chain.closeAllConnections()
    rmSync(directory, { recursive: true, force: true })
  }
}
