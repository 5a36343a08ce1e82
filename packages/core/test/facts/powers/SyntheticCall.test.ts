import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as Address from "../../../src/domain/Address.js"
import * as SyntheticCall from "../../../src/facts/powers/SyntheticCall.js"

const account = Address.checksum(`0x${"a1".repeat(20)}`)
const other = Address.checksum(`0x${"b2".repeat(20)}`)
const filling = { account, other, value: 25n }

const roles = (
  accounts: ReadonlyArray<number>,
  values: ReadonlyArray<number>,
  listed = false
): SyntheticCall.Roles => ({
  accounts: new Set(accounts),
  values: new Set(values),
  listed
})

const wordsOf = (types: ReadonlyArray<string>, of: SyntheticCall.Roles): ReadonlyArray<bigint> =>
  SyntheticCall.words(Option.getOrThrow(SyntheticCall.encode(types, of, filling))).map(BigInt)

describe("SyntheticCall", () => {
  it("puts the account and the value where the code uses them, and another account elsewhere", () => {
    assert.deepStrictEqual(wordsOf(["address", "uint256", "address"], roles([2], [1])), [
      BigInt(other),
      25n,
      BigInt(account)
    ])
    assert.deepStrictEqual(wordsOf(["address", "bool"], roles([0], [1])), [BigInt(account), 1n])
  })

  it("takes the first account for the affected one where the code does not show it", () => {
    assert.deepStrictEqual(wordsOf(["uint256", "address", "address"], roles([], [])), [
      0n,
      BigInt(account),
      BigInt(other)
    ])
  })

  it("puts the account into a list", () => {
    assert.deepStrictEqual(wordsOf(["address[]", "bool"], roles([], [1], true)), [64n, 1n, 1n, BigInt(account)])
  })

  it("gives no more than a type holds", () => {
    assert.strictEqual(SyntheticCall.fitting(["uint8", "uint256"], roles([], [0, 1]), 10_000n), 255n)
    assert.strictEqual(SyntheticCall.fitting(["uint8", "uint256"], roles([], [1]), 10_000n), 10_000n)
  })

  it("takes words for numbers where the types that were inferred are of another kind or too few", () => {
    assert.deepStrictEqual(SyntheticCall.typesOf("(uint256,address)[]", roles([0], [1])), ["address", "uint256"])
    assert.deepStrictEqual(SyntheticCall.typesOf("", roles([], [2])), ["uint256", "uint256", "uint256"])
    assert.deepStrictEqual(SyntheticCall.typesOf("address,bool", roles([0], [1])), ["address", "bool"])
  })

  it("gives no call of what cannot be encoded", () => {
    assert.isTrue(Option.isNone(SyntheticCall.encode(["function"], roles([], []), filling)))
  })

  it("tries values strictly between two, largest first, few enough, and round ones with their successors", () => {
    for (const [low, high] of [
      [0n, 1n],
      [1n, 25n],
      [25n, 99n],
      [100n, 1_000n],
      [1_000n, 10_000n],
      [10_000n, 2n ** 256n - 1n],
      [0n, 2n ** 256n - 1n],
      [10n ** 17n, 10n ** 18n]
    ] as const) {
      const values = SyntheticCall.between(low, high)
      assert.isAtMost(values.length, SyntheticCall.valuesAtMost)
      values.forEach((value, i) => {
        assert.isTrue(value > low && value < high)
        if (i > 0) assert.isTrue(value < (values[i - 1] ?? 0n))
      })
    }
    assert.includeMembers([...SyntheticCall.between(100n, 1_000n)], [500n, 501n])
    assert.deepStrictEqual(SyntheticCall.between(3n, 6n), [5n, 4n])
    assert.deepStrictEqual(SyntheticCall.between(3n, 4n), [])
  })
})
