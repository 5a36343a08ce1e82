import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { implementationMissing } from "../../../src/checks/contract/ImplementationMissing.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import type { Script } from "../../../src/testing/ScriptedChain.js"
import { account, bob, delegating, failing, inert, list, own, said, target, word } from "../Scripted.js"

const { functions } = Selectors
const logic = account("2")

const proxied = (accounts: Script["accounts"] = {}): Script => ({
  accounts: {
    [target]: { code: delegating(Slots.implementation), storage: { [Slots.implementation]: word(logic) } },
    ...accounts
  }
})
const of = (script: Script) => said(implementationMissing, "contract", script)

describe("proxy.implementation-missing", () => {
  it.effect("is confirmed and critical of a proxy to an address without code", () =>
    Effect.gen(function* () {
      const [item] = yield* of(proxied())
      assert.deepInclude(item, { says: "confirmed", severity: "critical" })
      assert.deepStrictEqual(item?.value, { implementations: [logic], missing: [logic] })
    })
  )

  it.effect("is confirmed of a variable that is not set, and of one of many facets", () =>
    Effect.gen(function* () {
      const [unset] = yield* of({ accounts: { [target]: { code: delegating(word(0x77n)) } } })
      assert.strictEqual(unset?.says, "confirmed")
      const [facet] = yield* of({
        accounts: {
          [target]: { code: own("Diamond"), calls: { [functions.facetAddresses]: list([logic, bob]) } },
          [logic]: { code: inert }
        }
      })
      assert.strictEqual(facet?.says, "confirmed")
      assert.deepStrictEqual(facet?.value?.missing, [bob])
    })
  )

  it.effect("is unknown of a contract of the chain itself: without code, and calls of it return data", () =>
    Effect.gen(function* () {
      const code = delegating(Slots.implementation)
      const storage = { [Slots.implementation]: word(logic) }
      const [item] = yield* of({ accounts: { [target]: { code, storage, calls: { [functions.decimals]: word(8n) } } } })
      assert.strictEqual(item?.says, "unknown: inconclusive")
    })
  )

  it.effect("is refuted where there is code", () =>
    Effect.gen(function* () {
      const [item] = yield* of(proxied({ [logic]: { code: own("LogicToken") } }))
      assert.strictEqual(item?.says, "refuted")
    })
  )

  it.effect("does not apply to what is no proxy, or none of a known pattern", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* of({ accounts: { [target]: { code: inert } } }), [])
      // Delegates to an address that it is given.
      assert.deepStrictEqual(yield* of({ accounts: { [target]: { code: "0x5f5f5f5f5f355af400" } } }), [])
    })
  )

  it.effect("is unknown of a beacon that names nothing, and where a read was lost", () =>
    Effect.gen(function* () {
      const [silent] = yield* of({
        accounts: {
          [target]: { code: delegating(Slots.beacon), storage: { [Slots.beacon]: word(logic) } },
          [logic]: { code: inert }
        }
      })
      assert.strictEqual(silent?.says, "unknown: inconclusive")
      const [lost] = yield* of({
        ...proxied(),
        fault: (read) =>
          read.method === "eth_getCode" && read.address._tag === "Some" && read.address.value === logic
            ? "rate_limited"
            : undefined
      })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
      const [slot] = yield* of({ ...proxied(), fault: failing("eth_getStorageAt") })
      assert.strictEqual(slot?.says, "unknown: rate_limited")
    })
  )
})
