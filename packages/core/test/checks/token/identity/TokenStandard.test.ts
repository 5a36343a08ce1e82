import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tokenStandard } from "../../../../src/checks/token/identity/TokenStandard.js"
import * as Address from "../../../../src/domain/Address.js"
import type { TokenStandard } from "../../../../src/domain/facts/TokenProfile.js"
import type { Hex } from "../../../../src/domain/Hex.js"
import * as Selectors from "../../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../../src/facts/Getter.js"
import { type Account, type Answer, reverts, type Script } from "../../../../src/testing/ScriptedChain.js"
import { alice, erc20, evidence, failing, inert, said, target, word } from "../../Scripted.js"

const { functions, interfaceIds } = Selectors

type Calls = NonNullable<Account["calls"]>

const token = (calls: Calls, options: Partial<Script> = {}): Script => ({
  accounts: { [target]: { code: inert, calls } },
  ...options
})

const interfaces = (...ids: ReadonlyArray<Hex>): Calls => ({
  [functions.supportsInterface]: word(0n),
  ...Object.fromEntries(
    ids.map((id) => [Getter.calldata(functions.supportsInterface, [Getter.leftAligned(id)]), word(1n)])
  )
})

const vault: Calls = { ...erc20, [functions.asset]: word(alice), [functions.convertToAssets]: word(5n) }

const everything = (answer: Answer): Calls =>
  Object.fromEntries(Object.values(functions).map((selector) => [selector, answer]))

describe("token.standard", () => {
  it.effect.each<readonly [TokenStandard, string, Calls]>([
    ["erc20", "its getters", erc20],
    ["erc20", "its getters, of a vault without an asset", { ...vault, [functions.asset]: word(Address.zero) }],
    [
      "erc20",
      "its getters, of a vault that does not price its shares",
      { ...vault, [functions.convertToAssets]: reverts() }
    ],
    ["erc20", "its getters, and interfaces of no standard", { ...erc20, ...interfaces(interfaceIds.erc165) }],
    ["erc4626", "its getters, an asset and a price", vault],
    ["erc721", "its interface", interfaces(interfaceIds.erc721)],
    ["erc721", "its interface, beside getters of ERC-20", { ...erc20, ...interfaces(interfaceIds.erc721) }],
    ["erc1155", "its interface", interfaces(interfaceIds.erc1155)]
  ])("is confirmed as %s by %s", ([standard, _, calls]) =>
    Effect.gen(function* () {
      const [item] = yield* evidence(tokenStandard, "token", token(calls))
      assert.strictEqual(item?.state, "confirmed")
      assert.deepStrictEqual(item?.value, { standard })
      assert.strictEqual(item?.detail, `the contract behaves as ${standard}`)
      assert.strictEqual(item?.observation?.method, "eth_call")
    })
  )

  it.effect.each<readonly [string, Calls]>([
    ["answers nothing", {}],
    ["has no supply", { ...erc20, [functions.totalSupply]: reverts() }],
    ["has a supply of no bytes", { ...erc20, [functions.totalSupply]: "0x" }],
    ["gives a stranger a balance", { ...erc20, [functions.balanceOf]: word(1n) }],
    ["does not tell a stranger's balance", { ...erc20, [functions.balanceOf]: reverts() }],
    ["lets a stranger spend", { ...erc20, [functions.allowance]: word(1n) }],
    ["claims the interface that nobody may", { ...erc20, ...interfaces(interfaceIds.invalid) }],
    ["claims that one beside ERC-721", { ...erc20, ...interfaces(interfaceIds.invalid, interfaceIds.erc721) }],
    ["answers everything with one", everything(word(1n))],
    ["answers everything with words of no type", everything(`0x${"ff".repeat(32)}`)]
  ])("is refuted of a contract that %s", ([_, calls]) =>
    Effect.gen(function* () {
      const [item] = yield* said(tokenStandard, "token", token(calls))
      assert.deepInclude(item, { says: "refuted", value: { standard: "none" } })
    })
  )

  it.effect("is unknown where any of what decides was not answered, and never none", () =>
    Effect.gen(function* () {
      for (const selector of [
        functions.totalSupply,
        functions.balanceOf,
        functions.allowance,
        functions.supportsInterface,
        functions.asset,
        functions.convertToAssets
      ]) {
        const items = yield* said(tokenStandard, "token", token(vault, { fault: failing("eth_call", selector) }))
        assert.deepStrictEqual(
          items.map(({ says, value }) => [says, value]),
          [["unknown: rate_limited", null]]
        )
      }
    })
  )

  it.effect("does not apply to wallets and contracts", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(tokenStandard, "wallet", token(erc20)), [])
      assert.deepStrictEqual(yield* said(tokenStandard, "contract", token(erc20)), [])
    })
  )
})
