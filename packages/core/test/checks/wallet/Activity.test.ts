import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { activity } from "../../../src/checks/wallet/Activity.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import type { Script } from "../../../src/testing/ScriptedChain.js"
import { account, alice, evidence, failing, said, target, word } from "../Scripted.js"

const { Transfer } = Selectors.topics

const coin = account("2")

const moved = (blockNumber: number, direction: "in" | "out") => ({
  address: coin,
  topics: direction === "out" ? [Transfer, word(target), word(alice)] : [Transfer, word(alice), word(target)],
  data: word(1n),
  blockNumber
})

const wallet = (nonce: number, logs: NonNullable<Script["logs"]>, options: Partial<Script> = {}): Script => ({
  accounts: { [target]: { nonce } },
  logs,
  ...options
})

describe("wallet.activity", () => {
  it.effect("is confirmed with the transactions sent and the blocks between which tokens moved", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(
        activity,
        "wallet",
        wallet(4, [moved(30, "out"), moved(20, "in"), moved(70, "in")])
      )
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(item?.severity, "info")
      assert.strictEqual(item?.polarity, "neutral")
      assert.deepStrictEqual(item?.value, { nonce: 4, seen_from_block: 20, seen_to_block: 70, complete: true })
    })
  )

  it.effect("is confirmed of an account that only ever received, and of one that only ever sent native coin", () =>
    Effect.gen(function* () {
      const [receiver] = yield* said(activity, "wallet", wallet(0, [moved(20, "in")]))
      assert.deepInclude(receiver?.value, { nonce: 0, seen_from_block: 20, seen_to_block: 20 })
      const [sender] = yield* said(activity, "wallet", wallet(2, []))
      assert.deepInclude(sender, {
        says: "confirmed",
        value: { nonce: 2, seen_from_block: null, seen_to_block: null, complete: true }
      })
    })
  )

  it.effect("is refuted of an account without any trace, and unknown where not every block was searched", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* said(activity, "wallet", wallet(0, [])))[0]?.says, "refuted")
      const [partial] = yield* said(activity, "wallet", wallet(0, [], { logsComplete: false }))
      assert.strictEqual(partial?.says, "unknown: log_range_limited")
      const [some] = yield* said(activity, "wallet", wallet(0, [moved(20, "in")], { logsComplete: false }))
      assert.deepInclude(some?.value, { complete: false })
    })
  )

  it.effect("needs no events where the nonce decides, and is unknown where neither does", () =>
    Effect.gen(function* () {
      const fault = failing("eth_getLogs")
      const [sender] = yield* said(activity, "wallet", wallet(2, [], { fault }))
      assert.deepInclude(sender, {
        says: "confirmed",
        value: { nonce: 2, seen_from_block: null, seen_to_block: null, complete: false }
      })
      assert.strictEqual((yield* said(activity, "wallet", wallet(0, [], { fault })))[0]?.says, "unknown: rate_limited")
      const lost = wallet(2, [], { fault: failing("eth_getTransactionCount") })
      assert.strictEqual((yield* said(activity, "wallet", lost))[0]?.says, "unknown: rate_limited")
      assert.deepStrictEqual(yield* said(activity, "token", lost), [])
    })
  )
})
