import { Option } from "effect"
import { assert, describe, it } from "vitest"
import * as Check from "../../src/checks/Check.js"
import * as Checks from "../../src/checks/Checks.js"
import type { TargetKind } from "../../src/domain/Target.js"
import { defaultOptions, type WatchOptions } from "../../src/domain/Watch.js"
import * as WatchEdit from "../../src/watches/WatchEdit.js"

const rules = Checks.all.map(Check.rule)
const optional = Checks.optional.map(({ id }) => id)

const refused = (options: Partial<WatchOptions>, kind: TargetKind = "token", kept: Partial<WatchOptions> = {}) =>
  Option.match(WatchEdit.refusal(options, { kind, rules, optional, kept: { ...defaultOptions, ...kept } }), {
    onNone: () => [],
    onSome: ({ refused }) => refused
  })

const placesOf = (...asked: Parameters<typeof refused>) => refused(...asked).map(({ path }) => path.join(" "))

describe("options of a watch", () => {
  it("have thresholds of the risk, and of what has a tolerance on its kind of target", () => {
    const tolerant = rules.filter(({ tolerance }) => tolerance !== null).map(({ id }) => id)
    const all = Object.fromEntries([...tolerant, "facts.token.total_supply", "facts.risk"].map((id) => [id, 1]))
    assert.includeMembers(tolerant, ["trade.taxed", "liquidity.pools", "holders.top"])
    assert.deepStrictEqual(placesOf({ thresholds: all }), [])
    for (const kind of ["wallet", "contract"] as const) {
      assert.deepStrictEqual(placesOf({ thresholds: { "facts.risk": 1, "trade.taxed": 1 } }, kind), [
        "thresholds trade.taxed"
      ])
    }
  })

  it("are refused with each threshold that could do nothing, and what there is instead", () => {
    const thresholds = { "token.mintable": 1, "trade.taxed": 1, "trade.taxed:0x0": 1, "facts.token": 1, "no.such": 0 }
    assert.deepStrictEqual(placesOf({ thresholds }), [
      "thresholds token.mintable",
      "thresholds trade.taxed:0x0",
      "thresholds facts.token",
      "thresholds no.such"
    ])
    assert.deepStrictEqual(refused({ thresholds: { x: 1 } }, "wallet"), [
      { path: ["thresholds", "x"], detail: "What has a threshold on a wallet: facts.risk." }
    ])
  })

  it("ignore checks and their subjects, facts and their members, and the risk, also of sources that are not used", () => {
    const ids = ["token.mintable", "allowance.unlimited:0xa:0xb", "facts.risk", "facts.token", "facts.token.name"]
    const outside = [...Checks.secondOpinion, ...Checks.signatureNames, ...Checks.verifiedSource].map(({ id }) => id)
    assert.deepStrictEqual(placesOf({ ignore: [...ids, ...outside] }), [])
    const nothing = [
      "facts",
      "facts.",
      "facts.token.nam",
      "facts.token.name.x",
      "token",
      "token.*",
      "",
      ":0xa",
      "Token.mintable"
    ]
    assert.deepStrictEqual(
      placesOf({ ignore: ["token.mintable", ...nothing] }),
      nothing.map((_, index) => `ignore ${index + 1}`)
    )
  })

  it("stay accepted where they were, whatever became of the rules", () => {
    const kept = { ignore: ["gone.check"], thresholds: { "gone.other": 1 } }
    assert.deepStrictEqual(placesOf(kept, "token", kept), [])
    assert.deepStrictEqual(
      placesOf({ ignore: ["new.check", "gone.check"], thresholds: { "gone.other": 2, toString: 1 } }, "token", kept),
      ["ignore 0", "thresholds toString"]
    )
  })
})
