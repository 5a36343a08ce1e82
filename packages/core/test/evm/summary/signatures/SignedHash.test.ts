import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

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
  UnsignedSpender: { why: "who may spend was not signed", bypass: "unknown" },
  SignedInFull: { why: "a hash that says who gets how much, and what for bringing it" },
  SignedShort: { why: "a hash with all bits of a short amount" },
  SignedList: { why: "a hash with lists of receivers and amounts" },
  UnsignedAmount: { why: "how much was not signed", seize: "unknown" },
  UnsignedReceiver: { why: "who gets it was not signed", seize: "unknown" },
  UnsignedFee: { why: "how much goes besides was not signed", seize: "unknown" },
  UnsignedFactor: { why: "how often the amount goes was not signed", seize: "unknown" },
  SignedLowBits: { why: "any number has the low bits that were signed", seize: "unknown" },
  SignedUnits: { why: "what is cut off was not signed", seize: "unknown" },
  SignedTight: { why: "a hash of the bytes that say it" },
  SignedSum: { why: "other numbers come to the sum that was signed", seize: "unknown" },
  SignedProduct: { why: "other numbers come to the product that was signed", seize: "unknown" },
  SignedTightLowBits: { why: "eight bytes of it were signed", seize: "unknown" },
  UnsignedAllowance: { why: "how much may be spent was not signed", bypass: "unknown" }
}

describeCompiled("SignedHash", (pipeline) => {
  const contract = contracts(pipeline, "Assents.sol")

  for (const [name, { bypass = "none", seize = "none", why }] of Object.entries(expected))
    it.effect(`${why} (${name})`, () =>
      Effect.gen(function* () {
        const { code } = contract(name)
        const powers = TokenPowers.of(code, yield* StorageFlow.analyse(code))
        assert.deepStrictEqual([powers.bypass.state, powers.seize.state], [bypass, seize])
      })
    )
})
