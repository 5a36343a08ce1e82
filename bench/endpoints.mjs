import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Analyzer, ChainAccess, Checks, Executions, Id, Quota, Storage } from "@assay/core"
import { Sandbox } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Either, Layer, ManagedRuntime, Option } from "effect"
import { sandboxChain } from "../scripts/sandboxChain.mjs"

const targets = ["plain", "usdc", "approver"]

// `rate` is how many calls or requests a second the endpoint takes; `losses` that its results may be partial.
const profiles = {
  direct: { limits: {} },
  "25 calls/s": { limits: { calls: 25 }, rate: 25 },
  "10 requests/s": { limits: { requests: 10 }, rate: 10 },
  "300 calls/s": { limits: { calls: 300 }, rate: 300 },
  "batch 10": { limits: { batch: 10 } },
  "batch 1": { limits: { batch: 1 } },
  "batch 1, nodes behind": { limits: { batch: 1, behind: 3 } },
  "500-block logs": { limits: { logBlocks: 500 } },
  "25 calls/s, Retry-After 1": { limits: { calls: 25, retryAfter: 1 }, rate: 25 },
  "10 requests/s, Retry-After 1": { limits: { requests: 10, retryAfter: 1 }, rate: 10 },
  "25 calls/s, in a 200": { limits: { calls: 25, refusal: "request" }, rate: 25 },
  "25 calls/s, a call, in a 200": { limits: { calls: 25, refusal: "calls" }, rate: 25 },
  "10 requests/s, in a 200": { limits: { requests: 10, refusal: "request" }, rate: 10 },
  "no simulation": { limits: { missing: ["eth_simulateV1"], overrides: false }, losses: true }
}

/** Analyses over endpoints with limits: main.mjs says what the figures mean. */
export const endpoints = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      delay: { type: "string", default: "50" },
      target: { type: "string", multiple: true, default: targets },
      profile: { type: "string", multiple: true, default: Object.keys(profiles) },
      crowd: { type: "string", default: "10" }
    }
  })
  const latency = Number(values.delay)
  const sandbox = await Sandbox.start()
  const proxy = await startProxy(sandbox.url)
  const bench = { proxy, chain: chainAt(sandbox, proxy.url), latency }
  try {
    console.log(`endpoints: ${latency} ms added to each request, each analysis by an engine of its own\n`)
    console.log(row(["endpoint", "target", "status", "as direct", "calls", "requests", "refused", "wall", "bound", ""]))
    // A server runs compiled code.
    for (let run = 0; run < 3; run++)
      for (const name of values.target) await analyse({ ...bench, latency: 0 }, {}, [sandbox.targets[name]])
    const direct = new Map()
    for (const name of values.target) direct.set(name, await analyse(bench, {}, [sandbox.targets[name]]))
    for (const [title, { limits, losses = false, rate }] of Object.entries(profiles).filter(([title]) =>
      values.profile.includes(title)
    )) {
      for (const name of values.target) {
        const expected = direct.get(name)
        const found = title === "direct" ? expected : await analyse(bench, limits, [sandbox.targets[name]])
        const bound = Math.max(8, rate === undefined ? 0 : (1.3 * expected.stats.calls) / rate)
        print(title, name, found, expected, bound, losses)
      }
    }
    const crowd = plainTokens(sandbox).slice(0, Number(values.crowd))
    if (crowd.length > 0) {
      const alone = []
      for (const target of crowd) alone.push(await analyse(bench, {}, [target]))
      const expected = {
        results: alone.flatMap(({ results }) => results),
        stats: { calls: alone.reduce((sum, { stats }) => sum + stats.calls, 0) }
      }
      const bound = (1.3 * expected.stats.calls) / 25
      print("25 calls/s", `${crowd.length} at once`, await execute(bench, { calls: 25 }, crowd), expected, bound, false)
    }
  } finally {
    proxy.stop()
    await sandbox.stop()
  }
}

const chainAt = (sandbox, url) => sandboxChain(sandbox, url)

// Tokens that sell and of which nobody has a power, as far as the sandbox says.
const plainTokens = ({ targets, truth }) => {
  const powers =
    /^token\.(mintable|pausable|blacklistable|whitelist-only|limits-changeable|tax-changeable|balances-seizable)$/
  const spoilt = new Set(
    truth
      .filter(({ evidence, state }) => state !== "refuted" && (powers.test(evidence) || evidence === "trade.honeypot"))
      .map(({ target }) => target)
  )
  const sold = new Set(truth.filter(({ evidence }) => evidence === "trade.honeypot").map(({ target }) => target))
  return Object.values(targets).filter(({ kind, name }) => kind === "token" && sold.has(name) && !spoilt.has(name))
}

export const startProxy = async (upstream) => {
  const child = fork(fileURLToPath(new URL("../testing/sandbox/scripts/limiting-proxy.mjs", import.meta.url)), [
    upstream
  ])
  const [{ url }] = await once(child, "message")
  return {
    url,
    /** Sets other limits, and gives what has passed until now. */
    set: async (limits) => {
      child.send({ limits })
      const [{ stats }] = await once(child, "message")
      return stats
    },
    stop: () => child.disconnect()
  }
}

/** All targets at once, by an engine that knows nothing of the endpoint yet. */
const analyse = async ({ chain, latency, proxy }, limits, targets) => {
  const access = Layer.provide(ChainAccess.layerJsonRpc(), NodeHttpClient.layerUndici)
  const runtime = ManagedRuntime.make(Layer.provide(Analyzer.layer(Checks.all), access))
  const analyzer = await runtime.runPromise(Analyzer.Analyzer)
  await proxy.set({ latency, ...limits })
  const started = performance.now()
  const results = await Promise.all(
    targets.map(({ address, kind }) => runtime.runPromise(Effect.either(analyzer.analyze({ kind, address, chain }))))
  )
  const wall = (performance.now() - started) / 1_000
  const stats = await proxy.set({})
  await runtime.dispose()
  return { results, stats, wall }
}

/** All targets at once, as executions of four keys. */
const execute = async ({ chain, latency, proxy }, limits, targets) => {
  const engine = Executions.layer({ slotsPerKey: 3, waitSeconds: { token: 170 } }).pipe(
    Layer.provide([Analyzer.layer(Checks.all), Quota.layer()]),
    Layer.provide([ChainAccess.layerJsonRpc(), Storage.layerMemory]),
    Layer.provide(NodeHttpClient.layerUndici)
  )
  const runtime = ManagedRuntime.make(engine)
  const executions = await runtime.runPromise(Executions.Executions)
  const keys = await Promise.all([1, 2, 3, 4].map(() => runtime.runPromise(Id.make("key"))))
  await proxy.set({ latency, ...limits })
  const started = performance.now()
  const walls = []
  const results = await Promise.all(
    targets.map(async ({ address, kind }, place) => {
      const caller = { id: keys[place % keys.length], dailyQuota: 50, source: Option.none() }
      const request = { caller, kind, address, chain, summary: "not_requested", compareTo: Option.none() }
      const result = await runtime.runPromise(Effect.either(executions.run(request)))
      walls.push((performance.now() - started) / 1_000)
      return result
    })
  )
  const stats = await proxy.set({})
  await runtime.dispose()
  console.log(`  ended after ${walls.map((wall) => wall.toFixed(1)).join(", ")} s`)
  return { results, stats, wall: Math.max(...walls) }
}

const evidenceOf = (result) =>
  Either.map(result, ({ evidence, facts }) =>
    JSON.stringify([evidence.map(({ id, reason, state, value }) => [id, state, value, reason]), facts.risk])
  )

const print = (title, name, found, expected, bound, losses) => {
  const statuses = found.results.map(Either.match({ onLeft: ({ _tag }) => _tag, onRight: ({ status }) => status }))
  const same = found.results.every((result, place) => Equal(evidenceOf(result), evidenceOf(expected.results[place])))
  const good = losses || (same && statuses.every((status) => status === "complete"))
  const { calls, limited, refused, requests } = found.stats
  console.log(
    row([
      title,
      name,
      [...new Set(statuses)].join("/"),
      same ? "same" : "differs",
      calls,
      requests,
      limited + refused,
      `${found.wall.toFixed(2)} s`,
      `${bound.toFixed(2)} s`,
      good && found.wall <= bound ? "" : "MISSED"
    ])
  )
  if (losses) console.log(`  lost: ${lost(found.results).join(", ")}`)
  else if (!same) console.log(`  ${differing(found.results, expected.results).join("\n  ")}`)
}

const Equal = (left, right) => Either.isRight(left) && Either.isRight(right) && left.right === right.right

const lost = (results) =>
  results.flatMap(
    Either.match({
      onLeft: () => [],
      onRight: ({ evidence }) => evidence.filter(({ reason }) => reason === "method_unsupported").map(({ id }) => id)
    })
  )

const differing = (results, expected) =>
  results.flatMap((result, place) => {
    const other = expected[place]
    if (Either.isLeft(result) || Either.isLeft(other)) return [JSON.stringify(result.left ?? other.left)]
    const of = ({ id, reason, state, value }) => JSON.stringify([id, state, value, reason])
    const known = new Set(other.right.evidence.map(of))
    return result.right.evidence
      .map(of)
      .filter((item) => !known.has(item))
      .slice(0, 5)
      .map((item) => item.slice(0, 200))
  })

const widths = [30, 11, 10, 10, 7, 9, 8, 9, 9, 6]
const row = (cells) => cells.map((cell, place) => String(cell).padEnd(widths[place])).join(" ")
