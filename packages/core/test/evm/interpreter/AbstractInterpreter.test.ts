import { assert, describe, it } from "@effect/vitest"
import * as Bytecode from "../../../src/evm/bytecode/Bytecode.js"
import { Opcodes } from "../../../src/evm/bytecode/Opcodes.js"
import { makePool } from "../../../src/evm/expression/Expression.js"
import * as AbstractInterpreter from "../../../src/evm/interpreter/AbstractInterpreter.js"

const hex = (...bytes: ReadonlyArray<number>): string =>
  bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * Branches on one word of the calldata after the other, and does the same whatever they are: JUMPI(next,
 * CALLDATALOAD(i)).
 */
const branches = (count: number): `0x${string}` =>
  `0x${Array.from({ length: count }, (_, i) => hex(0x60, 32 * i, 0x35, 0x60, 7 * i + 6, 0x57, 0x5b)).join("")}00`

const run = (code: `0x${string}`, paths: true | undefined, maxSteps: number) =>
  AbstractInterpreter.run(Bytecode.parse(code), makePool(), {
    selector: 1n,
    known: new Set(),
    maxSteps,
    ...(paths === undefined ? {} : { paths })
  })

describe("AbstractInterpreter", () => {
  for (const paths of [true, undefined] as const)
    it(`is not complete at any bound below what ${paths === undefined ? "merged" : "separate"} paths take`, () => {
      const code = branches(5)
      const all = run(code, paths, 100_000)
      assert.isTrue(all.complete)
      for (let bound = 1; bound < all.steps; bound++) {
        const { blocks, complete } = run(code, paths, bound)
        const isWhole = blocks.length === all.blocks.length && blocks.every(({ end }, i) => end === all.blocks[i]?.end)
        assert.isTrue(!complete || isWhole, `${bound} of ${all.steps}`)
      }
    })

  /** Branches on one slot after the other, and goes from each to the same end: JUMPI(end, SLOAD(i)). */
  const exits = (count: number): `0x${string}` => {
    const end = 8 * count
    const ways = Array.from({ length: count }, (_, i) =>
      hex(0x61, i >> 8, i & 255, 0x54, 0x61, end >> 8, end & 255, 0x57)
    )
    return `0x${ways.join("")}5b00`
  }

  it("counts what it takes to merge the ways to a place with what is known on each", () => {
    assert.isTrue(run(exits(200), undefined, 100_000).complete)
    const { complete, steps } = run(exits(2_000), undefined, 400_000)
    assert.isFalse(complete)
    assert.isBelow(steps, 410_000)
  })

  /** Where the entries are that a code writes, by the formula of the slot. */
  const slotsOf = (code: `0x${string}`) =>
    run(code, undefined, 100_000).blocks.flatMap(({ events }) =>
      events.flatMap((event) => (event.kind === "store" ? [event.slot] : []))
    )

  // SSTORE(MLOAD(0x80 + (CALLDATALOAD(4) & 0xffff)), 1), and what is between two of them.
  const store = "600160043561ffff166080015155"
  const twice = (between: string, what = store): `0x${string}` => `0x${what}${between}${what}00`

  it("reads the same unknown value from memory until it may be overwritten", () => {
    const [first, second] = slotsOf(twice(""))
    assert.isDefined(first)
    assert.strictEqual(first, second)
    // MSTORE(0, 1) is before all that the pointer may point to.
    const [before, behind] = slotsOf(twice("6001600052"))
    assert.strictEqual(before, behind)
    // MSTORE(0x100, 1), MSTORE(CALLDATALOAD(36), 1).
    for (const write of ["600161010052", "600160243552"]) {
      const [old, now] = slotsOf(twice(write))
      assert.notStrictEqual(old, now, write)
    }
  })

  it("does not read the same where the pointer may point before the heap", () => {
    // SSTORE(MLOAD(CALLDATALOAD(4)), 1)
    const [old, now] = slotsOf(twice("6001600052", "60016004355155"))
    assert.isDefined(old)
    assert.notStrictEqual(old, now)
  })

  it("reads the same through two pointers in turns, until it may be written over", () => {
    // SSTORE(MLOAD(0xa0 + (CALLDATALOAD(36) & 0xffff)), 1)
    const other = "600160243561ffff1660a0015155"
    const turns = (between: string): ReadonlyArray<unknown> => slotsOf(`0x${store}${other}${between}${store}${other}00`)
    const [first, second, third, fourth] = turns("")
    assert.deepStrictEqual([third === first, fourth === second, first === second], [true, true, false])
    // MSTORE(0x100, 1), MSTORE(CALLDATALOAD(36), 1), and MSTORE(0x80 + (CALLDATALOAD(4) & 0xffff), 1).
    for (const write of ["600161010052", "600160243552", "600160043561ffff1660800152"]) {
      const [, old, , now] = turns(write)
      assert.notStrictEqual(old, now, write)
    }
  })

  it("separates the results of an internal function that drops its variables at its common end", () => {
    // PUSH back, PUSH 0 (the answer), PUSH 0 (a variable), JUMPI(one, CALLDATALOAD(4)), 0 or 1 for the answer; POP, SWAP1, JUMP
    const asking = "60195f5f6004356010575f91506015565b600191505b"
    // back: JUMPI(stop, answer), REVERT; stop: STOP
    const code: `0x${string}` = `0x${asking}5090565b6020575f5ffd5b00`
    const { blocks, complete } = run(code, undefined, 100_000)
    const conditions = blocks.flatMap(({ events }) =>
      events.flatMap((event) => (event.kind === "branch" ? [event.condition.op] : []))
    )
    assert.deepStrictEqual([complete, conditions], [true, [Opcodes.CALLDATALOAD]])
  })
})
