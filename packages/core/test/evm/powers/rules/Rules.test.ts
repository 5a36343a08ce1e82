import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as CodeModel from "../../../../src/evm/interpreter/CodeModel.js"
import type * as DetectorRule from "../../../../src/evm/powers/rules/DetectorRule.js"
import type { Power } from "../../../../src/evm/powers/rules/Power.js"
import * as Rules from "../../../../src/evm/powers/rules/Rules.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import * as TokenModel from "../../../../src/evm/token/TokenModel.js"
import * as Slices from "../../../../src/runtime/Slices.js"
import { contracts } from "../../Compiled.js"

const modelOf = (file: string, name: string): TokenModel.TokenModel => {
  const { code, selectors } = contracts("optimised", `${file}.sol`)(name)
  return TokenModel.of(CodeModel.of(code), StorageFlow.analyseWith(code, [...selectors.values()]))
}

const rules: ReadonlyArray<DetectorRule.DetectorRule> = Rules.all

const signsOf = (id: string, model: TokenModel.TokenModel): ReadonlyArray<DetectorRule.Sign> => {
  const find = rules.find((rule) => rule.id === id)?.find
  return find === undefined ? [] : Slices.complete(find(model))
}

const foundBy = (id: string, model: TokenModel.TokenModel): ReadonlyArray<Power> =>
  signsOf(id, model).flatMap(({ levers, power }) => (levers.length > 0 ? [power] : []))

const doubtsOf = (id: string, model: TokenModel.TokenModel): DetectorRule.Doubts => {
  const doubts = rules.find((rule) => rule.id === id)?.doubts
  return doubts === undefined ? {} : Slices.complete(doubts(model))
}

/** By rule: a file, a contract in which it names a function for a power, and one without the flaw, in which it names none. */
const finding: ReadonlyArray<readonly [id: Rules.Id, file: string, flawed: string, power: Power, harmless: string]> = [
  ["transfer-gate", "Tokens", "Switched", "pause", "Plain"],
  ["indirect-transfer-condition", "Switches", "HiddenList", "blacklist", "HiddenFixed"],
  ["approval-gate", "Switches", "ApprovesNothing", "pause", "ApprovesAndCounts"],
  ["shown-balance", "Switches", "ShowsPoolHalf", "pause", "ShowsByIndex"],
  ["transfer-outcome", "Answers", "SaysByHolding", "pause", "SaysNo"],
  ["service-gate", "Deposits", "ClosedShop", "tax", "Shop"],
  ["hardcoded-fee", "Arrivals", "FourTaxes", "tax", "SparedOwner"],
  ["lost-transfer", "Outcomes", "Every", "tax", "EveryFixed"],
  ["unbacked-mint", "Tokens", "OwnerMint", "mint", "FixedSupply"],
  ["mint-price", "Tokens", "PricedMint", "mint", "OwnerMint"],
  ["transfer-mint", "Losses", "PricedByTransfer", "mint", "GrownByTransfers"],
  ["balance-seizure", "Approvals", "BatchingByOne", "seize", "Batching"],
  ["balance-redirect", "Losses", "AdvancedPeriod", "seize", "FixedPeriod"],
  ["custody-drain", "Deposits", "DrainedStakes", "seize", "Staked"],
  ["service-due", "Services", "Docked", "seize", "Bank"],
  ["transfer-hook", "Hooks", "Checking", "pause", "Silent"]
]

/** The same of what transfers do themselves. */
const doubting: ReadonlyArray<
  readonly [id: Rules.Id, file: string, flawed: string, power: Power, doubt: "does" | "may" | "asks", harmless: string]
> = [
  ["transfer-gate", "Tokens", "StoppedBySupply", "pause", "may", "Plain"],
  ["indirect-transfer-condition", "Switches", "SelfAsking", "pause", "may", "SelfHarmless"],
  ["approval-gate", "Switches", "ApprovesByGuard", "pause", "may", "ApprovesAndCounts"],
  ["transfer-outcome", "Answers", "SaysBySwitchOfMany", "pause", "may", "SaysYesOfMany"],
  ["service-gate", "Deposits", "Replaced", "pause", "may", "Shop"],
  ["hardcoded-fee", "Arrivals", "RateBySupply", "tax", "may", "SparedOwner"],
  ["received-amount", "Arrivals", "LoopTax", "tax", "may", "TwoFees"],
  ["sender-surcharge", "Approvals", "TakingDouble", "tax", "may", "TakingParts"],
  ["refusal", "Refusals", "DrainedSender", "pause", "may", "PaidSender"],
  ["transfer-mint", "Tokens", "CreatingTransfer", "mint", "does", "Plain"],
  ["service-due", "Services", "MakingSale", "mint", "may", "Sale"],
  ["service-destruction", "Services", "Destructible", "seize", "may", "Bank"],
  ["transfer-hook", "Hooks", "Checking", "limit", "asks", "Silent"]
]

describe("Rules", () => {
  it("are one a file, each with a name of its own, and all of them in the registry", () => {
    const folder = fileURLToPath(new URL("../../../../src/evm/powers/rules/", import.meta.url))
    const named = readdirSync(folder).flatMap((file) => {
      const [, name] = /^(\w+)Rule\.ts$/.exec(file) ?? []
      return name === undefined || name === "Detector" ? [] : [name.replace(/(?<!^)([A-Z])/g, "-$1").toLowerCase()]
    })
    assert.deepStrictEqual(rules.map(({ id }) => id).sort(), named.sort())
  })

  it("each have a contract here that shows what they find, and one that shows what they doubt", () => {
    const idsOf = (accept: (rule: DetectorRule.DetectorRule) => boolean) => rules.filter(accept).map(({ id }) => id)
    assert.sameMembers(
      finding.map(([id]) => id),
      idsOf(({ find }) => find !== undefined)
    )
    assert.sameMembers(
      doubting.map(([id]) => id),
      idsOf(({ doubts }) => doubts !== undefined)
    )
  })

  it.each(finding)("%s names a function in %s.%s for %s, and none in %s", (id, file, flawed, power, harmless) => {
    assert.include(foundBy(id, modelOf(file, flawed)), power)
    assert.notInclude(foundBy(id, modelOf(file, harmless)), power)
  })

  it.each(doubting)("%s doubts transfers of %s.%s: %s %s, and not those of %s", (...each) => {
    const [id, file, flawed, power, doubt, harmless] = each
    assert.strictEqual(doubtsOf(id, modelOf(file, flawed))[power], doubt)
    assert.isUndefined(doubtsOf(id, modelOf(file, harmless))[power])
  })

  it("speak of no power but those that they say", () => {
    for (const [id, file, flawed] of [...finding, ...doubting]) {
      const model = modelOf(file, flawed)
      const said = [...signsOf(id, model).map(({ power }) => power), ...Object.keys(doubtsOf(id, model))]
      assert.includeMembers(
        rules.filter((rule) => rule.id === id).flatMap(({ powers }) => powers.map((power): string => power)),
        said
      )
    }
  })
})

describe("Rules.precedence", () => {
  const heard = (model: TokenModel.TokenModel): ReadonlyMap<Rules.Id, ReadonlyArray<DetectorRule.Sign>> =>
    new Map(Rules.all.map(({ id }) => [id, signsOf(id, model)]))

  it.each([
    ["transfer-outcome", "transfer-gate", "Doors", "ArrayOfTurnedAway"],
    ["transfer-outcome", "indirect-transfer-condition", "Switches", "HiddenList"],
    ["balance-redirect", "balance-seizure", "Arrivals", "ReflectBot"]
  ] as const)("has %s give way to %s in %s.%s", (weaker, stronger, file, name) => {
    const found = heard(modelOf(file, name))
    const left = Rules.withoutYielding(found)
    assert.isNotEmpty((found.get(stronger) ?? []).filter((sign) => left.includes(sign)))
    assert.isNotEmpty((found.get(weaker) ?? []).filter((sign) => !left.includes(sign)))
  })

  const signOf = (kind: "flag" | "list", slot: string): DetectorRule.Sign => ({
    power: "pause",
    levers: [],
    gate: { kind, slot, field: undefined }
  })

  it("leaves to a later rule what no earlier one found of the variable", () => {
    for (const { of, yieldsTo } of Rules.precedence.slice(0, 4)) {
      const own = [signOf("flag", "0x0"), signOf("flag", "0x1")]
      const found = new Map([
        [of, own],
        [yieldsTo, [signOf("flag", "0x0")]]
      ] as const)
      const left = Rules.withoutYielding(found)
      assert.deepStrictEqual(
        own.map((sign) => left.includes(sign)),
        [false, true]
      )
    }
  })

  it("keeps both findings where balanceOf() and a transfer read one variable as different kinds", () => {
    const list = signOf("list", "0x0")
    const asked = ["transfer-gate", [signOf("flag", "0x0")]] as const
    assert.include(Rules.withoutYielding(new Map([asked, ["indirect-transfer-condition", [list]] as const])), list)
    assert.notInclude(Rules.withoutYielding(new Map([asked, ["transfer-outcome", [list]] as const])), list)
  })

  it("has others give way also to what gives way itself", () => {
    const third = signOf("flag", "0x0")
    const second = signOf("flag", "0x0")
    const first = signOf("flag", "0x0")
    const found = new Map([
      ["transfer-gate", [first]],
      ["indirect-transfer-condition", [second]],
      ["transfer-outcome", [third]]
    ] as const)
    assert.deepStrictEqual(Rules.withoutYielding(found), [first])
  })
})
