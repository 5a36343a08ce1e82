import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { Opcodes } from "../../../../src/evm/bytecode/Opcodes.js"
import { type Expression, fold, Kind, makePool, maxWord } from "../../../../src/evm/expression/Expression.js"
import * as PathFacts from "../../../../src/evm/expression/PathFacts.js"
import * as FieldWrite from "../../../../src/evm/summary/signatures/FieldWrite.js"

/** Sizes in bytes of what a word is laid out in, from its low end, each either written or put back. */
const layouts = FastCheck.array(
  FastCheck.record({ size: FastCheck.integer({ min: 1, max: 20 }), isWritten: FastCheck.boolean() }),
  { minLength: 2, maxLength: 8 }
).filter((fields) => fields.reduce((sum, { size }) => sum + size, 0) <= 32)

describe("FieldWrite", () => {
  it("reports each number that a word is composed of, and what is left as it was", () => {
    FastCheck.assert(
      FastCheck.property(layouts, FastCheck.boolean(), (fields, isNested) => {
        const pool = makePool()
        const current = pool.node(Opcodes.SLOAD, [pool.constant(0n)], "0")
        let offset = 0
        const places = fields.map(({ isWritten, size }, i) => {
          const at = offset
          offset += size
          const low = pool.constant((1n << BigInt(8 * size)) - 1n)
          const number = pool.node(Opcodes.CALLDATALOAD, [pool.constant(BigInt(4 + 32 * i))])
          const part = pool.binary(Opcodes.SHL, pool.constant(BigInt(8 * at)), pool.binary(Opcodes.AND, number, low))
          return { isWritten, number, part, field: { offset: at, size }, mask: low.value << BigInt(8 * at) }
        })
        const all = (1n << 256n) - 1n
        const kept = places.reduce((left, { isWritten, mask }) => (isWritten ? left & ~mask : left), all)
        // Old compilers put one number after the other into the word, and make room for each.
        const word = places.reduce<Expression>(
          (made, { isWritten, mask, part }) =>
            isWritten
              ? pool.binary(
                  Opcodes.OR,
                  isNested ? pool.binary(Opcodes.AND, made, pool.constant(all ^ mask)) : made,
                  part
                )
              : made,
          isNested ? current : pool.binary(Opcodes.AND, current, pool.constant(kept))
        )
        const written = places.filter(({ isWritten }) => isWritten)
        const parts = FieldWrite.partsOf(pool, { value: word, current, facts: PathFacts.none }).filter(
          ({ mask }) => mask !== 0n
        )
        // Regression: each nested number takes two of the eight levels that are followed, so of more than five the word
        // is reported as a whole, which has to cover all of them.
        if (isNested && written.length > 5) {
          const covered = parts.reduce((met, { mask }) => met | mask, 0n)
          for (const { mask } of written) assert.strictEqual(mask & ~covered, 0n)
          return
        }
        assert.sameDeepMembers(
          parts.map(({ field, mask }) => ({ field: mask === all ? undefined : field, mask })),
          written.map(({ field, mask }) => ({ field: mask === all ? undefined : field, mask }))
        )
        for (const { mask, number } of written)
          assert.strictEqual(parts.find((part) => part.mask === mask)?.value, number)
      }),
      { examples: [[Array.from({ length: 6 }, () => ({ size: 1, isWritten: true })), true]] }
    )
  })

  it("says that what lies between two numbers becomes zero", () => {
    const pool = makePool()
    const number = (at: bigint) =>
      pool.binary(Opcodes.AND, pool.node(Opcodes.CALLDATALOAD, [pool.constant(at)]), pool.constant(0xffffn))
    const word = pool.binary(Opcodes.OR, number(4n), pool.binary(Opcodes.SHL, pool.constant(32n), number(36n)))
    const current = pool.node(Opcodes.SLOAD, [pool.constant(0n)], "0")
    const parts = FieldWrite.partsOf(pool, { value: word, current, facts: PathFacts.none })
    assert.strictEqual(
      parts.reduce((all, { mask }) => all | mask, 0n),
      (1n << 256n) - 1n
    )
    assert.deepStrictEqual(
      parts.flatMap(({ mask, value }) => (value === pool.constant(0n) ? [mask & 0xffffffffffffffffn] : [])),
      [0xffff_0000_ffff_0000n]
    )
  })

  it("says of no bit that it is another one than what is stored, where numbers run over into each other", () => {
    const layers = FastCheck.array(
      FastCheck.record({
        at: FastCheck.integer({ min: 0, max: 255 }),
        size: FastCheck.integer({ min: 1, max: 256 }),
        value: FastCheck.bigInt({ min: 0n, max: maxWord })
      }),
      { minLength: 1, maxLength: 4 }
    )
    const word = FastCheck.bigInt({ min: 0n, max: maxWord })
    FastCheck.assert(
      FastCheck.property(layers, word, word, (numbers, kept, before) => {
        const pool = makePool()
        const current = pool.node(Opcodes.SLOAD, [pool.constant(0n)], "0")
        const values = new Map([[current, before]])
        const parts = numbers.map(({ at, size, value }, i) => {
          const number = pool.node(Opcodes.CALLDATALOAD, [pool.constant(BigInt(4 + 32 * i))])
          values.set(number, value)
          const cut = pool.binary(Opcodes.AND, number, pool.constant((1n << BigInt(size)) - 1n))
          return pool.binary(Opcodes.SHL, pool.constant(BigInt(at)), cut)
        })
        const stored = [pool.binary(Opcodes.AND, current, pool.constant(kept)), ...parts].reduce((made, part) =>
          pool.binary(Opcodes.OR, made, part)
        )
        const valueOf = (what: Expression): bigint => {
          const [a, b] = what.args
          const known = what.op === Kind.constant ? what.value : values.get(what)
          return known ?? fold(what.op, valueOf(a as Expression), valueOf(b as Expression)) ?? 0n
        }
        const after = valueOf(stored)
        let unwritten = maxWord
        for (const { isInPlace, mask, value } of FieldWrite.partsOf(pool, {
          value: stored,
          current,
          facts: PathFacts.none
        })) {
          unwritten &= ~mask
          const isWord = value === stored || isInPlace === true
          const said = isWord ? valueOf(value) : valueOf(value) * (mask & -mask)
          assert.strictEqual(said & mask, after & mask)
        }
        assert.strictEqual(after & unwritten, before & unwritten)
      })
    )
  })
})
