import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import type { Address } from "../../../src/domain/Address.js"
import * as Controller from "../../../src/domain/Controller.js"
import * as Quorum from "../../../src/facts/control/Quorum.js"
import { account } from "../../checks/Scripted.js"

const safe = account("5")
const [ann, ben, cal, first, second] = ["a", "b", "c", "d", "e"].map(account) as [
  Address,
  Address,
  Address,
  Address,
  Address
]
const key = (address: Address) => Controller.make("eoa", { address })
const unknown = Controller.make("unknown", { address: safe })

/** Who decides where two signers are contracts, of whom these are behind. */
const decided = (
  threshold: number,
  keys: ReadonlyArray<Address>,
  behindFirst: Controller.Controller | null,
  behindSecond: Controller.Controller | null = behindFirst
) =>
  Quorum.decide(safe, { threshold, keys, coded: [first, second], lent: [] }, (signer) =>
    Option.fromNullable(signer === first ? behindFirst : behindSecond)
  )

describe("who decides for those who sign together", () => {
  it("is any one of them where one is enough", () => {
    assert.deepStrictEqual(
      Quorum.decide(safe, { threshold: 1, keys: [ben, ann], coded: [], lent: [] }, Option.none),
      key(ann)
    )
  })

  it("is one key where it is behind as many as have to sign", () => {
    assert.deepStrictEqual(decided(2, [ann], key(ben)), key(ben))
    assert.deepStrictEqual(decided(2, [ann, ben], key(ann), null), key(ann))
    assert.deepStrictEqual(decided(3, [ann], key(ann)), key(ann))
  })

  it("is anybody where anybody signs for enough of them", () => {
    assert.deepStrictEqual(decided(2, [ann], Controller.make("eoa")), Controller.make("eoa"))
    assert.deepStrictEqual(decided(3, [ann], Controller.make("eoa")), key(ann))
  })

  it("is not known where those who hide who they are may be that key", () => {
    for (const hidden of [
      Controller.make("contract", { address: first }),
      Controller.make("unknown", { address: first }),
      Controller.make("governor", { address: first }),
      Controller.make("timelock", { address: first, delaySeconds: 604_800 })
    ]) {
      assert.deepStrictEqual(decided(2, [ann], hidden), unknown)
      assert.strictEqual(decided(3, [ann, ben], hidden).kind, "unknown")
      assert.strictEqual(decided(4, [ann, ben], hidden).kind, "safe")
    }
  })

  it("is unknown where enough of them delegate to code that may sign for other keys", () => {
    const lending = (threshold: number, lent: ReadonlyArray<Address>) =>
      Quorum.decide(safe, { threshold, keys: [ann, ben, cal], coded: [], lent }, Option.none)
    assert.deepStrictEqual(lending(2, [ben, cal]), unknown)
    assert.deepStrictEqual(lending(2, [ben]), unknown)
    assert.deepStrictEqual(lending(1, [ann]), key(cal))
    assert.deepStrictEqual(lending(3, [ben]), Controller.make("safe", { address: safe, threshold: 3, signers: 3 }))
    assert.strictEqual(lending(2, []).kind, "safe")
  })

  it("is the fewest who differ where it takes several", () => {
    const others = Controller.make("safe", { address: first, threshold: 2, signers: 3 })
    assert.deepStrictEqual(
      decided(2, [ann], others),
      Controller.make("safe", { address: safe, threshold: 2, signers: 3 })
    )
    // Two of the five are one key.
    assert.deepStrictEqual(
      decided(3, [ann, ben, cal], key(ann), others),
      Controller.make("safe", { address: safe, threshold: 2, signers: 4 })
    )
  })

  it("counts nobody who has no key", () => {
    assert.deepStrictEqual(
      decided(2, [ann, ben], Controller.make("dead", { address: first }), null),
      Controller.make("safe", { address: safe, threshold: 2, signers: 2 })
    )
  })
})
