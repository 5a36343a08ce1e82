import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Delta from "../../src/changes/Delta.js"
import * as Visibility from "../../src/changes/Visibility.js"
import * as Controller from "../../src/domain/Controller.js"
import * as Fixtures from "./Fixtures.js"

describe("visibility", () => {
  const [alice, bob] = [`0x${"aa".repeat(20)}`, `0x${"bb".repeat(20)}`]
  const of = (complete: boolean, ...controllers: ReadonlyArray<readonly [string, string]>) => ({
    complete,
    controllers: controllers.map(([address, power]) => ({ address, powers: [power] }))
  })

  it("distinguishes a lower bound that names less from members that are gone", () => {
    const value = (members: ReadonlyArray<string>, complete: boolean) => ({ members, complete })
    assert.strictEqual(Visibility.between(value(["a", "b"], true), value(["a"], false)), "lost")
    assert.strictEqual(Visibility.between(value(["a"], false), value(["a", "b"], true)), "gained")
    assert.strictEqual(Visibility.between(value(["a"], true), value(["a"], false)), "lost")
    assert.isNull(Visibility.between(value(["a", "b"], true), value(["a"], true)))
    assert.isNull(Visibility.between(value(["a"], true), value(["b"], false)))
    const node = (kind: string, threshold: number | null) => ({
      nodes: [{ address: "0x1", kind, threshold }],
      complete: kind !== "unknown"
    })
    assert.strictEqual(Visibility.between(node("safe", 2), node("unknown", null)), "lost")
    assert.isNull(Visibility.between(node("safe", 2), { ...node("eoa", null), complete: false }))
  })

  it("is lost where the same account is described in other words because the better ones could not be read", () => {
    const [whole, part] = [of(true, [alice, "owner"]), of(false, [alice, "function:0x8456cb59"])]
    assert.strictEqual(Visibility.between(whole, part), "lost")
    assert.strictEqual(Visibility.between(part, whole), "gained")
  })

  it("is shifted between two views of which each misses what the other one has", () => {
    assert.strictEqual(Visibility.between(of(false, [alice, "owner"]), of(false)), "lost")
    const [one, other] = [
      { complete: false, owner: alice, members: [] },
      { complete: false, owner: null, members: [bob] }
    ]
    assert.strictEqual(Visibility.between(one, other), "shifted")
    assert.strictEqual(Visibility.between(other, one), "shifted")
  })

  it("does not explain an account that was not there before", () => {
    assert.isNull(Visibility.between(of(true, [alice, "owner"]), of(false, [bob, "owner"])))
    assert.isNull(Visibility.between(of(true), of(false, [bob, "owner"])))
  })

  it("does not explain what a whole view says otherwise", () => {
    assert.isNull(Visibility.between(of(true, [alice, "owner"]), of(true, [alice, "admin"])))
    assert.isNull(Visibility.between({ threshold: 2, complete: false }, { threshold: 1, complete: false }))
  })

  it("is said by a member that is not known, whole or not", () => {
    const holder = (kind: string) => ({ complete: true, holders: [{ account: alice, kind }] })
    assert.strictEqual(Visibility.between(holder("pool"), holder("unknown")), "lost")
    assert.strictEqual(Visibility.between(holder("unknown"), holder("pool")), "gained")
    assert.isNull(Visibility.between(holder("pool"), holder("account")))
    const by = (kind: string, address: string | null | undefined) => ({ controllers: [{ kind, address }] })
    assert.strictEqual(Visibility.between(by("eoa", alice), by("unknown", null)), "lost")
    assert.strictEqual(Visibility.between(by("unknown", null), by("eoa", alice)), "gained")
    assert.isNull(Visibility.between(by("eoa", alice), by("eoa", bob)))
  })

  it("is lost where a value rests on less and bounds less, and by no bound alone", () => {
    const made = { after_block: 6, by_block: 7, deployer: alice, basis: "receipt" }
    const seen = { after_block: null, by_block: 9, deployer: null, basis: "code" }
    assert.strictEqual(Visibility.between(made, seen), "lost")
    assert.strictEqual(Visibility.between(seen, made), "gained")
    assert.strictEqual(Visibility.between(made, { ...made, basis: "events" }), "lost")
    assert.isNull(Visibility.between(made, { ...seen, basis: "receipt" }))
    assert.isNull(Visibility.between(made, { ...seen, deployer: bob }))
    assert.isNull(Visibility.between(made, { ...seen, by_block: 6 }))
    assert.isNull(Visibility.between(made, { ...made, basis: "hearsay" }))
  })

  it("is said by a controller that was not followed to the end, at whatever account that was", () => {
    const held = (...controllers: ReadonlyArray<Controller.Controller>) => ({ controllers })
    const key = Controller.make("eoa", { address: Fixtures.address })
    const opaque = Controller.make("unknown", { address: Fixtures.other })
    assert.strictEqual(Visibility.between(held(key), held(opaque)), "lost")
    assert.strictEqual(Visibility.between(held(opaque), held(key)), "gained")
    assert.isNull(Visibility.between(held(key), held(key, opaque)))
    assert.isNull(Visibility.between({ ...held(key), fee: 1 }, { ...held(opaque), fee: 2 }))
    const part = { ...held(opaque), complete: false }
    assert.strictEqual(Visibility.between({ ...held(key), complete: true }, part), "lost")
  })

  it("has nothing to do with since when a value was seen", () => {
    const since = (from_block: number, complete: boolean) => ({ from_block, complete, list: complete ? [alice] : [] })
    assert.strictEqual(Visibility.between(since(0, true), since(9, false)), "lost")
  })

  it("is on the way back the opposite of what it was on the way there", () => {
    const flip = { lost: "gained", gained: "lost", shifted: "shifted" } as const
    fc.assert(
      fc.property(Fixtures.values, Fixtures.values, (a, b) => {
        if (Delta.isSame(a, b)) return
        const seen = Visibility.between(a, b)
        assert.strictEqual(Visibility.between(b, a), seen === null ? null : flip[seen])
      }),
      { numRuns: 1_000 }
    )
  })
})
