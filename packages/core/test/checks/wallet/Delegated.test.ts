import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { delegated } from "../../../src/checks/wallet/Delegated.js"
import * as KnownCode from "../../../src/data/KnownCode.js"
import * as KnownDelegates from "../../../src/data/KnownDelegates.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Getter from "../../../src/facts/Getter.js"
import type { Account, Answer, Script } from "../../../src/testing/ScriptedChain.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import { compile } from "../../facts/Compiled.js"
import { alice, bob, evidence, inert, own, said, target, word } from "../Scripted.js"

const ether = 10n ** 18n

const executing = compile("Executing.sol")

/** What the trial payment finds: the balance before, whether it was taken, and the balance after. */
const trial = (before: bigint, taken: bigint, after: bigint): Answer =>
  Getter.calldata("0x", [word(before), word(taken), word(after)])

const kept = trial(5n, 1n, 5n + ether)

const to = (
  delegate: string,
  behind: Account = {},
  options: Partial<Script> & { readonly payment?: Answer } = {}
): Script => ({
  accounts: {
    [target]: { code: `0xef0100${delegate.slice(2)}`, nonce: 1 },
    [delegate]: behind,
    // A call without a recipient.
    [Address.zero]: { calls: { [`0x73${target.slice(2, 8)}`]: options.payment ?? kept } }
  },
  ...options
})

describe("wallet.delegated", () => {
  it.effect("is confirmed and medium of a delegate that nobody knows, with or without code", () =>
    Effect.gen(function* () {
      for (const behind of [{ code: inert }, {}, { code: own("BatchDelegate") }]) {
        const [item] = yield* evidence(delegated, "wallet", to(bob, behind))
        assert.strictEqual(item?.state, "confirmed")
        assert.strictEqual(item?.severity, "medium")
        assert.deepStrictEqual(item?.value, { delegate: bob, label: null, kind: "unknown" })
        assert.include(item?.source_url ?? "", bob)
        assert.strictEqual(item?.observation?.method, "eth_getCode")
      }
    })
  )

  it.effect("is critical of every delegate that was reported, whatever code it has now", () =>
    Effect.gen(function* () {
      assert.isNotEmpty(KnownCode.delegates)
      for (const known of KnownCode.delegates)
        for (const behind of [{ code: inert }, {}]) {
          const [item] = yield* said(delegated, "wallet", to(known.address, behind))
          assert.deepInclude(item, {
            says: "confirmed",
            severity: "critical",
            value: { delegate: Address.checksum(known.address), label: known.name, kind: "reported" }
          })
        }
    })
  )

  it.effect("is critical of a delegate that sends a payment on, as was tried or as its code says", () =>
    Effect.gen(function* () {
      const gone = yield* said(delegated, "wallet", to(bob, { code: inert }, { payment: trial(5n, 1n, 0n) }))
      const sweeper = own("Sweeper")
      const coded = yield* said(delegated, "wallet", to(bob, { code: sweeper }))
      const untried = yield* said(delegated, "wallet", to(bob, { code: sweeper }, { payment: ScriptedChain.reverts() }))
      for (const [item] of [gone, coded, untried])
        assert.deepInclude(item, {
          says: "confirmed",
          severity: "critical",
          value: { delegate: bob, label: null, kind: "forwards" }
        })
    })
  )

  it.effect("is critical of a delegate by which anybody, or a key in its code, makes the wallet pay", () =>
    Effect.gen(function* () {
      const [open] = yield* said(delegated, "wallet", to(bob, { code: own("OpenDelegate") }))
      assert.deepInclude(open, {
        says: "confirmed",
        severity: "critical",
        value: { delegate: bob, label: null, kind: "open" }
      })
      const keyed = (it: Account) => {
        // As its constructor writes it into the code.
        const code = own("KeyedDelegate").replaceAll(`7f${"00".repeat(32)}`, `7f${word(alice).slice(2)}`) as Hex
        const script = to(bob, { code })
        return said(delegated, "wallet", { ...script, accounts: { ...script.accounts, [alice]: it } })
      }
      assert.deepInclude((yield* keyed({ nonce: 1 }))[0], {
        severity: "critical",
        value: { delegate: bob, label: null, kind: "keyed" }
      })
      for (const paid of [{ balance: 1n }, { code: `0xef0100${alice.slice(2)}` as const }])
        assert.deepInclude((yield* keyed(paid))[0], { severity: "critical" })
      // An entry point validates by the account itself, on chains where it is deployed and where it may still be.
      for (const entryPoint of [{ code: inert }, {}])
        assert.deepInclude((yield* keyed(entryPoint))[0], {
          severity: "medium",
          value: { delegate: bob, label: null, kind: "unknown" }
        })
    })
  )

  it.effect("is critical of a delegate by which another key, which the wallet's storage names, makes it pay", () =>
    Effect.gen(function* () {
      // Behind a flag, in the same word.
      const stored = (name: string, slot: Hex, owner: string, it: Account = { nonce: 1 }) => {
        const { accounts = {}, ...script } = to(bob, { code: executing(name) })
        const wallet = { ...accounts[target], storage: { [slot]: word(BigInt(owner) << 8n) } }
        return said(delegated, "wallet", { ...script, accounts: { ...accounts, [alice]: it, [target]: wallet } })
      }
      for (const [name, slot] of [
        ["ExecutesForItsOwnerOnce", "0x0"],
        ["ExecutesForWhoeverComesFirst", "0x1"]
      ] as const) {
        assert.deepInclude((yield* stored(name, slot, alice))[0], {
          severity: "critical",
          value: { delegate: bob, label: null, kind: "keyed" }
        })
        // Itself, nobody, and a contract that may validate by it; but the first caller may replace each of these.
        for (const [owner, it] of [
          [target, {}],
          [Address.zero, {}],
          [alice, { code: inert }]
        ] as const)
          assert.deepInclude(
            (yield* stored(name, slot, owner, it))[0],
            name === "ExecutesForItsOwnerOnce"
              ? { severity: "medium", value: { delegate: bob, label: null, kind: "unknown" } }
              : { says: "unknown: inconclusive" }
          )
      }
    })
  )

  it.effect.each([
    ["names itself in two steps", "ExecutesForWhoeverProposesHimself"],
    ["comes late", "ExecutesForWhoeverComesLate"],
    ["enters itself in a list, which names the owner", "ExecutesForWhomMembersName"]
  ] as const)("is not medium of a delegate that obeys an account which anybody becomes that %s", ([_, name]) =>
    Effect.gen(function* () {
      const [item] = yield* said(delegated, "wallet", to(bob, { code: executing(name) }))
      assert.deepInclude(item, { says: "unknown: inconclusive" })
    })
  )

  it.effect("says where no code stands that the wallet could run", () =>
    Effect.gen(function* () {
      for (const behind of [{}, { code: `0xef0100${alice.slice(2)}` as const }]) {
        const [item] = yield* evidence(delegated, "wallet", to(bob, behind))
        assert.include(item?.detail ?? "", "no code is deployed there")
      }
    })
  )

  it.effect("is medium of a delegate that takes no payment, for that keeps nothing from anybody", () =>
    Effect.gen(function* () {
      const [item] = yield* said(delegated, "wallet", to(bob, { code: inert }, { payment: trial(5n, 0n, 5n) }))
      assert.deepInclude(item, { says: "confirmed", severity: "medium" })
    })
  )

  it.effect("is low of what a wallet's maker publishes, on the chains where it stands", () =>
    Effect.gen(function* () {
      for (const known of KnownDelegates.delegates) {
        const [here] = yield* said(delegated, "wallet", to(known.address, { code: inert }))
        assert.deepInclude(here, {
          says: "confirmed",
          severity: "low",
          value: { delegate: Address.checksum(known.address), label: known.name, kind: "published" }
        })
        const elsewhere = to(known.address, { code: inert }, { chain: { addressBook: 999_999 } })
        assert.deepInclude((yield* said(delegated, "wallet", elsewhere))[0], {
          severity: known.chainIds === undefined ? "low" : "medium"
        })
      }
    })
  )

  it.effect(
    "is critical, or medium, of an address that is published for every chain and steals, or is empty, on this one",
    () =>
      Effect.gen(function* () {
        const everywhere = KnownDelegates.delegates.filter(({ chainIds }) => chainIds === undefined)
        assert.isNotEmpty(everywhere)
        for (const { address } of everywhere) {
          const gone = to(address, { code: inert }, { payment: trial(5n, 1n, 0n) })
          assert.deepInclude((yield* said(delegated, "wallet", gone))[0], { severity: "critical" })
          assert.deepInclude((yield* said(delegated, "wallet", to(address, { code: own("Sweeper") })))[0], {
            severity: "critical"
          })
          const [empty] = yield* said(delegated, "wallet", to(address))
          assert.deepInclude(empty, {
            severity: "medium",
            value: { delegate: Address.checksum(address), label: null, kind: "unknown" }
          })
          const untried = to(address, { code: inert }, { payment: ScriptedChain.reverts() })
          assert.strictEqual((yield* said(delegated, "wallet", untried))[0]?.says, "unknown: method_unsupported")
        }
      })
  )

  it.effect.each<readonly [string, Account]>([
    ["an account without code", { nonce: 1 }],
    ["an empty address", {}],
    ["a contract", { code: inert }],
    ["code that only begins as a designator does", { code: `0xef0100${alice.slice(2)}00` }]
  ])("is refuted of %s", ([_, account]) =>
    Effect.gen(function* () {
      const [item] = yield* said(delegated, "wallet", { accounts: { [target]: account } })
      assert.deepInclude(item, { says: "refuted", value: { delegate: null, label: null, kind: null } })
    })
  )

  it.effect("is unknown at the highest grade where the account or its delegate could not be read or tried", () =>
    Effect.gen(function* () {
      const failingOf = (lost: string) =>
        to(
          bob,
          {},
          { fault: ({ address }) => (address._tag === "Some" && address.value === lost ? "rpc_error" : undefined) }
        )
      const untold = to(
        bob,
        {},
        { fault: ({ address, method }) => (method === "eth_call" && address._tag === "None" ? "rpc_error" : undefined) }
      )
      for (const script of [failingOf(target), failingOf(bob), untold]) {
        const items = yield* said(delegated, "wallet", script)
        assert.deepStrictEqual(
          items.map(({ says, severity, value }) => [says, severity, value]),
          [["unknown: rpc_error", "critical", null]]
        )
      }
      for (const payment of ["0x", word(1n), ScriptedChain.reverts()] as const) {
        const [item] = yield* said(delegated, "wallet", to(bob, {}, { payment }))
        assert.strictEqual(item?.says, "unknown: method_unsupported")
      }
    })
  )

  it.effect("does not apply to tokens and contracts", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(delegated, "token", to(bob)), [])
      assert.deepStrictEqual(yield* said(delegated, "contract", to(bob)), [])
    })
  )
})
