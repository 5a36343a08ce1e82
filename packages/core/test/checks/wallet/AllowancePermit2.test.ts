import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { allowancePermit2 } from "../../../src/checks/wallet/AllowancePermit2.js"
import * as AddressBook from "../../../src/data/AddressBook.js"
import * as Address from "../../../src/domain/Address.js"
import * as Timestamp from "../../../src/domain/Timestamp.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import { account, alice, bob, evidence, failing, inert, person, said, target, word } from "../Scripted.js"

const { functions, topics } = Selectors

const coin = account("2")
const other = account("3")
const permit2 = Address.checksum(AddressBook.permit2)
const now = 1_700_000_000
const most = (1n << 160n) - 1n

const granted = (token: Address.Address, spender: Address.Address, topic = topics.Permit2Approval) => ({
  address: permit2,
  topics: [topic, word(target), word(token), word(spender)]
})

const allowed = (amount: bigint, expiration: number, nonce = 3n) =>
  Getter.calldata("0x", [word(amount), word(BigInt(expiration)), word(nonce)])

const token = (allowance: bigint): Account => ({
  code: inert,
  calls: { [functions.allowance]: word(allowance), [functions.balanceOf]: word(5n) }
})

const wallet = (answer: `0x${string}`, options: Partial<Script> & { readonly toPermit2?: bigint } = {}): Script => ({
  accounts: {
    [permit2]: { code: inert, calls: { [functions.permit2Allowance]: answer } },
    [coin]: token(options.toPermit2 ?? most),
    [other]: token(most),
    [alice]: person,
    [bob]: { code: inert }
  },
  block: { timestamp: Timestamp.fromMillis(now * 1_000) },
  logs: [granted(coin, alice)],
  ...options
})

describe("allowance.permit2", () => {
  it.effect("is refuted of what a wallet lets itself move", () =>
    Effect.gen(function* () {
      const logs = [granted(coin, target)]
      const [item] = yield* said(allowancePermit2, "wallet", wallet(allowed(most, now + 60), { logs }))
      assert.strictEqual(item?.says, "refuted")
    })
  )

  it.effect("is confirmed with amount and end, high to a key and medium to a contract", () =>
    Effect.gen(function* () {
      const logs = [granted(coin, alice), granted(coin, bob, topics.Permit2Permit), granted(coin, alice)]
      const items = yield* evidence(allowancePermit2, "wallet", wallet(allowed(most, now + 60), { logs }))
      assert.deepStrictEqual(
        items.map(({ id, severity, state }) => [id, state, severity]),
        [
          [`allowance.permit2:${coin}:${alice}`, "confirmed", "high"],
          [`allowance.permit2:${coin}:${bob}`, "confirmed", "medium"]
        ]
      )
      assert.deepStrictEqual(items[0]?.value, {
        amount: `${most}`,
        expires_at: now + 60,
        token_allowance: `${most}`,
        spender_kind: "eoa"
      })
      assert.strictEqual(items[0]?.observation?.method, "eth_getLogs")
      assert.include(items[0]?.source_url, coin)
    })
  )

  it.effect.each<readonly [string, bigint, number, ReadonlyArray<string>]>([
    ["in its last second", 1n, now, ["confirmed"]],
    ["a second after its end", 1n, now - 1, ["refuted"]],
    ["when it is spent or locked down", 0n, now + 60, ["refuted"]],
    ["when it never ends", 1n, 2 ** 48 - 1, ["confirmed"]]
  ])("%s is told as the contract would judge it", ([_, amount, expiration, says]) =>
    Effect.gen(function* () {
      const items = yield* said(allowancePermit2, "wallet", wallet(allowed(amount, expiration)))
      assert.deepStrictEqual(
        items.map((item) => item.says),
        says
      )
    })
  )

  it.effect("is low where the token lets Permit2 move nothing", () =>
    Effect.gen(function* () {
      const [item] = yield* said(allowancePermit2, "wallet", wallet(allowed(most, now + 60), { toPermit2: 0n }))
      assert.deepInclude(item, { says: "confirmed", severity: "low" })
    })
  )

  it.effect("is refuted where nothing was ever permitted, and does not apply where there is no Permit2", () =>
    Effect.gen(function* () {
      const [none] = yield* said(allowancePermit2, "wallet", wallet(allowed(most, now), { logs: [] }))
      assert.deepInclude(none, { says: "refuted", value: null })
      const script = wallet(allowed(most, now))
      for (const fault of [undefined, failing("eth_getLogs")]) {
        const elsewhere = { ...script, fault, accounts: { ...script.accounts, [permit2]: {} } }
        assert.deepStrictEqual(yield* said(allowancePermit2, "wallet", elsewhere), [])
      }
      assert.deepStrictEqual(yield* said(allowancePermit2, "token", script), [])
      assert.deepStrictEqual(yield* said(allowancePermit2, "contract", script), [])
    })
  )

  it.effect("is unknown of the permission alone that was not answered, or not as Permit2 answers", () =>
    Effect.gen(function* () {
      const logs = [granted(coin, alice), granted(other, alice)]
      const about = Getter.calldata(functions.permit2Allowance, [word(target), word(other)])
      const items = yield* said(
        allowancePermit2,
        "wallet",
        wallet(allowed(most, now), { logs, fault: failing("eth_call", about) })
      )
      assert.deepStrictEqual(
        items.map(({ id, says, severity }) => [id, says, severity]),
        [
          [`allowance.permit2:${coin}:${alice}`, "confirmed", "high"],
          [`allowance.permit2:${other}:${alice}`, "unknown: rate_limited", "high"]
        ]
      )
      for (const answer of ["0x", word(1n), allowed(1n << 160n, now)] as const) {
        const [odd] = yield* said(allowancePermit2, "wallet", wallet(answer))
        assert.strictEqual(odd?.says, "unknown: inconclusive")
      }
    })
  )

  it.effect("is no lower for a token with an unread allowance to Permit2", () =>
    Effect.gen(function* () {
      const fault = failing("eth_call", functions.allowance)
      const [item] = yield* said(allowancePermit2, "wallet", wallet(allowed(most, now), { toPermit2: 0n, fault }))
      assert.deepInclude(item, { says: "unknown: rate_limited", severity: "high" })
    })
  )

  it.effect("is a lower bound where not every block was searched, and unknown without events or code", () =>
    Effect.gen(function* () {
      const some = yield* said(allowancePermit2, "wallet", wallet(allowed(most, now), { logsComplete: false }))
      assert.deepStrictEqual(
        some.map(({ id, says }) => [id, says]),
        [
          [`allowance.permit2:${coin}:${alice}`, "confirmed"],
          ["allowance.permit2", "unknown: log_range_limited"]
        ]
      )
      const none = yield* said(allowancePermit2, "wallet", wallet(allowed(0n, now), { logsComplete: false }))
      assert.deepStrictEqual(
        none.map(({ says }) => says),
        ["unknown: log_range_limited"]
      )
      for (const fault of [failing("eth_getLogs"), failing("eth_getCode")]) {
        const [lost] = yield* said(allowancePermit2, "wallet", wallet(allowed(most, now), { fault }))
        assert.deepInclude(lost, { id: "allowance.permit2", says: "unknown: rate_limited", severity: "high" })
      }
    })
  )
})
