import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as TradeCircumstances from "../../../src/evm/token/TradeCircumstances.js"
import * as Getter from "../../../src/facts/Getter.js"
import { SettledFunctions } from "../../../src/facts/trade/SettledFunctions.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import * as Facts from "../../checks/Facts.js"
import { alice, erc20, failing, person, target } from "../../checks/Scripted.js"
import { compile } from "../Compiled.js"

const compiled = compile("Settled.sol")

const dead = Address.checksum("0x000000000000000000000000000000000000dead")

interface Token {
  readonly keeper?: Address.Address
  readonly owner?: Address.Address
  readonly since?: bigint
}

const script = (contract: string, { keeper = dead, owner = Address.zero, since = 0n }: Token = {}) => ({
  accounts: {
    [target]: {
      code: compiled(contract, keeper),
      calls: erc20,
      storage: { [Getter.word(3n)]: Getter.word(owner), [Getter.word(4n)]: Getter.word(since) }
    },
    [alice]: person
  }
})

/** Whether trades go by the gas price: in the code, and for good. */
const watched = (chain: ScriptedChain.Script) =>
  Effect.gen(function* () {
    const settled = yield* (yield* SettledFunctions).of(target)
    const goes = ({ any, deciding }: TradeCircumstances.TradeCircumstances) => any.has("fees") || deciding.has("fees")
    return {
      inCode: settled.some(({ flow }) => goes(TradeCircumstances.of(flow))),
      forGood: settled.some(({ flow, functionOf }) => goes(TradeCircumstances.of(flow, functionOf)))
    }
  }).pipe(Effect.provide(Layer.provideMerge(Facts.layer, ScriptedChain.layer(chain))))

const settles = (chain: ScriptedChain.Script) =>
  Effect.map(watched(chain), ({ forGood, inCode }) => {
    assert.isTrue(inCode)
    return !forGood
  })

describe("what trades go by for good", () => {
  it.effect("leaves out what only a caller who is gone could bring about", () =>
    Effect.gen(function* () {
      for (const contract of ["ByKeeper", "ByOwner", "ByModule", "OfKeeper"])
        assert.isTrue(yield* settles(script(contract)), contract)
      assert.isTrue(yield* settles(script("FromThen", { since: 2n ** 256n - 1n })))
    })
  )

  it.effect("keeps what a living account can still bring about, or may once it comes back", () =>
    Effect.gen(function* () {
      for (const [contract, token] of [
        ["ByKeeper", { keeper: alice }],
        ["OfKeeper", { keeper: alice }],
        ["ByOwner", { owner: alice }],
        ["ByModule", { owner: alice }],
        ["ByOwnerAgain", {}],
        ["ByAnyone", {}]
      ] as const)
        assert.isFalse(yield* settles(script(contract, token)), contract)
    })
  )

  it.effect("keeps what a variable has brought about, or will", () =>
    Effect.gen(function* () {
      for (const contract of ["ByKeeper", "ByOwner", "ByModule"])
        assert.isFalse(yield* settles(script(contract, { since: 1n })), contract)
      assert.isFalse(yield* settles(script("FromThen", { since: 1_800_000_000n })))
    })
  )

  it.effect("is not read where a variable could not be read", () =>
    Effect.gen(function* () {
      const slot: Hex = Getter.word(4n)
      const lost = yield* Effect.either(watched({ ...script("ByKeeper"), fault: failing("eth_getStorageAt", slot) }))
      assert.strictEqual(lost._tag, "Left")
    })
  )
})
