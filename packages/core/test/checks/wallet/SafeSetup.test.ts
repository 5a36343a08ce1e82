import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { safeSetup } from "../../../src/checks/wallet/SafeSetup.js"
import * as SafeSingletons from "../../../src/data/SafeSingletons.js"
import * as Address from "../../../src/domain/Address.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import {
  account,
  alice,
  bob,
  delegating,
  evidence,
  failing,
  inert,
  person,
  safe,
  safeProxy,
  said,
  target
} from "../Scripted.js"

const { functions } = Selectors

const owners = [alice, bob]
const copy = account("e")

const of = (it: Account, options: Partial<Script> = {}): Script => ({ accounts: { [target]: it }, ...options })

const without = (selector: `0x${string}`): Account => {
  const { [selector]: _, ...calls } = safe(2n, owners).calls ?? {}
  return { ...safe(2n, owners), calls }
}

describe("safe.setup", () => {
  it.effect("is confirmed of a published singleton on a chain where it was published, by any kind of account", () =>
    Effect.gen(function* () {
      for (const kind of ["wallet", "contract"] as const) {
        const [item] = yield* evidence(safeSetup, kind, of(safe(2n, [bob, alice])))
        assert.strictEqual(item?.state, "confirmed")
        assert.deepStrictEqual(item?.value, {
          canonical: true,
          owners,
          singleton: "0x41675C099F32341bf84BFc5382aF534df5C7461a",
          threshold: 2,
          version: "1.4.1"
        })
        assert.strictEqual(item?.detail, "2 of 2 signatures needed, version 1.4.1")
        assert.strictEqual(item?.severity, "info")
        assert.strictEqual(item?.observation?.method, "eth_call")
      }
    })
  )

  it.effect("is refuted of a singleton that Safe did not publish, or not on this chain", () =>
    Effect.gen(function* () {
      const [unpublished] = yield* said(safeSetup, "wallet", {
        accounts: { [target]: safe(2n, owners, { singleton: copy }), [copy]: { code: inert } }
      })
      assert.strictEqual(unpublished?.says, "refuted")
      assert.deepInclude(unpublished?.value, { canonical: false, singleton: copy })
      const here = SafeSingletons.singletons.find(({ chainIds }) => !chainIds.includes(1))
      assert.isDefined(here)
      const elsewhere = Address.checksum(here?.address ?? "0x")
      const [moved] = yield* said(safeSetup, "wallet", of(safe(2n, owners, { singleton: elsewhere })))
      assert.strictEqual(moved?.says, "refuted")
    })
  )

  it.effect("is confirmed without a version where the published singleton has none", () =>
    Effect.gen(function* () {
      const [item] = yield* said(safeSetup, "wallet", of(without(functions.version)))
      assert.strictEqual(item?.says, "confirmed")
      assert.deepInclude(item?.value, { version: null, canonical: true })
    })
  )

  it.effect.each<readonly [string, Account]>([
    ["has no code", person],
    ["is another contract, whatever it answers", { ...safe(2n, owners), code: inert }],
    ["is a proxy of another kind", { ...safe(2n, owners), code: delegating(Slots.safeSingleton) }],
    ["can do more than delegate", { ...safe(2n, owners), code: `${safeProxy}ff` }],
    ["tells no owners", without(functions.getOwners)],
    ["tells no threshold", without(functions.getThreshold)],
    ["has no singleton", { ...safe(2n, owners), storage: {} }]
  ])("does not apply to an account that %s", ([_, it]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(safeSetup, "wallet", of(it)), [])
    })
  )

  it.effect("is unknown where a part of a Safe could not be read, and does not apply to other contracts", () =>
    Effect.gen(function* () {
      const lost = [
        failing("eth_getCode"),
        failing("eth_getStorageAt"),
        ...[
          functions.version,
          functions.getOwners,
          functions.getThreshold,
          functions.nonce,
          functions.getModulesPaginated
        ].map((selector) => failing("eth_call", selector))
      ]
      for (const fault of lost) {
        const items = yield* said(safeSetup, "wallet", of(safe(2n, owners), { fault }))
        assert.deepStrictEqual(
          items.map(({ says, value }) => [says, value]),
          [["unknown: rate_limited", null]]
        )
      }
      for (const fault of lost.slice(1))
        assert.deepStrictEqual(yield* said(safeSetup, "wallet", of(person, { fault })), [])
      const unseen = of(safe(2n, owners, { singleton: copy }), {
        fault: ({ address }) => (address._tag === "Some" && address.value === copy ? "rpc_error" : undefined)
      })
      assert.deepStrictEqual(
        (yield* said(safeSetup, "wallet", unseen)).map(({ says }) => says),
        ["unknown: rpc_error"]
      )
    })
  )

  it.effect("does not apply to tokens", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(safeSetup, "token", of(safe(2n, owners))), [])
    })
  )
})
