import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../Compiled.js"

/** Tokens that keep balances in one word with something that decides nothing. */
const plain = ["BesideBits", "BesideTime", "AboveBits", "InStruct"]

/** Tokens with a power in such a word, or over it, which must not be ruled out. */
const powerful = {
  Frozen: "blacklist",
  FrozenInStruct: "blacklist",
  Limited: "blacklist",
  StoppedByTime: "limit",
  MintedBelow: "mint",
  MintedByBits: "mint",
  MintedFromAbove: "mint",
  TakenFromAbove: "mint",
  MovedFromAbove: "mint",
  Elsewhere: "tax",
  Taxed: "tax",
  Drained: "seize"
} as const satisfies Record<string, TokenPowers.Power>

describeCompiled("a balance in one word with something else", (pipeline) => {
  const contract = contracts(pipeline, "Kept.sol")
  const powersOf = (name: string) => {
    const { code } = contract(name)
    return Effect.map(StorageFlow.analyse(code), (flow) => TokenPowers.of(code, flow))
  }
  const names = Object.keys(powerful) as ReadonlyArray<keyof typeof powerful>

  for (const name of plain)
    it.effect(`gives nobody a power: ${name}`, () =>
      Effect.gen(function* () {
        const powers = yield* powersOf(name)
        assert.deepStrictEqual(
          TokenPowers.powers.filter((power) => powers[power].state !== "none"),
          []
        )
      })
    )

  for (const name of names)
    it.effect(`does not rule out the power over it: ${name}`, () =>
      Effect.gen(function* () {
        assert.notStrictEqual((yield* powersOf(name))[powerful[name]].state, "none")
      })
    )
})
