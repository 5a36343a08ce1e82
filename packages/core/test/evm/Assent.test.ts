import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as StorageFlow from "../../src/evm/StorageFlow.js"
import * as TokenPowers from "../../src/evm/TokenPowers.js"
import { contracts, pipelines } from "./Compiled.js"

/** What there is to say of functions that do something by a signature, and why. */
const expected: Record<string, { readonly why: string; readonly bypass?: string; readonly seize?: string }> = {
  Signed: { why: "a hash that says whom, how much and which" },
  SignedTransfer: { why: "a hash with a number that is struck off" },
  NamedHash: { why: "anybody finds hashes that an account seems to have signed", bypass: "unknown" },
  NamedHashOfHolder: { why: "anybody finds hashes that a holder seems to have signed", bypass: "unknown" },
  NamedHashByOwner: { why: "an owner finds hashes that a holder seems to have signed", bypass: "found" },
  NamedHashOfTransfer: { why: "anybody finds hashes that the sender seems to have signed", seize: "unknown" },
  Nobodys: { why: "what the zero account has is nobody's" },
  Appointees: { why: "nobody signs for who appointed nobody", bypass: "unknown" },
  Counted: { why: "a hash with the number that is kept, which the caller tells" },
  Uncounted: { why: "a number that is not the one that is kept is any", bypass: "unknown" },
  Unkept: { why: "a number that stays as it is counts again", bypass: "unknown" },
  Repeated: { why: "what was signed once counts again", bypass: "unknown" },
  RepeatedTransfer: { why: "what was signed once moves again", seize: "unknown" },
  UnsignedSpender: { why: "who may spend was not signed", bypass: "unknown" }
}

for (const pipeline of pipelines) {
  const contract = contracts(pipeline, Object.keys(expected), "Assents.sol")

  describe(`Assent, ${pipeline} code`, () => {
    for (const [name, { bypass = "none", seize = "none", why }] of Object.entries(expected))
      it.effect(`${why} (${name})`, () =>
        Effect.gen(function* () {
          const { code } = contract(name)
          const powers = TokenPowers.of(code, yield* StorageFlow.analyse(code))
          assert.deepStrictEqual([powers.bypass.state, powers.seize.state], [bypass, seize])
        })
      )
  })
}
