import { assert, describe, it } from "@effect/vitest"
import { FastCheck, Option } from "effect"
import * as RpcValue from "../../../src/chain/rpc/RpcValue.js"
import type { Hex } from "../../../src/domain/Hex.js"

const uint256 = FastCheck.bigInt({ min: 0n, max: 2n ** 256n - 1n })

describe("RpcValue", () => {
  it("reads a zero word, a zero and an empty text as no code, and a zero byte as code", () => {
    for (const none of [`0x${"0".repeat(64)}`, "0x0", "", "0x"])
      assert.deepStrictEqual(RpcValue.parseCode(none), Option.some("0x"))
    assert.deepStrictEqual(RpcValue.parseCode("0x00"), Option.some("0x00"))
    for (const strange of [null, "6080", "0x608", 0]) assert.isTrue(Option.isNone(RpcValue.parseCode(strange)))
  })

  it.prop("reads the numbers that it writes, as quantities and as words", { value: uint256 }, ({ value }) => {
    const written = RpcValue.quantity(value)
    assert.match(written, /^0x(?:0|[1-9a-f][0-9a-f]*)$/)
    assert.deepStrictEqual(RpcValue.parseBigInt(written), Option.some(value))
    assert.strictEqual(RpcValue.word(written).length, 66)
    assert.deepStrictEqual(RpcValue.parseWord(written), Option.some(RpcValue.word(written)))
    assert.strictEqual(Option.isSome(RpcValue.parseNumber(written)), value <= BigInt(Number.MAX_SAFE_INTEGER))
  })

  it("reads nothing from what is not of the type", () => {
    const strange: ReadonlyArray<unknown> = [
      undefined,
      null,
      7,
      true,
      [],
      {},
      "",
      "7",
      "x",
      "0y12",
      " 0x12",
      "0x12 ",
      "0xg1"
    ]
    for (const value of strange) {
      for (const [name, parse] of Object.entries(RpcValue).filter(([name]) => name.startsWith("parse"))) {
        if (name === "parseRecord") continue
        assert.deepStrictEqual((parse as (value: unknown) => unknown)(value), Option.none(), `${name} ${String(value)}`)
      }
    }
    assert.deepStrictEqual(RpcValue.parseBytes("0x123"), Option.none())
    assert.deepStrictEqual(RpcValue.parseBytes("0x"), Option.some("0x" as Hex))
    assert.deepStrictEqual(RpcValue.parseWord("0x"), Option.none())
    assert.deepStrictEqual(RpcValue.parseWord(`0x${"0".repeat(65)}`), Option.none())
    assert.deepStrictEqual(RpcValue.parseBigInt(`0x1${"0".repeat(64)}`), Option.none())
    assert.deepStrictEqual(RpcValue.parseHash("0x12"), Option.none())
    assert.deepStrictEqual(RpcValue.parseAccount(`0x${"0".repeat(41)}`), Option.none())
    assert.deepStrictEqual(RpcValue.parseRecord([]), Option.none())
  })
})
