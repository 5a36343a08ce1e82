import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as OxAddress from "ox/Address"
import * as KnownCode from "../../src/data/KnownCode.js"

describe("KnownCode", () => {
  it("says of every judgement where it was read", () => {
    for (const row of KnownCode.delegates) {
      assert.strictEqual(OxAddress.checksum(row.address), row.address)
      assert.isNotEmpty(row.source)
    }
    for (const row of KnownCode.runtimes) {
      assert.match(row.codeHash, /^0x[0-9a-f]{64}$/)
      assert.isNotEmpty(row.source)
    }
  })

  it("finds a reported delegate in any case and no other", () => {
    assert.isTrue(Option.isSome(KnownCode.findDelegate("0x930FCC37D6042C79211EE18A02857CB1FD7F0D0B")))
    assert.isTrue(Option.isNone(KnownCode.findDelegate("0x0000000000000000000000000000000000000001")))
  })
})
