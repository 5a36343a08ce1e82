import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { allowanceOutstanding } from "../../../src/checks/wallet/AllowanceOutstanding.js"
import type { Address } from "../../../src/domain/Address.js"
import * as Selectors from "../../../src/evm/Selectors.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import { account, alice, approval, bob, evidence, failing, inert, said, word } from "../Scripted.js"

const { functions, topics } = Selectors

const coin = account("2")
const other = account("3")
const mute = account("4")

const allowing = (amount: bigint): Account => ({
  code: inert,
  calls: { [functions.allowance]: word(amount), [functions.balanceOf]: word(5n) }
})

const wallet = (logs: NonNullable<Script["logs"]>, options: Partial<Script> = {}): Script => ({
  accounts: { [coin]: allowing(7n), [other]: allowing(0n), [mute]: allowing(7n) },
  logs,
  fault: (read) => (read.address._tag === "Some" && read.address.value === mute ? "rpc_error" : undefined),
  ...options
})

const given = (...permissions: ReadonlyArray<readonly [token: Address, spender: Address]>) => ({
  allowances: permissions.map(([token, spender]) => ({ token, spender })),
  complete: true
})

describe("allowance.outstanding", () => {
  it.effect("is confirmed with every token and spender in force, each once", () =>
    Effect.gen(function* () {
      const logs = [approval(coin, bob), approval(coin, alice), approval(coin, bob), approval(other, bob)]
      const [item, ...more] = yield* evidence(allowanceOutstanding, "wallet", wallet(logs))
      assert.isEmpty(more)
      assert.strictEqual(item?.state, "confirmed")
      assert.deepStrictEqual(item?.value, given([coin, alice], [coin, bob]))
      assert.strictEqual(item?.detail, "2 in force")
      assert.strictEqual(item?.severity, "info")
      assert.strictEqual(item?.observation?.method, "eth_getLogs")
    })
  )

  it.effect("is refuted where nothing was ever approved, where it was taken back, and of a single NFT", () =>
    Effect.gen(function* () {
      const single = { ...approval(coin, bob), topics: [...approval(coin, bob).topics, word(1n)] }
      for (const logs of [[], [approval(other, bob)], [single]]) {
        const items = yield* said(allowanceOutstanding, "wallet", wallet(logs))
        assert.deepStrictEqual(
          items.map(({ says, value }) => [says, value]),
          [["refuted", given()]]
        )
      }
    })
  )

  it.effect("is a lower bound where not every block was searched, and unknown where that found nothing", () =>
    Effect.gen(function* () {
      const [some] = yield* evidence(
        allowanceOutstanding,
        "wallet",
        wallet([approval(coin, bob)], { logsComplete: false })
      )
      assert.strictEqual(some?.state, "confirmed")
      assert.deepStrictEqual(some?.value, { ...given([coin, bob]), complete: false })
      assert.strictEqual(some?.detail, "at least 1 in force")
      const [none] = yield* said(allowanceOutstanding, "wallet", wallet([], { logsComplete: false }))
      assert.deepInclude(none, { says: "unknown: log_range_limited", value: null })
    })
  )

  it.effect("is unknown where the only token did not say, and a lower bound beside one that did", () =>
    Effect.gen(function* () {
      const [alone] = yield* said(allowanceOutstanding, "wallet", wallet([approval(mute, bob)]))
      assert.strictEqual(alone?.says, "unknown: rpc_error")
      const [beside] = yield* evidence(
        allowanceOutstanding,
        "wallet",
        wallet([approval(mute, bob), approval(coin, bob)])
      )
      assert.strictEqual(beside?.state, "confirmed")
      assert.deepStrictEqual(beside?.value, { ...given([coin, bob]), complete: false })
      assert.strictEqual(beside?.detail, "at least 1 in force")
    })
  )

  it.effect("does not depend on what collections say of operators", () =>
    Effect.gen(function* () {
      const [item] = yield* said(allowanceOutstanding, "wallet", wallet([approval(mute, bob, topics.ApprovalForAll)]))
      assert.deepInclude(item, { says: "refuted", value: given() })
    })
  )

  it.effect("is unknown where no event could be read, and does not apply to tokens and contracts", () =>
    Effect.gen(function* () {
      const lost = wallet([approval(coin, bob)], { fault: failing("eth_getLogs") })
      const items = yield* said(allowanceOutstanding, "wallet", lost)
      assert.deepStrictEqual(
        items.map(({ says }) => says),
        ["unknown: rate_limited"]
      )
      assert.deepStrictEqual(yield* said(allowanceOutstanding, "token", lost), [])
      assert.deepStrictEqual(yield* said(allowanceOutstanding, "contract", lost), [])
    })
  )
})
