import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as ValueAtRisk from "../../../src/checks/wallet/ValueAtRisk.js"
import type { WalletPortfolio } from "../../../src/domain/facts/WalletPortfolio.js"
import * as Quantity from "../../../src/domain/Quantity.js"
import { account, alice, bob } from "../Scripted.js"

const coin = account("2")
const obscure = account("3")
const ether = 10n ** 18n

const quantity = (value: bigint | number) => Quantity.make(value)

const portfolio: WalletPortfolio = {
  native: quantity(0),
  unit: { address: account("e"), symbol: "WETH", decimals: 18 },
  holdings: [
    { address: coin, symbol: "USDC", decimals: 6, balance: quantity(12_500_000), value: quantity(ether / 240n) },
    { address: obscure, symbol: null, decimals: null, balance: quantity(77), value: null }
  ],
  at_risk: [
    { token: coin, spender: alice, by: "erc20", amount: quantity(12_500_000), value: quantity(ether / 240n) },
    { token: coin, spender: bob, by: "erc20", amount: quantity(12_000_000), value: quantity(ether / 250n) },
    { token: coin, spender: bob, by: "permit2", amount: quantity(1), value: quantity(1) },
    { token: obscure, spender: alice, by: "erc20", amount: quantity(77), value: null }
  ],
  complete: true
}

const seen = Option.some(portfolio)

describe("the value at risk in words", () => {
  it("is in the token's own unit and in the wrapped coin, to four digits", () => {
    assert.strictEqual(
      ValueAtRisk.sentence(seen, { token: coin, spender: alice, by: "erc20" }),
      "; 12.5 USDC at risk, about 0.004166 WETH"
    )
  })

  it("is split by the way in which it may be taken", () => {
    assert.strictEqual(
      ValueAtRisk.sentence(seen, { token: coin, spender: bob, by: "permit2" }),
      "; 0.000001 USDC at risk, about 0.000000000000000001 WETH"
    )
    assert.strictEqual(ValueAtRisk.sentence(seen, { token: coin, spender: alice, by: "permit2" }), "")
  })

  it("is in smallest units of a token that no list names, and without a price where there is none", () => {
    assert.strictEqual(
      ValueAtRisk.sentence(seen, { token: obscure, spender: alice, by: "erc20" }),
      "; 77 units at risk"
    )
    assert.strictEqual(
      ValueAtRisk.sentence(Option.some({ ...portfolio, unit: null }), { token: coin, spender: alice, by: "erc20" }),
      "; 12.5 USDC at risk"
    )
  })

  it("is nothing where there is nothing to take, or nothing was read", () => {
    assert.strictEqual(ValueAtRisk.sentence(seen, { token: obscure, spender: bob, by: "erc20" }), "")
    assert.strictEqual(ValueAtRisk.sentence(Option.none(), { token: coin, spender: alice, by: "erc20" }), "")
    assert.strictEqual(ValueAtRisk.total(Option.none()), "")
    assert.strictEqual(ValueAtRisk.total(Option.some({ ...portfolio, at_risk: [] })), "")
  })

  it("counts each token once in all, however many may take it", () => {
    assert.strictEqual(ValueAtRisk.total(seen), "; tokens worth about 0.004166 WETH can be taken now")
  })
})
