import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Bytecode from "../../../src/evm/bytecode/Bytecode.js"
import * as CodeReadings from "../../../src/facts/code/CodeReadings.js"
import { Functions } from "../../../src/facts/code/Functions.js"
import { Proxy } from "../../../src/facts/code/Proxy.js"
import * as StoredVariable from "../../../src/facts/code/StoredVariable.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as FreeTransfer from "../../../src/facts/trade/FreeTransfer.js"
import { contracts } from "../../evm/Compiled.js"

const token = Address.checksum(`0x${"11".repeat(20)}`)
const [delegated, other] = ["22", "33"].map((byte) => Address.checksum(`0x${byte.repeat(20)}`)) as [
  Address.Address,
  Address.Address
]
const contract = contracts("optimised", "FreeTransfers.sol")
const observation = () => assert.fail("nothing here is shown to a reader")

/** The service over a token with a code of its own, in which one account has an entry in the mapping at slot 4. */
const over = (code: Hex, fixed = true) => {
  const slot = StoredVariable.slotOf("0x4[k]", [Getter.word(delegated)])
  const world = Layer.mergeAll(
    CodeReadings.layer,
    Layer.succeed(ChainState, {
      storage: (_: Address.Address, asked: Hex) =>
        Effect.succeed({ value: Getter.word(slot._tag === "Some" && slot.value === asked ? 1n : 0n), observation })
    } as unknown as ChainState["Type"]),
    Layer.succeed(Proxy, {
      of: () => Effect.succeed({ value: { kind: "none" }, observation })
    } as unknown as Proxy["Type"])
  )
  const functions = Layer.effect(
    Functions,
    Effect.map(CodeReadings.CodeReadings, (readings) => {
      const logic = Effect.map(readings.of(code), (flow) => ({
        address: token,
        code,
        reach: Bytecode.reach(Bytecode.parse(code)),
        flow
      }))
      return {
        of: () => Effect.map(logic, (one) => ({ value: { logics: [one], resolved: true, fixed }, observation })),
        at: () => Effect.map(logic, (value) => ({ value, observation })),
        linked: () => Effect.succeedNone
      }
    })
  )
  return FreeTransfer.layer.pipe(Layer.provide(Layer.provideMerge(functions, world)))
}

const proofOf = (code: Hex, fixed?: boolean) =>
  Effect.flatMap(FreeTransfer.FreeTransfer, ({ of }) => of(token)).pipe(
    Effect.map(({ value }) => value),
    Effect.provide(over(code, fixed))
  )

describe("FreeTransfer", () => {
  it.effect("proves free transfers of code that stays, and nothing of code that is replaced", () =>
    Effect.gen(function* () {
      const { code } = contract("Checked")
      assert.strictEqual((yield* proofOf(code)).state, "free")
      assert.deepStrictEqual(yield* proofOf(code, false), { state: "inconclusive", reason: "replaceable" })
    })
  )

  it.effect(
    "takes delegates for an account's own where nobody else can name them, and for a list where another account can",
    () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* proofOf(contract("Voting").code)).state, "free_undelegated")
        assert.deepStrictEqual(yield* proofOf(contract("DelegatesOfKeeper").code), {
          state: "gated",
          gates: [{ kind: "list", slot: "0x3[k]" }]
        })
      })
  )

  it.effect("takes a list for one of holders where every function that adds to a balance checks it", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* proofOf(contract("Members").code)).state, "free_listed")
      for (const name of ["Presale", "WrongBuyer", "LateList", "Paid"] as const)
        assert.deepStrictEqual(
          yield* proofOf(contract(name).code),
          { state: "gated", gates: [{ kind: "list", slot: "0x3[k]" }] },
          name
        )
    })
  )

  it.effect("reads who has a delegate, and takes what it cannot place for one", () =>
    Effect.gen(function* () {
      const { isDelegated } = yield* FreeTransfer.FreeTransfer
      assert.isTrue(yield* isDelegated(token, "0x4[k]", [other, delegated]))
      assert.isFalse(yield* isDelegated(token, "0x4[k]", [other]))
      assert.isFalse(yield* isDelegated(token, "0x4[k]", []))
      assert.isTrue(yield* isDelegated(token, "#abc[k]", [other]))
    }).pipe(Effect.provide(over(contract("Voting").code)))
  )
})
