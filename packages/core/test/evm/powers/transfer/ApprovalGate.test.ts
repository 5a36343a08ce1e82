import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

/** What decides approvals besides allowances, by power. */
const expected: Record<string, Partial<Record<TokenPowers.Power, string>>> = {
  Open: {},
  ApprovesNothing: { pause: "unknown setLow" },
  ApprovesNothingWithoutBranch: { pause: "unknown setLow" },
  ApprovesByHash: { pause: "unknown setPart" },
  ApprovesByFreeBits: { pause: "unknown setLow" },
  ApprovesMembers: { blacklist: "unknown setTurned" },
  ApprovesByGuard: { pause: "unknown", blacklist: "unknown", whitelist: "unknown", limit: "unknown" },
  ApprovesAndCounts: {},
  ApprovesWithinFixed: {}
}

const stopping = ["pause", "blacklist", "whitelist", "limit"] as const

describeCompiled("ApprovalGate", (pipeline) => {
  const contract = contracts(pipeline, "Switches.sol")

  for (const [name, said] of Object.entries(expected)) {
    const what = Object.entries(said).map(([power, how]) => `${power} ${how}`)
    it.effect(`reads ${name}: ${what.length === 0 ? "nobody stops an approval" : what.join(", ")}`, () =>
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
