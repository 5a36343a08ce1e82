import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { externalCallInTransfer } from "../../../../src/checks/token/powers/ExternalCallInTransfer.js"
import type { Hex } from "../../../../src/domain/Hex.js"
import * as Selectors from "../../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../../src/evm/bytecode/Slots.js"
import * as Getter from "../../../../src/facts/Getter.js"
import type { Account, Script } from "../../../../src/testing/ScriptedChain.js"
import { artifact } from "../../../evm/Compiled.js"
import { compile } from "../../../facts/Compiled.js"
import { account, alice, bob, erc20, failing, nobody, openZeppelin, own, said, target, word } from "../../Scripted.js"

const { functions, interfaceIds } = Selectors
const code = compile("Owned.sol")

const of = (runtime: Hex, account: Partial<Account> = {}, options: Partial<Script> = {}) =>
  said(externalCallInTransfer, "token", {
    accounts: { [target]: { code: runtime, calls: erc20, ...account } },
    ...options
  })

describe("token.external-call-in-transfer", () => {
  it.effect("is confirmed of a contract that the token keeps in a variable, by its address", () =>
    Effect.gen(function* () {
      const [item] = yield* of(code("Ruled"), { storage: { [word(2n)]: word(bob) } })
      assert.deepInclude(item, { says: "confirmed", severity: "medium" })
      assert.deepStrictEqual(item?.value, { calls: [{ function: "transfer", from: "storage", address: bob }] })
    })
  )

  it.effect("is confirmed of a contract that is part of the code, and of the recipient", () =>
    Effect.gen(function* () {
      const [fixed] = yield* of(code("RuledForEver", bob))
      assert.deepStrictEqual(fixed?.value, { calls: [{ function: "transferFrom", from: "constant", address: bob }] })
      const [recipient] = yield* of(code("Notifying"))
      assert.deepStrictEqual(recipient?.value, { calls: [{ function: "transfer", from: "argument", address: null }] })
    })
  )

  it.effect("is as grave as the worst contract that can be set there, and most grave where that was not read", () =>
    Effect.gen(function* () {
      const replaceable = (owner: Hex, options: Partial<Script> = {}) =>
        of(
          own("HookOwnedToken"),
          {
            storage: { [word(3n)]: word(owner), [word(5n)]: word(bob) },
            calls: { ...erc20, [functions.owner]: word(owner) }
          },
          options
        )
      const [held] = yield* replaceable(alice)
      assert.deepInclude(held, { says: "confirmed", severity: "critical" })
      const [renounced] = yield* replaceable(nobody)
      assert.deepInclude(renounced, { says: "confirmed", severity: "medium" })
      const [lost] = yield* replaceable(alice, { fault: failing("eth_getStorageAt") })
      assert.deepInclude(lost, { says: "unknown: rate_limited", severity: "critical" })
    })
  )

  it.effect("looks at what a proxy answers itself, beside the code behind it", () =>
    Effect.gen(function* () {
      const logic = account("2")
      const [item] = yield* said(externalCallInTransfer, "token", {
        accounts: {
          [target]: {
            code: compile("Executors.sol")("TwoFacedProxy"),
            calls: erc20,
            storage: { [Slots.implementation]: word(logic), [word(1n)]: word(bob) }
          },
          [logic]: { code: own("PlainToken") }
        }
      })
      assert.deepStrictEqual(item?.value, { calls: [{ function: "transfer", from: "storage", address: bob }] })
    })
  )

  it.effect.each<readonly [string, () => Hex]>([
    ["a plain token", () => own("PlainToken")],
    ["a pausable one", () => own("ManagedToken")],
    ["OpenZeppelin's preset", () => artifact("openzeppelin-contracts-4/build/contracts/ERC20PresetMinterPauser.json")],
    ["one that hashes", () => code("Hashing")],
    ["Uniswap's pool shares", () => artifact("@uniswap/v2-core/build/UniswapV2Pair.json")],
    ["wrapped ether", () => artifact("canonical-weth/build/contracts/WETH9.json")]
  ])("is refuted of %s", ([, runtime]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* of(runtime()))[0]?.says, "refuted")
    })
  )

  it.effect("does not apply to a collection, nor to a contract that neither is nor moves a token", () =>
    Effect.gen(function* () {
      const collection = {
        [functions.supportsInterface]: word(0n),
        [Getter.calldata(functions.supportsInterface, [Getter.leftAligned(interfaceIds.erc721)])]: word(1n)
      }
      assert.deepStrictEqual(yield* of(code("Ruled"), { calls: collection }), [])
      assert.deepStrictEqual(yield* of(openZeppelin("ProxyAdmin"), { calls: {} }), [])
    })
  )

  it.effect("is unknown where the code that answers was not found or not read", () =>
    Effect.gen(function* () {
      const [elsewhere] = yield* of("0x5f5f5f5f5f355af400")
      assert.strictEqual(elsewhere?.says, "unknown: inconclusive")
      const [lost] = yield* of(code("Ruled"), {}, { fault: failing("eth_getCode") })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )
})
