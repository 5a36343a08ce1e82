import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as StorageFlow from "../../src/evm/StorageFlow.js"
import * as TokenPowers from "../../src/evm/TokenPowers.js"
import { compile, type Pipeline } from "./Compiled.js"

/** What a token's code says, however it was compiled: `!` a lever that is certain, `+` one for somebody appointed. */
const expected: Record<string, ReadonlyArray<string>> = {
  Token: [],
  NamedPermit: [],
  SizedPermit: [],
  UnaskedPermit: ["bypass unknown permit"],
  Shared: [],
  Kept: ["blacklist found keep!+"],
  KeptFee: []
}

for (const pipeline of ["optimised", "plain", "ir"] as const satisfies ReadonlyArray<Pipeline>) {
  const compiled = compile(pipeline, Object.keys(expected), "Dialects.sol")

  describe(`dialects, ${pipeline} code`, () => {
    for (const [name, powers] of Object.entries(expected))
      it.effect(`reads ${name}: ${powers.length === 0 ? "no power over the holders" : powers.join(", ")}`, () =>
        Effect.gen(function* () {
          const found = compiled.get(name)
          if (found === undefined) throw new Error(name)
          const names = new Map([...found.selectors].map(([own, selector]) => [selector as string, own]))
          const read = TokenPowers.of(found.code, yield* StorageFlow.analyse(found.code))
          const told = TokenPowers.powers.flatMap((power) => {
            const { levers, state } = read[power]
            const by = levers.map(
              ({ certain, privileged, selector }) =>
                `${names.get(selector)}${certain ? "!" : ""}${privileged ? "+" : ""}`
            )
            return state === "none" ? [] : [[power, state, ...new Set(by)].join(" ")]
          })
          assert.deepStrictEqual(told, powers)
        })
      )
  })
}
