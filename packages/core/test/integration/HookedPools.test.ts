import { Address, type Analysis, Analyzer, Transport } from "@assay/core"
import { Effect, Layer } from "effect"
import { type Address as Account, parseEther } from "viem"
import { assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as ManagerWorld from "../facts/venue/ManagerWorld.js"
import * as PoolDecoys from "../facts/venue/PoolDecoys.js"
import * as PublishedHooks from "../facts/venue/PublishedHooks.js"
import * as SwapHooks from "../facts/venue/SwapHooks.js"
import * as World from "./World.js"

// What an analysis says of tokens that trade in pools of Uniswap V4 alone. That the hooks do what is said of them is shown
// in `facts/venue/ManagerWorld.test.ts`.

const names = Object.keys(SwapHooks.all) as ReadonlyArray<SwapHooks.Name>

// By their addresses, and by the code of one that answers and does no more.
const apart: ReadonlyArray<SwapHooks.Name> = ["keepsLiquidity", "countsProviders", "passesSwaps"]

const sales = ["trade.honeypot", "trade.taxed", "trade.sell-limited", "trade.holders-blocked", "trade.buy-blocked"]

describe.runIf(Tier.landing)(Tier.title(Tier.landing, "tokens in pools of Uniswap V4"), () => {
  let world: World.World
  let manager: ManagerWorld.ManagerWorld
  let tokens: { readonly plain: Account; readonly none: Account }
  let analyses: Readonly<Record<SwapHooks.Name | "plain" | "none", Analysis.Analysis>>

  const analyze = (token: Account) =>
    Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
      analyzer.analyze({ kind: "token", chain: world.chain, address: Address.checksum(token) })
    )

  beforeAll(async () => {
    world = await World.start()
    manager = await ManagerWorld.manage(world.sandbox)
    await manager.createPool({
      token: manager.sandbox.infrastructure.usdc,
      fee: 500,
      tickSpacing: 10,
      amounts: { token: 3_000_000_000_000n, quote: parseEther("1000") }
    })
    const [plain, none] = await manager.deployTokens(2)
    await manager.createPool({ token: plain as Account, amounts: SwapHooks.amounts })
    const listings = await SwapHooks.list(manager, names)
    tokens = { plain: plain as Account, none: none as Account }
    const all: Array<readonly [string, Analysis.Analysis]> = []
    for (const [name, token] of [
      ["plain", plain],
      ["none", none],
      ...names.map((name) => [name, listings[name].token] as const)
    ] as const)
      all.push([name, await world.run(analyze(token as Account))])
    analyses = Object.fromEntries(all) as typeof analyses
  })

  const stateOf = (name: keyof typeof analyses, id: string) => {
    const item = analyses[name].evidence.find((each) => each.id === id)
    assert.isDefined(item, `${name} ${id}`)
    return item?.state
  }

  it("are decided where the pool has no hook, or one that no swap depends on, as tokens in a pair are", () => {
    for (const name of ["plain", ...apart] as const)
      for (const id of sales) assert.strictEqual(stateOf(name, id), "refuted", `${name} ${id}`)
  })

  it("are traded in every environment, from a constructor too", () => {
    const item = analyses.plain.evidence.find(({ id }) => id === "trade.environment-dependent")
    assert.strictEqual(item?.state, "refuted")
    assert.notInclude(item?.detail, "not decided by behaviour")
    const environments = analyses.plain.facts.trade?.runs.map(({ environment }) => environment.method) ?? []
    assert.includeMembers(environments, ["simulate_v1", "override", "constructor"])
    assert.deepStrictEqual(analyses.plain.facts.trade?.unavailable, [])
    for (const { buy, control, sell } of analyses.plain.facts.trade?.runs ?? [])
      assert.deepStrictEqual([buy.state, sell.state, control], ["ok", "ok", "ok"])
  })

  it("name the pool by its manager and its id, with native coin by its symbol", () => {
    const pool = analyses.plain.facts.pools?.[0]
    assert.deepInclude(pool, {
      address: Address.checksum(manager.manager),
      manager: Address.checksum(manager.manager),
      kind: "uniswap-v4",
      exchange: "Uniswap V4",
      fee_bps: 30,
      quote_symbol: "ETH"
    })
    assert.match(pool?.pool_id ?? "", /^0x[0-9a-f]{64}$/)
    assert.isUndefined(pool?.hook)
    assert.isDefined(analyses.blocksSales.facts.pools?.[0]?.hook)
  })

  it("are never minimal or low with a trap, and none of the claims about sales that it makes is refuted", () => {
    for (const name of Object.keys(SwapHooks.traps) as ReadonlyArray<keyof typeof SwapHooks.traps>) {
      const level = analyses[name].facts.risk?.level ?? ""
      assert.notInclude(["minimal", "low"], level, name)
      if (!apart.includes(name))
        for (const id of sales) assert.notStrictEqual(stateOf(name, id), "refuted", `${name} ${id}`)
    }
  })

  it("are called what they are where doing it shows the trap: sales that fail, and what a hook keeps", () => {
    const shown: ReadonlyArray<readonly [keyof typeof SwapHooks.traps, string]> = [
      ["blocksSales", "trade.honeypot"],
      ["listsSellers", "trade.honeypot"],
      ["takesByDelta", "trade.taxed"],
      ["takesByTake", "trade.taxed"],
      ["feeRisesInADay", "trade.taxed"],
      ["feeFallsFromTheTop", "trade.taxed"]
    ]
    for (const [name, id] of shown) {
      assert.strictEqual(stateOf(name, id), "confirmed", `${name} ${id}`)
      assert.strictEqual(analyses[name].facts.risk?.level, "critical", name)
    }
    const taxes = (name: keyof typeof SwapHooks.traps) =>
      analyses[name].evidence.find(({ id }) => id === "trade.taxed")?.detail ?? ""
    assert.include(taxes("takesByDelta"), "purchase: 5.00 %, sale: 60.00 %")
    assert.include(taxes("takesByTake"), "purchase: 0.00 %, sale: 80.00 %")
    assert.include(taxes("feeRisesInADay"), "sale: 90.00 %")
    // The second block after the opening is four seconds behind it.
    assert.match(taxes("feeFallsFromTheTop"), /purchase: 7\d\.\d\d %/)
  })

  it("are accused of nothing by an honest hook, and unknown by its name while nobody decided what it may do", () => {
    for (const name of Object.keys(SwapHooks.honests) as ReadonlyArray<keyof typeof SwapHooks.honests>) {
      for (const id of sales) assert.notStrictEqual(stateOf(name, id), "confirmed", `${name} ${id}`)
      if (apart.includes(name)) continue
      const hook = analyses[name].facts.pools?.[0]?.hook ?? "none"
      for (const id of sales) {
        const item = analyses[name].evidence.find((each) => each.id === id)
        assert.strictEqual(item?.state, "unknown", `${name} ${id}`)
        assert.include(item?.detail ?? "", hook, `${name} ${id}`)
      }
      assert.strictEqual(analyses[name].facts.risk?.level, "unknown", name)
    }
  })

  it("hold with hooks of OpenZeppelin and of V4's own tests: no trap is safe, and no honest one is accused", async () => {
    const described = Object.values(PublishedHooks.all)
    const listings = await SwapHooks.listDescribed(manager, described)
    for (const { description, token } of listings) {
      const { evidence, facts } = await world.run(analyze(token))
      const states = new Map(evidence.map(({ id, state }) => [id, state]))
      for (const id of sales) {
        const state = states.get(id)
        if (description.isTrap) assert.notStrictEqual(state, "refuted", `${description.name} ${id}`)
        else assert.notStrictEqual(state, "confirmed", `${description.name} ${id}`)
      }
      if (description.isTrap) assert.notInclude(["minimal", "low"], facts.risk?.level, description.name)
    }
  })

  it("keep their verdicts beside decoys, but for a deep pool with a token that has no price, which leaves them open", async () => {
    const launch = async (decoy: (world: ManagerWorld.ManagerWorld, token: Account) => Promise<unknown>) => {
      const { token } = await PoolDecoys.plain(manager)
      await decoy(manager, token)
      return token
    }
    const decoys = {
      falseEvents: await launch(PoolDecoys.falseEvents),
      narrow: await launch(PoolDecoys.narrow),
      spam: await launch((world, token) => PoolDecoys.spam(world, token)),
      smallTrap: (
        await PoolDecoys.beside(manager, "blocksSales", { hooked: PoolDecoys.small, plain: PoolDecoys.large })
      ).plain.token
    }
    const worthlessQuote = await launch(PoolDecoys.worthlessQuote)
    const largeTrap = await PoolDecoys.beside(manager, "blocksSales", {
      hooked: PoolDecoys.large,
      plain: PoolDecoys.small
    })
    const statesOf = async (token: Account) => {
      const { evidence } = await world.run(analyze(token))
      return sales.map((id) => [id, evidence.find((each) => each.id === id)?.state] as const)
    }
    for (const [name, token] of Object.entries(decoys))
      for (const [id, state] of await statesOf(token)) assert.strictEqual(state, "refuted", `${name} ${id}`)
    for (const [id, state] of await statesOf(worthlessQuote)) assert.strictEqual(state, "unknown", id)
    const trap = await statesOf(largeTrap.plain.token)
    assert.deepInclude(trap, ["trade.honeypot", "confirmed"])
    for (const [id, state] of trap) assert.notStrictEqual(state, "refuted", id)
  })

  it("cost at most 20 calls more than a token that has no pool there", async () => {
    let calls = 0
    const counting: World.Wire = Layer.provide(
      Layer.effect(
        Transport.Transport,
        Effect.map(Transport.Transport, ({ post }) => ({
          post: (url: string, body: string) => {
            const sent: unknown = JSON.parse(body)
            calls += Array.isArray(sent) ? sent.length : 1
            return post(url, body)
          }
        }))
      ),
      World.http
    )
    const spent = async (token: Account) => {
      calls = 0
      await world.runOver(counting)(analyze(token))
      return calls
    }
    // The first one also learns what the endpoint can do.
    await spent(tokens.plain)
    const [pooled, none] = [await spent(tokens.plain), await spent(tokens.none)]
    assert.isAtMost(pooled - none, 20, `${pooled} ${none}`)
    assert.isAbove(pooled, none)
  })
})
