import { Address, type Analysis, Analyzer } from "@assay/core"
import { Effect } from "effect"
import type { Address as Account } from "viem"
import { assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as Adversaries from "../facts/Adversaries.js"
import * as RouterlessBook from "../facts/RouterlessBook.js"
import * as World from "./World.js"

// What an analysis says of tokens on exchanges of which no router is known.

const honest = ["plain", "pausable", "launchLimit", "treasuryFee", "onlyV3"] as const
const traps = ["honeypot", "silentHoneypot", "sellTax90", "sellers", "delayedTrap", "usdc"] as const
const adversaries = [
  "Plain",
  "Closed",
  "TakingSales",
  "AllowingItsRouter",
  "RefusingItsRouter",
  "TaxingOtherRouters"
] as const

type Name = (typeof honest)[number] | (typeof traps)[number] | (typeof adversaries)[number]

const claims = [
  "trade.honeypot",
  "trade.taxed",
  "trade.sell-limited",
  "trade.holders-blocked",
  "trade.buy-blocked",
  "trade.environment-dependent"
] as const

describe.runIf(Tier.landing)(Tier.title(Tier.landing, "tokens on an exchange without a known router"), () => {
  let world: World.World
  const known = new Map<Name, Analysis.Analysis>()
  const ours = new Map<Name, Analysis.Analysis>()

  beforeAll(async () => {
    world = await World.start()
    const { targets } = world.sandbox
    const tokens: Array<readonly [Name, Account]> = [...honest, ...traps].map((name) => [name, targets[name].address])
    for (const name of adversaries) {
      const token = await Adversaries.launch(world.sandbox, name)
      await Adversaries.distribute(world.sandbox, token, Adversaries.strangers(12))
      tokens.push([name, token])
    }
    const analyze = (token: Account) =>
      Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
        analyzer.analyze({ kind: "token", chain: world.chain, address: Address.checksum(token) })
      )
    for (const [name, token] of tokens) known.set(name, await world.run(analyze(token)))
    await RouterlessBook.removeFirstRouter(world.sandbox)
    for (const [name, token] of tokens) ours.set(name, await world.run(RouterlessBook.provide(analyze(token))))
  })

  const itemOf = (of: ReadonlyMap<Name, Analysis.Analysis>, name: Name, id: string) => {
    const item = of.get(name)?.evidence.find((each) => each.id === id)
    assert.isDefined(item, `${name} ${id}`)
    return item
  }
  const stateOf = (of: ReadonlyMap<Name, Analysis.Analysis>, name: Name, id: string) => itemOf(of, name, id)?.state

  it("are judged as where one is known, if they treat all routers alike", () => {
    for (const name of [...honest, ...traps, "Plain", "Closed", "TakingSales"] as const) {
      if (name === "usdc") continue
      for (const id of claims)
        assert.deepStrictEqual(
          [stateOf(ours, name, id), itemOf(ours, name, id)?.severity],
          [stateOf(known, name, id), itemOf(known, name, id)?.severity],
          `${name} ${id}: ${itemOf(ours, name, id)?.detail}`
        )
      assert.strictEqual(ours.get(name)?.facts.risk?.level, known.get(name)?.facts.risk?.level, name)
    }
  })

  it("are traded in every environment, from a constructor too, and the facts say that the router is ours", () => {
    for (const name of ["plain", "onlyV3", "Plain"] as const) {
      const { router, runs = [], unavailable } = ours.get(name)?.facts.trade ?? {}
      assert.strictEqual(router, "simulated", name)
      assert.deepStrictEqual(unavailable, [], name)
      assert.sameMembers(
        [...new Set(runs.map(({ environment }) => environment.method))],
        ["simulate_v1", "override", "constructor"]
      )
      for (const { buy, control, sell } of runs)
        assert.deepStrictEqual([buy.state, buy.tax_bps, sell.state, sell.tax_bps, control], ["ok", 0, "ok", 0, "ok"])
      assert.isUndefined(known.get(name)?.facts.trade?.router)
    }
  })

  it("are neither accused nor cleared by its sales, if they may treat a router by its name", () => {
    assert.strictEqual(stateOf(known, "AllowingItsRouter", "trade.honeypot"), "refuted")
    assert.strictEqual(stateOf(known, "RefusingItsRouter", "trade.honeypot"), "confirmed")
    for (const name of ["AllowingItsRouter", "RefusingItsRouter", "TaxingOtherRouters", "usdc"] as const) {
      for (const id of claims)
        assert.strictEqual(
          stateOf(ours, name, id),
          id === "trade.buy-blocked" ? "refuted" : "unknown",
          `${name} ${id}: ${itemOf(ours, name, id)?.detail}`
        )
      assert.include(itemOf(ours, name, "trade.honeypot")?.detail, "no router of the exchange is known")
      assert.strictEqual(ours.get(name)?.facts.risk?.level, "unknown", name)
    }
  })

  it("are never minimal or low with a trap", () => {
    for (const name of [...traps, "Closed", "TakingSales", "RefusingItsRouter"] as const)
      assert.notInclude(["minimal", "low"], ours.get(name)?.facts.risk?.level, name)
  })
})
