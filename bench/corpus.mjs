import { createWriteStream, readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { gunzipSync } from "node:zlib"
import { Cause, Effect, Exit, ManagedRuntime } from "effect"
import * as CodeReadings from "../packages/core/dist/facts/code/CodeReadings.js"
import { quantiles } from "../scripts/quantiles.mjs"
import { claims } from "./capabilities.mjs"

/** Reads many codes without labels, each by itself: main.mjs says what the figures mean. */
export const corpus = async (args) => {
  const { values, positionals } = parseArgs({
    args,
    options: {
      part: { type: "string", default: "1/1" },
      write: { type: "string" }
    },
    allowPositionals: true
  })
  const [file] = positionals
  if (file === undefined) {
    console.error("usage: npm run bench -- corpus FILE[.gz] [--part 1/4] [--write CLAIMS]")
    process.exit(1)
  }
  const [part, parts] = values.part.split("/").map(Number)
  const bytes = readFileSync(file)
  const codes = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes)
    .toString("utf8")
    .split("\n")
    .filter((line, index) => line.trim() !== "" && index % parts === part - 1)
  const written = values.write === undefined ? undefined : createWriteStream(values.write)
  const runtime = ManagedRuntime.make(CodeReadings.layer)
  const thrown = new Map()
  const cpu = []
  // By reason, how many codes it leaves each claim unknown of.
  const reasons = new Map()
  // What the code proves of transfers, and by kind of gate or reason how many codes have it.
  const transfers = { free: 0, free_undelegated: 0, free_listed: 0, gated: 0, inconclusive: 0 }
  const becauses = new Map()
  const states = Object.fromEntries(Object.keys(claims).map((power) => [power, { found: 0, none: 0, unknown: 0 }]))
  for (const line of codes) {
    const { address, code } = JSON.parse(line)
    const before = process.cpuUsage()
    const read = Effect.flatMap(CodeReadings.CodeReadings, (readings) =>
      Effect.all({ powers: readings.powers(code), proof: readings.transfers(code) })
    )
    const exit = await runtime.runPromiseExit(read)
    const { user, system } = process.cpuUsage(before)
    cpu.push((user + system) / 1_000)
    if (Exit.isFailure(exit)) {
      const [error] = Cause.prettyErrors(exit.cause)
      thrown.set(error.message, [...(thrown.get(error.message) ?? []), address])
      written?.write(`${JSON.stringify({ address, thrown: error.message })}\n`)
      continue
    }
    const { powers, proof } = exit.value
    transfers[proof.state]++
    const told = proof.state === "gated" ? proof.gates.map(({ kind }) => kind) : [proof.reason ?? []].flat()
    for (const because of new Set(told)) {
      const key = `${proof.state} ${because}`
      becauses.set(key, (becauses.get(key) ?? 0) + 1)
    }
    for (const power of Object.keys(claims)) {
      const { reasons: told, state } = powers[power]
      states[power][state]++
      if (state !== "unknown") continue
      for (const reason of new Set(told)) {
        const counts = reasons.get(reason) ?? {}
        reasons.set(reason, { ...counts, [power]: (counts[power] ?? 0) + 1 })
      }
    }
    written?.write(`${JSON.stringify({ address, powers, transfers: proof })}\n`)
  }
  await runtime.dispose()
  await new Promise((resolve) => (written === undefined ? resolve() : written.end(resolve)))
  const read = cpu.length - [...thrown.values()].flat().length
  console.log(`${codes.length} codes, ${codes.length - read} throws`)
  for (const [message, addresses] of thrown)
    console.log(`  ${addresses.length} × ${message}: ${addresses.slice(0, 3).join(" ")}`)
  console.log("\nclaim                      confirmed  refuted  unknown  decided")
  for (const [power, { found, none, unknown }] of Object.entries(states))
    console.log(
      `${claims[power].padEnd(26)} ${String(found).padStart(9)} ${String(none).padStart(8)} ${String(unknown).padStart(8)} ${((found + none) / read).toFixed(3).padStart(8)}`
    )
  console.log(
    `\ntransfers proven free: ${transfers.free}, free without a delegate: ${transfers.free_undelegated}, free among a list: ${transfers.free_listed}, gated: ${transfers.gated}, inconclusive: ${transfers.inconclusive} of ${read}`
  )
  for (const [because, count] of [...becauses].sort(([, a], [, b]) => b - a))
    console.log(`  ${because.padEnd(32)} ${String(count).padStart(6)}`)
  const powers = Object.keys(claims)
  console.log("\nreasons for unknown (a claim may have several): codes by power")
  console.log(`${"".padEnd(20)} ${powers.map((power) => power.padStart(9)).join(" ")} ${"all".padStart(7)}`)
  const sum = (counts) => Object.values(counts).reduce((all, count) => all + count, 0)
  for (const [reason, counts] of [...reasons].sort(([, a], [, b]) => sum(b) - sum(a)))
    console.log(
      `${reason.padEnd(20)} ${powers.map((power) => String(counts[power] ?? 0).padStart(9)).join(" ")} ${String(sum(counts)).padStart(7)}`
    )
  const [median, p99, max] = Object.values(quantiles(cpu)).map((value) => value?.toFixed(1))
  console.log(`\nCPU a code, in ms: median ${median}, p99 ${p99}, longest ${max}`)
}
