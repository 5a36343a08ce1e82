import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Bytecode from "../../../src/evm/bytecode/Bytecode.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as TransferHook from "../../../src/evm/powers/transfer/TransferHook.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import * as TokenBooks from "../../../src/evm/token/TokenBooks.js"
import type { LogicContract } from "../../../src/facts/code/LogicContract.js"
import * as PowerGap from "../../../src/facts/powers/PowerGap.js"
import { own, target } from "../../checks/Scripted.js"

const logicOf = (code: Hex): Effect.Effect<LogicContract> =>
  Effect.map(StorageFlow.analyse(code), (flow) => ({
    address: target,
    code,
    reach: Bytecode.reach(Bytecode.parse(code)),
    flow
  }))

const router = "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D"

describe("PowerGap", () => {
  it.effect("names the contracts that transfers call", () =>
    Effect.gen(function* () {
      const { flow } = yield* logicOf(own("SwapBackToken"))
      const selling = PowerGap.ofHooks(TransferHook.of(flow, TokenBooks.of(flow)))
      assert.deepStrictEqual(selling.names, [router])
      assert.include(PowerGap.describe([selling]), router)
      const plain = PowerGap.inCode("uncertain_transfer", yield* logicOf(own("PlainToken")))
      assert.deepStrictEqual(plain.names, [])
      assert.strictEqual(PowerGap.describe([plain]), "not all conditions of transfers are known")
    })
  )

  it.effect("names the functions that run other code on the contract's storage", () =>
    Effect.gen(function* () {
      const gap = PowerGap.inCode("delegatecall", yield* logicOf(own("UupsToken")))
      assert.deepStrictEqual(gap.names, [Selectors.functions.upgradeToAndCall])
      assert.include(PowerGap.describe([gap]), Selectors.functions.upgradeToAndCall)
    })
  )

  it("says each thing once, and how many names it leaves out", () => {
    const names = ["0x00000005", "0x00000001", "0x00000003", "0x00000002", "0x00000004", "0x00000001"]
    const gap = PowerGap.make("control_flow", names)
    assert.strictEqual(
      PowerGap.describe([gap, PowerGap.make("unresolved"), gap, PowerGap.make("unknown_upgrade")]),
      "not all code paths of 0x00000001, 0x00000002, 0x00000003, 0x00000004 and 1 more could be analysed; " +
        "calls are delegated to code that was not found; the account that can replace the code is unknown"
    )
  })
})
