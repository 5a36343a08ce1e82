import { assert, describe, it } from "@effect/vitest"
import { Opcodes } from "../../../src/evm/bytecode/Opcodes.js"
import { type Expression, makePool } from "../../../src/evm/expression/Expression.js"
import * as StorageLocation from "../../../src/evm/expression/StorageLocation.js"
import * as TakenShare from "../../../src/evm/expression/TakenShare.js"
import * as ValueSource from "../../../src/evm/expression/ValueSource.js"
import * as WrittenHashes from "../../../src/evm/expression/WrittenHashes.js"

const pool = makePool()
const tracer = ValueSource.makeTracer(StorageLocation.makeLocator(pool, WrittenHashes.ofAnyCode), 100_000)
const number = (value: number): Expression => pool.constant(BigInt(value))
const add = (a: Expression, b: Expression) => pool.binary(Opcodes.ADD, a, b)
const sub = (a: Expression, b: Expression) => pool.binary(Opcodes.SUB, a, b)
const mul = (a: Expression, b: Expression) => pool.binary(Opcodes.MUL, a, b)
const div = (a: Expression, b: Expression) => pool.binary(Opcodes.DIV, a, b)
const amount = pool.node(Opcodes.CALLDATALOAD, [number(68)])
const named = pool.node(Opcodes.CALLDATALOAD, [number(100)])
const rate = pool.node(Opcodes.SLOAD, [number(7)], "0")
const fee = div(mul(amount, rate), number(100))
const either = pool.merge(0, "9:0:0")
pool.offer(either, amount)
pool.offer(either, number(0))

const share = (taken: ReadonlyArray<Expression>, asked = amount): ReadonlyArray<string> | undefined => {
  const found = TakenShare.of(tracer, taken, asked, [amount])
  return found === undefined ? undefined : [...found]
}

describe("TakenShare", () => {
  it.each([
    ["the amount", [amount]],
    ["nothing", []],
    ["less a fee", [sub(amount, fee)]],
    ["a fee and what is left of the amount", [fee, sub(amount, fee)]],
    ["a part in hundredths", [div(mul(amount, number(97)), number(100))]],
    ["two fees and what is left", [fee, div(amount, number(50)), sub(sub(amount, fee), div(amount, number(50)))]],
    ["the low bits", [pool.binary(Opcodes.AND, amount, number(255))]],
    ["the amount or nothing", [either]],
    ["what it is in shares that grow with the time", [div(mul(amount, number(1_000)), pool.nullary(Opcodes.TIMESTAMP))]]
  ])("is no more than the amount, by no factor: %s", (_, taken) => {
    assert.deepStrictEqual(share(taken), [])
  })

  it.each([
    ["a multiple", [mul(amount, rate)]],
    ["a part at a rate that is kept", [fee]],
    ["what it is in shares", [div(amount, rate)]]
  ])("goes by the factor: %s", (_, taken) => {
    assert.deepStrictEqual(share(taken), ["0x7"])
  })

  it.each([
    ["twice the amount", [amount, amount]],
    ["the amount and a fee", [amount, fee]],
    ["a fixed multiple", [mul(amount, number(2))]],
    ["more than a hundred hundredths", [div(mul(amount, number(101)), number(100))]],
    ["a little more", [add(amount, number(1))]],
    ["what is kept", [rate]],
    ["something else that the call names", [named]],
    ["a multiple that the call names", [mul(amount, named)]],
    ["the amount, where its low bits are asked for", [amount], pool.binary(Opcodes.AND, amount, number(255))]
  ])("is none: %s", (_, taken, asked = amount) => {
    assert.isUndefined(share(taken, asked))
  })

  it("is no more than a sum of which each part is taken once", () => {
    assert.deepStrictEqual(share([amount, fee], add(amount, fee)), [])
    assert.isUndefined(share([amount, fee, fee], add(amount, fee)))
  })

  it("is found for a formula that contains itself again and again, within bounded work", () => {
    let product = rate
    let choice: Expression = number(0)
    for (let i = 0; i < 60; i++) {
      product = mul(product, product)
      const next = pool.merge(0, `${i}:1:0`)
      pool.offer(next, choice)
      pool.offer(next, pool.binary(Opcodes.AND, choice, number(i + 1)))
      pool.offer(next, div(choice, number(i + 2)))
      choice = next
    }
    assert.isUndefined(share([product]))
    assert.isUndefined(share([mul(choice, product), choice]))
  })
})
