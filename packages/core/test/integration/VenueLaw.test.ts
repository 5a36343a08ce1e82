import { assert, describe, it } from "vitest"
import * as VenueLaw from "./VenueLaw.js"

const verdict = (level: string, score: number, states: Readonly<Record<string, string>>): VenueLaw.Verdict => ({
  level,
  score,
  states: new Map(Object.entries(states))
})

const honest = verdict("minimal", 98, { "trade.honeypot": "refuted", "trade.route": "confirmed" })
const trap = verdict("critical", 0, { "trade.honeypot": "confirmed", "liquidity.thin": "confirmed" })
const open = verdict("unknown", 0, { "trade.honeypot": "unknown", "liquidity.pools": "unknown" })

describe("the law of places that look like a market", () => {
  it("lets a place take certainty from a verdict", () => {
    const less = { "trade.honeypot": "unknown", "trade.route": "unknown", "liquidity.thin": "unknown" }
    assert.deepStrictEqual(VenueLaw.violations("honest", honest, verdict("unknown", 4, less)), [])
    assert.deepStrictEqual(VenueLaw.violations("trap", trap, verdict("unknown", 0, less)), [])
    assert.deepStrictEqual(VenueLaw.violations("trap", trap, trap), [])
  })

  it("lets a trap be found beside it, and no honest token be accused", () => {
    const found = verdict("critical", 0, { "trade.honeypot": "confirmed", "liquidity.pools": "unknown" })
    assert.deepStrictEqual(VenueLaw.violations("trap", open, found), [])
    assert.deepStrictEqual(VenueLaw.violations("honest", open, found), [
      "trade.honeypot: unknown is confirmed",
      "the level unknown is critical"
    ])
  })

  it("lets nothing be refuted, nothing good be confirmed, and no claim fall silent", () => {
    const refuted = verdict("critical", 0, { "trade.honeypot": "refuted", "liquidity.thin": "confirmed" })
    assert.deepStrictEqual(VenueLaw.violations("trap", trap, refuted), ["trade.honeypot: confirmed is refuted"])
    const pooled = verdict("unknown", 0, { "trade.honeypot": "unknown", "liquidity.pools": "confirmed" })
    assert.deepStrictEqual(VenueLaw.violations("trap", open, pooled), ["liquidity.pools: unknown is confirmed"])
    const burned = verdict("critical", 0, { ...Object.fromEntries(trap.states), "liquidity.burned:0x1": "confirmed" })
    assert.deepStrictEqual(VenueLaw.violations("trap", trap, burned), ["liquidity.burned:0x1: absent is confirmed"])
    assert.deepStrictEqual(VenueLaw.violations("trap", trap, burned, ["0x1"]), [])
    assert.deepStrictEqual(VenueLaw.violations("trap", trap, verdict("critical", 0, {})), [
      "nothing is said of trade.honeypot any more",
      "nothing is said of liquidity.thin any more"
    ])
  })

  it("lets no trap have a better level or score", () => {
    assert.deepStrictEqual(VenueLaw.violations("trap", trap, { ...trap, level: "high", score: 20 }), [
      "the level critical is high",
      "the score 0 is 20"
    ])
    assert.deepStrictEqual(VenueLaw.violations("trap", open, { ...open, level: "low" }), ["the level unknown is low"])
  })
})
