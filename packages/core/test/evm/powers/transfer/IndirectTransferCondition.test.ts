import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

/** What transfers ask by way of another function, by power. */
const expected: Record<string, Partial<Record<TokenPowers.Power, string>>> = {
  Open: {},
  InnerSwitch: { pause: "found setStopped" },
  HiddenSwitch: { pause: "found setStopped" },
  // Whoever sends what is another's is stopped, as every exchange is.
  HiddenSwitchSpared: { pause: "found setStopped" },
  HiddenStart: { pause: "found setStart" },
  HiddenList: { blacklist: "found setAway" },
  HiddenMembers: { whitelist: "found setMember" },
  HiddenFixed: {},
  ShownOnly: {},
  OtherBook: {},
  SelfHarmless: {},
  SelfAsking: { pause: "unknown", blacklist: "unknown", whitelist: "unknown", limit: "unknown" },
  SelfAskingList: { pause: "unknown", blacklist: "unknown", whitelist: "unknown", limit: "unknown" },
  SelfBalance: { pause: "unknown", blacklist: "unknown", whitelist: "unknown", limit: "unknown" }
}

const stopping = ["pause", "blacklist", "whitelist", "limit"] as const

describeCompiled("IndirectTransferCondition", (pipeline) => {
  const contract = contracts(pipeline, "Switches.sol")

  for (const [name, said] of Object.entries(expected)) {
    const what = Object.entries(said).map(([power, how]) => `${power} ${how}`)
    it.effect(`reads ${name}: ${what.length === 0 ? "nobody stops a transfer" : what.join(", ")}`, () =>
      Effect.gen(function* () {
        const { code, names } = contract(name)
        const powers = TokenPowers.of(code, yield* StorageFlow.analyse(code))
        for (const power of stopping) {
          const { levers, state } = powers[power]
          const told = [state, ...levers.map(({ selector }) => names.get(selector))].join(" ")
          assert.strictEqual(told, said[power] ?? "none", power)
        }
      })
    )
  }
})
