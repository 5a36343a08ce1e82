import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { allowanceOperator } from "../../../src/checks/wallet/AllowanceOperator.js"
import { allowanceOutstanding } from "../../../src/checks/wallet/AllowanceOutstanding.js"
import { allowanceUnlimited } from "../../../src/checks/wallet/AllowanceUnlimited.js"
import { delegated } from "../../../src/checks/wallet/Delegated.js"
import { safeModules } from "../../../src/checks/wallet/SafeModules.js"
import { safeSetup } from "../../../src/checks/wallet/SafeSetup.js"
import * as Selectors from "../../../src/evm/Selectors.js"
import type { Script } from "../../../src/testing/ScriptedChain.js"
import { account, alice, approval, bob, failing, inert, person, safe, said, target, word } from "../Scripted.js"

const { functions, topics } = Selectors
const coin = account("2")
const collection = account("3")
const all = (1n << 256n) - 1n

const approving = (amount: bigint, options: Partial<Script> = {}): Script => ({
  accounts: {
    [coin]: { code: inert, calls: { [functions.allowance]: word(amount), [functions.balanceOf]: word(5n) } },
    [collection]: { code: inert, calls: { [functions.isApprovedForAll]: word(amount > 0n ? 1n : 0n) } },
    [alice]: person,
    [bob]: { code: inert }
  },
  logs: [
    approval(coin, alice),
    approval(coin, bob),
    approval(coin, bob),
    approval(collection, alice, topics.ApprovalForAll)
  ],
  ...options
})

describe("allowances", () => {
  it.effect("are one item a token and spender, high where the spender is a key", () =>
    Effect.gen(function* () {
      const items = yield* said(allowanceUnlimited, "wallet", approving(all))
      assert.deepStrictEqual(
        items.map(({ id, says, severity }) => [id, says, severity]),
        [
          [`allowance.unlimited:${coin}:${alice}`, "confirmed", "high"],
          [`allowance.unlimited:${coin}:${bob}`, "confirmed", "medium"]
        ]
      )
      const operators = yield* said(allowanceOperator, "wallet", approving(all))
      assert.deepStrictEqual(
        operators.map(({ id, says }) => [id, says]),
        [[`allowance.operator:${collection}:${alice}`, "confirmed"]]
      )
      const [outstanding] = yield* said(allowanceOutstanding, "wallet", approving(7n))
      assert.strictEqual(outstanding?.says, "confirmed")
    })
  )

  it.effect("are refuted where the token says that none is left, whatever events said", () =>
    Effect.gen(function* () {
      for (const check of [allowanceUnlimited, allowanceOperator, allowanceOutstanding]) {
        const items = yield* said(check, "wallet", approving(0n))
        assert.deepStrictEqual(
          items.map(({ says }) => says),
          ["refuted"]
        )
      }
      assert.deepStrictEqual(
        (yield* said(allowanceUnlimited, "wallet", approving(all >> 1n))).map(({ says }) => says),
        ["refuted"]
      )
    })
  )

  it.effect("are unknown beyond the blocks that could be searched, and those that were found stay", () =>
    Effect.gen(function* () {
      const partial = { logsComplete: false }
      for (const check of [allowanceUnlimited, allowanceOperator, allowanceOutstanding]) {
        const items = yield* said(check, "wallet", approving(0n, partial))
        assert.deepStrictEqual(
          items.map(({ says }) => says),
          ["unknown: log_range_limited"]
        )
      }
      const items = yield* said(allowanceUnlimited, "wallet", approving(all, partial))
      assert.deepStrictEqual(
        items.map(({ says }) => says),
        ["confirmed", "confirmed", "unknown: log_range_limited"]
      )
    })
  )

  it.effect("of a token that fails when it is asked are unknown, and no other is lost by it", () =>
    Effect.gen(function* () {
      const bomb = account("4")
      const script = approving(all)
      const items = yield* said(allowanceUnlimited, "wallet", {
        ...script,
        logs: [...(script.logs ?? []), approval(bomb, alice)],
        fault: (read) => (read.address._tag === "Some" && read.address.value === bomb ? "rpc_error" : undefined)
      })
      assert.deepStrictEqual(
        items.map(({ id, says }) => [id, says]),
        [
          [`allowance.unlimited:${coin}:${alice}`, "confirmed"],
          [`allowance.unlimited:${coin}:${bob}`, "confirmed"],
          [`allowance.unlimited:${bomb}:${alice}`, "unknown: rpc_error"]
        ]
      )
    })
  )

  it.effect("are unknown where no event could be read", () =>
    Effect.gen(function* () {
      const items = yield* said(allowanceUnlimited, "wallet", approving(all, { fault: failing("eth_getLogs") }))
      assert.deepStrictEqual(
        items.map(({ says }) => says),
        ["unknown: rate_limited"]
      )
    })
  )
})

describe("wallet.delegated", () => {
  const to = (delegate: `0x${string}`): Script => ({ accounts: { [target]: { code: `0xef0100${delegate.slice(2)}` } } })

  it.effect("is confirmed with the delegate, critical of one that is known to steal", () =>
    Effect.gen(function* () {
      const [some] = yield* said(delegated, "wallet", to(bob))
      assert.deepInclude(some, { says: "confirmed", severity: "medium", value: { delegate: bob, label: null } })
      const [thief] = yield* said(delegated, "wallet", to("0x930FcC37d6042c79211EE18A02857Cb1Fd7F0D0b"))
      assert.deepInclude(thief, { says: "confirmed", severity: "critical" })
    })
  )

  it.effect("is refuted without a designator and unknown without the code", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* said(delegated, "wallet", {}))[0]?.says, "refuted")
      const [lost] = yield* said(delegated, "wallet", { ...to(bob), fault: failing("eth_getCode") })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )
})

describe("Safe", () => {
  const owners = [alice, bob]
  const of = (account: ReturnType<typeof safe>, options: Partial<Script> = {}): Script => ({
    accounts: { [target]: account },
    ...options
  })

  it.effect("has a setup that is confirmed of a published singleton and refuted of another one", () =>
    Effect.gen(function* () {
      const [published] = yield* said(safeSetup, "wallet", of(safe(2n, owners)))
      assert.strictEqual(published?.says, "confirmed")
      assert.deepInclude(published?.value, { owners, threshold: 2, version: "1.4.1" })
      const [other] = yield* said(safeSetup, "wallet", of(safe(2n, owners, { singleton: account("e") })))
      assert.strictEqual(other?.says, "refuted")
      assert.deepStrictEqual(yield* said(safeSetup, "wallet", { accounts: { [target]: person } }), [])
      const [lost] = yield* said(safeSetup, "wallet", of(safe(2n, owners), { fault: failing("eth_call") }))
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )

  it.effect("has modules that are confirmed, refuted or unknown by its list", () =>
    Effect.gen(function* () {
      const [some] = yield* said(safeModules, "wallet", of(safe(2n, owners, { modules: [account("e")] })))
      assert.deepInclude(some, { says: "confirmed", value: { modules: [account("e")] } })
      assert.strictEqual((yield* said(safeModules, "wallet", of(safe(2n, owners))))[0]?.says, "refuted")
      const { [functions.getModulesPaginated]: _, ...calls } = safe(2n, owners).calls ?? {}
      const [silent] = yield* said(safeModules, "wallet", of({ ...safe(2n, owners), calls }))
      assert.strictEqual(silent?.says, "unknown: inconclusive")
      assert.deepStrictEqual(yield* said(safeModules, "wallet", { accounts: { [target]: person } }), [])
    })
  )
})
