import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { allowanceOutstanding } from "../../../src/checks/wallet/AllowanceOutstanding.js"
import * as AddressBook from "../../../src/data/AddressBook.js"
import * as Address from "../../../src/domain/Address.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import { account, alice, approval, bob, evidence, failing, inert, said, target, word } from "../Scripted.js"

const { functions, selector, topics } = Selectors

const coin = account("2")
const other = account("3")
const mute = account("4")
const collection = account("6")

const allowing = (amount: bigint): Account => ({
  code: inert,
  calls: { [functions.allowance]: word(amount), [functions.balanceOf]: word(5n) }
})

const wallet = (logs: NonNullable<Script["logs"]>, options: Partial<Script> = {}): Script => ({
  accounts: {
    [coin]: allowing(7n),
    [other]: allowing(0n),
    [mute]: allowing(7n),
    [collection]: { code: inert, calls: { [selector("ownerOf(uint256)")]: word(target) } }
  },
  logs,
  fault: (read) => (read.address._tag === "Some" && read.address.value === mute ? "rpc_error" : undefined),
  ...options
})

const given = (...permissions: ReadonlyArray<readonly [token: Address.Address, spender: Address.Address]>) => ({
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
      assert.strictEqual(item?.detail, "2 approvals in force")
      assert.strictEqual(item?.severity, "info")
      assert.strictEqual(item?.observation?.method, "eth_getLogs")
    })
  )

  it.effect(
    "is refuted where nothing was ever approved, where it was taken back, and of an item that is not approved",
    () =>
      Effect.gen(function* () {
        const item = approval(collection, bob)
        const single = { ...item, topics: [...item.topics, word(1n)] }
        for (const logs of [[], [approval(other, bob)], [single]]) {
          const items = yield* said(allowanceOutstanding, "wallet", wallet(logs))
          assert.deepStrictEqual(
            items.map(({ says, value }) => [says, value]),
            [["refuted", given()]]
          )
        }
      })
  )

  it.effect("is confirmed of a coin with events that have the amount where those of a collection have the item", () =>
    Effect.gen(function* () {
      const indexed = (token: Address.Address, spender: Address.Address) => {
        const log = approval(token, spender)
        return { ...log, topics: [...log.topics, word(7n)] }
      }
      const logs = [indexed(coin, alice), indexed(coin, bob), indexed(collection, bob), indexed(other, bob)]
      const [item] = yield* said(allowanceOutstanding, "wallet", wallet(logs))
      assert.deepStrictEqual([item?.says, item?.value], ["confirmed", given([coin, alice], [coin, bob])])
      const silent = failing("eth_call", functions.allowance)
      const [lost] = yield* said(allowanceOutstanding, "wallet", wallet(logs, { fault: silent }))
      assert.strictEqual(lost?.says, "unknown: rate_limited")
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
      assert.strictEqual(some?.detail, "at least 1 approval in force")
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
      assert.strictEqual(beside?.detail, "at least 1 approval in force")
    })
  )

  it.effect("is confirmed of an operator, and of a Permit2 allowance of a token that Permit2 may move", () =>
    Effect.gen(function* () {
      const collection: Account = { code: inert, calls: { [functions.isApprovedForAll]: word(1n) } }
      const operators = wallet([approval(coin, bob, topics.ApprovalForAll)], { accounts: { [coin]: collection } })
      assert.deepInclude((yield* said(allowanceOutstanding, "wallet", operators))[0], {
        says: "confirmed",
        value: given([coin, bob])
      })
      const permit2 = Address.checksum(AddressBook.permit2)
      const forever = Getter.calldata("0x", [word(1n), word((1n << 48n) - 1n), word(0n)])
      const byPermit2 = (token: Address.Address) =>
        said(
          allowanceOutstanding,
          "wallet",
          wallet([{ address: permit2, topics: [topics.Permit2Approval, word(target), word(token), word(bob)] }], {
            accounts: {
              [coin]: allowing(7n),
              [other]: allowing(0n),
              [permit2]: { code: inert, calls: { [functions.permit2Allowance]: forever } }
            }
          })
        )
      assert.deepInclude((yield* byPermit2(coin))[0], { says: "confirmed", value: given([coin, bob]) })
      assert.deepInclude((yield* byPermit2(other))[0], { says: "refuted", value: given() })
    })
  )

  it.effect("is confirmed of items that were approved one by one, as long as the wallet has them", () =>
    Effect.gen(function* () {
      const single = { ...approval(coin, alice), topics: [...approval(coin, alice).topics, word(1n)] }
      const of = (owner: Address.Address, approved: Address.Address = bob) =>
        said(
          allowanceOutstanding,
          "wallet",
          wallet([single], {
            accounts: {
              [coin]: {
                code: inert,
                calls: {
                  [functions.ownerOf]: word(owner),
                  [Selectors.selector("getApproved(uint256)")]: word(approved)
                }
              }
            }
          })
        )
      // The collection's answer counts, and not whom the event named.
      assert.deepInclude((yield* of(target))[0], { says: "confirmed", value: given([coin, bob]) })
      assert.deepInclude((yield* of(alice))[0], { says: "refuted", value: given() })
      // What a wallet lets itself move it may move anyway.
      assert.deepInclude((yield* of(target, target))[0], { says: "refuted", value: given() })
    })
  )

  it.effect("is unknown of an allowance that the token denies and honours, and refuted of one that it denies", () =>
    Effect.gen(function* () {
      const of = (transferFrom: ScriptedChain.Answer) =>
        said(
          allowanceOutstanding,
          "wallet",
          wallet([{ ...approval(coin, bob), data: word(9n) }], {
            accounts: {
              [coin]: { code: inert, calls: { ...allowing(0n).calls, [functions.transferFrom]: transferFrom } }
            }
          })
        )
      const upTo =
        (most: bigint): ScriptedChain.Answer =>
        ({ data = "0x" }) =>
          BigInt(`0x${data.slice(-64)}`) <= most ? word(1n) : ScriptedChain.reverts()
      assert.deepInclude((yield* of(upTo(5n)))[0], { says: "unknown: inconclusive", value: null })
      assert.deepInclude((yield* of(upTo(0n)))[0], { says: "refuted" })
      // Who says yes to more than there is moves nothing.
      assert.deepInclude((yield* of(word(1n)))[0], { says: "refuted" })
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
