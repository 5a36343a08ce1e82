import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import type { Hex } from "../../../src/domain/Hex.js"
import * as StateOnlyCall from "../../../src/evm/interpreter/StateOnlyCall.js"

const proxy: Hex = `0x${"11".repeat(20)}`
const logic: Hex = `0x${"22".repeat(20)}`

/** Hands calldata on to the account in slot 5, and returns what that returned. */
const forwarding: Hex = `0x365f5f375f5f365f6005545af43d5f5f3e3d5ff3`

const answerTop = "60005260206000f3"

/** Answers by one code where the selector is 0x12345678, by another where not. */
const dispatching = (chosen: string, other: string): Hex =>
  `0x5f3560e01c63123456781460${(14 + other.length / 2).toString(16).padStart(2, "0")}57${other}5b${chosen}`

const decide = (
  codes: Readonly<Record<Hex, Hex>>,
  { data = "0x12345678", words = {} }: { readonly data?: Hex; readonly words?: Readonly<Record<string, bigint>> } = {}
) =>
  StateOnlyCall.decide(
    { account: proxy, data },
    {
      code: (account) => Option.fromNullable(codes[account]),
      word: (account, slot) => Option.fromNullable(words[`${account} ${slot}`])
    }
  )

const alone = (code: string) => decide({ [proxy]: `0x${code}` }).state

describe("StateOnlyCall", () => {
  it("proves what reads calldata, storage, the block and who calls", () => {
    for (const code of [
      "600435",
      "600054",
      "42",
      "33",
      "32",
      "34",
      "47",
      "3031",
      "60003560205260406000f3",
      "363d",
      "5a50"
    ])
      assert.strictEqual(alone(`${code}${answerTop}`), "proven", code)
  })

  it("leaves open what reads the gas or the code or balance of a sender, whatever it does with it", () => {
    const sensing = ["5a", "333b", "333f", "60003b", "3331", "5f5f5f333c", "5a6001900a", "5a60005260005160011b"]
    for (const code of sensing) assert.strictEqual(alone(`${code}${answerTop}`), "open", code)
    // Creations, CALLCODE, SELFDESTRUCT, stores, and opcodes that a fork to come may define.
    for (const code of [
      "5f5f5ff0",
      "5f5f5f5ff5",
      "5f5f5f5f5f5f5ff2",
      "33ff",
      "60015f55",
      "0c",
      "5f5c",
      "1e",
      "5f49",
      "4a"
    ])
      assert.strictEqual(alone(`${code}${answerTop}`), "open", code)
    // A jump to a place from storage.
    assert.strictEqual(alone("5f54565b00"), "open")
  })

  it("follows only the function that is called, and every branch of it that is not decided", () => {
    const [honest, lying] = [`602a${answerTop}`, `333b${answerTop}`]
    const code = dispatching(honest, lying)
    assert.strictEqual(decide({ [proxy]: code }).state, "proven")
    assert.strictEqual(decide({ [proxy]: code }, { data: "0x12345679" }).state, "open")
    assert.strictEqual(decide({ [proxy]: dispatching(lying, honest) }).state, "open")
    // Reads the gas unless slot 0 is set.
    const branch = { [proxy]: `0x5f54600e575a${answerTop}5b602a${answerTop}` as Hex }
    const given = (word: bigint) => decide(branch, { words: { [`${proxy} 0`]: word } }).state
    assert.deepStrictEqual([decide(branch).state, given(0n), given(1n)], ["open", "open", "proven"])
  })

  it("follows a proxy to the code that its slot names, and says what has to be known for it", () => {
    const codes = { [proxy]: forwarding }
    const slot = { account: proxy, slot: 5n }
    assert.deepStrictEqual(decide(codes), { state: "wanting", cut: false, read: { codes: [proxy], slots: [slot] } })
    const words = { [`${proxy} 5`]: BigInt(logic) }
    const unread = { state: "wanting" as const, cut: false, read: { codes: [proxy, logic], slots: [slot] } }
    assert.deepStrictEqual(decide(codes, { words }), unread)
    const [honest, lying] = [`602a${answerTop}`, `333b${answerTop}`]
    const both = { ...codes, [logic]: dispatching(honest, lying) }
    assert.strictEqual(decide(both, { words }).state, "proven")
    assert.strictEqual(decide(both, { words, data: "0x87654321" }).state, "open")
    // What runs in its place reads its storage, not that of the logic.
    const reading = { ...codes, [logic]: `0x600954${answerTop}` as Hex }
    assert.deepInclude(decide(reading, { words }).read.slots, { account: proxy, slot: 9n })
  })

  it("leaves open a call of the zero address or of a chain's own precompile, and one that sends value", () => {
    const calling = (to: string, value = "5f") => `5f5f5f5f${value}${to}5af1${answerTop}`
    assert.strictEqual(alone(calling("6004")), "proven")
    assert.strictEqual(alone(calling("5f")), "open")
    assert.strictEqual(alone(calling("61ffff")), "open")
    assert.strictEqual(alone(calling("33")), "open")
    assert.strictEqual(alone(calling("6004", "6001")), "open")
    const known = { [proxy]: `0x${calling(`73${logic.slice(2)}`)}` as Hex }
    assert.strictEqual(decide(known).state, "wanting")
    assert.strictEqual(decide({ ...known, [logic]: `0x602a${answerTop}` }).state, "proven")
    assert.strictEqual(decide({ ...known, [logic]: `0x5a${answerTop}` }).state, "open")
    // What is left of the gas, less what old compilers keep, is only passed on.
    assert.strictEqual(alone(`5f5f5f5f5f60046102c65a03f1${answerTop}`), "proven")
    assert.strictEqual(alone(`5f5f5f5f5f600462ffffff5a03f1${answerTop}`), "open")
  })

  it("takes what a call returned, and memory that it may have written, for anything", () => {
    // Jumps to what the identity precompile wrote over a known word.
    const jumping = `600f5f52${"60205f60205f5f60045af1505f51565b00"}`
    assert.strictEqual(alone(jumping), "open")
    // Jumps to where the size of returned data says: 0 before any call.
    assert.strictEqual(alone("3d60035700"), "proven")
    assert.strictEqual(alone(`5f5f5f5f5f60045af1503d565b00`), "open")
  })

  it("ends in code that loops, that jumps from everywhere, and that calls itself with ever more calldata", () => {
    assert.strictEqual(alone("5b5f56"), "proven")
    assert.strictEqual(alone("5f5b6001018054600257"), "proven")
    const long = decide({ [proxy]: `0x${"5b".repeat(5_000)}${"5b5f54600157".repeat(3_000)}` })
    assert.deepInclude(long, { state: "open", cut: true })
    assert.strictEqual(alone("5f5f366001015f305af400"), "open")
  })

  it("leaves open an account that delegates, and proves one without code", () => {
    assert.strictEqual(decide({ [proxy]: `0xef0100${logic.slice(2)}` }).state, "open")
    assert.strictEqual(decide({ [proxy]: "0x" }).state, "proven")
  })
})
