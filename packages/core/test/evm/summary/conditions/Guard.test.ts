import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as StandardPower from "../../../../src/evm/powers/balance/StandardPower.js"
import type { Guard } from "../../../../src/evm/summary/conditions/Guard.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import * as TokenBooks from "../../../../src/evm/token/TokenBooks.js"
import { contracts, describeCompiled, type Pipeline } from "../../Compiled.js"

/** The conditions of a contract's `act` on its caller or signer: `signed` where the required signer is known. */
const asked: Record<string, ReadonlyArray<string>> = {
  Open: [],
  ByKey: ["constant"],
  ByBoss: ["slot"],
  ByHash: ["unknown"],
  ByStoredHash: ["unknown"],
  BySum: ["unknown"],
  BySecret: [],
  BySize: [],
  ByOwnCommitment: ["entry"],
  ByBossEitherWay: ["slot"],
  SignedByKey: ["constant"],
  SignedByBoss: ["unknown signed"],
  SignedInBytes: ["constant"],
  SignedByListed: ["entry"],
  SignedByNamed: [],
  SignedByKeeper: []
}

/** What the conditions on the caller of a token's functions give to an account, by the name of the function. */
const given: Record<string, ReadonlyArray<string> | Record<Pipeline, ReadonlyArray<string>>> = {
  Plain: [],
  Noting: ["transfer note"],
  Counting: ["transfer note"],
  NotingItself: [],
  Sparing: [],
  Burning: ["transfer rule"],
  Conjuring: ["transfer rule"],
  Bypassing: ["transferFrom bypass"],
  Crowning: ["transfer rule", "end rule"],
  Splitting: [],
  Approving: { optimised: ["approve rule"], plain: ["approve rule"], ir: [] },
  Closed: ["transfer rule"],
  Setting: ["set rule"]
}

const isSame = (
  expected: ReadonlyArray<string> | Record<Pipeline, ReadonlyArray<string>>
): expected is ReadonlyArray<string> => Array.isArray(expected)

const named = (guard: Guard): string =>
  guard.kind === "unknown" && guard.signer !== undefined ? "unknown signed" : guard.kind

describeCompiled("Guard", (pipeline) => {
  const contract = contracts(pipeline, "Guards.sol")

  for (const [name, kinds] of Object.entries(asked)) {
    it.effect(`reads the conditions of ${name}: ${kinds.length === 0 ? "none on the caller" : kinds.join(", ")}`, () =>
      Effect.gen(function* () {
        const { code, selectors } = contract(name)
        const flow = yield* StorageFlow.analyse(code)
        const act = flow.functions.find(({ selector }) => selector === selectors.get("act"))
        const guards = act?.writes.flatMap((write) => write.guards.filter(({ always }) => always)) ?? []
        assert.deepStrictEqual([...new Set(guards.map(named))], kinds)
      })
    )
  }

  it.effect("reports an unknown caller where more may call than are listed", () =>
    Effect.gen(function* () {
      const { code, selectors } = contract("ByBossAfterMany")
      const flow = yield* StorageFlow.analyse(code)
      const act = flow.functions.find(({ selector }) => selector === selectors.get("act"))
      const guards = act?.writes.flatMap((write) => write.guards) ?? []
      assert.isAbove(guards.length, 64)
      assert.isTrue(guards.some(({ kind }) => kind === "slot" || kind === "unknown"))
      assert.isTrue(guards.every(({ always }) => !always))
      assert.isTrue(act?.writes.every(({ shut }) => shut))
    })
  )
})

describeCompiled("StandardPower", (pipeline) => {
  const contract = contracts(pipeline, "Guards.sol")

  for (const [name, expected] of Object.entries(given)) {
    const powers = isSame(expected) ? expected : expected[pipeline]
    it.effect(`reads what ${name} gives an account`, () =>
      Effect.gen(function* () {
        const { code, names } = contract(name)
        const flow = yield* StorageFlow.analyse(code)
        const givenBy = StandardPower.makeReader(flow, TokenBooks.of(flow))
        const found = flow.functions.flatMap((entry) =>
          givenBy(entry)
            .filter(({ guard }) => guard.kind === "slot")
            .map(({ gives }) => `${names.get(entry.selector)} ${gives}`)
        )
        assert.deepStrictEqual([...new Set(found)], powers)
      })
    )
  }
})
