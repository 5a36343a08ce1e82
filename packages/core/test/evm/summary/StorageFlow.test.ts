import { HostileCodes } from "@assay/sandbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Bytecode from "../../../src/evm/bytecode/Bytecode.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import * as CodeModel from "../../../src/evm/interpreter/CodeModel.js"
import * as ProxyPattern from "../../../src/evm/patterns/ProxyPattern.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import * as Slices from "../../../src/runtime/Slices.js"
import { artifact, contracts, describeCompiled } from "../Compiled.js"

const fixed = artifact("openzeppelin-contracts-4/build/contracts/ERC20PresetFixedSupply.json")

describe("StorageFlow", () => {
  it.effect("attributes every read and write of a plain token", () =>
    Effect.gen(function* () {
      const { completeness } = yield* StorageFlow.analyse(fixed)
      assert.deepInclude(completeness, { ratio: 1, complete: true, gaps: [] })
      assert.strictEqual(completeness.attributedSstore, completeness.totalSstore)
      assert.isAbove(completeness.totalSstore, 4)
    })
  )

  describeCompiled("texts", (pipeline) =>
    it.effect("knows where they are put, and what is cleared behind them", () =>
      Effect.gen(function* () {
        const { completeness } = yield* StorageFlow.analyse(contracts(pipeline, "Texts.sol")("Texts").code)
        assert.deepStrictEqual(completeness.gaps, [])
      })
    )
  )

  it.effect("lists by slot which functions read and write it", () =>
    Effect.gen(function* () {
      const { slots } = yield* StorageFlow.analyse(fixed)
      const { transfer, transferFrom, burn, burnFrom, balanceOf, totalSupply } = Selectors.functions
      const balances = slots.find((slot) => slot.slot === "0x0[k]")
      assert.deepStrictEqual(balances?.type, "mapping(address => uint256)")
      assert.deepStrictEqual(balances?.writes, [transfer, transferFrom, burn, burnFrom].sort())
      assert.deepStrictEqual(balances?.reads, [transfer, transferFrom, burn, burnFrom, balanceOf].sort())
      const supply = slots.find((slot) => slot.slot === "0x2")
      assert.deepStrictEqual(supply?.writes, [burn, burnFrom].sort())
      assert.deepStrictEqual(supply?.reads, [totalSupply, burn, burnFrom].sort())
    })
  )

  it.effect("finds the same without the selectors", () =>
    Effect.gen(function* () {
      const told = yield* StorageFlow.analyse(fixed)
      const found = StorageFlow.analyseWith(fixed, [])
      assert.deepStrictEqual(
        found.functions.map((one) => one.selector),
        told.functions.map((one) => one.selector)
      )
      assert.deepStrictEqual(found.completeness, told.completeness)
    })
  )

  it("does not call code complete that has more functions than are followed", () => {
    const dispatcher = (count: number): `0x${string}` => {
      const asked = Array.from({ length: count }, (_, i) => `8063${(0x01000000 + i).toString(16).padStart(8, "0")}14`)
      const end = (5 + asked.length * 11 + 1).toString(16).padStart(4, "0")
      return `0x5f3560e01c${asked.map((each) => `${each}61${end}57`).join("")}005b600160005500`
    }
    assert.deepStrictEqual(StorageFlow.analyseWith(dispatcher(300), []).completeness.gaps, [])
    assert.deepStrictEqual(StorageFlow.analyseWith(dispatcher(450), []).completeness.gaps, ["control_flow"])
  })

  it.effect("says the same every time", () =>
    Effect.gen(function* () {
      const code = artifact("openzeppelin-contracts-4/build/contracts/ERC20PresetMinterPauser.json")
      assert.strictEqual(
        JSON.stringify(yield* StorageFlow.analyse(code)),
        JSON.stringify(yield* StorageFlow.analyse(code))
      )
    })
  )

  it("keeps apart what code does without a selector, where it checks for calldata before it reads one", () => {
    // What has no calldata goes to 0x14, as does no match; the function is at 0x1a.
    const flow = StorageFlow.analyseWith("0x361560145760003560e01c631234567814601a575b33600155005b600160005500", [])
    assert.deepStrictEqual(
      flow.functions.map(({ selector, writes }) => [selector, writes.map(({ slot }) => slot)]),
      [
        ["0x12345678", ["0x0"]],
        ["fallback", ["0x1"]]
      ]
    )
  })

  it.effect("names the slot that a proxy delegates to", () =>
    Effect.gen(function* () {
      const safe = artifact(
        "@safe-global/safe-contracts/build/artifacts/contracts/proxies/SafeProxy.sol/SafeProxy.json"
      )
      assert.deepStrictEqual(ProxyPattern.delegateSlots(yield* StorageFlow.analyse(safe)), [Slots.safeSingleton])
      const proxy = artifact("openzeppelin-contracts-4/build/contracts/ERC1967Proxy.json")
      assert.deepStrictEqual(ProxyPattern.delegateSlots(yield* StorageFlow.analyse(proxy)), [Slots.implementation])
      assert.deepStrictEqual(ProxyPattern.delegateSlots(yield* StorageFlow.analyse(fixed)), [])
    })
  )

  it.effect("knows a function that only the admin of a proxy may call", () =>
    Effect.gen(function* () {
      const code = artifact("openzeppelin-contracts-4/build/contracts/ProxyAdmin.json")
      const { functions } = yield* StorageFlow.analyse(code)
      const upgrade = functions.find((one) => one.selector === Selectors.functions.upgrade)
      assert.deepStrictEqual(
        upgrade?.calls.map((call) => call.guards.map((guard) => [guard.kind, guard.always])),
        [[["slot", true]]]
      )
    })
  )

  it("assumes nothing about a variable that the function has changed before", () => {
    // SSTORE(0, 1), then SLOAD(0) guards SSTORE(1, calldata): with slot 0 said to be zero, the second write still happens.
    const code = "0x60016000556000541560105760043560015500 5b00".replace(" ", "") as `0x${string}`
    const flow = StorageFlow.functionAt(code, "0x00000000", new Map([[Slots.safeSingleton, Slots.safeSingleton]]))
    assert.deepStrictEqual(flow.writes.map((write) => write.slot).sort(), ["0x0", "0x1"])
  })

  it.effect(
    "answers for empty, odd and senseless code, and is not complete where no call could do or answer anything",
    () =>
      Effect.gen(function* () {
        const empty = ["0x", "0x0"] as const
        const idle = ["0x00", "0xfe", "0x5b", "0x56", "0x6000", "0x7f", "0xef0100"] as const
        for (const code of [...empty, ...idle]) {
          const flow = yield* StorageFlow.analyse(code)
          assert.deepStrictEqual(flow.slots, [], code)
          assert.strictEqual(
            flow.completeness.complete,
            empty.some((one) => one === code),
            code
          )
        }
      })
  )

  it.effect("does not call an indirect jump followed", () =>
    Effect.gen(function* () {
      // Jumps to where the caller says.
      const { completeness } = yield* StorageFlow.analyse("0x600035565b6001600055005b00")
      assert.deepInclude(completeness, { complete: false, gaps: ["control_flow"] })
    })
  )

  it.effect("is not complete behind an instruction that no fork defines, and is behind INVALID", () =>
    Effect.gen(function* () {
      const undefinedYet = yield* StorageFlow.analyse("0x4b6001600055")
      assert.deepInclude(undefinedYet.completeness, { complete: false, gaps: ["control_flow"] })
      // Called without calldata it goes into INVALID, with a write behind that; otherwise it returns.
      const invalid = yield* StorageFlow.analyse("0x36600b57fe6001600055005b60006000f3")
      assert.isTrue(invalid.completeness.complete)
      assert.deepStrictEqual(invalid.slots, [])
    })
  )
})

const hostile = HostileCodes.hostileCodes

/** What is read of a code, and in how many slices. */
const inSlices = (code: `0x${string}`) => {
  const reading = StorageFlow.analyseInSlices(CodeModel.of(code), [])
  for (let slices = 0; ; slices++) {
    const { done, value } = reading.next()
    if (done === true) return { slices, completeness: value.completeness }
  }
}

describe("StorageFlow, hostile code", () => {
  for (const [name, code] of Object.entries(hostile))
    it(`ends within bounded work for ${name}, and can be put aside every few thousand instructions`, () => {
      const { completeness, slices } = inSlices(code)
      assert.isBelow(slices, 400)
      // What is over in one slice is short code; nothing may run to its bound in few.
      if (!completeness.complete && !Bytecode.isForeign(Bytecode.parse(code))) assert.isAbove(slices, 50)
    })

  it.effect("gives up, and says so, on more paths than it may run", () =>
    Effect.gen(function* () {
      const { completeness } = yield* StorageFlow.analyse(hostile["jump targets only"])
      assert.isFalse(completeness.complete)
    })
  )

  it("reads the same in slices as at once", () => {
    const code = artifact("openzeppelin-contracts-4/build/contracts/ERC20PresetMinterPauser.json")
    assert.strictEqual(
      JSON.stringify(StorageFlow.analyseWith(code, [])),
      JSON.stringify(Slices.complete(StorageFlow.analyseInSlices(CodeModel.of(code), [])))
    )
  })

  it.effect("survives random bytes", () =>
    Effect.gen(function* () {
      let seed = 1
      const next = (): number => {
        seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
        return seed >> 16
      }
      for (let round = 0; round < 40; round++) {
        let code = "0x"
        for (let i = 0; i < 600; i++) code += (next() & 0xff).toString(16).padStart(2, "0")
        const flow = yield* StorageFlow.analyse(code as `0x${string}`)
        assert.isAtLeast(flow.functions.length, 1)
      }
    })
  )
})
