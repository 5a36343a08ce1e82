import { Artifact } from "@assay/sandbox"
import { assert, describe, it } from "@effect/vitest"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as CodeModel from "../../../src/evm/interpreter/CodeModel.js"
import * as Destruction from "../../../src/evm/patterns/Destruction.js"
import type { Guard } from "../../../src/evm/summary/conditions/Guard.js"
import * as Slices from "../../../src/runtime/Slices.js"

const end = Selectors.selector("end()")
const keeper = Address.checksum("0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB")

describe("Destruction.of", () => {
  it("finds who can reach SELFDESTRUCT in a function", () => {
    // The keeper is an immutable variable, which the build leaves open.
    const code = (Artifact.own("Destructible").deployedBytecode ?? "0x").replace(
      new RegExp(`7f${"0".repeat(64)}`, "g"),
      `7f${keeper.slice(2).toLowerCase().padStart(64, "0")}`
    ) as Hex
    const found = Slices.complete(Destruction.of(CodeModel.of(code), [end, "fallback"]))
    assert.deepStrictEqual(
      found.map(({ selector }) => selector),
      [end]
    )
    const guard: Guard = { kind: "constant", address: keeper, always: false }
    assert.deepInclude(found[0]?.guards ?? [], guard)
  })

  it("finds nothing in code without it, and no condition where there is none", () => {
    assert.deepStrictEqual(Slices.complete(Destruction.of(CodeModel.of("0x00"), ["fallback"])), [])
    assert.deepStrictEqual(Slices.complete(Destruction.of(CodeModel.of("0x33ff"), ["fallback"])), [
      { selector: "fallback", guards: [] }
    ])
  })
})
