import { assert, describe, it } from "@effect/vitest"
import { Opcodes } from "../../../src/evm/bytecode/Opcodes.js"
import { type Expression, makePool, maxWord } from "../../../src/evm/expression/Expression.js"
import * as Ordering from "../../../src/evm/expression/Ordering.js"
import * as PathFacts from "../../../src/evm/expression/PathFacts.js"

const pool = makePool()
const number = pool.constant
const word = (i: bigint): Expression => pool.node(Opcodes.CALLDATALOAD, [number(4n + 32n * i)])
const [x, y] = [word(0n), word(1n)]
const less = pool.binary(Opcodes.SUB, x, y)
const known = (condition: Expression, holds: boolean) => PathFacts.assume(pool, PathFacts.none, condition, holds)

describe("Ordering", () => {
  // Regression: each was taken apart as if it were still a sum.
  for (const [name, a, b, bounds] of [
    ["an argument", less, y, [maxWord, 0xffffn]],
    ["a constant", number(maxWord), number(2n), [maxWord]],
    ["another sum", pool.binary(Opcodes.ADD, x, number(maxWord)), number(2n), [maxWord, 0xffffn]]
  ] as const)
    for (const most of bounds)
      it(`does not prove that a sum fits that simplifies to ${name}, within ${most.toString(16)}`, () => {
        assert.isFalse(Ordering.isSumWithin(pool, a, b, most, PathFacts.none))
      })

  it("proves that a sum fits from a comparison with one of its parts, also once it is simplified", () => {
    // (x - y) + y is x, and x >= x - y says that nothing wrapped.
    const isFitting = known(pool.binary(Opcodes.LT, x, less), false)
    assert.isTrue(Ordering.isSum(pool, less, y, isFitting))
    assert.isFalse(Ordering.isSum(pool, x, y, isFitting))
    const isAbove = known(pool.binary(Opcodes.LT, pool.binary(Opcodes.ADD, x, y), x), false)
    assert.isTrue(Ordering.isSum(pool, x, y, isAbove))
    assert.isTrue(Ordering.isSum(pool, y, x, isAbove))
  })
})
