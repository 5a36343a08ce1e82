import { assert, describe, it } from "vitest"
import * as Advice from "../../src/report/Advice.js"

const reason = (...evidence_ids: ReadonlyArray<string>) => ({ text: "", evidence_ids, points: 1, controlled_by: null })

const never = () => false

describe("What to do about a reason", () => {
  it("is the recommendation of its claim, with the items of the reason", () => {
    const [mint, ...others] = Advice.of([reason("token.mintable", "token.mintable:0x1")], never)
    assert.match(mint?.text ?? "", /^[A-Z]/)
    assert.deepStrictEqual(mint?.evidence_ids, ["token.mintable", "token.mintable:0x1"])
    assert.isNull(mint?.transaction)
    assert.isEmpty(others)
  })

  it("is in the order of the reasons, and not said of a claim of others nor of what is said better", () => {
    const reasons = [
      reason("trade.honeypot"),
      reason("their.check"),
      reason("allowance.operator:0x1:0x2"),
      reason("token.listed")
    ]
    const firsts = (apart: (check: string) => boolean) =>
      Advice.of(reasons, apart).map(({ evidence_ids }) => evidence_ids[0])
    assert.deepStrictEqual(firsts(never), ["trade.honeypot", "allowance.operator:0x1:0x2"])
    assert.deepStrictEqual(
      firsts((check) => check.startsWith("allowance.")),
      ["trade.honeypot"]
    )
  })
})
