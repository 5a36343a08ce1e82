import { assert, describe, it } from "@effect/vitest"
import * as Sight from "../../src/changes/Sight.js"
import type { Address } from "../../src/domain/Address.js"
import * as Controller from "../../src/domain/Controller.js"
import { item } from "./Fixtures.js"

const yes = item("token.mintable", "confirmed")
const no = item("token.mintable", "refuted")
const blind = item("token.mintable", "unknown")
const approval = item("allowance.unlimited:0xa", "confirmed")

describe("Sight", () => {
  it("hides all subjects of a check that failed as a whole, and no other check's", () => {
    const sight = Sight.make([item("allowance.unlimited", "unknown"), yes])
    assert.isTrue(Sight.isHidden(sight, approval.id))
    assert.isFalse(Sight.isHidden(sight, "allowance.unlimited-too:0xa"))
    assert.isFalse(Sight.isHidden(sight, yes.id))
  })

  it("carries what cannot be seen, takes what is decided, and drops what is gone", () => {
    assert.deepStrictEqual(Sight.carry({ [yes.id]: yes }, Sight.make([blind])), { [yes.id]: yes })
    assert.deepStrictEqual(Sight.carry({ [yes.id]: yes }, Sight.make([no])), { [yes.id]: no })
    assert.deepStrictEqual(Sight.carry({ [yes.id]: yes, [approval.id]: approval }, Sight.make([yes])), {
      [yes.id]: yes
    })
  })

  it("carries the same again: once more changes nothing", () => {
    for (const seen of [[yes], [blind], [no, approval], []]) {
      const once = Sight.carry({ [yes.id]: yes, [approval.id]: approval }, Sight.make(seen))
      assert.deepStrictEqual(Sight.carry(once, Sight.make(seen)), once)
    }
  })

  it("keeps who holds a power while only the power is seen", () => {
    const held = { ...yes, controller: Controller.make("safe") }
    const unheld = { ...yes, controller: Controller.make("unknown") }
    assert.deepStrictEqual(Sight.carry({ [yes.id]: held }, Sight.make([unheld]))[yes.id]?.controller?.kind, "safe")
  })

  it("keeps how many sign for a timelock while only its delay is seen, and takes another delay", () => {
    const timelock = { address: `0x${"11".repeat(20)}` as Address, delaySeconds: 604_800 }
    const whole = { ...yes, controller: Controller.make("timelock", { ...timelock, threshold: 2, signers: 3 }) }
    const part = { ...yes, controller: Controller.incomplete(Controller.make("timelock", timelock)) }
    assert.deepStrictEqual(Sight.carry({ [yes.id]: whole }, Sight.make([part]))[yes.id], whole)
    const shorter = { ...part, controller: { ...part.controller, delay_seconds: 60 } }
    assert.deepStrictEqual(Sight.carry({ [yes.id]: whole }, Sight.make([shorter]))[yes.id], shorter)
  })

  it("makes two sides equal where nothing but sight was lost or came back", () => {
    const known = { [yes.id]: yes }
    const lost = Sight.comparable(Sight.make([yes]), known, Sight.make([blind]))
    assert.deepStrictEqual(lost.before, lost.after)
    const back = Sight.comparable(Sight.make([blind]), known, Sight.make([yes]))
    assert.deepStrictEqual(back.before, back.after)
    const first = Sight.comparable(Sight.make([blind]), {}, Sight.make([yes]))
    assert.deepStrictEqual([first.before, first.after], [[blind], [yes]])
  })
})
