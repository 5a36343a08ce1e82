import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sanctioned } from "../../../src/checks/wallet/Sanctioned.js"
import * as Address from "../../../src/domain/Address.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as Sanctions from "../../../src/facts/wallet/Sanctions.js"
import type { Script } from "../../../src/testing/ScriptedChain.js"
import { addresses } from "../../EthereumBook.js"
import { alice, evidence, failing, inert, said, target, word } from "../Scripted.js"

const { isSanctioned } = Selectors.functions

const oracle = Address.checksum(addresses.sanctionsOracle ?? "0x")

const naming = (listed: ReadonlyArray<Address.Address>, options: Partial<Script> = {}): Script => ({
  accounts: {
    [oracle]: {
      code: inert,
      calls: {
        [isSanctioned]: word(0n),
        ...Object.fromEntries(
          listed.map((account) => [Getter.calldata(isSanctioned, [Getter.word(account)]), word(1n)])
        )
      }
    }
  },
  ...options
})

const [control, otherControl] = Sanctions.longListed

describe("wallet.sanctioned", () => {
  it.effect("is confirmed of an account that the oracle names, and critical", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(sanctioned, "wallet", naming([...Sanctions.longListed, target]))
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(item?.severity, "critical")
      assert.deepStrictEqual(item?.value, { oracle })
      assert.include(item?.source_url, oracle)
    })
  )

  it.effect("is refuted by an oracle that names any of those it must know", () =>
    Effect.gen(function* () {
      for (const known of [control, otherControl]) {
        assert.isDefined(known)
        const [item] = yield* said(sanctioned, "wallet", naming([known ?? alice]))
        assert.strictEqual(item?.says, "refuted")
      }
    })
  )

  it.effect.each<readonly [string, Script]>([
    ["names none of those it must know", naming([])],
    ["names none of those it must know, but this account", naming([target])],
    ["names everybody", { accounts: { [oracle]: { code: inert, calls: { [isSanctioned]: word(1n) } } } }],
    ["answers nothing", { accounts: { [oracle]: { code: inert } } }],
    ["answers no truth value", { accounts: { [oracle]: { code: inert, calls: { [isSanctioned]: word(2n) } } } }]
  ])("is unknown where the oracle %s", ([_, script]) =>
    Effect.gen(function* () {
      const [item] = yield* said(sanctioned, "wallet", script)
      assert.deepInclude(item, { says: "unknown: inconclusive", severity: "critical", value: null })
    })
  )

  it.effect("does not apply where the chain has no oracle, whatever its address answers", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(sanctioned, "wallet", {}), [])
      assert.deepStrictEqual(
        yield* said(sanctioned, "wallet", naming([...Sanctions.longListed], { chain: { addressBook: 31_337 } })),
        []
      )
      assert.deepStrictEqual(yield* said(sanctioned, "token", naming([target])), [])
    })
  )

  it.effect("is unknown where the oracle or its code could not be read", () =>
    Effect.gen(function* () {
      for (const fault of [failing("eth_call", isSanctioned), failing("eth_getCode")]) {
        const items = yield* said(sanctioned, "wallet", naming([...Sanctions.longListed], { fault }))
        assert.deepStrictEqual(
          items.map(({ says, severity }) => [says, severity]),
          [["unknown: rate_limited", "critical"]]
        )
      }
    })
  )
})
