import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Delta from "../../src/changes/Delta.js"
import * as CanonicalJson from "../../src/domain/CanonicalJson.js"
import * as Fixtures from "./Fixtures.js"

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

  it("says where two values differ, by member names and by what identifies members of a list", () => {
    const lock = (owner: string, share_bps: number) => ({ locker: "0x9", owner, share_bps })
    const places = (before: unknown, after: unknown) =>
      Delta.leaves(before, after).map((leaf) => [leaf.path.slice(0, 1).join(), Delta.nameOf(leaf), Delta.trend(leaf)])
    assert.deepStrictEqual(places(5, 6), [["", "", 1]])
    assert.deepStrictEqual(places({ a: 1, b: "x", c: { d: "9" } }, { a: 1, b: "y", c: { d: "8" } }), [
      ["b", "b", 0],
      ["c", "d", -1]
    ])
    assert.deepStrictEqual(
      places({ locks: [lock("a", 5_000), lock("b", 10)] }, { locks: [lock("b", 10), lock("a", 5_001)] }),
      [["locks", "share_bps", 1]]
    )
    assert.deepStrictEqual(places({ locks: [lock("a", 5_000)] }, { locks: [lock("a", 5_000), lock("b", 10)] }), [
      ["locks", "locks", 1]
    ])
    assert.deepStrictEqual(places("2026-01-02T00:00:00.000Z", "2026-01-01T00:00:00.000Z"), [["", "", -1]])
  })

  it("keeps within a tolerance only numbers that moved less than it", () => {
    const isWithin = (before: unknown, after: unknown, unit: "relative" | "absolute", amount: number) =>
      Delta.isWithin({ path: [], before, after }, unit, amount)
    assert.isTrue(isWithin("1000", "1099", "relative", 0.1))
    assert.isTrue(isWithin("1000", "901", "relative", 0.1))
    assert.isFalse(isWithin("1000", "1100", "relative", 0.1))
    assert.isFalse(isWithin("0", "1", "relative", 0.1))
    assert.isTrue(isWithin(100, 149, "absolute", 50))
    assert.isFalse(isWithin(100, 150, "absolute", 50))
    assert.isFalse(isWithin(100, null, "absolute", 50))
    assert.isFalse(isWithin(["a"], ["a", "b"], "absolute", 50))
    assert.isFalse(isWithin("a", "b", "absolute", 50))
  })

  it("finds two values the same exactly where their canonical JSON is, lists being sets", () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom(null, true, 0, 1, "1", '"1', "a", ""),
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "b", "address"), tie("any"), { maxKeys: 3 })
      )
    })).any
    const canonical = (a: unknown) => CanonicalJson.stringify(CanonicalJson.unordered(a))
    fc.assert(
      fc.property(value, value, (a, b) => {
        assert.strictEqual(Delta.isSame(a, b), canonical(a) === canonical(b))
        assert.isTrue(Delta.isSame(a, structuredClone(a)))
      }),
      { numRuns: 3_000 }
    )
  })

  it("mirrors", () => {
    fc.assert(
      fc.property(Fixtures.values, Fixtures.values, (a, b) => {
        assert.strictEqual(Delta.isSame(a, b), Delta.isSame(b, a))
        const back = new Map(Delta.leaves(b, a).map((leaf) => [leaf.path.join(), leaf]))
        const there = Delta.leaves(a, b)
        assert.strictEqual(back.size, there.length)
        for (const leaf of there) {
          const opposite = back.get(leaf.path.join()) ?? assert.fail(leaf.path.join())
          assert.strictEqual(Delta.trend(leaf) + Delta.trend(opposite), 0)
        }
        assert.strictEqual(there.length === 0, Delta.isSame(a, b))
        assert.isNull(Delta.between(a, a))
      }),
      { numRuns: 1_000 }
    )
  })
})
