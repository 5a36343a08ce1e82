import { assert, describe, it } from "@effect/vitest"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"

const word = (value: string): string => value.padStart(4, "0")

/** Puts `transfer(caller, argument)` at 0x80. */
const encoding = `7f${Selectors.functions.transfer.slice(2).padEnd(64, "0")}6080523360845260043560a452`

/** Calls the contract in slot 0 with the 0x44 bytes at a place. */
const calling = (place: string): string => `60006000604461${place}60006000545af100`

/** A program that copies what is at 0x80 by a loop; its `head` jumps behind `body` in the end. */
const program = (pushes: string, head: string, body: string, end: string, place = "0200"): Hex => {
  const start = (encoding.length + pushes.length) / 2
  const exit = start + 1 + head.length / 2 + 3 + 1 + body.length / 2 + 3 + 1
  return `0x${encoding}${pushes}5b${head}61${word(exit.toString(16))}57${body}61${word(start.toString(16))}565b${end}${calling(place)}`
}

const told = (code: Hex) =>
  StorageFlow.analyseWith(code, []).functions.flatMap(({ calls }) => calls.map(({ order }) => order))

const transfer = {
  selector: Selectors.functions.transfer,
  value: undefined,
  compared: undefined
}

describe("CopyLoop", () => {
  it("follows the calldata of a call through the loop that moves its pointers", () => {
    const [order, ...others] = told(
      program(
        "60446102006080",
        "60208310",
        "80518252602082019150602081019050602083039250",
        "6001836020036101000a038019825116818451168082178552505050505050"
      )
    )
    assert.deepStrictEqual(others, [])
    assert.deepInclude(order, transfer)
    assert.deepStrictEqual(order?.input.slice(0, 2), [[{ kind: "caller" }], [{ kind: "argument", index: 0 }]])
  })

  it("follows the calldata of a call through the loop that counts", () => {
    const [order, ...others] = told(program("604461020060806000", "83811015", "8181015183820152602001", "50505050"))
    assert.deepStrictEqual(others, [])
    assert.deepInclude(order, transfer)
    assert.deepStrictEqual(order?.input, [[{ kind: "caller" }], [{ kind: "argument", index: 0 }]])
  })

  it("does not take what comes to what it has written for a copy", () => {
    const onto = (place: string) =>
      program(
        `604461${place}6080`,
        "60208310",
        "80518252602082019150602081019050602083039250",
        "6001836020036101000a038019825116818451168082178552505050505050",
        place
      )
    const copied = [[{ kind: "caller" as const }], [{ kind: "argument" as const, index: 0 }]]
    assert.deepStrictEqual(told(onto("0100"))[0]?.input.slice(0, 2), copied)
    assert.notDeepEqual(told(onto("00a0"))[0]?.input.slice(0, 2), copied)
  })

  it("does not take a loop that does something else for one that copies", () => {
    const [order] = told(program("604461020060806000", "83811015", "8181015183820152604001", "50505050"))
    assert.notDeepEqual(order?.input.slice(0, 2), [[{ kind: "caller" }], [{ kind: "argument", index: 0 }]])
  })
})
