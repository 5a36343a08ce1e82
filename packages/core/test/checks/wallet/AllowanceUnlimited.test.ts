import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { allowanceUnlimited } from "../../../src/checks/wallet/AllowanceUnlimited.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import { account, alice, approval, bob, evidence, failing, inert, person, said, word } from "../Scripted.js"

const { functions, topics } = Selectors

const coin = account("2")
const other = account("3")
const mute = account("4")
const most = (1n << 256n) - 1n

const allowing = (amount: bigint): Account => ({
  code: inert,
  calls: { [functions.allowance]: word(amount), [functions.balanceOf]: word(5n) }
})

const wallet = (amount: bigint, options: Partial<Script> = {}): Script => ({
  accounts: { [coin]: allowing(amount), [other]: allowing(most), [alice]: person, [bob]: { code: inert } },
  logs: [approval(coin, alice)],
  ...options
})

const failingAt =
  (address: string): NonNullable<Script["fault"]> =>
  (read) =>
    read.address._tag === "Some" && read.address.value === address ? "rpc_error" : undefined

describe("allowance.unlimited", () => {
  it.effect.each<readonly [string, Account, string]>([
    ["contract", { code: inert }, "medium"],
    ["eoa", person, "high"],
    ["delegated_eoa", { code: `0xef0100${bob.slice(2)}` }, "high"],
    ["empty", {}, "high"]
  ])("to a spender that is %s is confirmed with its kind", ([kind, spender, severity]) =>
    Effect.gen(function* () {
      const [item, ...more] = yield* evidence(allowanceUnlimited, "wallet", {
        accounts: { [coin]: allowing(most), [alice]: spender },
        logs: [approval(coin, alice)]
      })
      assert.isEmpty(more)
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(item?.severity, severity)
      assert.strictEqual(item?.id, `allowance.unlimited:${coin}:${alice}`)
      assert.deepStrictEqual(item?.value, { amount: `${most}`, balance: "5", spender_kind: kind })
      assert.include(item?.source_url ?? "", coin)
      assert.strictEqual(item?.observation?.method, "eth_getLogs")
    })
  )

  it.effect("is confirmed of no less than there is of the token, in however few bits that is kept", () =>
    Effect.gen(function* () {
      const of = (supply: bigint) =>
        said(
          allowanceUnlimited,
          "wallet",
          wallet(0n, {
            accounts: {
              [coin]: {
                code: inert,
                calls: { ...allowing((1n << 96n) - 1n).calls, [functions.totalSupply]: word(supply) }
              },
              [alice]: person
            }
          })
        )
      assert.strictEqual((yield* of((1n << 96n) - 1n))[0]?.says, "confirmed")
      assert.strictEqual((yield* of(1n << 96n))[0]?.says, "refuted")
      assert.strictEqual((yield* of(0n))[0]?.says, "refuted")
    })
  )

  it.effect("begins at half of the largest amount, so that what was spent since does not hide it", () =>
    Effect.gen(function* () {
      const [from] = yield* said(allowanceUnlimited, "wallet", wallet(1n << 255n))
      assert.strictEqual(from?.says, "confirmed")
      const items = yield* said(allowanceUnlimited, "wallet", wallet((1n << 255n) - 1n))
      assert.deepStrictEqual(
        items.map(({ id, says, value }) => [id, says, value]),
        [["allowance.unlimited", "refuted", null]]
      )
    })
  )

  it.effect("is one item a token and spender, however often it was approved", () =>
    Effect.gen(function* () {
      const logs = [approval(other, bob), approval(coin, bob), approval(coin, alice), approval(coin, bob)]
      const items = yield* said(allowanceUnlimited, "wallet", wallet(most, { logs }))
      assert.deepStrictEqual(
        items.map(({ id }) => id),
        [
          [coin, alice],
          [coin, bob],
          [other, bob]
        ].map((subject) => ["allowance.unlimited", ...subject].join(":"))
      )
    })
  )

  it.effect("has no balance where the token does not return one", () =>
    Effect.gen(function* () {
      const [item] = yield* said(allowanceUnlimited, "wallet", {
        accounts: { [coin]: { code: inert, calls: { [functions.allowance]: word(most) } }, [alice]: person },
        logs: [approval(coin, alice)]
      })
      assert.deepInclude(item, { says: "confirmed", value: { amount: `${most}`, balance: null, spender_kind: "eoa" } })
    })
  )

  it.effect("is refuted where nothing was ever approved, and does not look at operators", () =>
    Effect.gen(function* () {
      for (const logs of [[], [approval(mute, alice, topics.ApprovalForAll)]]) {
        const items = yield* said(allowanceUnlimited, "wallet", wallet(most, { logs, fault: failingAt(mute) }))
        assert.deepStrictEqual(
          items.map(({ says }) => says),
          ["refuted"]
        )
      }
    })
  )

  it.effect("is unknown of the token or spender alone that did not answer, at the highest grade", () =>
    Effect.gen(function* () {
      const logs = [approval(coin, alice), approval(coin, bob), approval(mute, alice)]
      const silent = yield* said(allowanceUnlimited, "wallet", wallet(most, { logs, fault: failingAt(mute) }))
      assert.deepStrictEqual(
        silent.map(({ id, says, severity }) => [id, says, severity]),
        [
          [`allowance.unlimited:${coin}:${alice}`, "confirmed", "high"],
          [`allowance.unlimited:${coin}:${bob}`, "confirmed", "medium"],
          [`allowance.unlimited:${mute}:${alice}`, "unknown: rpc_error", "high"]
        ]
      )
      const unseen = yield* said(allowanceUnlimited, "wallet", wallet(most, { logs, fault: failingAt(bob) }))
      assert.deepStrictEqual(
        unseen.map(({ id, says, severity }) => [id, says, severity]),
        [
          [`allowance.unlimited:${coin}:${alice}`, "confirmed", "high"],
          [`allowance.unlimited:${coin}:${bob}`, "unknown: rpc_error", "high"]
        ]
      )
    })
  )

  it.effect("says that blocks were not searched beside what was found, and instead of refuted", () =>
    Effect.gen(function* () {
      const partial = { logsComplete: false }
      const some = yield* said(allowanceUnlimited, "wallet", wallet(most, partial))
      assert.deepStrictEqual(
        some.map(({ id, says }) => [id, says]),
        [
          [`allowance.unlimited:${coin}:${alice}`, "confirmed"],
          ["allowance.unlimited", "unknown: log_range_limited"]
        ]
      )
      const none = yield* said(allowanceUnlimited, "wallet", wallet(0n, partial))
      assert.deepStrictEqual(
        none.map(({ id, says }) => [id, says]),
        [["allowance.unlimited", "unknown: log_range_limited"]]
      )
    })
  )

  it.effect("is unknown where no event could be read, and does not apply to tokens and contracts", () =>
    Effect.gen(function* () {
      const lost = wallet(most, { fault: failing("eth_getLogs") })
      const items = yield* said(allowanceUnlimited, "wallet", lost)
      assert.deepStrictEqual(
        items.map(({ id, says }) => [id, says]),
        [["allowance.unlimited", "unknown: rate_limited"]]
      )
      assert.deepStrictEqual(yield* said(allowanceUnlimited, "token", lost), [])
      assert.deepStrictEqual(yield* said(allowanceUnlimited, "contract", lost), [])
    })
  )
})
