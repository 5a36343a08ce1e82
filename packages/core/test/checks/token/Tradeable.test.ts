import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Tradeable from "../../../src/checks/token/Tradeable.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as Token from "../../../src/facts/Token.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import { alice, erc20, failing, inert, target, word } from "../Scripted.js"

const { functions, interfaceIds } = Selectors

type Calls = NonNullable<ScriptedChain.Account["calls"]>

const fungible = (calls: Calls, fault?: ScriptedChain.Script["fault"]) =>
  Tradeable.fungible(target).pipe(
    Effect.provide(
      Layer.provide(Token.layer, ScriptedChain.layer({ accounts: { [target]: { code: inert, calls } }, fault }))
    )
  )

const collection = (id: Hex): Calls => ({
  [functions.supportsInterface]: word(0n),
  [Getter.calldata(functions.supportsInterface, [Getter.leftAligned(id)])]: word(1n)
})

describe("Tradeable.fungible", () => {
  it.effect.each<readonly [string, boolean, Calls]>([
    ["an ERC-20 token", true, erc20],
    ["a vault", true, { ...erc20, [functions.asset]: word(alice), [functions.convertToAssets]: word(5n) }],
    ["what hides its standard", true, {}],
    ["an ERC-721 collection", false, collection(interfaceIds.erc721)],
    ["an ERC-1155 collection", false, collection(interfaceIds.erc1155)]
  ])("of %s is %s", ([_, expected, calls]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* fungible(calls), expected)
    })
  )

  it.effect("fails where the token was not read", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(fungible(erc20, failing("eth_call", functions.supportsInterface)))
      assert.strictEqual(error.reason, "rate_limited")
    })
  )
})
