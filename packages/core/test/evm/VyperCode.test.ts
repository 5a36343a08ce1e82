import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../src/evm/summary/StorageFlow.js"
import * as Coverage from "./Coverage.js"

const two = (offset: number): string => offset.toString(16).padStart(4, "0")

/** Code that compares the selector with one by what they differ in, as Vyper's does, and else goes on behind the function. */
const contract = (
  functions: ReadonlyArray<readonly [selector: string, body: (at: number) => string]>
): `0x${string}` => {
  // The selector is copied to the end of the first word of memory and left on the stack.
  let code = "60046000601c37600051"
  for (const [selector, body] of functions) {
    const at = code.length / 2 + 11
    const inside = body(at)
    code += `63${selector}811861${two(at + inside.length / 2)}57${inside}5b`
  }
  return `0x${code}60006000fd`
}

/** Puts words of the calldata at slots behind 5, from one place on, until `until` (a question about the next place) is no. */
const loop =
  (from: string, step: string, until: string, early: (start: number) => string = () => "") =>
  (at: number): string => {
    const start = at + from.length / 2
    const store = "5b80602002600401358160050155"
    return `${from}${store}${step}${early(start)}80${until}61${two(start)}575000`
  }

const [fromZero, one] = ["6000", "600101"]
const untilEight = "600818"

const others = {
  "where it ends is told by the caller": loop(fromZero, one, "60043518"),
  "it begins behind the end": loop("6009", one, untilEight),
  "it goes in steps that may miss the end": loop(fromZero, "600201", "600918"),
  "it may go round without the question": loop(fromZero, one, untilEight, (start) => `60043561${two(start)}57`),
  "it begins where the caller says": loop("600435", one, untilEight)
}

const flowOf = (body: (at: number) => string) => StorageFlow.analyseWith(contract([["aaaaaaaa", body]]), ["0xaaaaaaaa"])

/** Uniswap's first exchange, Vyper 0.1: the runtime code behind what puts it in place. */
const exchange = ((): `0x${string}` => {
  const creation: string = createRequire(import.meta.url)("@uniswap/v2-periphery/build/UniswapV1Exchange.json").evm
    .bytecode.object
  return `0x${creation.slice(creation.lastIndexOf("600035601c52"))}`
})()

describe("Vyper's code", () => {
  it.effect("copies the arguments of a call to memory and is read all the same: Uniswap's first exchange", () =>
    Effect.gen(function* () {
      const flow = yield* StorageFlow.analyse(exchange)
      assert.isTrue(flow.completeness.complete)
      const powers = TokenPowers.of(exchange, flow)
      // Whoever puts ether and tokens in gets shares for them, as a part of what there is, which is not followed.
      const doubted = TokenPowers.powers.filter((power) => powers[power].state !== "none")
      assert.deepStrictEqual(doubted, ["mint"])
      const { executions, misses } = Coverage.measure(exchange, flow, 12)
      assert.deepStrictEqual(misses, [])
      assert.isAbove(executions, 50)
    })
  )

  it("copies as many arguments as it says, and what is behind them is not known", () => {
    // CALLDATACOPY(0x40, 4, length), SSTORE(0, MLOAD(0x60))
    const changes = (length: string) =>
      StorageFlow.analyseWith(contract([["aaaaaaaa", () => `${length}600460403760605160005500`]]), ["0xaaaaaaaa"])
        .functions.flatMap(({ writes }) => writes)
        .map(({ change: { amount, kind } }) => ({ kind, amount }))
    assert.deepStrictEqual(changes("6040"), [{ kind: "set", amount: [{ kind: "argument", index: 1 }] }])
    assert.deepStrictEqual(changes("6020"), [{ kind: "clear", amount: [] }])
    assert.deepStrictEqual(changes("604435"), [{ kind: "set", amount: [{ kind: "unknown" }] }])
  })

  it("keeps the entry of an account that the code names where either order of slot and key puts it", () => {
    const account = "a11cea11cea11cea11cea11cea11cea11cea11ce"
    // MSTORE(0, 4), MSTORE(0x20, account), SSTORE(KECCAK256(0, 0x40), 1)
    const entry = `600460005273${account}6020526001604060002055`
    const { functions } = StorageFlow.analyseWith(contract([["aaaaaaaa", () => `${entry}00`]]), ["0xaaaaaaaa"])
    assert.include(
      functions.flatMap(({ writes }) => writes.map(({ slot }) => slot)),
      "0x4[k]"
    )
  })

  it("has functions with selectors that are compared by their differing bits, and a fallback that is none of them", () => {
    const code = contract([
      ["aaaaaaaa", () => "600160005500"],
      ["bbbbbbbb", () => "600160015500"]
    ])
    const { completeness, functions } = StorageFlow.analyseWith(code, [])
    const written = functions.map(({ selector, writes }) => [selector, writes.map(({ slot }) => slot)])
    assert.deepStrictEqual(written, [
      ["0xaaaaaaaa", ["0x0"]],
      ["0xbbbbbbbb", ["0x1"]],
      ["fallback", []]
    ])
    assert.isTrue(completeness.complete)
  })

  it("writes to a list of fixed length where a loop counts from a number below the end to the end", () => {
    const { completeness, functions } = flowOf(loop(fromZero, one, untilEight))
    assert.deepStrictEqual(completeness.gaps, [])
    assert.deepStrictEqual(
      functions.find(({ selector }) => selector === "0xaaaaaaaa")?.writes.map(({ slot }) => slot),
      ["0x5[i]"]
    )
  })

  for (const [name, body] of Object.entries(others))
    it(`may write anywhere: ${name}`, () => {
      assert.deepStrictEqual(flowOf(body).completeness.gaps, ["write_location"])
    })
})
