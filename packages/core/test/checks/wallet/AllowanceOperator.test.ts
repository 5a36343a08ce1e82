import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { allowanceOperator } from "../../../src/checks/wallet/AllowanceOperator.js"
import { allowanceSpenderRisky } from "../../../src/checks/wallet/AllowanceSpenderRisky.js"
import type { Address } from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import {
  account,
  alice,
  approval,
  bob,
  evidence,
  failing,
  inert,
  list,
  person,
  said,
  target,
  word
} from "../Scripted.js"

const { functions, selector, topics } = Selectors

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

  const coin = account("5")
  const isOperatorFor = selector("isOperatorFor(address,address)")
  const about = (event: string, ...accounts: ReadonlyArray<Hex>) => ({
    address: coin,
    topics: [Selectors.topic(event), ...accounts.map((each) => word(each))]
  })
  const authorised = about("AuthorizedOperator(address,address)", alice, target)
  const received = about("Sent(address,address,address,uint256,bytes,bytes)", bob, bob, target)
  const minted = about("Minted(address,address,uint256,bytes,bytes)", bob, target)

  /** A coin of which alice is the operator of the wallet, and that has operators for everybody. */
  const operated = (calls: Account["calls"] = {}, defaults: ReadonlyArray<Address> = []): Account => ({
    code: inert,
    calls: {
      [Getter.calldata(isOperatorFor, [word(alice), word(target)])]: word(1n),
      [selector("defaultOperators()")]: list(defaults),
      [functions.balanceOf]: word(5n),
      ...calls
    }
  })
  const holder = (it: Account, logs: NonNullable<Script["logs"]>, options: Partial<Script> = {}): Script => ({
    accounts: { [coin]: it, [alice]: person, [bob]: { code: inert } },
    logs,
    ...options
  })
  const revoked = { [Getter.calldata(isOperatorFor, [word(alice), word(target)])]: word(0n) }

  it.effect.each<readonly [string, Script]>([
    ["the wallet authorised", holder(operated(), [authorised])],
    ["a coin that it was sent has for everybody", holder(operated({}, [alice]), [received])],
    ["a coin that was made for it has for everybody", holder(operated({}, [alice]), [minted])],
    ["it authorised and that the coin has for everybody", holder(operated({}, [alice]), [received, authorised])]
  ])("is confirmed of an operator of an ERC-777 coin that %s", ([_, script]) =>
    Effect.gen(function* () {
      const items = yield* said(allowanceOperator, "wallet", script)
      assert.deepStrictEqual(
        items.map(({ id, says, severity, value }) => [id, says, severity, value]),
        [[`allowance.operator:${coin}:${alice}`, "confirmed", "high", { operator_kind: "eoa" }]]
      )
      const [risky] = yield* said(allowanceSpenderRisky, "wallet", script)
      assert.deepInclude(risky, { says: "confirmed", severity: "critical" })
    })
  )

  it.effect.each<readonly [string, Script]>([
    ["revoked", holder(operated(revoked), [authorised])],
    ["revoked for itself", holder(operated(revoked, [alice]), [received])],
    [
      "has nothing to fear from, having none of it",
      holder(operated({ [functions.balanceOf]: word(0n) }, [alice]), [received])
    ],
    ["never had, where another one did", holder(operated(), [about("AuthorizedOperator(address,address)", alice, bob)])]
  ])("is refuted of an operator of an ERC-777 coin that the wallet %s", ([_, script]) =>
    Effect.gen(function* () {
      const items = yield* said(allowanceOperator, "wallet", script)
      assert.deepStrictEqual(
        items.map(({ id, says }) => [id, says]),
        [["allowance.operator", "refuted"]]
      )
    })
  )

  it.effect("is unknown where a coin's operators, or the right of one, could not be read", () =>
    Effect.gen(function* () {
      const untold = holder(operated({}, [alice]), [received], {
        fault: failing("eth_call", selector("defaultOperators()"))
      })
      assert.deepStrictEqual(
        (yield* said(allowanceOperator, "wallet", untold)).map(({ says }) => says),
        ["unknown: log_range_limited"]
      )
      const mute = holder(operated(), [authorised], { fault: failing("eth_call", isOperatorFor) })
      assert.deepStrictEqual(
        (yield* said(allowanceOperator, "wallet", mute)).map(({ id, says }) => [id, says]),
        [[`allowance.operator:${coin}:${alice}`, "unknown: rate_limited"]]
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
