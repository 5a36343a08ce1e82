import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Decimal from "../../src/changes/Decimal.js"

const of = (value: unknown) => Decimal.make(value) ?? assert.fail(`${value} is no number`)

describe("Decimal", () => {
  it("is what is a number or spells one, and nothing else", () => {
    for (const value of ["", "-", "1.", ".5", "+1", "1e3", "0x10", " 1", "١", null, undefined, true, [1], Number.NaN])
      assert.isNull(Decimal.make(value), String(value))
    for (const [value, text] of [
      ["-0.880", "-0.88"],
      ["007", "7"],
      [1e21, "1000000000000000000000"],
      [1e-7, "0.0000001"],
      [-0, "0"],
      ["0.0", "0"]
    ])
      assert.strictEqual(Decimal.format(of(value)), text)
  })

  it("loses no digit", () => {
    const number = fc.record({ digits: fc.bigInt(), scale: fc.integer({ min: 0, max: 30 }) })
    fc.assert(
      fc.property(number, number, (a, b) => {
        assert.strictEqual(Decimal.format(of(Decimal.format(a))), Decimal.format(a))
        const difference = Decimal.minus(a, b)
        assert.strictEqual(Decimal.isLess(a, b), difference.digits < 0n)
        assert.strictEqual(
          Decimal.format(Decimal.magnitude(difference)),
          Decimal.format(Decimal.magnitude(Decimal.minus(b, a)))
        )
        assert.strictEqual(Decimal.format(Decimal.minus(difference, a)), Decimal.format(Decimal.minus(of("0"), b)))
      })
    )
  })

  it("writes a share to three decimals, half away from zero on both sides", () => {
    const parts: ReadonlyArray<readonly [string, string, string]> = [
      ["1", "3", "0.333"],
      ["-2", "3", "-0.667"],
      ["0.0005", "1", "0.001"],
      ["-0.0005", "1", "-0.001"],
      ["0.00049", "1", "0"],
      ["5", "0.5", "10"]
    ]
    for (const [part, whole, told] of parts) assert.strictEqual(Decimal.ratio(of(part), of(whole)), told)
  })
})
