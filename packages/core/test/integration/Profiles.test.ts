import { Address, type Analysis, Analyzer } from "@assay/core"
import { FaultLaw, RpcFault } from "@assay/core/testing"
import { Effect, Either, Option } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"
import * as Oddities from "./Oddities.js"
import * as World from "./World.js"

/**
 * What an endpoint of a kind that is in use refuses, and which of its losses a reader must see. `same`: it loses
 * nothing, and every claim is decided as at an undisturbed one. `kinds`: the targets that are enough to see it.
 */
interface Profile {
  readonly rules: ReadonlyArray<RpcFault.Rule>
  readonly wire: World.Wire
  readonly loses: ReadonlyArray<keyof Capability>
  readonly same?: boolean | undefined
  readonly kinds?: ReadonlyArray<(typeof targets)[number]> | undefined
}

type Capability = {
  readonly code_override: boolean
  readonly block_override: boolean
  readonly simulate_v1: boolean
  readonly archive: boolean
}

const overrides = ({ method, params }: RpcFault.SeenCall) => method === "eth_call" && params.length > 2

// As 2,000 blocks are to a chain of twenty million: a small part of the sandbox's few hundred.
const widest = 40

const span = ({ params: [filter] }: Pick<RpcFault.SeenCall, "params">): number => {
  const { fromBlock, toBlock } = filter as { readonly fromBlock: string; readonly toBlock: string }
  return Number(toBlock) - Number(fromBlock) + 1
}

const whole: Profile = { rules: [], wire: World.http, loses: [] }

const profiles = {
  "that ignores overrides": {
    ...whole,
    rules: [{ when: overrides, kind: "blank" }],
    loses: ["code_override", "block_override"]
  },
  "that refuses overrides": {
    ...whole,
    rules: [{ when: overrides, kind: "internal_error" }],
    loses: ["code_override", "block_override"]
  },
  "without eth_simulateV1": {
    ...whole,
    rules: [{ when: ({ method }) => method === "eth_simulateV1", kind: "method_missing" }],
    loses: ["simulate_v1"]
  },
  "that gives few blocks of events at once": {
    ...whole,
    rules: [{ when: (call) => call.method === "eth_getLogs" && span(call) > widest, kind: "log_limit" }]
  },
  "that keeps no old state": {
    ...whole,
    rules: [{ when: ({ params }) => params.at(-1) === "0x1" || params[1] === "0x1", kind: "pruned" }],
    loses: ["archive"]
  },
  // Gateways that only say that something failed.
  "that refuses wide scans in words of its own": {
    ...whole,
    wire: Oddities.refusing(
      ({ method, params }) => method === "eth_getLogs" && span({ params }) > widest,
      [
        { code: -32603, message: "Internal error" },
        { code: -32000, message: "query timeout, try again later" },
        { code: -32001, message: "Unable to complete request at this time." }
      ]
    ),
    kinds: ["usdc", "approver"]
  },
  "of which every other node lags and has fewer events": {
    ...whole,
    wire: Oddities.lagging(3),
    kinds: ["usdc", "approver"]
  },
  "that answers null and nonsense at first": {
    ...whole,
    wire: Oddities.hesitating,
    same: true,
    kinds: ["plain", "approver"]
  },
  "that takes no batches": { ...whole, wire: World.single },
  "that does plain eth_call alone": {
    rules: [
      { when: overrides, kind: "blank" },
      { when: ({ method }) => method === "eth_simulateV1" || method === "eth_getLogs", kind: "method_missing" }
    ],
    wire: World.single,
    loses: ["code_override", "block_override", "simulate_v1"]
  }
} as const satisfies Readonly<Record<string, Profile>>

const decided = ({ evidence }: Analysis.Analysis) =>
  evidence
    .filter(({ id }) => id !== "endpoint.capable")
    .map(({ id, reason, state, value }) => ({ id, state, reason, value }))

const targets = ["plain", "usdc", "honeypot", "safeOwned", "approver", "moduleSafe", "diamond"] as const

describe("an endpoint", () => {
  let world: World.World
  beforeAll(async () => {
    world = await World.start()
  })

  // Before landing two targets of each profile, which take turns.
  const namesOf = ({ kinds = targets }: Profile): ReadonlyArray<(typeof targets)[number]> => {
    if (Tier.landing) return Tier.all ? targets : kinds
    return kinds.filter((_, place) => (place + Draw.draw) % kinds.length < 2)
  }

  const analyzeAll = ({ rules, wire }: Profile, names: ReadonlyArray<(typeof targets)[number]>) =>
    world.runOver(wire)(
      Effect.gen(function* () {
        const faults = yield* RpcFault.RpcFault
        const analyzer = yield* Analyzer.Analyzer
        yield* faults.replace(rules)
        return yield* Effect.forEach(names, (name) => {
          const { address, kind } = world.sandbox.targets[name]
          return Effect.either(
            analyzer.analyze({
              kind,
              address: Address.checksum(address),
              chain: world.chain,
              block: Option.some(world.sandbox.head.number)
            })
          )
        })
      })
    )

  const undisturbedOf = new Map<string, ReturnType<typeof analyzeAll>>()

  /** What an endpoint of which nothing is refused gives: once for all profiles, as they read the same block. */
  const analyzeUndisturbed = async (names: ReadonlyArray<(typeof targets)[number]>) => {
    const outcomes = []
    for (const name of names) {
      const outcome = undisturbedOf.get(name) ?? analyzeAll(whole, [name])
      undisturbedOf.set(name, outcome)
      outcomes.push(...(await outcome))
    }
    return outcomes
  }

  it.each(Object.entries<Profile>(profiles))(
    "%s gets an analysis of every target, with its losses stated and nothing made safer",
    async (_, profile) => {
      const undisturbed = await analyzeUndisturbed(namesOf(profile))
      const disturbed = await analyzeAll(profile, namesOf(profile))
      for (const [place, name] of namesOf(profile).entries()) {
        const before = undisturbed[place]
        const after = disturbed[place]
        if (before === undefined || after === undefined || Either.isLeft(before)) throw new Error(name)
        if (Either.isLeft(after)) throw new Error(`${name}: ${JSON.stringify({ ...after.left })}`)
        assert.deepStrictEqual(FaultLaw.violations(before.right, after.right), [], name)
        const capable = after.right.evidence.find((item) => item.id === "endpoint.capable")
        const shown = capable?.value as Capability
        for (const lost of profile.loses) assert.isFalse(shown[lost], `${name} ${lost}`)
        if (profile.same === true) assert.deepStrictEqual(decided(after.right), decided(before.right), name)
        for (const item of after.right.evidence) if (item.state === "unknown") assert.isNotNull(item.reason, item.id)
      }
    }
  )
})
