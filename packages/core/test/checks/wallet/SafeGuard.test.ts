import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { safeGuard } from "../../../src/checks/wallet/SafeGuard.js"
import * as SafeSingletons from "../../../src/data/SafeSingletons.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import type { Script } from "../../../src/testing/ScriptedChain.js"
import { account, alice, bob, evidence, failing, inert, person, safe, said, target, word } from "../Scripted.js"

const stranger = account("e")
const published = Address.checksum("0xfd0732Dc9E303f09fCEf3a7388Ad10A83459Ec99")

const holding = (slots: { readonly [slot: Hex]: Address.Address }, options: Partial<Script> = {}): Script => {
  const made = safe(2n, [alice, bob])
  return {
    accounts: {
      [target]: {
        ...made,
        storage: {
          ...made.storage,
          ...Object.fromEntries(Object.entries(slots).map(([slot, held]) => [slot, word(held)]))
        }
      },
      [stranger]: { code: inert }
    },
    ...options
  }
}

const nothing = { guard: null, module_guard: null, fallback_handler: null, handler_name: null }

describe("safe.guard", () => {
  it.effect.each<readonly [string, Hex, object]>([
    ["a guard", Slots.safeGuard, { ...nothing, guard: stranger }],
    ["a module guard", Slots.safeModuleGuard, { ...nothing, module_guard: stranger }],
    ["a fallback handler", Slots.safeFallbackHandler, { ...nothing, fallback_handler: stranger }]
  ])("is confirmed of %s that Safe did not publish", ([_, slot, value]) =>
    Effect.gen(function* () {
      for (const kind of ["wallet", "contract"] as const) {
        const [item] = yield* evidence(safeGuard, kind, holding({ [slot]: stranger }))
        assert.strictEqual(item?.state, "confirmed")
        assert.strictEqual(item?.severity, "medium")
        assert.deepStrictEqual(item?.value, value)
        assert.include(item?.detail, stranger)
      }
    })
  )

  it.effect("is refuted without any, and of a published handler alone", () =>
    Effect.gen(function* () {
      const [none] = yield* said(safeGuard, "wallet", holding({}))
      assert.deepInclude(none, { says: "refuted", value: nothing })
      const [usual] = yield* said(safeGuard, "wallet", holding({ [Slots.safeFallbackHandler]: published }))
      assert.deepInclude(usual, {
        says: "refuted",
        value: {
          ...nothing,
          fallback_handler: published,
          handler_name: "CompatibilityFallbackHandler 1.4.1"
        }
      })
    })
  )

  it.effect("does not take a handler that was published for other chains by its address alone", () =>
    Effect.gen(function* () {
      const elsewhere = SafeSingletons.fallbackHandlers.find(({ chainIds }) => !chainIds.includes(1))
      assert.isDefined(elsewhere)
      const handler = Address.checksum(elsewhere?.address ?? "0x")
      const [item] = yield* said(safeGuard, "wallet", holding({ [Slots.safeFallbackHandler]: handler }))
      assert.strictEqual(item?.says, "confirmed")
    })
  )

  it.effect("is unknown where a part could not be read, and does not apply to what is no Safe", () =>
    Effect.gen(function* () {
      const unread = holding(
        { [Slots.safeFallbackHandler]: stranger },
        { fault: ({ address }) => (address._tag === "Some" && address.value === stranger ? "rpc_error" : undefined) }
      )
      assert.strictEqual((yield* said(safeGuard, "wallet", unread))[0]?.says, "unknown: rpc_error")
      for (const slot of [Slots.safeGuard, Slots.safeModuleGuard, Slots.safeFallbackHandler]) {
        const [item] = yield* said(safeGuard, "wallet", holding({}, { fault: failing("eth_getStorageAt", slot) }))
        assert.deepInclude(item, { says: "unknown: rate_limited", severity: "medium" })
      }
      assert.deepStrictEqual(yield* said(safeGuard, "wallet", { accounts: { [target]: person } }), [])
      assert.deepStrictEqual(yield* said(safeGuard, "token", holding({})), [])
    })
  )
})
