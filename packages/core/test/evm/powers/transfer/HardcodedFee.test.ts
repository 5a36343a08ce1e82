import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

/** The functions that decide who pays a tax which is written into the code, and what lets transfers through without it. */
const expected: Record<string, ReadonlyArray<string>> = {
  TaxedReceivers: ["list zero"],
  TaxedPairs: ["list zero"],
  // An exemption, such as of a pool, can end.
  TaxedUnlessSpared: ["list zero", "spare nonzero"],
  SparedFromMuch: ["list nonzero"],
  SwitchedTax: ["turn zero"],
  OpenedOnce: ["launch nonzero"],
  NamedPool: ["nominate undefined"],
  NamedOnce: ["nominate undefined"],
  // A fee that is usual, at worst.
  CheapPairs: [],
  NamedCheapPool: [],
  // All pay it who are not exempt.
  SparedFromFee: [],
  SparedForGood: [],
  EternalTax: [],
  // Nobody decides it for others.
  OwnChoice: [],
  FixedLists: []
}

/** More may be taken than is sent, as far as formulas are followed. */
const unfollowed = ["DoubledShare", "SquaredShare"]

/** An account can change which part of the amount is taken. */
const turned = ["TurnedRate", "TurnedShare", "LongCut"]

describeCompiled("HardcodedFee", (pipeline) => {
  const contract = contracts(pipeline, "Levies.sol")

  for (const [name, functions] of Object.entries(expected)) {
    const what = functions.length === 0 ? "nobody says who is taxed" : functions.join(", ")
    it.effect(`reads ${name}: ${what}`, () =>
      Effect.gen(function* () {
        const { code, names } = contract(name)
        const powers = TokenPowers.of(code, yield* StorageFlow.analyse(code))
        assert.strictEqual(powers.tax.state, functions.length === 0 ? "none" : "found")
        assert.deepStrictEqual(
          powers.tax.levers
            .map(
              ({ certain, privileged, selector, variable }) =>
                `${names.get(selector)} ${variable?.passes}${certain && privileged ? "" : "?"}`
            )
            .sort(),
          functions
        )
        assert.deepStrictEqual([powers.mint.state, powers.seize.state], ["none", "none"])
      })
    )
  }

  for (const name of unfollowed)
    it.effect(`reads ${name}: nobody decides who is taxed, and whether anyone is taxed is unknown`, () =>
      Effect.gen(function* () {
        const { code } = contract(name)
        const { mint, seize, tax } = TokenPowers.of(code, yield* StorageFlow.analyse(code))
        assert.deepStrictEqual([tax.state, tax.levers.length, mint.state, seize.state], ["unknown", 0, "none", "none"])
      })
    )

  for (const name of turned)
    it.effect(`does not say of ${name} that nobody has more taken of the same amounts`, () =>
      Effect.gen(function* () {
        const { code } = contract(name)
        assert.notStrictEqual(TokenPowers.of(code, yield* StorageFlow.analyse(code)).tax.state, "none")
      })
    )
})
