import { assert, describe, it } from "@effect/vitest"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as BalanceOverride from "../../../src/facts/trade/BalanceOverride.js"

const account = Address.checksum(`0x${"ab".repeat(20)}`)
const wholeWord: Hex = `0x${"f".repeat(64)}`

describe("BalanceOverride", () => {
  it("writes the entry of a mapping as Solidity and as Vyper hash it", () => {
    const words = BalanceOverride.of([{ slot: "0x3[k]", mask: wholeWord }], account, 7n)
    const [key, slot] = [Getter.word(account), Getter.word(3n)]
    assert.deepStrictEqual(words, {
      [Slots.mapping(key, slot)]: Getter.word(7n),
      [Slots.mapping(slot, key)]: Getter.word(7n)
    })
  })

  it("puts an amount where its bits are in a packed word", () => {
    const mask: Hex = `0x${"f".repeat(24)}${"0".repeat(40)}`
    const words = BalanceOverride.of([{ slot: "0x0[k]", mask }], account, 7n)
    assert.deepStrictEqual([...new Set(Object.values(words))], [Getter.word(7n << 160n)])
  })

  it("writes one word where a seed follows the account", () => {
    assert.lengthOf(Object.keys(BalanceOverride.of([{ slot: "#87a211a2[k]", mask: wholeWord }], account, 7n)), 1)
  })

  it("writes nothing where balances are in several mappings, or in none", () => {
    const books = ["0x1[k]", "0x2[k]"].map((slot) => ({ slot, mask: wholeWord }))
    for (const balances of [books, [], [{ slot: "0x1[k][k]", mask: wholeWord }]])
      assert.deepStrictEqual(BalanceOverride.of(balances, account, 7n), {})
  })
})
