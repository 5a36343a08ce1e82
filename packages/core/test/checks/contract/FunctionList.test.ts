import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { functionList } from "../../../src/checks/contract/FunctionList.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import { account, delegating, failing, inert, own, said, target, word } from "../Scripted.js"

const logic = account("2")

interface Listed {
  readonly selector: string
  readonly name: string | null
  readonly arguments: string
  readonly mutability: string
  readonly code: string
}

describe("contract.functions", () => {
  it.effect("lists what the code compares the call with, named where the selector is a known one", () =>
    Effect.gen(function* () {
      const [item] = yield* said(functionList, "token", { accounts: { [target]: { code: own("PlainToken") } } })
      assert.strictEqual(item?.says, "confirmed")
      const listed = item?.value?.functions as ReadonlyArray<Listed>
      assert.deepStrictEqual(
        listed.find(({ selector }) => selector === Selectors.functions.transfer),
        {
          selector: Selectors.functions.transfer,
          name: "transfer(address,uint256)",
          arguments: "address,uint256",
          mutability: "nonpayable",
          code: target
        }
      )
      assert.deepStrictEqual(
        listed.map(({ selector }) => selector),
        listed.map(({ selector }) => selector).sort()
      )
      assert.strictEqual(item?.value?.left_out, 0)
    })
  )

  it.effect("lists the functions behind a proxy, and gives no name to an unknown selector", () =>
    Effect.gen(function* () {
      const [item] = yield* said(functionList, "token", {
        accounts: {
          [target]: { code: delegating(Slots.implementation), storage: { [Slots.implementation]: word(logic) } },
          [logic]: { code: own("HoneypotToken") }
        }
      })
      const listed = item?.value?.functions as ReadonlyArray<Listed>
      assert.isTrue(listed.every(({ code }) => code === logic))
      const setPair = listed.find(({ selector }) => selector === Selectors.selector("setPair(address)"))
      assert.strictEqual(setPair?.name, null)
    })
  )

  it.effect("is refuted of code without a dispatcher, and unknown where no code was found or read", () =>
    Effect.gen(function* () {
      const [none] = yield* said(functionList, "contract", { accounts: { [target]: { code: inert } } })
      assert.strictEqual(none?.says, "refuted")
      const [missing] = yield* said(functionList, "contract", {
        accounts: { [target]: { code: delegating(word(0x77n)) } }
      })
      assert.strictEqual(missing?.says, "unknown: inconclusive")
      const [lost] = yield* said(functionList, "contract", {
        accounts: { [target]: { code: inert } },
        fault: failing("eth_getCode")
      })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )
})
