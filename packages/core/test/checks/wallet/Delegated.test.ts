import { Artifact } from "@assay/sandbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { delegated } from "../../../src/checks/wallet/Delegated.js"
import * as KnownCode from "../../../src/data/KnownCode.js"
import * as Address from "../../../src/domain/Address.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import { alice, bob, evidence, inert, said, target } from "../Scripted.js"

const to = (delegate: string, behind: Account = {}, options: Partial<Script> = {}): Script => ({
  accounts: { [target]: { code: `0xef0100${delegate.slice(2)}`, nonce: 1 }, [delegate]: behind },
  ...options
})

describe("wallet.delegated", () => {
  it.effect("is confirmed and medium of a delegate that nobody knows, with or without code", () =>
    Effect.gen(function* () {
      for (const behind of [{ code: inert }, {}]) {
        const [item] = yield* evidence(delegated, "wallet", to(bob, behind))
        assert.strictEqual(item?.state, "confirmed")
        assert.strictEqual(item?.severity, "medium")
        assert.deepStrictEqual(item?.value, { delegate: bob, label: null })
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
            value: { delegate: Address.checksum(known.address), label: known.name }
          })
        }
    })
  )

  it.effect("is low of published code, wherever that stands", () =>
    Effect.gen(function* () {
      const [published] = KnownCode.runtimes
      const code = Artifact.load("@uniswap/v2-core/build/UniswapV2Pair.json").deployedBytecode ?? "0x"
      const [item] = yield* said(delegated, "wallet", to(bob, { code }))
      assert.deepInclude(item, {
        says: "confirmed",
        severity: "low",
        value: { delegate: bob, label: published?.name }
      })
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
      assert.deepInclude(item, { says: "refuted", value: { delegate: null, label: null } })
    })
  )

  it.effect("is unknown at the highest grade where the account or its delegate could not be read", () =>
    Effect.gen(function* () {
      for (const lost of [target, bob]) {
        const items = yield* said(
          delegated,
          "wallet",
          to(
            bob,
            {},
            { fault: ({ address }) => (address._tag === "Some" && address.value === lost ? "rpc_error" : undefined) }
          )
        )
        assert.deepStrictEqual(
          items.map(({ says, severity, value }) => [says, severity, value]),
          [["unknown: rpc_error", "critical", null]]
        )
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
