import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "./Compiled.js"

/** What a token's code says, however it was compiled: `!` a lever that is certain, `+` one for a privileged caller. */
const expected: Record<string, ReadonlyArray<string>> = {
  Token: [],
  NamedPermit: [],
  SizedPermit: [],
  UnaskedPermit: ["bypass unknown permit"],
  KeyedPermit: [],
  KeyedBySize: [],
  KeyedUnasked: ["bypass unknown permit"],
  KeyedByWord: ["bypass unknown permit"],
  OverwrittenPermit: ["bypass unknown permit"],
  SizedBefore: ["bypass unknown permit"],
  Shared: [],
  Kept: ["blacklist found keep!+"],
  KeptFee: ["blacklist unknown setFee+", "limit unknown setFee+"]
}

describeCompiled("dialects", (pipeline) => {
  const contract = contracts(pipeline, "Dialects.sol")

  for (const [name, powers] of Object.entries(expected))
    it.effect(`reads ${name}: ${powers.length === 0 ? "no power over the holders" : powers.join(", ")}`, () =>
      Effect.gen(function* () {
        const { code, names } = contract(name)
        const read = TokenPowers.of(code, yield* StorageFlow.analyse(code))
        const told = TokenPowers.powers.flatMap((power) => {
          const { levers, state } = read[power]
          const by = levers.map(
            ({ certain, privileged, selector }) => `${names.get(selector)}${certain ? "!" : ""}${privileged ? "+" : ""}`
          )
          return state === "none" ? [] : [[power, state, ...new Set(by)].join(" ")]
        })
        assert.deepStrictEqual(told, powers)
      })
    )
})
