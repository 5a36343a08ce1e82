import { assert, describe, it } from "@effect/vitest"
import * as Tolerance from "../../src/changes/Tolerance.js"

const relative = (threshold?: number) => ({ tolerance: { kind: "relative", amount: 0.1 } as const, threshold })
const absolute = (threshold?: number) => ({ tolerance: { kind: "absolute", amount: 50 } as const, threshold })
const none = { tolerance: null, threshold: undefined }

describe("Tolerance", () => {
  it("applies a rule to the numbers of its unit, and to the others what is usual for them", () => {
    const pool = (burned_bps: number, reserve_quote: string) => ({ burned_bps, quote: "0x1", reserve_quote })
    assert.strictEqual(Tolerance.extent(pool(9_000, "1000"), pool(9_049, "1099"), absolute()), "within")
    assert.strictEqual(Tolerance.extent(pool(9_000, "1000"), pool(9_050, "1000"), absolute()), "beyond")
    assert.strictEqual(Tolerance.extent(pool(9_000, "1000"), pool(9_000, "1100"), absolute()), "beyond")
    assert.strictEqual(Tolerance.extent(pool(9_000, "1000"), pool(9_000, "1040"), relative(0.03)), "beyond")
    assert.strictEqual(Tolerance.extent(pool(9_000, "1000"), pool(9_099, "1000"), none), "within")
  })

  it("tolerates nothing of what is set: signatures, delays, decimals, addresses, truth", () => {
    for (const [before, after] of [
      [{ threshold: 100 }, { threshold: 99 }],
      [{ delay_seconds: 1_000 }, { delay_seconds: 999 }],
      [{ decimals: 18 }, { decimals: 17 }],
      [{ owner: "0x1" }, { owner: "0x2" }],
      [{ owner: "0x1" }, { owner: null }],
      [{ later_sale_refused: false }, { later_sale_refused: true }],
      [{ reserve_quote: "1000" }, { reserve_quote: null }]
    ])
      assert.strictEqual(Tolerance.extent(before, after, relative(10)), "beyond", JSON.stringify(before))
  })

  it("distinguishes members about the reading from what was read", () => {
    const read = (from_block: number, reason: string | null, tax: number) => ({ from_block, reason, buy_tax_bps: tax })
    assert.strictEqual(Tolerance.extent(read(1, null, 5), read(2, "no", 5), none), "readings")
    assert.strictEqual(Tolerance.extent(read(1, null, 5), read(2, "no", 54), none), "within")
    assert.strictEqual(Tolerance.extent(read(1, null, 5), read(2, "no", 55), none), "beyond")
    assert.strictEqual(Tolerance.extent({ pools: [{ address: "0x1" }] }, { pools: [] }, none), "beyond")
  })

  it("takes holders who come and go with less than the tolerated part for noise", () => {
    const top = (...holders: ReadonlyArray<readonly [string, number]>) => ({
      holders: holders.map(([address, share_bps]) => ({ address, kind: "eoa", balance: String(share_bps), share_bps }))
    })
    const extent = (before: unknown, after: unknown) => Tolerance.extent(before, after, absolute(200))
    assert.strictEqual(extent(top(["0x1", 900], ["0x2", 199]), top(["0x1", 1_099], ["0x3", 199])), "within")
    assert.strictEqual(extent(top(["0x1", 900], ["0x2", 200]), top(["0x1", 900])), "beyond")
    assert.strictEqual(extent(top(["0x1", 900]), top(["0x1", 900], ["0x3", 200])), "beyond")
    assert.strictEqual(extent(top(["0x1", 900]), top(["0x1", 1_100])), "beyond")
    assert.strictEqual(extent({ modules: ["0x1"] }, { modules: ["0x1", "0x2"] }), "beyond")
  })

  it("compares a number of no known name by the rule, and exactly without one", () => {
    assert.strictEqual(Tolerance.extent({ length: 10 }, { length: 20 }, absolute()), "within")
    assert.strictEqual(Tolerance.extent({ length: 10 }, { length: 60 }, absolute()), "beyond")
    assert.strictEqual(Tolerance.extent({ length: 10 }, { length: 11 }, none), "beyond")
    assert.strictEqual(Tolerance.extent(1, 2, none), "beyond")
  })
})
