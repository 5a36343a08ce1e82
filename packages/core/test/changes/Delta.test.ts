import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Delta from "../../src/changes/Delta.js"
import * as CanonicalJson from "../../src/domain/CanonicalJson.js"

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

  it("says where two values differ, by the names on the way and by what tells members of a list apart", () => {
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

  describe("visibility", () => {
    const [alice, bob] = [`0x${"aa".repeat(20)}`, `0x${"bb".repeat(20)}`]
    const of = (complete: boolean, ...controllers: ReadonlyArray<readonly [string, string]>) => ({
      complete,
      controllers: controllers.map(([address, power]) => ({ address, powers: [power] }))
    })

    it("is lost where the same account is told in other words because the better ones could not be read", () => {
      const [whole, part] = [of(true, [alice, "owner"]), of(false, [alice, "function:0x8456cb59"])]
      assert.strictEqual(Delta.visibility(whole, part), "lost")
      assert.strictEqual(Delta.visibility(part, whole), "gained")
    })

    it("is shifted between two views of which each misses what the other one has", () => {
      assert.strictEqual(Delta.visibility(of(false, [alice, "owner"]), of(false)), "lost")
      const [one, other] = [
        { complete: false, owner: alice, members: [] },
        { complete: false, owner: null, members: [bob] }
      ]
      assert.strictEqual(Delta.visibility(one, other), "shifted")
      assert.strictEqual(Delta.visibility(other, one), "shifted")
    })

    it("does not explain an account that was not there before", () => {
      assert.isNull(Delta.visibility(of(true, [alice, "owner"]), of(false, [bob, "owner"])))
      assert.isNull(Delta.visibility(of(true), of(false, [bob, "owner"])))
    })

    it("does not explain what a whole view says otherwise", () => {
      assert.isNull(Delta.visibility(of(true, [alice, "owner"]), of(true, [alice, "admin"])))
      assert.isNull(Delta.visibility({ threshold: 2, complete: false }, { threshold: 1, complete: false }))
    })

    it("is said by a member that is not known, whole or not", () => {
      const holder = (kind: string) => ({ complete: true, holders: [{ account: alice, kind }] })
      assert.strictEqual(Delta.visibility(holder("pool"), holder("unknown")), "lost")
      assert.strictEqual(Delta.visibility(holder("unknown"), holder("pool")), "gained")
      assert.isNull(Delta.visibility(holder("pool"), holder("account")))
      const by = (kind: string, address: string | null | undefined) => ({ controllers: [{ kind, address }] })
      assert.strictEqual(Delta.visibility(by("eoa", alice), by("unknown", null)), "lost")
      assert.strictEqual(Delta.visibility(by("unknown", null), by("eoa", alice)), "gained")
      assert.isNull(Delta.visibility(by("eoa", alice), by("eoa", bob)))
    })

    it("has nothing to do with since when a value was seen", () => {
      const since = (from_block: number, complete: boolean) => ({ from_block, complete, list: complete ? [alice] : [] })
      assert.strictEqual(Delta.visibility(since(0, true), since(9, false)), "lost")
    })
  })

  it("mirrors", () => {
    const flip = { lost: "gained", gained: "lost", shifted: "shifted" } as const
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
        const back = new Map(Delta.leaves(b, a).map((leaf) => [leaf.path.join(), leaf]))
        const there = Delta.leaves(a, b)
        assert.strictEqual(back.size, there.length)
        for (const leaf of there) {
          const opposite = back.get(leaf.path.join()) ?? assert.fail(leaf.path.join())
          assert.strictEqual(Delta.trend(leaf) + Delta.trend(opposite), 0)
        }
        assert.strictEqual(there.length === 0, Delta.isSame(a, b))
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
