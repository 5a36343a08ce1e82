import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Fungible from "../../../src/checks/token/Fungible.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as Token from "../../../src/facts/market/Token.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import { alice, erc20, failing, inert, own, target, word } from "../Scripted.js"

const { functions, interfaceIds } = Selectors

type Calls = NonNullable<ScriptedChain.Account["calls"]>

const fungible = (calls: Calls, fault?: ScriptedChain.Script["fault"], code: Hex = inert) =>
  Fungible.is(target).pipe(
    Effect.provide(Layer.provide(Token.layer, ScriptedChain.layer({ accounts: { [target]: { code, calls } }, fault })))
  )

const collection = (id: Hex): Calls => ({
  [functions.supportsInterface]: word(0n),
  [Getter.calldata(functions.supportsInterface, [Getter.leftAligned(id)])]: word(1n)
})

describe("Fungible.is", () => {
  it.effect.each<readonly [string, boolean, Calls]>([
    ["an ERC-20 token", true, erc20],
    ["a vault", true, { ...erc20, [functions.asset]: word(alice), [functions.convertToAssets]: word(5n) }],
    ["what hides its standard", true, {}],
    ["an ERC-721 collection", false, collection(interfaceIds.erc721)],
    ["what claims to be one and answers as ERC-20", true, { ...erc20, ...collection(interfaceIds.erc721) }],
    [
      "what claims to be one and keeps allowances without telling a supply",
      true,
      { ...collection(interfaceIds.erc721), [functions.allowance]: word(0n) }
    ],
    ["an ERC-1155 collection", false, collection(interfaceIds.erc1155)]
  ])("of %s is %s", ([_, expected, calls]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* fungible(calls), expected)
    })
  )

  it.effect("reads the code of a contract that claims to be a collection and reverts on a stranger's allowance", () =>
    Effect.gen(function* () {
      const claiming = { ...erc20, ...collection(interfaceIds.erc721), [functions.allowance]: ScriptedChain.reverts() }
      assert.isTrue(yield* fungible(claiming, undefined, own("PlainToken")))
      assert.isFalse(yield* fungible(claiming))
      const error = yield* Effect.flip(fungible(claiming, failing("eth_getCode")))
      assert.strictEqual(error.reason, "rate_limited")
    })
  )

  it.effect("fails where the token was not read", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(fungible(erc20, failing("eth_call", functions.supportsInterface)))
      assert.strictEqual(error.reason, "rate_limited")
    })
  )
})
