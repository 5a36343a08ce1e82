import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { median } from "./quantiles.mjs"

const bin = fileURLToPath(new URL("../packages/server/dist/main.js", import.meta.url))

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
      // Nothing is asked of it before the first analysis.
      ASSAY_RPC_URLS: "1=http://127.0.0.1:9",
      ASSAY_LOG_FORMAT: "json"
    },
    stdio: ["ignore", "pipe", "inherit"]
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
const serving = async (directory, rest) => {
  const began = performance.now()
  const child = begin([bin, "serve"], directory)
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

export const start = async (args) => {
  const { values } = parseArgs({
    args,
    options: { runs: { type: "string", default: "5" }, rest: { type: "string", default: "10" } }
  })
  const directory = mkdtempSync(join(tmpdir(), "assay-start-"))
  try {
    const runs = { empty: [], help: [], first: [], again: [] }
    for (let i = 0; i < Number(values.runs); i++) {
      runs.empty.push(await once(["-e", ""], directory))
      runs.help.push(await once([bin, "help"], directory))
      rmSync(join(directory, "data"), { recursive: true, force: true })
      runs.first.push(await serving(directory, 0))
      runs.again.push(await serving(directory, Number(values.rest)))
    }
    console.log("start: medians with (lowest..highest)\n")
    const line = (name, all) =>
      row(name, [`wall ${ms(all.map(({ wall }) => wall))}`, `CPU ${ms(all.map(({ cpu }) => cpu))}`])
    line("node -e ''", runs.empty)
    line("assay help", runs.help)
    line("assay serve, new database, ready", runs.first)
    line("assay serve, its database, ready", runs.again)
    row(`at rest, ${values.rest} s after`, [`${Math.round(median(runs.again.map(({ resident }) => resident)))} MB`])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
