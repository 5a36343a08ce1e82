import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { allowanceOperator } from "../../../src/checks/wallet/AllowanceOperator.js"
import type { Address } from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/Selectors.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import { account, alice, approval, bob, evidence, failing, inert, person, said, word } from "../Scripted.js"

const { functions, topics } = Selectors

const collection = account("2")
const other = account("3")
const mute = account("4")

const answering = (answer: Hex): Account => ({ code: inert, calls: { [functions.isApprovedForAll]: answer } })

const appointed = (token: Address, operator: Address) => approval(token, operator, topics.ApprovalForAll)

const wallet = (answer: Hex, options: Partial<Script> = {}): Script => ({
  accounts: { [collection]: answering(answer), [other]: answering(word(1n)), [alice]: person, [bob]: { code: inert } },
  logs: [appointed(collection, alice)],
  ...options
})

const failingAt =
  (address: string): NonNullable<Script["fault"]> =>
  (read) =>
    read.address._tag === "Some" && read.address.value === address ? "rpc_error" : undefined

describe("allowance.operator", () => {
  it.effect.each<readonly [string, Account, string]>([
    ["contract", { code: inert }, "medium"],
    ["eoa", person, "high"],
    ["delegated_eoa", { code: `0xef0100${bob.slice(2)}` }, "high"],
    ["empty", {}, "high"]
  ])("that is %s is confirmed with its kind", ([kind, operator, severity]) =>
    Effect.gen(function* () {
      const [item, ...more] = yield* evidence(allowanceOperator, "wallet", {
        accounts: { [collection]: answering(word(1n)), [alice]: operator },
        logs: [appointed(collection, alice), appointed(collection, alice)]
      })
      assert.isEmpty(more)
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(item?.severity, severity)
      assert.strictEqual(item?.id, `allowance.operator:${collection}:${alice}`)
      assert.deepStrictEqual(item?.value, { operator_kind: kind })
      assert.include(item?.source_url ?? "", collection)
    })
  )

  it.effect.each<readonly [string, Partial<Script>]>([
    ["nobody was ever appointed", { logs: [] }],
    ["only an ERC-20 allowance was given", { logs: [approval(mute, alice)], fault: failingAt(mute) }],
    ["the appointment was taken back", {}]
  ])("is refuted where %s", ([_, options]) =>
    Effect.gen(function* () {
      const items = yield* said(allowanceOperator, "wallet", wallet(word(0n), options))
      assert.deepStrictEqual(
        items.map(({ id, says, value }) => [id, says, value]),
        [["allowance.operator", "refuted", null]]
      )
    })
  )

  it.effect("is unknown of the collection or operator alone that did not answer, at the highest grade", () =>
    Effect.gen(function* () {
      const logs = [appointed(collection, bob), appointed(mute, alice), appointed(other, alice)]
      const silent = yield* said(allowanceOperator, "wallet", wallet(word(1n), { logs, fault: failingAt(mute) }))
      assert.deepStrictEqual(
        silent.map(({ id, says, severity }) => [id, says, severity]),
        [
          [`allowance.operator:${collection}:${bob}`, "confirmed", "medium"],
          [`allowance.operator:${other}:${alice}`, "confirmed", "high"],
          [`allowance.operator:${mute}:${alice}`, "unknown: rpc_error", "high"]
        ]
      )
      const unseen = yield* said(
        allowanceOperator,
        "wallet",
        wallet(word(1n), { logs: logs.slice(0, 1), fault: failingAt(bob) })
      )
      assert.deepStrictEqual(
        unseen.map(({ id, says, severity }) => [id, says, severity]),
        [[`allowance.operator:${collection}:${bob}`, "unknown: rpc_error", "high"]]
      )
    })
  )

  it.effect("says that blocks were not searched beside what was found, and instead of refuted", () =>
    Effect.gen(function* () {
      const partial = { logsComplete: false }
      const some = yield* said(allowanceOperator, "wallet", wallet(word(1n), partial))
      assert.deepStrictEqual(
        some.map(({ id, says }) => [id, says]),
        [
          [`allowance.operator:${collection}:${alice}`, "confirmed"],
          ["allowance.operator", "unknown: log_range_limited"]
        ]
      )
      const none = yield* said(allowanceOperator, "wallet", wallet(word(0n), partial))
      assert.deepStrictEqual(
        none.map(({ id, says }) => [id, says]),
        [["allowance.operator", "unknown: log_range_limited"]]
      )
    })
  )

  it.effect("is unknown where no event could be read, and does not apply to tokens and contracts", () =>
    Effect.gen(function* () {
      const lost = wallet(word(1n), { fault: failing("eth_getLogs") })
      const items = yield* said(allowanceOperator, "wallet", lost)
      assert.deepStrictEqual(
        items.map(({ id, says }) => [id, says]),
        [["allowance.operator", "unknown: rate_limited"]]
      )
      assert.deepStrictEqual(yield* said(allowanceOperator, "token", lost), [])
      assert.deepStrictEqual(yield* said(allowanceOperator, "contract", lost), [])
    })
  )
})
