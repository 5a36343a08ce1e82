import { assert, describe, it } from "@effect/vitest"
import * as Hash from "ox/Hash"
import * as Bytecode from "../../../src/evm/bytecode/Bytecode.js"
import { Opcodes } from "../../../src/evm/bytecode/Opcodes.js"
import { type Expression, makePool } from "../../../src/evm/expression/Expression.js"
import * as StorageLocation from "../../../src/evm/expression/StorageLocation.js"
import * as WrittenHashes from "../../../src/evm/expression/WrittenHashes.js"

const pool = makePool()
const number = (value: bigint): Expression => pool.constant(value)
const binary = pool.binary
const word = (value: bigint): string => value.toString(16).padStart(64, "0")
const hashOf = (...words: ReadonlyArray<bigint>): bigint => BigInt(Hash.keccak256(`0x${words.map(word).join("")}`))

const load = (slot: Expression): Expression => pool.node(Opcodes.SLOAD, [slot], "0")
const data = (slot: bigint): Expression => pool.hashOfWords(number(slot))
const ids = (locator: StorageLocation.Locator, slot: Expression) => locator.resolve(slot)?.map(({ id }) => id)

describe("StorageLocation", () => {
  const locator = StorageLocation.makeLocator(pool, WrittenHashes.ofAnyCode)
  const length = load(number(1n))

  it("is the same place in an array in whichever order it was added up", () => {
    const behind = binary(Opcodes.ADD, binary(Opcodes.ADD, length, number(1n)), data(1n))
    assert.strictEqual(behind, binary(Opcodes.ADD, binary(Opcodes.ADD, data(1n), length), number(1n)))
    assert.deepStrictEqual(ids(locator, behind), ["0x1[][i]+1"])
    const [place] = locator.resolve(behind) ?? []
    assert.isTrue(place !== undefined && locator.isBounded(place, []))
  })

  it("is in an array with a constant hash minus one, for an index that counts from one", () => {
    const place = load(pool.hashOfWords(pool.nullary(Opcodes.CALLER), number(2n)))
    const before = binary(Opcodes.ADD, place, number(hashOf(1n) - 1n))
    assert.deepStrictEqual(ids(locator, before), ["0x1[][i]"])
    const [found] = locator.resolve(before) ?? []
    assert.isFalse(found === undefined || locator.isBounded(found, []))
    const counted = binary(Opcodes.ADD, place, number((1n << 256n) - 1n))
    const fact = 2 * binary(Opcodes.LT, counted, length).id
    assert.isTrue(found !== undefined && locator.isBounded(found, [fact]))
  })

  it("is in the array of its hash, and no variable by a number that a loop counts up beside that", () => {
    const counter = pool.merge(0, "counter")
    counter.alternatives.add(number(0n)).add(binary(Opcodes.ADD, counter, number(1n)))
    const start = binary(Opcodes.ADD, data(1n), binary(Opcodes.SHR, number(5n), length))
    const place = pool.node(Opcodes.ADD, [counter, start])
    assert.deepStrictEqual(ids(locator, place), ["0x1[][i][i]"])
    const [found] = locator.resolve(place) ?? []
    assert.isTrue(found !== undefined && locator.isBounded(found, []))
  })

  it("is an entry with a key that is written down, of a mapping that the code looks into far behind", () => {
    const role = hashOf(7n)
    // Pushes the role; puts 0x97 where the slot of a mapping is put.
    const code = Bytecode.parse(`0x7f${word(role)}5060976020526000600055`)
    const far = StorageLocation.ofCode(pool, code)
    assert.deepStrictEqual(ids(far, number(hashOf(role, 0x97n))), ["0x97[k]"])
    assert.deepStrictEqual(ids(far, number(hashOf(0n, 0x97n))), ["0x97[k]"])
    assert.deepStrictEqual(ids(far, number(hashOf(300n))), ["0x12c[]"])
    const [unknown] = far.resolve(number(hashOf(role, 0x98n))) ?? []
    assert.isFalse(unknown === undefined || far.isBounded(unknown, []))
  })

  it("knows whether a place is before the end of an array, by which old compilers clear what was cut off", () => {
    const end = binary(Opcodes.ADD, length, data(1n))
    const shorter = binary(Opcodes.ADD, binary(Opcodes.SUB, length, number(1n)), data(1n))
    assert.strictEqual(binary(Opcodes.LT, binary(Opcodes.ADD, end, number(1n)), end), number(0n))
    assert.strictEqual(binary(Opcodes.LT, shorter, end), number(1n))
    assert.strictEqual(binary(Opcodes.LT, binary(Opcodes.ADD, shorter, number(1n)), end), number(0n))
    const foreign = binary(Opcodes.ADD, load(number(2n)), data(1n))
    assert.notStrictEqual(binary(Opcodes.LT, binary(Opcodes.ADD, foreign, number(1n)), foreign), number(0n))
  })

  it("is bounded where a packed array is copied: what counts the bytes of a word goes no further than its end", () => {
    const copied = (size: bigint, reach: bigint, start: bigint, one = 1n): boolean => {
      const position = pool.merge(0, `position ${size} ${reach} ${start} ${one}`)
      const words = binary(Opcodes.SHR, number(5n), binary(Opcodes.ADD, position, number(reach)))
      const moved = binary(Opcodes.ADD, position, number(size))
      position.alternatives.add(number(start)).add(binary(Opcodes.MUL, moved, binary(Opcodes.SUB, number(one), words)))
      const place = pool.merge(0, `place ${size} ${reach} ${start} ${one}`)
      place.alternatives.add(data(1n)).add(binary(Opcodes.ADD, place, words))
      const [found] = locator.resolve(place) ?? []
      return found !== undefined && locator.isBounded(found, [])
    }
    assert.isTrue(copied(1n, 1n, 0n))
    assert.isTrue(copied(4n, 7n, 4n))
    assert.isFalse(copied(4n, 7n, 32n))
    assert.isFalse(copied(33n, 33n, 0n))
    assert.isFalse(copied(4n, 3n, 0n))
    assert.isFalse(copied(4n, 4n, 0n, 2n))
  })
})
