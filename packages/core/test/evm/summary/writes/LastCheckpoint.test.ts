import { StorageFlow, TokenPowers } from "@assay/core"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { assert } from "vitest"
import { contracts, describeCompiled } from "../../Compiled.js"

type States = Partial<Record<TokenPowers.Power, TokenPowers.PowerFinding["state"]>>

const expected: Readonly<Record<string, { readonly why: string; readonly powers: States }>> = {
  Plain: {
    why: "finds nobody who makes, takes or spends more than he may, but what transfers come to remains untold",
    powers: { mint: "unknown", seize: "none", bypass: "unknown" }
  },
  Generating: {
    why: "finds who makes tokens by putting more on top of a list",
    powers: { mint: "found", seize: "unknown", bypass: "unknown" }
  },
  Destroying: {
    why: "finds who takes tokens by putting less on top of a list",
    powers: { mint: "unknown", seize: "found", bypass: "unknown" }
  },
  Cloned: {
    why: "finds them where a list goes on from what another contract answers",
    powers: { mint: "found", seize: "found", bypass: "unknown" }
  }
}

describeCompiled("LastCheckpoint", (pipeline) => {
  const contract = contracts(pipeline, "Histories.sol")

  for (const [name, { powers, why }] of Object.entries(expected))
    it.effect(`${why} (${name})`, () =>
      Effect.gen(function* () {
        const { code } = contract(name)
        const found = TokenPowers.of(code, yield* StorageFlow.analyse(code))
        assert.deepStrictEqual({ mint: found.mint.state, seize: found.seize.state, bypass: found.bypass.state }, powers)
      })
    )
})
