import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { walletOpen } from "../../../src/checks/wallet/Open.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import type { Account } from "../../../src/testing/ScriptedChain.js"
import { alice, bob, failing, inert, own, person, safe, said, target } from "../Scripted.js"

const of = (it: Account) => said(walletOpen, "wallet", { accounts: { [target]: it } })

describe("wallet.open", () => {
  it.effect("is confirmed, and critical, of a contract that pays what and whom its caller says", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        (yield* of({ code: own("OpenWallet") })).map(({ says, severity, value }) => [says, severity, value]),
        [["confirmed", "critical", { function: "0xb61d27f6" }]]
      )
    })
  )

  it.effect("is refuted of a contract that checks its caller wherever it pays, and of one that pays nobody", () =>
    Effect.gen(function* () {
      for (const code of [own("OwnedWallet"), inert])
        assert.deepInclude((yield* of({ code }))[0], { says: "refuted", value: { function: null } })
    })
  )

  it.effect("is confirmed of a contract that takes what nobody signed for signed", () =>
    Effect.gen(function* () {
      const { isValidSignature } = Selectors.functions
      const signing = (answer: Hex) => of({ code: own("OwnedWallet"), calls: { [isValidSignature]: answer } })
      const [open] = yield* signing(Getter.leftAligned(isValidSignature))
      assert.deepInclude(open, { says: "confirmed", severity: "critical", value: { function: isValidSignature } })
      for (const answer of [Getter.word(0n), Getter.leftAligned("0xffffffff"), isValidSignature])
        assert.deepInclude((yield* signing(answer))[0], { says: "refuted" })
      const lost = {
        accounts: { [target]: { code: own("OwnedWallet") } },
        fault: failing("eth_call", isValidSignature)
      }
      assert.deepInclude((yield* said(walletOpen, "wallet", lost))[0], { says: "unknown: rate_limited" })
      const anyway = { ...lost, accounts: { [target]: { code: own("OpenWallet") } } }
      assert.deepInclude((yield* said(walletOpen, "wallet", anyway))[0], { says: "confirmed" })
    })
  )

  it.effect("is unknown of code that cannot be followed, and where the code was not read", () =>
    Effect.gen(function* () {
      // Delegates to an address that the caller gives.
      assert.deepInclude((yield* of({ code: "0x365f5f375f5f365f5f355af400" }))[0], { says: "unknown: inconclusive" })
      // Forwards any call, or destroys itself for its keeper.
      for (const code of [own("OpenForwarder"), own("Destructible")])
        assert.deepInclude((yield* of({ code }))[0], { says: "unknown: inconclusive" })
      const lost = { accounts: { [target]: { code: own("OpenWallet") } }, fault: failing("eth_getCode") }
      assert.deepInclude((yield* said(walletOpen, "wallet", lost))[0], { says: "unknown: rate_limited" })
    })
  )

  it.effect("does not apply to accounts with a key, to a Safe, and to tokens", () =>
    Effect.gen(function* () {
      for (const it of [person, {}, { code: `0xef0100${bob.slice(2)}` as const }, safe(2n, [alice, bob])])
        assert.deepStrictEqual(yield* of(it), [])
      assert.deepStrictEqual(yield* said(walletOpen, "token", { accounts: { [target]: { code: inert } } }), [])
    })
  )
})
