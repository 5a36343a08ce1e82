import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { safeUnknownSingleton } from "../../../src/checks/wallet/SafeUnknownSingleton.js"
import * as SafeSingletons from "../../../src/data/SafeSingletons.js"
import * as Address from "../../../src/domain/Address.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import { account, alice, bob, delegating, evidence, inert, person, safe, said, target } from "../Scripted.js"

const owners = [alice, bob]
const copy = account("e")

const running = (
  singleton: Address.Address,
  behind: Account = { code: inert },
  options: Partial<Script> = {}
): Script => ({
  accounts: { [target]: safe(2n, owners, { singleton }), [singleton]: behind },
  ...options
})

const failingAt =
  (address: string): NonNullable<Script["fault"]> =>
  (read) =>
    read.address._tag === "Some" && read.address.value === address ? "rpc_error" : undefined

describe("safe.unknown-singleton", () => {
  it.effect("is confirmed and critical of code that was not published", () =>
    Effect.gen(function* () {
      for (const kind of ["wallet", "contract"] as const) {
        const [item] = yield* evidence(safeUnknownSingleton, kind, running(copy))
        assert.strictEqual(item?.state, "confirmed")
        assert.strictEqual(item?.severity, "critical")
        assert.deepStrictEqual(item?.value, { singleton: copy, canonical: false })
        assert.include(item?.source_url, copy)
      }
    })
  )

  it.effect("is confirmed of code that keeps its owners to itself", () =>
    Effect.gen(function* () {
      const script: Script = {
        accounts: { [target]: { ...safe(2n, owners, { singleton: copy }), calls: {} }, [copy]: { code: inert } }
      }
      assert.strictEqual((yield* said(safeUnknownSingleton, "wallet", script))[0]?.says, "confirmed")
    })
  )

  it.effect("is refuted of every singleton that was published for the chain", () =>
    Effect.gen(function* () {
      const here = SafeSingletons.singletons.filter(({ chainIds }) => chainIds.includes(1))
      for (const version of ["1.3.0", "1.4.1", "1.5.0"]) assert.isTrue(here.some((each) => each.version === version))
      for (const { address } of here) {
        const [item] = yield* said(safeUnknownSingleton, "wallet", running(Address.checksum(address), {}))
        assert.deepInclude(item, { says: "refuted", value: { singleton: Address.checksum(address), canonical: true } })
      }
    })
  )

  it.effect("is confirmed of one that was published for other chains only", () =>
    Effect.gen(function* () {
      const elsewhere = SafeSingletons.singletons.find(({ chainIds }) => !chainIds.includes(1))
      assert.isDefined(elsewhere)
      const script = running(Address.checksum(elsewhere?.address ?? "0x"))
      assert.strictEqual((yield* said(safeUnknownSingleton, "wallet", script))[0]?.says, "confirmed")
    })
  )

  it.effect.each<readonly [string, Account]>([
    ["has no code", person],
    ["is another contract", { ...safe(2n, owners, { singleton: copy }), code: inert }],
    ["is a proxy of another kind", { ...safe(2n, owners), code: delegating(Slots.safeSingleton) }],
    ["has no singleton", { ...safe(2n, owners), storage: {} }]
  ])("does not apply to an account that %s", ([_, it]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(safeUnknownSingleton, "wallet", { accounts: { [target]: it } }), [])
    })
  )

  it.effect("is unknown where the Safe or its singleton could not be read", () =>
    Effect.gen(function* () {
      for (const lost of [target, copy]) {
        const items = yield* said(safeUnknownSingleton, "wallet", running(copy, {}, { fault: failingAt(lost) }))
        assert.deepStrictEqual(
          items.map(({ says, severity, value }) => [says, severity, value]),
          [["unknown: rpc_error", "critical", null]]
        )
      }
      assert.deepStrictEqual(yield* said(safeUnknownSingleton, "token", running(copy)), [])
    })
  )
})
