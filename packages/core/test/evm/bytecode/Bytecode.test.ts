import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Bytecode from "../../../src/evm/bytecode/Bytecode.js"
import * as Metadata from "../../../src/evm/bytecode/Metadata.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"

const require = createRequire(import.meta.url)
const artifact = (path: string): `0x${string}` => require(path).deployedBytecode

const presence = (code: `0x${string}`, mnemonic: "SELFDESTRUCT" | "DELEGATECALL") =>
  Bytecode.presence(Bytecode.reach(Bytecode.parse(code)), mnemonic)

describe("Bytecode", () => {
  const eraVm = `0x0001000000000002${"000500000000000200000000030100190000006004300270".repeat(9)}` as const
  it.each<readonly [string, Hex]>([
    ["EraVM", eraVm],
    ["Stylus", `0xeff00000${"a1b2c3d4".repeat(40)}`],
    ["EOF, which no chain runs", "0xef000101000402000100010400000000800000fe"],
    ["a stub of a precompile", "0x60006000fd"],
    ["a stub that is invalid", "0xfe"],
    ["a stub that stops", "0x00"]
  ])("knows nothing of what the code of %s does: it is not what answers", (_, code) => {
    const bytecode = Bytecode.parse(code)
    assert.isTrue(Bytecode.isForeign(bytecode))
    const reach = Bytecode.reach(bytecode)
    assert.isFalse(reach.complete)
    for (const opcode of ["SELFDESTRUCT", "DELEGATECALL", "SSTORE"] as const)
      assert.strictEqual(Bytecode.presence(reach, opcode), "possible")
    const { completeness, functions } = StorageFlow.analyseWith(code, [])
    assert.include(completeness.gaps, "control_flow")
    assert.isTrue(functions.every(({ writes }) => writes.length === 0))
  })

  it.each<readonly [string, Hex]>([
    ["no code", "0x"],
    ["a delegation of EIP-7702", `0xef0100${"11".repeat(20)}`],
    ["code that returns nothing", "0x60006000f3"],
    ["code that only stores", "0x5f355f5500"],
    ["a clone of EIP-1167", `0x363d3d373d3d3d363d73${"11".repeat(20)}5af43d82803e903d91602b57fd5bf3`]
  ])("takes %s for what it is", (_, code) => {
    assert.isFalse(Bytecode.isForeign(Bytecode.parse(code)))
  })

  it("reads the delegate of an EIP-7702 designator and of nothing else", () => {
    assert.deepStrictEqual(
      Bytecode.delegate("0xef010063c0c19a282a1b52b07dd5a65b58948a07dae32b"),
      Option.some(Address.checksum("0x63c0c19a282a1b52b07dd5a65b58948a07dae32b"))
    )
    assert.isTrue(Option.isNone(Bytecode.delegate("0xef010063c0c19a282a1b52b07dd5a65b58948a07dae32b00")))
    assert.isTrue(Option.isNone(Bytecode.delegate("0xef010163c0c19a282a1b52b07dd5a65b58948a07dae32b")))
    assert.isTrue(Bytecode.isEmpty("0x"))
  })

  it("does not take push data for an opcode", () => {
    assert.strictEqual(presence("0x60ff6000555b00", "SELFDESTRUCT"), "absent")
    assert.strictEqual(presence("0x33ff", "SELFDESTRUCT"), "present")
  })

  it("does not take code that nothing can reach for code that runs", () => {
    assert.strictEqual(presence("0x5f5f550033ff", "SELFDESTRUCT"), "absent")
  })

  it("follows a jump to a target that is padded with zeros to more than four bytes", () => {
    // PUSH5 8 JUMP STOP JUMPDEST CALLER SELFDESTRUCT
    assert.strictEqual(presence("0x64000000000856005b33ff", "SELFDESTRUCT"), "present")
    // PUSH32 39 PUSH1 36 JUMP JUMPDEST JUMP STOP JUMPDEST CALLER SELFDESTRUCT
    const pushedBefore = `0x7f${"00".repeat(31)}276024565b56005b33ff` as const
    assert.strictEqual(presence(pushedBefore, "SELFDESTRUCT"), "present")
  })

  it("says possible, never absent, where a computed jump may reach the opcode", () => {
    // PUSH1 3 PUSH1 3 ADD JUMP STOP JUMPDEST CALLER SELFDESTRUCT
    assert.strictEqual(presence("0x6003600301565b33ff", "SELFDESTRUCT"), "possible")
    assert.isFalse(Bytecode.reach(Bytecode.parse("0x6003600301565b33ff")).complete)
  })

  it("says possible, never absent, behind an instruction that no fork defines, and absent behind INVALID", () => {
    assert.strictEqual(presence("0x4b33ff", "SELFDESTRUCT"), "possible")
    assert.strictEqual(presence("0x5f5f55fe33ff", "SELFDESTRUCT"), "absent")
  })

  it("follows a return address across blocks", () => {
    // PUSH1 5 PUSH1 8 JUMP | 5: JUMPDEST CALLER SELFDESTRUCT | 8: JUMPDEST JUMP
    assert.strictEqual(presence("0x60056008565b33ff5b56", "SELFDESTRUCT"), "present")
  })

  it("does not find metadata's bytes as opcodes in compiled code", () => {
    const code = artifact("openzeppelin-contracts-4/build/contracts/ERC20PresetFixedSupply.json")
    assert.strictEqual(presence(code, "SELFDESTRUCT"), "absent")
    assert.strictEqual(presence(code, "DELEGATECALL"), "absent")
    assert.strictEqual(
      presence(artifact("openzeppelin-contracts-4/build/contracts/ERC1967Proxy.json"), "DELEGATECALL"),
      "present"
    )
  })

  it("looks up jump targets of hostile code no more often than it has bytes", () => {
    for (const unit of ["5b", "5b6000565b", "5b56", "80", "5b6001600157"]) {
      const bytecode = Bytecode.parse(`0x${unit.repeat(Math.floor(49_152 / unit.length))}`)
      let asked = 0
      class Counted extends Set<number> {
        override has(offset: number): boolean {
          asked++
          return super.has(offset)
        }
      }
      Bytecode.reach({ ...bytecode, jumpdests: new Counted(bytecode.jumpdests) })
      assert.isAtMost(asked, bytecode.bytes.length, unit)
    }
  })

  it("finds the addresses written into code, checksummed and without masks", () => {
    const found = Bytecode.addressConstants(
      Bytecode.parse(
        "0x73ffffffffffffffffffffffffffffffffffffffff73c02aaa39b223fe8d0a0e5c4f27ead9083c756cc27f000000000000000000000000c02aaa39b223fe8d0a0e5c4f27ead9083c756cc200"
      )
    )
    assert.deepStrictEqual(found, ["0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2" as never])
  })
})

describe("Metadata", () => {
  it("decodes solc's record", () => {
    const found = Option.getOrThrow(
      Metadata.decode(artifact("openzeppelin-contracts-4/build/contracts/ERC20PresetFixedSupply.json"))
    )
    assert.strictEqual(found.compiler, "solc")
    assert.deepStrictEqual(found.version, Option.some("0.8.13"))
    assert.strictEqual(Option.getOrThrow(found.source).kind, "ipfs")
    assert.strictEqual(Option.getOrThrow(found.source).hash.length, 2 + 2 * 34)
    assert.strictEqual(found.size, 53)
  })

  it("decodes the record of the first solc versions, which has no version", () => {
    const found = Option.getOrThrow(Metadata.decode(artifact("canonical-weth/build/contracts/WETH9.json")))
    assert.strictEqual(Option.getOrThrow(found.source).kind, "bzzr0")
    assert.isTrue(Option.isNone(found.version))
  })

  it("decodes Vyper's records, with a length that counts itself from 0.3.10 on", () => {
    const old = Option.getOrThrow(Metadata.decode("0x00a165767970657283000306000b"))
    assert.deepStrictEqual([old.compiler, Option.getOrThrow(old.version)], ["vyper", "0.3.6"])
    const recent = Option.getOrThrow(Metadata.decode("0x00841903e780190240a16576797065728300030a0015"))
    assert.deepStrictEqual([recent.compiler, Option.getOrThrow(recent.version)], ["vyper", "0.3.10"])
  })

  it("finds none where it was stripped, cut or forged", () => {
    for (const code of [
      "0x",
      "0x00",
      "0x6000600055",
      "0xffffffffffff",
      "0xa264697066735822122000000033",
      "0xbf0002"
    ] as const) {
      assert.isTrue(Option.isNone(Metadata.decode(code)), code)
    }
  })
})
