import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { unknownCode } from "../../../src/checks/wallet/UnknownCode.js"
import * as KnownDelegates from "../../../src/data/KnownDelegates.js"
import * as Address from "../../../src/domain/Address.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import {
  account,
  alice,
  bob,
  evidence,
  failing,
  inert,
  openZeppelin,
  own,
  person,
  safe,
  said,
  target,
  word
} from "../Scripted.js"

const of = (it: Account, others: Script["accounts"] = {}, options: Partial<Script> = {}): Script => ({
  accounts: { [target]: it, ...others },
  ...options
})

const proxy = (logic: Address.Address): Account => ({
  code: openZeppelin("ERC1967Proxy"),
  storage: { [Slots.implementation]: word(logic) }
})

describe("wallet.unknown-code", () => {
  it.effect("is confirmed and low of code that nobody published, also behind a proxy", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(unknownCode, "wallet", of({ code: own("OwnedWallet") }))
      assert.deepInclude(item, { state: "confirmed", severity: "low", value: { others: [target] } })
      const logic = account("2")
      const [behind] = yield* evidence(
        unknownCode,
        "wallet",
        of(proxy(logic), { [logic]: { code: own("OwnedWallet") } })
      )
      assert.deepInclude(behind, { state: "confirmed", value: { others: [logic] } })
    })
  )

  it.effect("is refuted of published builds, and of a published wallet behind a published proxy", () =>
    Effect.gen(function* () {
      const [item] = yield* said(unknownCode, "wallet", of({ code: openZeppelin("TimelockController") }))
      assert.deepInclude(item, { says: "refuted", value: { others: [] } })
      const [known] = KnownDelegates.delegates.filter(({ chainIds }) => chainIds?.includes(1))
      const logic = Address.checksum(known?.address ?? "0x")
      const [behind] = yield* said(unknownCode, "wallet", of(proxy(logic), { [logic]: { code: inert } }))
      assert.deepInclude(behind, { says: "refuted" })
    })
  )

  it.effect("does not apply to an account with a key, to a Safe, nor to tokens and contracts", () =>
    Effect.gen(function* () {
      for (const it of [person, { code: `0xef0100${bob.slice(2)}` } as const, safe(2n, [alice, bob])])
        assert.deepStrictEqual(yield* said(unknownCode, "wallet", of(it)), [])
      for (const kind of ["token", "contract"] as const)
        assert.deepStrictEqual(yield* said(unknownCode, kind, of({ code: own("OwnedWallet") })), [])
    })
  )

  it.effect("is unknown, and low, where the code was not read", () =>
    Effect.gen(function* () {
      const script = of({ code: own("OwnedWallet") }, {}, { fault: failing("eth_getCode") })
      const [item] = yield* evidence(unknownCode, "wallet", script)
      assert.deepInclude(item, { state: "unknown", severity: "low" })
    })
  )
})
