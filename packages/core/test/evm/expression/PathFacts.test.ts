import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Opcodes } from "../../../src/evm/bytecode/Opcodes.js"
import { type Expression, makePool } from "../../../src/evm/expression/Expression.js"
import * as PathFacts from "../../../src/evm/expression/PathFacts.js"

const numbers = fc.array(fc.nat(40))
const of = (facts: ReadonlyArray<number>): PathFacts.PathFacts => PathFacts.and(PathFacts.none, facts)
const sorted = (facts: Iterable<number>): ReadonlyArray<number> => [...new Set(facts)].sort((a, b) => a - b)

describe("PathFacts", () => {
  it("are what was added, once and in ascending order", () => {
    fc.assert(
      fc.property(numbers, numbers, (some, others) => {
        assert.deepStrictEqual(PathFacts.and(of(some), others), sorted([...some, ...others]))
      })
    )
  })

  it("have what was added and nothing else", () => {
    fc.assert(
      fc.property(numbers, fc.nat(40), (some, one) => {
        assert.strictEqual(PathFacts.has(of(some), one), some.includes(one))
      })
    )
  })

  it("have in common what all paths know, whatever their order", () => {
    fc.assert(
      fc.property(fc.array(numbers, { minLength: 1, maxLength: 4 }), (paths) => {
        const common = sorted((paths[0] ?? []).filter((fact) => paths.every((path) => path.includes(fact))))
        assert.deepStrictEqual(PathFacts.common(paths.map(of)), common)
        assert.deepStrictEqual(PathFacts.common(paths.map(of).reverse()), common)
      })
    )
  })

  it("are the same where the same is known", () => {
    fc.assert(
      fc.property(numbers, numbers, (some, others) => {
        const isSame = JSON.stringify(sorted(some)) === JSON.stringify(sorted(others))
        assert.strictEqual(PathFacts.areSame(of(some), of(others)), isSame)
      })
    )
  })

  it("decide a condition that repeats on both sides again and again", () => {
    const pool = makePool()
    const answer = (at: bigint): Expression => {
      const word = pool.node(Opcodes.CALLDATALOAD, [pool.constant(at)])
      return pool.unary(Opcodes.ISZERO, pool.unary(Opcodes.ISZERO, word))
    }
    const [one, other] = [answer(4n), answer(36n)]
    let both = pool.binary(Opcodes.AND, one, other)
    for (let i = 0; i < 40; i++) both = pool.binary(Opcodes.AND, both, pool.binary(Opcodes.OR, both, other))
    assert.strictEqual(PathFacts.decide(both, PathFacts.none), undefined)
    const known = PathFacts.assume(pool, PathFacts.assume(pool, PathFacts.none, one, true), other, true)
    assert.strictEqual(PathFacts.decide(both, known), true)
    const refused = PathFacts.assume(pool, PathFacts.none, other, false)
    assert.strictEqual(PathFacts.decide(both, refused), false)
    const noted = PathFacts.assume(pool, PathFacts.none, both, true)
    assert.deepStrictEqual([PathFacts.decide(one, noted), PathFacts.decide(other, noted)], [true, true])
  })
})
