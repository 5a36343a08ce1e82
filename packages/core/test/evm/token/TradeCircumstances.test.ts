import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import * as TradeCircumstances from "../../../src/evm/token/TradeCircumstances.js"
import { contracts, describeCompiled } from "../Compiled.js"

/** What decides how trades end, besides parties, amounts, time and storage. */
const expected: Readonly<Record<string, string>> = {
  FullVault: "holding",
  FullVaultForAccounts: "holding",
  FullChest: "holding",
  FullVaultSaysNo: "holding",
  PaidVault: "wealth",
  PaidChest: "wealth",
  SpinsOncePaid: "wealth",
  CountsWhileItCan: "",
  ApprovedWhileCheap: "fees",
  ApprovedWhileUnpaid: "wealth",
  ApprovedBeforeBirth: "code",
  ApprovedWhileEmpty: "holding",
  ShowsPoolLess: "wealth",
  ShowsPoolLessWithoutBranch: "wealth",
  SwapsWhatItHolds: "",
  BurnsWhatItHolds: "",
  ReadsWhatItHolds: "",
  AsksForCode: ""
}

describeCompiled("TradeCircumstances", (pipeline) => {
  const contract = contracts(pipeline, "Gifts.sol")

  for (const [name, circumstances] of Object.entries(expected))
    it.effect(`finds "${circumstances}" to decide trades of ${name}`, () =>
      Effect.gen(function* () {
        const flow = yield* StorageFlow.analyse(contract(name).code)
        assert.strictEqual([...TradeCircumstances.of(flow).deciding].sort().join(), circumstances)
      })
    )
})
