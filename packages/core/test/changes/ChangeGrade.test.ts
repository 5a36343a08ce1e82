import { assert, describe, it } from "@effect/vitest"
import * as ChangeGrade from "../../src/changes/ChangeGrade.js"
import * as Changes from "../../src/changes/Changes.js"
import type { Evidence } from "../../src/domain/Evidence.js"
import { item, snapshot } from "./Fixtures.js"

const [alice, bob, carol] = ["0xa1", "0xb2", "0xc3"]

/** The change between two items that were both seen, as direction and severity. */
const graded = (before: Evidence, after: Evidence): ReadonlyArray<unknown> => {
  const [change, ...rest] = Changes.between(snapshot([before]), snapshot([after]))
  assert.deepStrictEqual(rest, [])
  return [change?.direction, change?.severity]
}

const both = (
  make: (value: unknown) => Evidence,
  from: unknown,
  to: unknown
): readonly [ReadonlyArray<unknown>, ReadonlyArray<unknown>] => [
  graded(make(from), make(to)),
  graded(make(to), make(from))
]

const of =
  (id: string, options: Partial<Evidence>, state: Evidence["state"] = "confirmed") =>
  (value: unknown): Evidence =>
    item(id, state, { ...options, value })

const neutral = { polarity: "neutral", severity: "info" } as const
const protective = { polarity: "protective", severity: "info" } as const

const safe = of("safe.setup", { ...neutral, category: "counterparty" })
const setup = (threshold: number, owners: ReadonlyArray<string> = [alice, bob, carol]) => ({
  canonical: true,
  owners,
  singleton: "0x51",
  threshold,
  version: "1.4.1"
})

describe("the grade of a change", () => {
  it("calls fewer signatures worse and high, and more of them better", () => {
    assert.deepStrictEqual(both(safe, setup(5), setup(3)), [
      ["worse", "high"],
      ["better", "low"]
    ])
    const controllers = of("control.controllers", neutral)
    const node = (threshold: number) => ({
      controllers: [
        {
          address: alice,
          kind: "safe",
          delay_seconds: null,
          threshold,
          signers: [bob],
          voting: null,
          powers: ["owner"]
        }
      ],
      complete: true
    })
    assert.deepStrictEqual(both(controllers, node(5), node(3)), [
      ["worse", "high"],
      ["better", "low"]
    ])
  })

  it("does not let a better part hide another owner, and names who came and went", () => {
    const swapped = setup(4, [alice, bob, "0xd4"])
    assert.deepStrictEqual(graded(safe(setup(3)), safe(swapped)), ["better", "high"])
    assert.deepStrictEqual(graded(safe(setup(3)), safe(setup(3, [alice, bob, "0xd4"]))), ["neutral", "high"])
    const [change] = Changes.between(snapshot([safe(setup(3))]), snapshot([safe(setup(3, ["0xd4", bob, alice]))]))
    assert.deepStrictEqual(change?.delta, { added: ["0xd4"], removed: [carol] })
  })

  it("calls a shorter delay worse, also of a power, and no delay the shortest", () => {
    const timelocked = of("control.timelocked", protective)
    const waits = (delay_seconds: number | null) => ({ delay_seconds, at_once: [] })
    const expected = [
      ["worse", "high"],
      ["better", "low"]
    ] as const
    assert.deepStrictEqual(both(timelocked, waits(604_800), waits(172_800)), expected)
    const refuted = of("control.timelocked", protective, "refuted")
    assert.deepStrictEqual(both(refuted, waits(86_400), waits(60)), expected)
    assert.deepStrictEqual(both(refuted, waits(86_400), waits(null)), expected)
    const upgradeable = of("proxy.upgradeable-now", { severity: "high" })
    const authority = (delay_seconds: number) => ({ authority: alice, delay_seconds })
    assert.deepStrictEqual(both(upgradeable, authority(172_800), authority(60)), expected)
  })

  it("calls a raised tax worse, in any leg, and one that rises while another falls at least high", () => {
    const taxed = of("trade.taxed", { category: "exit", severity: "medium" })
    const tax = (buy_tax_bps: number | null, sell_tax_bps: number, transfer_tax_bps: number) => ({
      buy_tax_bps,
      sell_tax_bps,
      transfer_tax_bps
    })
    assert.deepStrictEqual(both(taxed, tax(500, 500, 0), tax(700, 900, 0)), [
      ["worse", "high"],
      ["better", "low"]
    ])
    assert.deepStrictEqual(graded(taxed(tax(500, 500, 0)), taxed(tax(100, 900, 0))), ["neutral", "high"])
    const critical = of("trade.taxed", { category: "exit", severity: "critical" })
    assert.deepStrictEqual(graded(taxed(tax(500, 500, 0)), critical(tax(500, 9_900, 0))), ["worse", "critical"])
  })

  it("gives a new unlimited approval its own grade, for the holder can take it back", () => {
    const approval = of("allowance.unlimited:0x70:0x59", { category: "approvals", severity: "high" })
    const [added] = Changes.between(
      snapshot([]),
      snapshot([approval({ amount: "1", balance: "0", spender_kind: "eoa" })])
    )
    assert.deepStrictEqual([added?.kind, added?.direction, added?.severity], ["added", "worse", "high"])
  })

  it("calls another implementation high, whatever it is", () => {
    const proxy = of("proxy.kind", neutral)
    const kind = (implementation: string, conflicts: ReadonlyArray<string> = []) => ({
      kind: "eip1967",
      implementations: [implementation],
      beacon: null,
      conflicts
    })
    assert.deepStrictEqual(both(proxy, kind(alice), kind(bob)), [
      ["neutral", "high"],
      ["neutral", "high"]
    ])
    assert.deepStrictEqual(graded(proxy(kind(alice)), proxy(kind(alice, ["another reading"]))), ["neutral", "info"])
  })

  it("calls other code at the address critical, by its check and by the facts where that check is not there", () => {
    const replaced = (state: Evidence["state"]) =>
      item("contract.code-replaced", state, { category: "code", severity: "critical" })
    assert.deepStrictEqual(graded(replaced("refuted"), replaced("confirmed")), ["worse", "critical"])
  })

  it("calls a new module worse and at least high, and one less better", () => {
    const modules = of("safe.modules", { category: "account", severity: "high" })
    assert.deepStrictEqual(both(modules, { modules: [alice] }, { modules: [alice, bob] }), [
      ["worse", "high"],
      ["better", "low"]
    ])
    const first = graded(
      item("safe.modules", "refuted", { category: "account", value: { modules: [] }, severity: "high" }),
      modules({ modules: [alice] })
    )
    assert.deepStrictEqual(first, ["worse", "high"])
    assert.deepStrictEqual(graded(modules({ modules: [alice] }), modules({ modules: [bob] })), ["neutral", "high"])
  })

  describe("of liquidity", () => {
    const pools = of("liquidity.pools", { ...neutral, category: "exit" })
    const pool = (reserve_token: number, reserve_quote: number, lp_total_supply: number | null = null) => ({
      pools: [
        {
          address: alice,
          exchange: "Uniswap V2",
          kind: "uniswap-v2",
          fee_bps: null,
          quote: bob,
          quote_symbol: "WETH",
          reserve_token: String(reserve_token),
          reserve_quote: String(reserve_quote),
          lp_total_supply: lp_total_supply === null ? null : String(lp_total_supply),
          lp_burned: null
        }
      ]
    })

    it("calls liquidity that was pulled worse and high, and a trade neither", () => {
      const pulled = [
        ["worse", "high"],
        ["better", "low"]
      ] as const
      assert.deepStrictEqual(both(pools, pool(1_000, 1_000, 1_000), pool(500, 500, 500)), pulled)
      assert.deepStrictEqual(both(pools, pool(1_000, 1_000), pool(500, 500)), pulled)
      assert.deepStrictEqual(both(pools, pool(1_000, 1_000), pool(2_000, 0)), pulled)
      assert.deepStrictEqual(both(pools, pool(1_000, 1_000, 1_000), { pools: [] }), pulled)
      assert.deepStrictEqual(both(pools, pool(1_000, 1_000, 1_000), pool(1_250, 800, 1_000)), [
        ["neutral", "low"],
        ["neutral", "low"]
      ])
      assert.deepStrictEqual(graded(pools(pool(1_000, 1_000)), pools(pool(990, 800))), ["neutral", "low"])
    })

    it("calls a lock that shrinks or ends sooner worse, also below what its claim requires", () => {
      const locked = (state: Evidence["state"]) =>
        of("liquidity.locked:0xa1", { ...protective, category: "exit" }, state)
      const share = (locked_bps: number, until: string | null = "2027-01-01T00:00:00.000Z") => ({
        locked_bps,
        burned_bps: 0,
        until,
        locks: []
      })
      const expected = [
        ["worse", "high"],
        ["better", "low"]
      ] as const
      assert.deepStrictEqual(both(locked("refuted"), share(9_000), share(1_000)), expected)
      assert.deepStrictEqual(both(locked("confirmed"), share(9_900), share(9_600)), expected)
      const sooner = share(9_900, "2026-12-01T00:00:00.000Z")
      assert.deepStrictEqual(both(locked("confirmed"), share(9_900), sooner), expected)
      assert.deepStrictEqual(graded(locked("confirmed")(share(9_900)), locked("refuted")(share(0, null))), [
        "worse",
        "high"
      ])
    })
  })

  it("calls a blacklist that is used worse, as grave as its check says", () => {
    const blocked = (state: Evidence["state"], of: number) =>
      item("trade.holders-blocked", state, {
        category: "exit",
        severity: "critical",
        value: { tried: 10, blocked: of, method: "simulate_v1", reason: null }
      })
    assert.deepStrictEqual(graded(blocked("refuted", 0), blocked("confirmed", 9)), ["worse", "critical"])
  })

  it("grades what a token calls itself by what of it changed", () => {
    const metadata = of("token.metadata-readable", { ...neutral, category: "identity" })
    const profile = { name: "A", symbol: "A", decimals: 18, total_supply: "1000" }
    const severityOf = (changed: Partial<typeof profile>) =>
      graded(metadata(profile), metadata({ ...profile, ...changed }))[1]
    assert.deepStrictEqual(
      [{ decimals: 6 }, { name: "B" }, { symbol: "B" }, { total_supply: "2000" }, { name: "B", decimals: 6 }].map(
        severityOf
      ),
      ["high", "medium", "medium", "low", "high"]
    )
  })

  it("says nothing of how much less there is of a risk that is not there", () => {
    const concentrated = of("holders.concentrated", { category: "market", severity: "high" }, "refuted")
    const top = (top_10_bps: number) => ({ top_1_bps: 100, top_10_bps, complete: true, largest: alice })
    assert.deepStrictEqual(graded(concentrated(top(1_000)), concentrated(top(3_000))), ["neutral", "info"])
  })

  it("grades facts by the same members", () => {
    assert.deepStrictEqual(ChangeGrade.ofFact("threshold", 5, 3, "high"), { direction: "worse", severity: "high" })
    assert.deepStrictEqual(ChangeGrade.ofFact("threshold", 3, 5, "high"), { direction: "better", severity: "low" })
    assert.deepStrictEqual(ChangeGrade.ofFact("modules", [], [alice], "medium"), {
      direction: "worse",
      severity: "high"
    })
    assert.deepStrictEqual(ChangeGrade.ofFact("owner", alice, bob, "high"), { direction: "neutral", severity: "high" })
  })
})
