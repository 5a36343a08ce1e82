import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as CodeReadings from "../../../src/facts/code/CodeReadings.js"
import * as PayoutAuthorities from "../../../src/facts/wallet/PayoutAuthorities.js"
import { compile } from "../Compiled.js"
import * as SharedReadings from "../SharedReadings.js"

const executing = compile("Executing.sol")

layer(SharedReadings.layer)("who makes an account pay", (it) => {
  const driving = (name: string) =>
    Effect.map(
      Effect.flatMap(CodeReadings.CodeReadings, (flows) => flows.of(executing(name))),
      (flow) => PayoutAuthorities.of([flow]).kind
    )

  it.effect("is anyone where the caller is not checked", () =>
    Effect.gen(function* () {
      for (const name of [
        "ExecutesOne",
        "ExecutesMany",
        "ExecutesByMode",
        "ExecutesSingleByMode",
        "ExecutesLists",
        "ExecutesWhatItIsTold"
      ])
        assert.strictEqual(yield* driving(name), "anybody", name)
    })
  )

  it.effect.each<readonly [string, string]>([
    ["whoever proposes himself", "ExecutesForWhoeverProposesHimself"],
    ["whoever comes late", "ExecutesForWhoeverComesLate"],
    ["whom somebody names who entered himself", "ExecutesForWhomMembersName"],
    ["whoever comes first", "ExecutesForWhoeverComesFirst"]
  ])("is not known where it is the owner, who can be %s", ([_, name]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* driving(name), "unclear")
    })
  )

  it.effect("is the stored account where only it proposes its successor, whatever else is in the word", () =>
    Effect.gen(function* () {
      for (const name of ["ExecutesForItsOwner", "ExecutesForItsOwnerOnce"])
        assert.strictEqual(yield* driving(name), "appointed", name)
    })
  )
})
