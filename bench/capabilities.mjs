import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { Effect, ManagedRuntime } from "effect"
import * as CodeReadings from "../packages/core/dist/facts/code/CodeReadings.js"
import { quantiles } from "../scripts/quantiles.mjs"
import * as Schedstat from "./schedstat.mjs"

// The claims that a power is behind, and the groups of them that labels are about.
export const claims = {
  mint: "token.mintable",
  pause: "token.pausable",
  blacklist: "token.blacklistable",
  whitelist: "token.whitelist-only",
  limit: "token.limits-changeable",
  tax: "token.tax-changeable",
  seize: "token.balances-seizable",
  bypass: "token.allowance-bypass"
}
const groups = {
  mint: ["mint"],
  limit: ["pause", "blacklist", "whitelist", "limit"],
  leak: ["seize", "bypass"]
}
const backdoors = {
  generate: ["mint"],
  destroy: ["seize", "bypass"],
  arbitrary: ["seize", "bypass"],
  freeze: ["blacklist", "whitelist", "pause", "limit"],
  disable: ["pause", "limit", "blacklist", "whitelist"]
}

/** What the code alone says about the powers of tokens, against labels: main.mjs says what the figures mean. */
export const capabilities = async (args) => {
  const { values, positionals } = parseArgs({
    args,
    options: { json: { type: "boolean", default: false } },
    allowPositionals: true
  })
  const [file] = positionals
  if (file === undefined) {
    console.error("usage: npm run bench -- capabilities FILE [--json]")
    process.exit(1)
  }
  const contracts = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line))
  const results = []
  const runtime = ManagedRuntime.make(CodeReadings.layer)
  const loop = watchLoop()
  for (const { address, code, labels = {} } of contracts) {
    const before = process.cpuUsage()
    const powers = await runtime.runPromise(Effect.flatMap(CodeReadings.CodeReadings, (flows) => flows.powers(code)))
    const { user, system } = process.cpuUsage(before)
    const states = Object.fromEntries(Object.keys(claims).map((power) => [power, powers[power].state]))
    results.push({ address, labels, states, cpu: (user + system) / 1_000 })
    console.log(
      JSON.stringify({
        address,
        claims: Object.fromEntries(Object.entries(claims).map(([power, id]) => [id, verdicts[states[power]]]))
      })
    )
  }
  const blocked = loop.stop()
  await runtime.dispose()
  const summary = {
    contracts: results.length,
    groundtruth: perGroup(results, "groundtruth"),
    sample: perGroup(results, "sample"),
    backdoor: perKind(results),
    unknown: Object.fromEntries(
      Object.entries(claims).map(([power, id]) => [
        id,
        results.filter(({ states }) => states[power] === "unknown").length
      ])
    ),
    cpu_ms: quantiles(results.map(({ cpu }) => cpu)),
    blocked_ms: blocked
  }
  if (values.json) console.log(JSON.stringify(summary))
  else print(summary)
}

const verdicts = { found: "confirmed", none: "refuted", unknown: "unknown" }

const isFound = (states, powers) => powers.some((power) => states[power] === "found")

const perGroup = (results, set) =>
  Object.fromEntries(
    Object.entries(groups).map(([group, powers]) => {
      const count = (label, found) =>
        results.filter(({ labels, states }) => labels[set]?.[group] === label && isFound(states, powers) === found)
          .length
      const [hits, misses, alarms, rejections] = [
        count(true, true),
        count(true, false),
        count(false, true),
        count(false, false)
      ]
      return [
        group,
        {
          true: hits + misses,
          true_found: hits,
          false: alarms + rejections,
          false_found: alarms,
          precision: ratio(hits, hits + alarms),
          recall: ratio(hits, hits + misses),
          f1: ratio(2 * hits, 2 * hits + alarms + misses)
        }
      ]
    })
  )

const perKind = (results) => {
  const kinds = Object.entries(backdoors).map(([kind, powers]) => {
    const labelled = results.filter(({ labels }) => labels.backdoor?.[kind] === true)
    return [kind, { true: labelled.length, found: labelled.filter(({ states }) => isFound(states, powers)).length }]
  })
  const sum = (member) => kinds.reduce((total, [, kind]) => total + kind[member], 0)
  return Object.fromEntries(
    [...kinds, ["all", { true: sum("true"), found: sum("found") }]].map(([kind, counts]) => [
      kind,
      { ...counts, recall: ratio(counts.found, counts.true) }
    ])
  )
}

const ratio = (part, whole) => (whole === 0 ? null : part / whole)

/**
 * The longest time between two turns of the event loop, in ms, and the longest of those times less what the main thread
 * waited for a core in them; a turn is requested all the time.
 */
const watchLoop = () => {
  const longest = { wall: 0, running: 0 }
  let last = performance.now()
  let waited = Schedstat.coreWait() ?? 0
  let immediate
  const turn = () => {
    const now = performance.now()
    const wait = Schedstat.coreWait() ?? 0
    longest.wall = Math.max(longest.wall, now - last)
    longest.running = Math.max(longest.running, now - last - (wait - waited))
    waited = wait
    last = performance.now()
    immediate = setImmediate(turn)
  }
  immediate = setImmediate(turn)
  return {
    stop: () => {
      clearImmediate(immediate)
      return longest
    }
  }
}

const percent = (value) => (value === null ? "-" : value.toFixed(3))

const print = ({ contracts, groundtruth, sample, backdoor, unknown, cpu_ms, blocked_ms }) => {
  console.log(`\n${contracts} contracts`)
  for (const [set, table] of [
    ["groundtruth", groundtruth],
    ["sample", sample]
  ]) {
    console.log(`\n${set.padEnd(12)} true found   false found   precision  recall     F1`)
    for (const [group, row] of Object.entries(table))
      console.log(
        `  ${group.padEnd(10)} ${`${row.true_found}/${row.true}`.padStart(10)} ${`${row.false_found}/${row.false}`.padStart(13)} ${percent(row.precision).padStart(11)} ${percent(row.recall).padStart(7)} ${percent(row.f1).padStart(6)}`
      )
  }
  console.log("\nbackdoor          found   recall")
  for (const [kind, row] of Object.entries(backdoor))
    console.log(`  ${kind.padEnd(10)} ${`${row.found}/${row.true}`.padStart(10)} ${percent(row.recall).padStart(8)}`)
  console.log(
    `\nunknown      ${Object.entries(unknown)
      .map(([id, count]) => `${id} ${count}`)
      .join(", ")}`
  )
  console.log(
    `CPU          median ${cpu_ms.median?.toFixed(1)}, p99 ${cpu_ms.p99?.toFixed(1)}, max ${cpu_ms.max?.toFixed(1)} ms a contract`
  )
  console.log(
    `event loop   blocked ${blocked_ms.wall.toFixed(1)} ms at most, ${blocked_ms.running.toFixed(1)} ms less waits for a core`
  )
}
