import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as OxAddress from "ox/Address"
import * as SafeSingletons from "../../src/data/SafeSingletons.js"

describe("SafeSingletons", () => {
  it("has a checksummed address, a code hash and a chain for every row", () => {
    for (const row of [...SafeSingletons.singletons, ...SafeSingletons.fallbackHandlers]) {
      assert.strictEqual(OxAddress.checksum(row.address), row.address)
      assert.match(row.codeHash, /^0x[0-9a-f]{64}$/)
      assert.isNotEmpty(row.chainIds)
    }
  })

  it("knows every version that has been published, with and without events for L2", () => {
    const names = new Set(SafeSingletons.singletons.map((row) => `${row.version}${row.l2 ? " L2" : ""}`))
    for (const name of ["1.0.0", "1.1.1", "1.2.0", "1.3.0", "1.3.0 L2", "1.4.1", "1.4.1 L2", "1.5.0", "1.5.0 L2"])
      assert.isTrue(names.has(name), name)
  })

  it("finds a singleton by address in any case, and by code hash", () => {
    const found = Option.getOrThrow(SafeSingletons.find("0xd9db270c1b5e3bd161e8c8503c55ceabee709552"))
    assert.deepStrictEqual([found.version, found.l2, found.variant], ["1.3.0", false, "canonical"])
    assert.include(found.chainIds, 1)
    assert.strictEqual(Option.getOrThrow(SafeSingletons.findByCodeHash(found.codeHash)).version, "1.3.0")
    assert.isTrue(Option.isNone(SafeSingletons.find("0x0000000000000000000000000000000000000001")))
  })
})
