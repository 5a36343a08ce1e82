import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Delta from "../../src/changes/Delta.js"

describe("Delta", () => {
  it("subtracts decimals exactly and says what part of the earlier number that is", () => {
    assert.deepStrictEqual(Delta.between("0.92", "0.04"), { absolute: "-0.88", relative: "-0.957" })
    assert.deepStrictEqual(Delta.between(0.1, 0.3), { absolute: "0.2", relative: "2" })
    assert.deepStrictEqual(Delta.between("1000000000000000000000000", "1000000000000000000000001"), {
      absolute: "1",
      relative: "0"
    })
    assert.deepStrictEqual(Delta.between(0, 5), { absolute: "5", relative: null })
    assert.deepStrictEqual(Delta.between(-4, 4), { absolute: "8", relative: "2" })
  })

  it("finds the one number that changed in a document, and says nothing where several did", () => {
    assert.deepStrictEqual(Delta.between({ a: 1, b: "x" }, { a: 2, b: "x" }), { absolute: "1", relative: "1" })
    assert.isNull(Delta.between({ a: 1, b: 1 }, { a: 2, b: 2 }))
    assert.isNull(Delta.between("0xabc", "0xdef"))
    assert.isNull(Delta.between(null, 5))
    assert.isNull(Delta.between(5, 5))
  })

  it("compares lists as sets, wherever they are", () => {
    assert.isTrue(Delta.isSame({ owners: ["a", "b"] }, { owners: ["b", "a", "a"] }))
    assert.deepStrictEqual(Delta.between({ owners: ["a", "b"], count: 2 }, { owners: ["c", "b", "d"], count: 3 }), {
      added: ["c", "d"],
      removed: ["a"]
    })
  })

  it("matches records that name an address by it, so that a pool that moved is not a pool gone and a pool new", () => {
    const pool = (address: string, reserve: string) => ({ address, reserve })
    assert.deepStrictEqual(
      Delta.between([pool("0x1", "100"), pool("0x2", "5")], [pool("0x2", "5"), pool("0x1", "110")]),
      {
        absolute: "10",
        relative: "0.1"
      }
    )
    assert.deepStrictEqual(Delta.between([pool("0x1", "100")], [pool("0x1", "101"), pool("0x2", "5")]), {
      added: [pool("0x2", "5")],
      removed: []
    })
  })

  it("keeps within a tolerance only numbers that moved less than it", () => {
    const relative = { kind: "relative", amount: 0.1 } as const
    assert.isTrue(Delta.isWithin("1000", "1099", relative))
    assert.isTrue(Delta.isWithin("1000", "901", relative))
    assert.isFalse(Delta.isWithin("1000", "1100", relative))
    assert.isFalse(Delta.isWithin("0", "1", relative))
    const absolute = { kind: "absolute", amount: 50 } as const
    assert.isTrue(Delta.isWithin({ buy: 100, name: "a" }, { buy: 149, name: "a" }, absolute))
    assert.isFalse(Delta.isWithin({ buy: 100, name: "a" }, { buy: 149, name: "b" }, absolute))
    assert.isFalse(Delta.isWithin({ buy: 100 }, { buy: null }, absolute))
    assert.isFalse(Delta.isWithin(["a"], ["a", "b"], absolute))
  })

  it("tells a lower bound that names less from members that are gone", () => {
    const value = (members: ReadonlyArray<string>, complete: boolean) => ({ members, complete })
    assert.strictEqual(Delta.visibility(value(["a", "b"], true), value(["a"], false)), "lost")
    assert.strictEqual(Delta.visibility(value(["a"], false), value(["a", "b"], true)), "gained")
    assert.strictEqual(Delta.visibility(value(["a"], true), value(["a"], false)), "lost")
    assert.isNull(Delta.visibility(value(["a", "b"], true), value(["a"], true)))
    assert.isNull(Delta.visibility(value(["a"], true), value(["b"], false)))
    const node = (kind: string, threshold: number | null) => ({
      nodes: [{ address: "0x1", kind, threshold }],
      complete: kind !== "unknown"
    })
    assert.strictEqual(Delta.visibility(node("safe", 2), node("unknown", null)), "lost")
    assert.isNull(Delta.visibility(node("safe", 2), { ...node("eoa", null), complete: false }))
  })

  it("mirrors", () => {
    const flip = { lost: "gained", gained: "lost" } as const
    const values = fc.record({
      complete: fc.boolean(),
      list: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }),
      number: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null)),
      nodes: fc.uniqueArray(
        fc.record({ address: fc.constantFrom("0x1", "0x2"), kind: fc.constantFrom("safe", "unknown", null) }),
        { selector: (node) => node.address }
      )
    })
    fc.assert(
      fc.property(values, values, (a, b) => {
        assert.strictEqual(Delta.isSame(a, b), Delta.isSame(b, a))
        const [there, back] = [Delta.between(a, b), Delta.between(b, a)]
        assert.strictEqual(Delta.trend(there) + Delta.trend(back), 0)
        if (!Delta.isSame(a, b)) {
          const seen = Delta.visibility(a, b)
          assert.strictEqual(Delta.visibility(b, a), seen === null ? null : flip[seen])
        }
        assert.isNull(Delta.between(a, a))
      }),
      { numRuns: 1_000 }
    )
  })
})
