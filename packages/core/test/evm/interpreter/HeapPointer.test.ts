import { assert, describe, it } from "@effect/vitest"
import { Opcodes } from "../../../src/evm/bytecode/Opcodes.js"
import { type Expression, type Merge, makePool } from "../../../src/evm/expression/Expression.js"
import * as HeapPointer from "../../../src/evm/interpreter/HeapPointer.js"

const pool = makePool()
const number = (value: bigint): Expression => pool.constant(value)
const sum = (a: Expression, b: Expression): Expression => pool.binary(Opcodes.ADD, a, b)
const merge = (name: string, ...ways: ReadonlyArray<Expression>): Merge => {
  const made = pool.merge(0, name)
  for (const way of ways) made.alternatives.add(way)
  return made
}

const argument = pool.node(Opcodes.CALLDATALOAD, [number(4n)])
/** As long as a string in storage can be. */
const length = (slot: bigint): Expression =>
  pool.binary(Opcodes.SHR, number(1n), pool.node(Opcodes.SLOAD, [number(slot)], "0"))
const heap = number(0x80n)

describe("HeapPointer", () => {
  it("is in the heap behind a string of any length, which cannot make it wrap", () => {
    assert.isTrue(HeapPointer.is(sum(length(0n), number(0xa0n))))
    assert.isTrue(HeapPointer.is(sum(merge("either", heap, sum(length(0n), heap)), number(0x20n))))
  })

  it("is in the heap where a loop counts from nothing behind its start", () => {
    const counter = pool.merge(0, "counter")
    counter.alternatives.add(number(0n)).add(sum(counter, number(0x20n)))
    assert.isTrue(HeapPointer.is(sum(counter, heap)))
    assert.isFalse(HeapPointer.is(counter))
  })

  it("is in the heap where a loop counts the elements of an array, and unknown where the caller chooses the index", () => {
    const counter = pool.merge(0, "elements")
    counter.alternatives.add(number(0n)).add(sum(counter, number(1n)))
    const element = (index: Expression): Expression => sum(pool.binary(Opcodes.SHL, number(5n), index), number(0xa0n))
    assert.isTrue(HeapPointer.is(element(counter)))
    assert.isFalse(HeapPointer.is(element(merge("said", counter, argument))))
    assert.isFalse(HeapPointer.is(sum(pool.binary(Opcodes.SHL, number(250n), counter), number(0xa0n))))
  })

  it("is unknown where sizes may make it wrap", () => {
    assert.isFalse(HeapPointer.is(sum(argument, heap)))
    assert.isFalse(HeapPointer.is(sum(sum(sum(length(0n), length(1n)), length(2n)), heap)))
    const leaping = pool.merge(0, "leaping")
    leaping.alternatives.add(heap).add(sum(leaping, length(0n)))
    assert.isFalse(HeapPointer.is(leaping))
  })

  it("is in the heap where one of two places behind the same sizes is taken", () => {
    const sizes = sum(length(0n), pool.binary(Opcodes.SHR, number(1n), length(1n)))
    assert.isTrue(HeapPointer.is(sum(sizes, heap)))
    assert.isTrue(HeapPointer.is(merge("one", sum(sizes, heap), sum(sizes, number(0xa0n)))))
    assert.isFalse(HeapPointer.is(merge("below", sum(sizes, heap), sum(sizes, number(0x20n)))))
    assert.isFalse(HeapPointer.is(merge("another", sum(sizes, heap), sum(sum(length(2n), sizes), heap))))
  })

  it("proves a size short by what is put behind it, where all others are and it did not wrap", () => {
    const rounded = (size: Expression): Expression =>
      pool.binary(Opcodes.SHL, number(5n), pool.binary(Opcodes.SHR, number(5n), sum(size, number(31n))))
    const [one, other, any] = [rounded(length(0n)), rounded(length(1n)), rounded(argument)]
    const isShort =
      (...known: ReadonlyArray<Expression>) =>
      (size: Expression): boolean =>
        known.includes(size)
    assert.strictEqual(HeapPointer.provenBy(sum(one, heap), isShort()), one)
    assert.strictEqual(HeapPointer.provenBy(sum(sum(one, other), heap), isShort(one)), other)
    assert.isUndefined(HeapPointer.provenBy(sum(sum(one, other), heap), isShort()))
    assert.isUndefined(HeapPointer.provenBy(sum(one, heap), isShort(one)))
    assert.isUndefined(HeapPointer.provenBy(sum(any, heap), isShort()))
    assert.isUndefined(HeapPointer.provenBy(sum(sum(one, argument), heap), isShort()))
    assert.isUndefined(HeapPointer.provenBy(sum(one, number(1n << 30n)), isShort()))
  })

  it("is unknown below the heap", () => {
    assert.isFalse(HeapPointer.is(number(0x40n)))
    assert.isFalse(HeapPointer.is(sum(length(0n), number(0x20n))))
    assert.isFalse(HeapPointer.is(merge("low", heap, number(0x60n))))
  })

  it("is in the heap behind sizes that are known to be short where it is used, and unknown behind others", () => {
    const counter = pool.merge(0, "counted")
    counter.alternatives.add(number(0n)).add(sum(counter, number(1n)))
    const words = (what: Expression): Expression => pool.binary(Opcodes.SHL, number(5n), what)
    const element = sum(sum(words(argument), words(counter)), number(0xc0n))
    assert.isFalse(HeapPointer.is(element))
    assert.isFalse(HeapPointer.is(element, () => false))
    assert.isTrue(HeapPointer.is(element, (size) => size === argument))
    assert.isTrue(HeapPointer.is(element, (size) => size === words(argument)))
  })

  it("is unknown behind a merge point where a size was shown to be short only later", () => {
    const either = merge("met", heap, sum(argument, heap))
    const pointer = sum(either, number(0x20n))
    assert.isFalse(HeapPointer.is(pointer, (size) => size === argument))
    assert.isTrue(HeapPointer.is(pointer, (size) => size === either))
  })

  it("is no longer trusted where what it may be has grown, by what was short where it was trusted", () => {
    const trusted: HeapPointer.Trusted = new Map()
    const index = merge("index", number(0n))
    const pointer = sum(sum(pool.binary(Opcodes.SHL, number(5n), index), argument), number(0xa0n))
    assert.isFalse(HeapPointer.trust(trusted, pointer, () => false))
    assert.isTrue(HeapPointer.trust(trusted, pointer, (size) => size === argument))
    assert.isTrue(HeapPointer.areStill(trusted))
    index.alternatives.add(pool.node(Opcodes.CALLDATALOAD, [number(36n)]))
    assert.isFalse(HeapPointer.areStill(trusted))
  })
})
