import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Opcodes } from "../../../src/evm/bytecode/Opcodes.js"
import { type Expression, makePool } from "../../../src/evm/expression/Expression.js"
import * as SampledForm from "../../../src/evm/expression/SampledForm.js"
import * as StorageLocation from "../../../src/evm/expression/StorageLocation.js"
import * as WrittenHashes from "../../../src/evm/expression/WrittenHashes.js"

const pool = makePool()
const formOf = SampledForm.makeReader(StorageLocation.makeLocator(pool, WrittenHashes.ofAnyCode))
const number = (value: number): Expression => pool.constant(BigInt(value))
const variable = (slot: number, epoch = "0"): Expression => pool.node(Opcodes.SLOAD, [number(slot)], epoch)
const add = (a: Expression, b: Expression) => pool.binary(Opcodes.ADD, a, b)
const sub = (a: Expression, b: Expression) => pool.binary(Opcodes.SUB, a, b)
const mul = (a: Expression, b: Expression) => pool.binary(Opcodes.MUL, a, b)
const div = (a: Expression, b: Expression) => pool.binary(Opcodes.DIV, a, b)
const amount = pool.node(Opcodes.CALLDATALOAD, [number(36)])
const slots = fc.nat(1_000)

describe("SampledForm", () => {
  it("is the same in whatever order the same is worked out", () => {
    fc.assert(
      fc.property(slots, slots, (a, b) => {
        const [one, other] = [variable(a), variable(b)]
        const apart = add(div(mul(amount, one), number(100)), div(mul(other, amount), number(100)))
        const together = div(mul(add(other, one), amount), number(100))
        assert.strictEqual(formOf(sub(amount, apart)), formOf(sub(amount, together)))
      })
    )
  })

  it("is the same whenever a variable is read", () => {
    assert.strictEqual(formOf(mul(amount, variable(3))), formOf(mul(amount, variable(3, "later"))))
  })

  it("is another of a part and of what is left of it, though the same goes into both", () => {
    fc.assert(
      fc.property(slots, (slot) => {
        const part = div(mul(amount, variable(slot)), number(100))
        const other = div(mul(amount, sub(number(100), variable(slot))), number(100))
        assert.notStrictEqual(formOf(part), formOf(sub(amount, part)))
        assert.notStrictEqual(formOf(part), formOf(other))
      })
    )
  })

  it("is another where another variable is read, whatever it is multiplied with besides", () => {
    fc.assert(
      fc.property(slots, slots, slots, (a, b, rate) => {
        fc.pre(a !== b)
        assert.notStrictEqual(
          formOf(mul(mul(amount, variable(a)), variable(rate))),
          formOf(mul(mul(amount, variable(b)), variable(rate)))
        )
      })
    )
  })

  it("is its own for each formula of too many parts", () => {
    const long = (from: Expression): Expression => {
      let what = from
      for (let i = 1; i < 3_000; i++) what = sub(what, div(what, number(1_000_000 + i)))
      return what
    }
    const formula = long(amount)
    assert.strictEqual(formOf(formula), formOf(formula))
    assert.notStrictEqual(formOf(formula), formOf(long(variable(1))))
  })

  it("is found for a formula that contains itself", () => {
    const round = pool.merge(0, "1:0:0")
    pool.offer(round, amount)
    pool.offer(round, sub(round, number(1)))
    assert.strictEqual(formOf(round), formOf(round))
  })
})
