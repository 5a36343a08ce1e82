import { fork } from "node:child_process"
import { once } from "node:events"
import { cpus, loadavg } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Analyzer, ChainAccess, Checks } from "@assay/core"
import { Sandbox } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Either, Layer, ManagedRuntime, Option } from "effect"
import { sandboxChain } from "../scripts/sandboxChain.mjs"
import * as Parts from "./parts.mjs"
import { pricesOf } from "./prices.mjs"
import * as Schedstat from "./schedstat.mjs"

// A token without and one with a proxy, an owner behind a Safe, a wallet with approvals, and a contract with roles.
const representative = ["plain", "safeOwned", "usdc", "approver", "timelock"]

/** What an analysis costs: main.mjs says what the figures mean. */
export const analysis = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: "string", default: "15" },
      delay: { type: "string", default: "50" },
      target: { type: "string", multiple: true, default: representative },
      trace: { type: "boolean", default: false },
      parts: { type: "boolean", default: false }
    }
  })
  if (values.parts) return await parts(Number(values.runs), args.includes("--target") ? values.target : [])
  const [runs, delay] = [Number(values.runs), Number(values.delay)]
  const sandbox = await Sandbox.start()
  const proxy = await startProxy(sandbox.url, delay)
  try {
    const chainAt = (url) => sandboxChain(sandbox, url)
    const bench = { proxy, chain: chainAt(proxy.url), delay }
    console.log(`analysis: ${delay} ms added to each request, ${runs} runs each, medians (lowest..highest)`)
    console.log(`${machine()}, ${await sandbox.rpc.call("web3_clientVersion", [])}\n`)

    const first = await cold(bench, sandbox.targets[values.target[0]])
    print(`${values.target[0]} (${first.kind}), first`, [first])
    for (const name of values.target) {
      const target = sandbox.targets[name]
      const engine = makeEngine()
      // A server runs compiled code, so this has to be compiled first: without the delay, to lose no time over it.
      for (let run = 0; run < 30; run++) await measure({ ...bench, chain: chainAt(sandbox.url) }, engine, target)
      for (let run = 0; run < 2; run++) await measure(bench, engine, target)
      const warm = []
      for (let run = 0; run < runs; run++) warm.push(await measure(bench, engine, target))
      if (values.trace) await trace(bench, engine, target)
      await engine.runtime.dispose()
      print(`${name} (${target.kind}), warm`, warm)
      const chilled = []
      for (let run = 0; run < runs; run++) chilled.push(await cold(bench, target))
      print(`${name} (${target.kind}), cold`, chilled)
    }

    console.log("levels of every target, warm, one run each: levels / levels seen")
    const engine = makeEngine()
    await measure(bench, engine, sandbox.targets.plain)
    const lines = new Map()
    for (const target of Object.values(sandbox.targets)) {
      const { levels, seen } = await measure(bench, engine, target)
      lines.set(target.kind, [...(lines.get(target.kind) ?? []), `${target.name} ${levels}/${seen}`])
    }
    await engine.runtime.dispose()
    for (const [kind, found] of lines) console.log(`  ${kind.padEnd(9)} ${found.join(", ")}`)
    console.log(`\nload when it ended: ${load()}`)
  } finally {
    proxy.stop()
    await sandbox.stop()
  }
}

const startProxy = async (upstream, delay) => {
  const child = fork(fileURLToPath(new URL("latency-proxy.mjs", import.meta.url)), [upstream, String(delay)])
  const [{ url }] = await once(child, "message")
  return {
    url,
    /** What has passed since the last time. */
    take: async () => {
      child.send("take")
      const [{ requests }] = await once(child, "message")
      return requests
    },
    stop: () => child.disconnect()
  }
}

// The engine as an embedder builds it, except that the pinned state is kept to read its spending.
const makeEngine = () => {
  const pinned = { state: undefined }
  const access = Layer.effect(
    ChainAccess.ChainAccess,
    Effect.map(ChainAccess.ChainAccess, (access) => ({
      pin: (options) =>
        Effect.tap(access.pin(options), (state) => {
          pinned.state = state
        })
    }))
  ).pipe(Layer.provide(ChainAccess.layerJsonRpc({ headTtl: "1 hour" })), Layer.provide(NodeHttpClient.layerUndici))
  return { pinned, runtime: ManagedRuntime.make(Layer.provide(Analyzer.layer(Checks.all), access)) }
}

const measure = async ({ chain, delay, proxy }, { pinned, runtime }, target, levelsOf = ({ levels }) => levels) => {
  const analyzer = await runtime.runPromise(Analyzer.Analyzer)
  await proxy.take()
  const waited = coreWait()
  const cpu = process.cpuUsage()
  const started = performance.now()
  const result = await runtime.runPromise(
    Effect.either(analyzer.analyze({ kind: target.kind, address: target.address, chain }))
  )
  const wall = performance.now() - started
  const used = process.cpuUsage(cpu)
  const wait = Option.zipWith(coreWait(), waited, (now, then) => now - then)
  if (Either.isLeft(result)) throw new Error(`${target.name}: ${JSON.stringify(result.left)}`)
  const requests = await proxy.take()
  const { levels } = Effect.runSync(pinned.state.spending)
  const depths = depthsOf(requests)
  // The proxy adds to a name what the cost in time depends on; prices go by the method.
  const methods = requests.flatMap(({ calls }) => calls).map((name) => name.split(" ")[0])
  const found = {
    kind: target.kind,
    http: requests.length,
    calls: methods.length,
    methods,
    prices: pricesOf(methods),
    levels,
    seen: Math.max(0, ...depths),
    wall,
    cpu: (used.user + used.system) / 1_000,
    simulation: longest(requests, depths, ({ calls }) => calls.some((call) => simulations.has(call))),
    node: longest(requests, depths, () => true),
    wait,
    status: result.right.status
  }
  const budget = 1.25 * levelsOf(found) * delay + found.cpu + found.simulation
  return { ...found, budget, ratio: wall / budget }
}

const cold = async (bench, target) => {
  const engine = makeEngine()
  const found = await measure(bench, engine, target, ({ seen }) => seen)
  await engine.runtime.dispose()
  return found
}

const simulations = new Set(["eth_simulateV1", "eth_call (override)", "eth_call (constructor)"])

// One more than the deepest request that was answered before this one began.
const depthsOf = (requests) => {
  const depths = []
  for (const [index, { start }] of requests.entries()) {
    depths.push(1 + Math.max(0, ...depths.slice(0, index).filter((_, other) => requests[other].end <= start)))
  }
  return depths
}

const longest = (requests, depths, counts) => {
  const levels = new Map()
  requests.forEach((request, index) => {
    if (counts(request)) levels.set(depths[index], Math.max(levels.get(depths[index]) ?? 0, request.node))
  })
  return [...levels.values()].reduce((sum, time) => sum + time, 0)
}

const trace = async ({ chain, proxy }, { runtime }, target) => {
  const analyzer = await runtime.runPromise(Analyzer.Analyzer)
  await proxy.take()
  await runtime.runPromise(analyzer.analyze({ kind: target.kind, address: target.address, chain }))
  const requests = await proxy.take()
  const depths = depthsOf(requests)
  requests.forEach(({ calls, end, node, start }, index) => {
    const counts = new Map()
    for (const call of calls) counts.set(call, (counts.get(call) ?? 0) + 1)
    const at = [start, end].map((time) => (time - requests[0].start).toFixed(1).padStart(6)).join(" to ")
    const what = [...counts].map(([call, count]) => (count === 1 ? call : `${count} ${call}`)).join(", ")
    console.log(`  level ${depths[index]} ${at} ms, node ${node.toFixed(1).padStart(5)} ms: ${what}`)
  })
}

const print = (title, runs) => {
  const row = (label, pick, digits, unit = "") => {
    const sorted = runs.map(pick).sort((a, b) => a - b)
    const [low, middle, high] = [sorted[0], median(sorted), sorted.at(-1)].map((value) => value.toFixed(digits))
    const range = low === high ? "" : `  (${low}..${high})`
    console.log(`  ${label.padEnd(16)}${middle.padStart(8)}${unit}${range}`)
  }
  console.log(
    `${title}, ${runs.length} ${runs.length === 1 ? "run" : "runs"}, ${[...new Set(runs.map(({ status }) => status))].join("/")}`
  )
  row("HTTP requests", ({ http }) => http, 0)
  row("JSON-RPC calls", ({ calls }) => calls, 0)
  console.log(`  of these        ${byMethod(runs.at(-1).methods)}`)
  row("Alchemy", ({ prices }) => prices.alchemy, 0, " compute units")
  row("Infura", ({ prices }) => prices.infura, 0, " credits")
  row("levels", ({ levels }) => levels, 0)
  row("levels seen", ({ seen }) => seen, 0)
  row("wall", ({ wall }) => wall, 1, " ms")
  row("CPU", ({ cpu }) => cpu, 1, " ms")
  row("simulation", ({ simulation }) => simulation, 1, " ms")
  row("node", ({ node }) => node, 1, " ms")
  row("budget", ({ budget }) => budget, 1, " ms")
  row("wall / budget", ({ ratio }) => ratio, 2)
  if (runs.every(({ wait }) => Option.isSome(wait))) {
    row("core wait", ({ wait }) => wait.value, 1, " ms")
    row("ratio less wait", ({ budget, wait, wall }) => (wall - wait.value) / budget, 2)
  }
  console.log()
}

const byMethod = (methods) => {
  const counts = new Map()
  for (const method of methods) counts.set(method, (counts.get(method) ?? 0) + 1)
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  return sorted.map(([method, count]) => `${count} ${method}`).join(", ")
}

const median = (sorted) => {
  const half = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}

// Where the time of an analysis goes: of the given targets, else of plain and of the one that takes most.
const parts = async (runs, given) => {
  const sandbox = await Sandbox.start()
  const chain = sandboxChain(sandbox)
  const access = ManagedRuntime.make(
    ChainAccess.layerJsonRpc({ headTtl: "1 hour" }).pipe(Layer.provide(NodeHttpClient.layerUndici))
  )
  try {
    const chains = await access.runPromise(ChainAccess.ChainAccess)
    const clock = Parts.makeClock()
    const read = { pin: (options) => clock.within(() => Parts.reading)(chains.pin(options)) }
    const checks = Parts.measuredChecks(Checks.all, clock)
    // An engine keeps what it read of codes, so each run has one of its own.
    const run = async (name) => {
      const { address, kind } = sandbox.targets[name]
      const engine = Layer.provide(Analyzer.layer(checks), Layer.succeed(ChainAccess.ChainAccess, read))
      const runtime = ManagedRuntime.make(Layer.provideMerge(engine, clock.layer))
      const analyzer = await runtime.runPromise(Analyzer.Analyzer)
      clock.reset()
      await runtime.runPromise(Parts.measured(analyzer.analyze({ kind, address, chain }), clock))
      const found = clock.parts()
      await runtime.dispose()
      return found
    }
    const total = (found) => found.reduce((sum, { ms }) => sum + ms, 0)
    console.log(`analysis: own time of its parts, means of ${runs} runs, each the first one of its engine`)
    // A server runs compiled code.
    for (let time = 0; time < 20; time++) await run("plain")
    const slowest = async () => {
      const times = []
      for (const name of Object.keys(sandbox.targets)) times.push({ name, ms: total(await run(name)) })
      return times.sort((a, b) => b.ms - a.ms)[0].name
    }
    for (const name of given.length > 0 ? given : ["plain", await slowest()]) {
      for (let time = 0; time < 5; time++) await run(name)
      const all = []
      for (let time = 0; time < runs; time++) all.push(...(await run(name)))
      printParts(name, all, runs)
    }
  } finally {
    await access.dispose()
    await sandbox.stop()
  }
}

const printParts = (title, all, runs) => {
  const sums = new Map()
  for (const { calls, ms, name } of all) {
    const known = sums.get(name) ?? { calls: 0, ms: 0 }
    sums.set(name, { calls: known.calls + calls, ms: known.ms + ms })
  }
  const sorted = [...sums].map(([name, sum]) => ({ name, ...sum })).sort((a, b) => b.ms - a.ms)
  const whole = sorted.reduce((sum, { ms }) => sum + ms, 0)
  const line = (name, calls, ms) =>
    console.log(
      `  ${name.padEnd(40)}${calls.padStart(9)}${(ms / runs).toFixed(2).padStart(10)}${`${((100 * ms) / whole).toFixed(1)} %`.padStart(9)}`
    )
  const kinds = new Map()
  for (const { ms, name } of sorted) {
    const kind = /^(?:check|fact|rule) /.exec(name)?.[0].trimEnd() ?? name
    kinds.set(kind, (kinds.get(kind) ?? 0) + ms)
  }
  const shown = sorted.filter(({ ms }) => ms / whole >= leastShare)
  const rest = sorted.slice(shown.length)
  console.log(`\n${title}\n  ${"part".padEnd(40)}${"calls".padStart(9)}${"own ms".padStart(10)}${"share".padStart(9)}`)
  for (const [kind, ms] of [...kinds].sort(([, a], [, b]) => b - a)) line(`all: ${kind}`, "", ms)
  for (const { calls, ms, name } of shown) line(name, (calls / runs).toFixed(0), ms)
  line(
    `${rest.length} others`,
    (rest.reduce((sum, { calls }) => sum + calls, 0) / runs).toFixed(0),
    rest.reduce((sum, { ms }) => sum + ms, 0)
  )
}

// Of the whole.
const leastShare = 0.002

const machine = () =>
  `${cpus().length} × ${cpus()[0]?.model ?? "CPU"}, ${process.platform} ${process.arch}, load ${load()}, Node ${process.version}`

const load = () => loadavg()[0].toFixed(1)

const coreWait = () => Option.fromNullable(Schedstat.coreWait())
