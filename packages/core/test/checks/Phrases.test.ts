import { assert, describe, it } from "@effect/vitest"
import * as Phrases from "../../src/checks/Phrases.js"
import { UnknownReason } from "../../src/domain/Evidence.js"

const address = (digit: string): string => `0x${digit.repeat(40)}`

const role = `role:0x${"9f".repeat(32)}`

describe("Phrases", () => {
  it("names two items and counts the rest", () => {
    assert.strictEqual(Phrases.few([]), "")
    assert.strictEqual(Phrases.few(["a"]), "a")
    assert.strictEqual(Phrases.few(["a", "b"]), "a and b")
    assert.strictEqual(Phrases.few(["a", "b", "c", "d"]), "a, b and 2 more")
  })

  it("names the first power of an account and counts the rest", () => {
    assert.strictEqual(
      Phrases.holders([
        { address: address("1"), powers: ["owner", "upgrader"] },
        { address: address("2"), powers: [role] },
        { address: address("3"), powers: [] }
      ]),
      `${address("1")} (owner and 1 more power), ${address("2")} (role:0x9f9f9f9f…) and 1 more`
    )
  })

  it("cuts hashes and never an address", () => {
    assert.strictEqual(Phrases.brief(role), "role:0x9f9f9f9f…")
    assert.include(Phrases.gap({ what: `behind:${address("4")}` }), address("4"))
  })

  it.each([
    ["code", "part of the code could not be followed, so an account with a power may be missing"],
    ["roles", "the members of its roles were not all read"],
    ["owner", "the holder of owner was not read"],
    [role, "the holder of role:0x9f9f9f9f… was not read"],
    ["list:5", "the accounts in the mapping at slot 5, which may call it, cannot be listed"],
    [`plans:${address("5")}`, `not all pending operations of ${address("5")} were read`],
    [address("6"), `the controller of ${address("6")} was not determined`]
  ])("says which part of the control graph was not read: %s", (what, text) => {
    assert.strictEqual(Phrases.gap({ what }), text)
  })

  it.each(UnknownReason.literals)("keeps the detail of an unknown item under 240 characters: %s", (reason) => {
    const { detail } = Phrases.failed({ reason, method: "eth_call", detail: `${address("7")} `.repeat(20) })
    assert.isBelow(detail.length, 240)
    assert.isTrue((detail.match(/0x7+/g) ?? []).every((found) => found === address("7")))
  })
})
