import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

const stopping = ["pause", "limit", "blacklist", "whitelist"] as const

/** Of the powers to stop transfers, those that are not refuted. */
const doubted: Record<string, ReadonlyArray<(typeof stopping)[number]>> = {
  ToldReceiver: [],
  ToldRegistry: stopping,
  ToldEither: stopping,
  PaidSender: [],
  PaidShare: ["pause", "limit"],
  PaidPrice: ["pause", "limit"],
  PaidBonus: stopping,
  DrainedSender: ["pause", "limit"],
  DestructibleSender: ["pause", "limit"]
}

const powersOf = (code: `0x${string}`) => Effect.map(StorageFlow.analyse(code), (flow) => TokenPowers.of(code, flow))

describeCompiled("Refusal", (pipeline) => {
  const contract = contracts(pipeline, "Refusals.sol")

  for (const [name, powers] of Object.entries(doubted)) {
    const what = powers.length === 0 ? "nobody else may stop its transfers" : `doubts ${powers.join(", ")}`
    it.effect(`reads whom transfers of ${name} call: ${what}`, () =>
      Effect.gen(function* () {
        const found = yield* powersOf(contract(name).code)
        for (const power of stopping) {
          const reasons = powers.includes(power)
            ? [name.startsWith("Told") ? "external_call" : "uncertain_transfer"]
            : []
          assert.deepStrictEqual([power, found[power].reasons], [power, reasons])
        }
      })
    )
  }
})

describeCompiled("Accounts in memory", (pipeline) => {
  const contract = contracts(pipeline, "Refusals.sol")

  it.effect("knows that a batch lowers nobody else's balance: the account that is read and credited is the same", () =>
    Effect.gen(function* () {
      for (const name of ["Batch", "OwnersBatch"]) {
        const { state, levers } = (yield* powersOf(contract(name).code)).seize
        assert.deepStrictEqual([name, state, levers.length], [name, "none", 0])
      }
    })
  )

  it.effect("doubts a batch with accounts that are overwritten between the two", () =>
    Effect.gen(function* () {
      const { mint, seize } = yield* powersOf(contract("SwappedBatch").code)
      assert.notStrictEqual(mint.state, "none")
      assert.notStrictEqual(seize.state, "none")
    })
  )

  it.effect("does not say that an owner makes tokens who gives several what he loses at once", () =>
    Effect.gen(function* () {
      const { levers, state } = (yield* powersOf(contract("OwnersBatch").code)).mint
      assert.deepStrictEqual([state, levers.map(({ certain }) => certain)], ["unknown", [false]])
    })
  )
})
