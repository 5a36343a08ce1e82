import { assert, describe, it } from "vitest"
import { Opcodes } from "../../../src/evm/bytecode/Opcodes.js"
import * as Expression from "../../../src/evm/expression/Expression.js"
import * as Walk from "../../../src/evm/expression/Walk.js"

const pool = Expression.makePool()
const caller = pool.node(Opcodes.CALLER, [])
const loaded = pool.node(Opcodes.SLOAD, [caller])
const sum = pool.node(Opcodes.ADD, [loaded, caller])
const twice = pool.node(Opcodes.MUL, [sum, sum])

describe("Walk", () => {
  it("meets each part of a formula once, however often it is used", () => {
    assert.sameMembers([...Walk.parts([twice])], [twice, sum, loaded, caller])
    assert.sameMembers([...Walk.parts([loaded, twice])], [twice, sum, loaded, caller])
  })

  it("does not take which entry was loaded for a part of what it holds", () => {
    assert.deepStrictEqual([...Walk.parts([loaded], { into: Walk.held })], [loaded])
    assert.includeMembers([...Walk.parts([twice], { into: Walk.held })], [caller])
  })

  it("ends after the most parts that it may meet", () => {
    assert.deepStrictEqual([...Walk.parts([twice], { most: 1 })], [twice])
    assert.lengthOf([...Walk.parts([twice], { most: 3 })], 3)
  })
})
