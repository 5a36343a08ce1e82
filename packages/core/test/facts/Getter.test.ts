import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, Option } from "effect"
import { owner } from "../../src/checks/contract/Owner.js"
import { singleKey } from "../../src/checks/contract/SingleKey.js"
import type { Hex } from "../../src/domain/Hex.js"
import * as Selectors from "../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../src/facts/Getter.js"
import { alice, bob, inert, list, person, said, target, text, word } from "../checks/Scripted.js"

const decoders = {
  uint: Getter.uint,
  int: Getter.int,
  bool: Getter.bool,
  address: Getter.address,
  addresses: Getter.addresses,
  text: Getter.text
}

const bytes = FastCheck.uint8Array({ maxLength: 200 }).map(
  (content): Hex => `0x${[...content].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`
)
// Words that are small numbers are what offsets and lengths are made of.
const words = FastCheck.array(FastCheck.oneof(FastCheck.bigInt(0n, 300n), FastCheck.bigInt(0n, 2n ** 256n - 1n)), {
  maxLength: 8
}).map((values) => Getter.calldata("0x", values.map(Getter.word)))

describe("Getter", () => {
  it("decodes whatever comes without a throw, and text to at most 64 characters", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(bytes, words), (data) => {
        for (const decode of Object.values(decoders)) decode(data)
        assert.isAtMost([...Option.getOrElse(Getter.text(data), () => "")].length, 64)
        assert.isAtMost(Option.getOrElse(Getter.addresses(data), () => []).length, 256)
        Getter.revertReason(data)
      }),
      { numRuns: 500 }
    )
  })

  it("takes nothing for an answer of its type that is not", () => {
    for (const [name, decode] of Object.entries(decoders)) assert.strictEqual(decode("0x")._tag, "None", name)
    assert.isTrue(Option.isNone(Getter.bool(word(2n))))
    assert.isTrue(Option.isNone(Getter.int(word(2n ** 60n))))
    assert.isTrue(Option.isNone(Getter.address(`0x01${"0".repeat(62)}`)))
    // Two words where one address is expected: another function.
    assert.isTrue(Option.isNone(Getter.address(Getter.calldata("0x", [word(alice), word(alice)]))))
    assert.isTrue(Option.isNone(Getter.addresses(Getter.calldata("0x", [word(32n), word(3n), word(alice)]))))
  })

  it("reads what solc encodes", () => {
    assert.deepStrictEqual(Getter.addresses(list([alice, bob])), Option.some([alice, bob]))
    assert.deepStrictEqual(Getter.text(text("Juniper")), Option.some("Juniper"))
    assert.deepStrictEqual(Getter.storedAddress(word(0n)), Option.none())
  })

  it("reads a name as the bytes32 that MKR returns", () => {
    assert.deepStrictEqual(Getter.text(`0x${"4d4b52".padEnd(64, "0")}`), Option.some("MKR"))
    assert.isTrue(Option.isNone(Getter.text(word(0n))))
  })

  it("reads the words of a require, and none of another error", () => {
    const thrown = Getter.calldata(Selectors.selector("Error(string)"), [text("paused")])
    assert.strictEqual(Getter.revertReason(thrown), "paused")
    assert.strictEqual(Getter.revertReason(Selectors.selector("Paused()")), "")
    assert.strictEqual(Getter.revertReason("0x"), "")
  })

  it.effect(
    "takes the first word of a longer answer for the account that callers read, and an offset for no account",
    () =>
      Effect.gen(function* () {
        const names = (answer: Hex) => ({
          accounts: {
            [target]: { code: inert, calls: { [Selectors.functions.owner]: answer } },
            [alice]: person
          }
        })
        const long = names(Getter.calldata("0x", [word(alice), word(bob)]))
        assert.deepInclude((yield* said(owner, "contract", long))[0], { says: "confirmed", value: { owner: alice } })
        assert.strictEqual((yield* said(singleKey, "contract", long))[0]?.says, "confirmed")
        for (const answer of [list([alice, bob]), Getter.calldata("0x", [word(0n), word(alice)])]) {
          const [named] = yield* said(owner, "contract", names(answer))
          assert.strictEqual(named?.says, "unknown: inconclusive")
          const [single] = yield* said(singleKey, "contract", names(answer))
          assert.strictEqual(single?.says, "unknown: inconclusive")
        }
        // No account at all, whatever else comes with it.
        const other = names(Getter.calldata("0x", [`0x${"ff".repeat(32)}`, word(alice)]))
        assert.strictEqual((yield* said(owner, "contract", other))[0]?.says, "refuted")
      })
  )
})
