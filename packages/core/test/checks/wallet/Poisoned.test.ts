import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { poisoned } from "../../../src/checks/wallet/Poisoned.js"
import * as Address from "../../../src/domain/Address.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import type { Script } from "../../../src/testing/ScriptedChain.js"
import { account, evidence, failing, inert, said, target, text, word } from "../Scripted.js"

const { functions, topics } = Selectors

const coin = account("2")
const copy = account("3")
const drawn = account("5")
const unlike = account("6")
/** An address with these first and last digits. */
const like = (look: string, filling: string): Address.Address =>
  Address.checksum(`0x${look.slice(0, 3)}${filling.repeat(34)}${look.slice(3)}`)

const original = like("abc789", "1")
const twin = like("abc789", "2")
const other = like("def789", "3")

const sent = (token: Address.Address, to: Address.Address, amount: bigint) => ({
  address: token,
  topics: [topics.Transfer, word(target), word(to)],
  data: word(amount)
})
const received = (token: Address.Address, from: Address.Address, amount: bigint) => ({
  address: token,
  topics: [topics.Transfer, word(from), word(target)],
  data: word(amount)
})

const history = (logs: NonNullable<Script["logs"]>, options: Partial<Script> = {}): Script => ({
  accounts: {
    [coin]: { code: inert, calls: { [functions.symbol]: text("USDC") } },
    [copy]: { code: inert, calls: { [functions.symbol]: text("usdc") } },
    // The last letter is Cyrillic.
    [drawn]: { code: inert, calls: { [functions.symbol]: text("USDС") } },
    [unlike]: { code: inert, calls: { [functions.symbol]: text("SPAM") } }
  },
  logs,
  ...options
})

const paid = sent(coin, original, 5_000n)

describe("wallet.poisoned", () => {
  it.effect.each<readonly [string, string, NonNullable<Script["logs"]>[number]]>([
    ["zero_value", "that took nothing from it", sent(coin, twin, 0n)],
    ["dust", "that sent it next to nothing", received(coin, twin, 5n)],
    ["counterfeit", "in a token that moved the same amount", sent(account("4"), twin, 5_000n)],
    ["counterfeit", "in a token of the same symbol", sent(copy, twin, 4_000n)],
    ["counterfeit", "in a token whose symbol is drawn the same", sent(drawn, twin, 4_000n)]
  ])("is confirmed by %s: a look-alike %s", ([form, _, log]) =>
    Effect.gen(function* () {
      const [item, ...more] = yield* evidence(poisoned, "wallet", history([paid, log]))
      assert.isEmpty(more)
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(item?.severity, "medium")
      assert.deepStrictEqual(item?.value, {
        twins: [{ address: twin, original, form, token: log.address, block: 2 }],
        complete: true
      })
      assert.strictEqual(item?.observation?.method, "eth_getLogs")
      assert.include(item?.source_url, twin)
    })
  )

  it.effect("is confirmed of a look-alike that was there first and never moved anything", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(poisoned, "wallet", history([sent(coin, twin, 0n), paid]))
      assert.strictEqual(item?.state, "confirmed")
      const value = item?.value as { readonly twins: ReadonlyArray<object> }
      assert.deepStrictEqual(
        value.twins.map((each) => ({ ...each })),
        [{ address: twin, original, form: "zero_value", token: coin, block: 1 }]
      )
    })
  )

  it.effect("stays confirmed of one that the wallet fell for", () =>
    Effect.gen(function* () {
      const [item] = yield* said(poisoned, "wallet", history([paid, sent(coin, twin, 0n), sent(coin, twin, 5_000n)]))
      assert.strictEqual(item?.says, "confirmed")
    })
  )

  it.effect("finds the original however many look like it", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 40 }, (_, index) =>
        sent(coin, Address.checksum(`0xabc${(index + 1).toString(16).padStart(34, "0")}789`), 0n)
      )
      const [item] = yield* evidence(poisoned, "wallet", history([paid, ...many]))
      const value = item?.value as { readonly twins: ReadonlyArray<{ readonly original: string }> }
      assert.isAbove(value.twins.length, 10)
      assert.isTrue(value.twins.every((each) => each.original === original))
    })
  )

  it.effect.each<readonly [string, NonNullable<Script["logs"]>]>([
    ["there is no history", []],
    ["nobody looks like anybody", [paid, sent(coin, other, 0n)]],
    ["two that look alike were both dealt with", [paid, sent(coin, twin, 4_000n)]],
    ["the one that looks alike came first with a small amount", [received(coin, twin, 5n), paid]],
    ["the one that looks alike moved nothing and did more", [sent(coin, twin, 0n), sent(coin, twin, 5n), paid]],
    ["the look-alike of nobody it dealt with did nothing", [sent(coin, original, 0n), sent(coin, twin, 0n)]],
    ["a token of another symbol moved another amount", [paid, sent(unlike, twin, 4_000n)]],
    [
      "an item of a collection moved",
      [paid, { ...sent(coin, twin, 0n), topics: [...sent(coin, twin, 0n).topics, word(1n)] }]
    ]
  ])("is refuted where %s", ([_, logs]) =>
    Effect.gen(function* () {
      const items = yield* said(poisoned, "wallet", history(logs))
      assert.deepStrictEqual(
        items.map(({ says, value }) => [says, value]),
        [["refuted", { twins: [], complete: true }]]
      )
    })
  )

  const signed = (by: Address.Address, index: number): Pick<Script, "receipts"> => ({
    receipts: {
      [word(BigInt(index))]: { blockNumber: index, from: by, to: Option.some(coin), created: Option.none() }
    }
  })
  const own = { ...sent(coin, twin, 1n), transactionHash: word(2n) }

  it.effect("is refuted of a small amount that the wallet itself sent to one that looks like another it pays", () =>
    Effect.gen(function* () {
      const [item] = yield* said(poisoned, "wallet", history([paid, own], signed(target, 2)))
      assert.strictEqual(item?.says, "refuted")
    })
  )

  it.effect("is confirmed of the same by another account's transaction, because a token can emit any event", () =>
    Effect.gen(function* () {
      for (const others of [signed(account("9"), 2), {}]) {
        const [item] = yield* said(poisoned, "wallet", history([paid, own], others))
        assert.strictEqual(item?.says, "confirmed")
      }
    })
  )

  it.effect("is confirmed of one that the wallet paid itself after it had been planted", () =>
    Effect.gen(function* () {
      const planted = sent(coin, twin, 0n)
      const [item] = yield* said(poisoned, "wallet", history([paid, planted, own], signed(target, 2)))
      assert.strictEqual(item?.says, "confirmed")
    })
  )

  it.effect("is unknown where it could not be read who sent it", () =>
    Effect.gen(function* () {
      const lost = history([paid, own], { ...signed(target, 2), fault: failing("eth_getTransactionReceipt") })
      assert.strictEqual((yield* said(poisoned, "wallet", lost))[0]?.says, "unknown: rate_limited")
    })
  )

  it.effect("is a lower bound where not every block was searched, and unknown where that found nothing", () =>
    Effect.gen(function* () {
      const partial = { logsComplete: false }
      const [some] = yield* evidence(poisoned, "wallet", history([paid, sent(coin, twin, 0n)], partial))
      assert.strictEqual(some?.state, "confirmed")
      assert.deepInclude(some?.value, { complete: false })
      assert.match(some?.detail ?? "", /^at least 1/)
      const [none] = yield* said(poisoned, "wallet", history([paid], partial))
      assert.deepInclude(none, { says: "unknown: log_range_limited", value: null })
    })
  )

  it.effect("is unknown where a token did not return its symbol or no event could be read", () =>
    Effect.gen(function* () {
      const [silent] = yield* said(
        poisoned,
        "wallet",
        history([paid, sent(copy, twin, 4_000n)], { fault: failing("eth_call", functions.symbol) })
      )
      assert.deepInclude(silent, { says: "unknown: rate_limited", severity: "medium" })
      const lost = history([paid], { fault: failing("eth_getLogs") })
      assert.strictEqual((yield* said(poisoned, "wallet", lost))[0]?.says, "unknown: rate_limited")
      assert.deepStrictEqual(yield* said(poisoned, "token", lost), [])
      assert.deepStrictEqual(yield* said(poisoned, "contract", lost), [])
    })
  )
})
