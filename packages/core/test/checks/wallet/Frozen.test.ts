import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { frozen } from "../../../src/checks/wallet/Frozen.js"
import * as Address from "../../../src/domain/Address.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import { evidence, failing, inert, said, word } from "../Scripted.js"

const { isBlackListed, isBlacklisted } = Selectors.functions

const usdc = Address.checksum("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48")
const usdt = Address.checksum("0xdAC17F958D2ee523a2206206994597C13D831ec7")

const coin = (getter: `0x${string}`, answer: bigint): Account => ({ code: inert, calls: { [getter]: word(answer) } })

const coins = (byCircle: bigint, byTether: bigint, options: Partial<Script> = {}): Script => ({
  accounts: { [usdc]: coin(isBlacklisted, byCircle), [usdt]: coin(isBlackListed, byTether) },
  ...options
})

const failingAt =
  (address: string): NonNullable<Script["fault"]> =>
  (read) =>
    read.address._tag === "Some" && read.address.value === address ? "rpc_error" : undefined

describe("wallet.frozen", () => {
  it.effect("is confirmed with the coins that are frozen, whatever their issuer calls it", () =>
    Effect.gen(function* () {
      const [both] = yield* evidence(frozen, "wallet", coins(1n, 1n))
      assert.strictEqual(both?.state, "confirmed")
      assert.strictEqual(both?.severity, "high")
      assert.deepStrictEqual(both?.value, {
        tokens: [
          { address: usdc, symbol: "USDC" },
          { address: usdt, symbol: "USDT" }
        ],
        tried: 0,
        complete: true
      })
      assert.include(both?.source_url, usdc)
      const [one] = yield* said(frozen, "wallet", coins(0n, 1n))
      assert.deepInclude(one?.value, { tokens: [{ address: usdt, symbol: "USDT" }] })
      for (const getter of ["isFrozen(address)", "isBlocked(address)"]) {
        const script = { accounts: { [usdc]: coin(Selectors.selector(getter), 1n) } }
        assert.strictEqual((yield* said(frozen, "wallet", script))[0]?.says, "confirmed")
      }
    })
  )

  it.effect("is refuted by coins that could and did not", () =>
    Effect.gen(function* () {
      const [item] = yield* said(frozen, "wallet", coins(0n, 0n))
      assert.deepInclude(item, { says: "refuted", value: { tokens: [], tried: 0, complete: true } })
    })
  )

  it.effect("does not apply where no known coin can freeze, or none is known", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(frozen, "wallet", {}), [])
      assert.deepStrictEqual(yield* said(frozen, "wallet", { accounts: { [usdc]: { code: inert } } }), [])
      assert.deepStrictEqual(yield* said(frozen, "wallet", coins(1n, 1n, { chain: { addressBook: 31_337 } })), [])
      assert.deepStrictEqual(yield* said(frozen, "token", coins(1n, 1n)), [])
    })
  )

  it.effect("is unknown where one did not answer, and stays confirmed by another", () =>
    Effect.gen(function* () {
      const [silent] = yield* said(frozen, "wallet", coins(0n, 0n, { fault: failingAt(usdt) }))
      assert.deepInclude(silent, { says: "unknown: rpc_error", severity: "high" })
      const [other] = yield* said(frozen, "wallet", coins(1n, 0n, { fault: failingAt(usdt) }))
      assert.deepInclude(other, {
        says: "confirmed",
        value: { tokens: [{ address: usdc, symbol: "USDC" }], tried: 0, complete: false }
      })
      const [all] = yield* said(frozen, "wallet", coins(1n, 1n, { fault: failing("eth_call") }))
      assert.strictEqual(all?.says, "unknown: rate_limited")
      // The getter that was lost is the one that would have said so.
      const [half] = yield* said(frozen, "wallet", {
        accounts: { [usdc]: { code: inert, calls: { [isBlacklisted]: word(0n) } } },
        fault: failing("eth_call", isBlackListed)
      })
      assert.strictEqual(half?.says, "unknown: rate_limited")
    })
  )
})
