import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { safeSingleSignature } from "../../../src/checks/wallet/SafeSingleSignature.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import { account, alice, bob, evidence, failing, inert, person, safe, said, target } from "../Scripted.js"

const of = (it: Account, options: Partial<Script> = {}): Script => ({ accounts: { [target]: it }, ...options })

describe("safe.single-signature", () => {
  it.effect("is confirmed and medium where any one of several owners is enough", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(safeSingleSignature, "wallet", of(safe(1n, [alice, bob])))
      assert.deepInclude(item, {
        state: "confirmed",
        severity: "medium",
        value: { owners: [alice, bob], threshold: 1 },
        detail: "the signature of any 1 of 2 owners is enough"
      })
    })
  )

  it.effect("is confirmed and low of a Safe with one owner, which is an account with one key", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(safeSingleSignature, "wallet", of(safe(1n, [alice])))
      assert.deepInclude(item, { state: "confirmed", severity: "low", value: { owners: [alice], threshold: 1 } })
    })
  )

  it.effect("is refuted where two signatures are needed, of however many owners", () =>
    Effect.gen(function* () {
      for (const owners of [
        [alice, bob],
        [account("c"), alice, bob]
      ]) {
        const [item] = yield* said(safeSingleSignature, "wallet", of(safe(2n, owners)))
        assert.deepInclude(item, { says: "refuted", value: { owners, threshold: 2 } })
      }
    })
  )

  it.effect("does not apply to other accounts, nor to code that Safe did not publish", () =>
    Effect.gen(function* () {
      const copy = account("e")
      for (const script of [
        of(person),
        { accounts: { [target]: safe(1n, [alice], { singleton: copy }), [copy]: { code: inert } } }
      ])
        assert.deepStrictEqual(yield* said(safeSingleSignature, "wallet", script), [])
      for (const kind of ["token", "contract"] as const)
        assert.deepStrictEqual(yield* said(safeSingleSignature, kind, of(safe(1n, [alice, bob]))), [])
    })
  )

  it.effect("is unknown, at most medium, where the Safe was not read", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(
        safeSingleSignature,
        "wallet",
        of(safe(2n, [alice, bob]), { fault: failing("eth_getStorageAt") })
      )
      assert.deepInclude(item, { state: "unknown", reason: "rate_limited", severity: "medium" })
    })
  )
})
