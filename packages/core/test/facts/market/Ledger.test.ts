import { assert, describe, it } from "@effect/vitest"
import type { Log } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as Ledger from "../../../src/facts/market/Ledger.js"

const account = (digit: string) => Address.checksum(`0x${digit.repeat(40)}`)
const [alice, bob, carol] = [account("a"), account("b"), account("c")]

const transfer = (from: Hex, to: Hex, amount: bigint, fields: Partial<Log> = {}): Log => ({
  address: account("1"),
  topics: [Selectors.topics.Transfer, Getter.word(from), Getter.word(to)],
  data: Getter.word(amount),
  blockNumber: 1,
  logIndex: 0,
  transactionHash: "0x",
  ...fields
})

describe("Ledger", () => {
  it("adds up what each account got and gave, with what is new and what is no more", () => {
    const { balances, readable } = Ledger.of([
      transfer(Address.zero, alice, 100n),
      transfer(alice, bob, 40n),
      transfer(bob, Address.zero, 10n),
      transfer(bob, bob, 5n)
    ])
    assert.isTrue(readable)
    assert.deepStrictEqual(
      [...balances],
      [
        [alice, 60n],
        [bob, 30n]
      ]
    )
  })

  it("says that it does not understand transfers of another kind of token, and reads the others", () => {
    for (const odd of [
      transfer(alice, bob, 1n, { data: "0x" }),
      transfer(alice, bob, 1n, {
        topics: [Selectors.topics.Transfer, Getter.word(alice), Getter.word(bob), Getter.word(7n)]
      }),
      transfer(alice, bob, 1n, { topics: [Selectors.topics.Transfer, `0x${"f".repeat(64)}`, Getter.word(bob)] })
    ]) {
      const { balances, readable } = Ledger.of([odd, transfer(Address.zero, carol, 9n)])
      assert.isFalse(readable)
      assert.strictEqual(balances.get(carol), 9n)
    }
  })

  it("puts the largest sums first, whichever their sign, and leaves out what is nothing", () => {
    const ledger = Ledger.of([
      transfer(Address.zero, alice, 10n),
      transfer(carol, bob, 50n),
      transfer(bob, alice, 20n),
      transfer(account("d"), account("d"), 5n)
    ])
    assert.deepStrictEqual(Ledger.largest(ledger), [carol, alice, bob])
  })

  it("finds what others have from givers, by any way, and no more than was passed on", () => {
    const passed = Ledger.passedOn(
      [
        transfer(Address.zero, alice, 100n),
        transfer(alice, bob, 60n),
        transfer(Address.zero, bob, 40n),
        transfer(bob, carol, 70n),
        transfer(carol, account("d"), 10n),
        transfer(alice, account("e"), 5n)
      ],
      new Set([alice]),
      new Set([account("e")])
    )
    assert.deepStrictEqual(
      [...passed].filter(([, amount]) => amount > 0n),
      [
        [carol, 50n],
        [account("d"), 10n]
      ]
    )
  })

  it("finds what others still have straight from givers, or by an account that passed it on at once", () => {
    const [dan, erin, fay] = [account("d"), account("e"), account("f")]
    const at = (hash: Hex, from: Hex, to: Hex, amount: bigint) => transfer(from, to, amount, { transactionHash: hash })
    const handed = Ledger.handedOut(
      [
        at("0x01", Address.zero, alice, 100n),
        at("0x02", alice, bob, 20n),
        at("0x03", bob, carol, 5n),
        at("0x04", alice, dan, 30n),
        at("0x04", dan, erin, 30n),
        at("0x05", alice, dan, 30n),
        at("0x06", dan, fay, 30n),
        at("0x07", alice, account("9"), 10n),
        at("0x08", alice, alice, 10n),
        at("0x09", alice, Address.zero, 10n)
      ],
      new Set([alice]),
      new Set([account("9")])
    )
    assert.deepStrictEqual(
      [...handed],
      [
        [bob, 15n],
        [erin, 30n]
      ]
    )
  })

  it("finds which part of a pair's LP tokens accounts were issued or redeemed, whichever is more", () => {
    const pair = account("d")
    const partOf = (...transfers: ReadonlyArray<Log>) => Ledger.partOf(transfers, new Set([alice]), pair)
    const first = transfer(Address.zero, Address.zero, 1_000n)
    const out = (from: Hex, amount: bigint) => [transfer(from, pair, amount), transfer(pair, Address.zero, amount)]
    assert.strictEqual(partOf(), 0)
    assert.strictEqual(partOf(first, transfer(Address.zero, alice, 9_000n), ...out(alice, 9_000n)), 10_000)
    assert.strictEqual(partOf(first, transfer(Address.zero, bob, 9_000n), ...out(bob, 9_000n)), 0)
    // Given away before it was redeemed, and given to before.
    assert.strictEqual(
      partOf(transfer(Address.zero, alice, 75n), transfer(Address.zero, bob, 25n), transfer(alice, carol, 75n)),
      7_500
    )
    assert.strictEqual(partOf(transfer(Address.zero, bob, 100n), transfer(bob, alice, 60n), ...out(alice, 60n)), 10_000)
  })
})
