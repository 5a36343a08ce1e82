import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Address, type Analysis, Analyzer, ChainAccess, Chains, Checks } from "@assay/core"
import { SharedSandbox } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Context, Effect, Either, Layer, ManagedRuntime, Option, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"

const proxyFile = fileURLToPath(new URL("../../../../testing/sandbox/scripts/limiting-proxy.mjs", import.meta.url))

interface Stats {
  readonly requests: number
  readonly calls: number
  readonly limited: number
  readonly refused: number
}

/** An endpoint in a process of its own, which limits what reaches the sandbox. */
const proxyBefore = async (upstream: string) => {
  const child: ChildProcess = fork(proxyFile, [upstream])
  const [{ url }] = (await once(child, "message")) as [{ readonly url: string }]
  return {
    url,
    set: async (limits: object): Promise<Stats> => {
      child.send({ limits })
      const [{ stats }] = (await once(child, "message")) as [{ readonly stats: Stats }]
      return stats
    },
    stop: () => child.disconnect()
  }
}

/** The engine that all tests share, over an access that each of them makes anew: what it learnt of endpoints is gone. */
class Fresh extends Context.Tag("@assay/core/test/Fresh")<Fresh, { access: ChainAccess.ChainAccess["Type"] }>() {}

const engine = ManagedRuntime.make(
  Layer.provideMerge(
    Layer.provide(
      Analyzer.layer(Checks.all),
      Layer.effect(
        ChainAccess.ChainAccess,
        Effect.map(Fresh, (fresh) => ({ pin: (request) => fresh.access.pin(request) }))
      )
    ),
    Layer.sync(Fresh, () => ({ access: { pin: () => Effect.dieMessage("no access was made") } }))
  )
)

const summaryOf = ({ evidence, facts, status }: Analysis.Analysis) => ({
  status,
  score: facts.risk,
  evidence: evidence.map(({ id, reason, state, value }) => ({ id, state, value, reason }))
})

/** Approval(address,address,uint256) */
const approvalTopic = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"

describe("an endpoint that limits", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let proxies: ReadonlyArray<Awaited<ReturnType<typeof proxyBefore>>>

  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    proxies = [await proxyBefore(sandbox.url), await proxyBefore(sandbox.url)]
  })
  afterAll(async () => {
    for (const proxy of proxies) proxy.stop()
    await engine.dispose()
  })

  type Name = keyof SharedSandbox.SharedSandbox["targets"]

  /** Analyses targets at once, over endpoints with these limits that nothing is known of yet. */
  const analyse = async (
    names: ReadonlyArray<Name>,
    limits: readonly [object, ...Array<object>],
    endpoints: ReadonlyMap<string, ChainAccess.EndpointSettings> = new Map(),
    number = sandbox.head.number
  ) => {
    for (const [place, own] of limits.entries()) await proxies[place]?.set(own)
    const [first = "", ...rest] = proxies.slice(0, limits.length).map(({ url }) => url)
    const chain = Chains.make({ id: sandbox.chainId, name: "sandbox", endpoints: [first, ...rest], addressBook: 1 })
    const results = await engine.runPromise(
      Effect.gen(function* () {
        const made = yield* Layer.build(
          Layer.provide(ChainAccess.layerJsonRpc({ endpoints }), NodeHttpClient.layerUndici)
        )
        const fresh = yield* Fresh
        fresh.access = Context.get(made, ChainAccess.ChainAccess)
        const analyzer = yield* Analyzer.Analyzer
        return yield* Effect.forEach(
          names,
          (name) => {
            const { address, kind } = sandbox.targets[name]
            const block = Option.some(number)
            return Effect.either(analyzer.analyze({ kind, address: Address.checksum(address), chain, block }))
          },
          { concurrency: "unbounded" }
        )
      }).pipe(Effect.scoped)
    )
    const stats = await Promise.all(limits.map((_, place) => proxies[place]?.set({})))
    return { results, stats }
  }

  const complete = async (...args: Parameters<typeof analyse>) => {
    const { results, stats } = await analyse(...args)
    return {
      stats,
      summaries: results.map((result) => {
        if (Either.isLeft(result)) throw new Error(JSON.stringify({ ...result.left }))
        return summaryOf(result.right)
      })
    }
  }

  // One target for each limit here; the larger ones, and the same limits stated in other ways, in `npm run test:all`.
  const targets: ReadonlyArray<Name> = Tier.all ? ["plain", "usdc", "approver"] : ["plain"]
  const direct = new Map<Name, Promise<ReturnType<typeof summaryOf>>>()
  const directly = (name: Name) => {
    const known =
      direct.get(name) ??
      complete([name], [{}]).then(({ summaries: [summary] }) => {
        if (summary === undefined) throw new Error(name)
        return summary
      })
    direct.set(name, known)
    return known
  }

  type Profile = readonly [title: string, names: ReadonlyArray<Name>, limits: object]
  const profiles: ReadonlyArray<Profile> = [
    ["calls a second", targets, { calls: 40 }],
    ["requests a second, with Retry-After", ["plain"], { requests: 5, retryAfter: 1 }],
    ["calls a second, told for single calls inside an answer", ["plain"], { calls: 60, refusal: "calls" }],
    ["the calls in a batch", targets, { batch: 10 }],
    ["the blocks of a log query", targets, { logBlocks: 40 }]
  ]
  const further: ReadonlyArray<Profile> = [
    ["requests a second", targets, { requests: 5 }],
    ["calls and requests a second", ["plain"], { calls: 60, requests: 8 }],
    ["calls a second, with Retry-After", ["plain"], { calls: 60, retryAfter: 1 }],
    ["calls a second, told for all calls inside an answer", ["plain"], { calls: 60, refusal: "request" }],
    ["batches to one call", ["plain"], { batch: 1 }]
  ]

  const rows = [
    profiles.map((row) => [...row, true] as const),
    further.map((row) => [...row, Tier.all] as const)
  ].flat()
  for (const [title, names, limits, runs] of rows)
    it.runIf(runs)(
      Tier.title(runs, `${title} gets a complete analysis with the evidence and score of one that limits nothing`),
      async () => {
        for (const name of names) {
          const expected = await directly(name)
          const { stats, summaries } = await complete([name], [limits])
          assert.strictEqual(expected.status, "complete")
          assert.deepStrictEqual(summaries, [expected], name)
          // It did limit them.
          const [{ limited = 0, refused = 0 } = {}] = stats
          if (!("logBlocks" in limits)) assert.isAbove(limited + refused, 0, name)
        }
      }
    )

  it("takes no batches and has nodes that are behind hides no event of the newest blocks", async () => {
    const { address } = sandbox.targets.approver
    const topics = [approvalTopic, `0x${address.slice(2).toLowerCase().padStart(64, "0")}`]
    const approvals = (await sandbox.rpc.call("eth_getLogs", [
      { fromBlock: "0x0", toBlock: "latest", topics }
    ])) as ReadonlyArray<{ readonly blockNumber: string }>
    const newest = Math.max(...approvals.map(({ blockNumber }) => Number(blockNumber)))
    const { summaries: expected } = await complete(["approver"], [{}], new Map(), newest)
    assert.deepStrictEqual(
      (await complete(["approver"], [{ batch: 1, behind: 3 }], new Map(), newest)).summaries,
      expected
    )
  })

  it("calls a second serves many analyses at once, all of them complete", async () => {
    const names: ReadonlyArray<Name> = ["plain", "safeOwned", "approver", "honeypot"]
    const expected: Array<ReturnType<typeof summaryOf>> = []
    for (const name of names) expected.push(await directly(name))
    assert.deepStrictEqual((await complete(names, [{ calls: 60 }])).summaries, expected)
  })

  it("is never sent more than was stated, so that it refuses nothing", async () => {
    const [{ url } = { url: "" }] = proxies
    // The bucket of the endpoint is as strict as the statement, but knows nothing of the way there.
    const known = new Map([[url, { limits: { callsPerSecond: 50, requestsPerSecond: 30, batch: 5, logBlocks: 100 } }]])
    const { stats, summaries } = await complete(
      ["plain"],
      [{ calls: 100, requests: 60, batch: 5, logBlocks: 100 }],
      known
    )
    assert.deepStrictEqual(summaries, [await directly("plain")])
    assert.deepInclude(stats[0], { limited: 0, refused: 0 })
  })

  it("is not a failed one: with another endpoint beside it both are read from", async () => {
    const { stats, summaries } = await complete(["plain"], [{ calls: 15 }, {}])
    assert.deepStrictEqual(summaries, [await directly("plain")])
    for (const [place, each] of stats.entries()) assert.isAbove(each?.calls ?? 0, 12, `endpoint ${place}`)
  })

  it("and lacks simulation and overrides gets a partial analysis that names what it lost", async () => {
    const { results } = await analyse(["safeOwned"], [{ calls: 60, missing: ["eth_simulateV1"], overrides: false }])
    const [result] = results
    if (result === undefined || Either.isLeft(result)) throw new Error("no result")
    assert.strictEqual(result.right.status, "partial")
    const lost = result.right.evidence.filter(({ state }) => state === "unknown")
    assert.include(
      lost.map(({ id }) => id),
      "trade.honeypot"
    )
    // A limit is never taken for a missing method, nor the other way round.
    for (const { id, reason } of lost) assert.notStrictEqual(reason, "rate_limited", id)
  })

  it("and requires a header is read with it", async () => {
    const [{ url } = { url: "" }] = proxies
    const secret = "h3ader-s3cret"
    const limits = { headers: { "x-api-key": secret } }
    const settings = new Map([[url, { headers: { "x-api-key": Redacted.make(secret) } }]])
    assert.deepStrictEqual((await complete(["plain"], [limits], settings)).summaries, [await directly("plain")])
    const { results } = await analyse(["plain"], [limits])
    assert.isTrue(results.every(Either.isLeft))
    assert.notInclude(JSON.stringify(results), secret)
  })
})
