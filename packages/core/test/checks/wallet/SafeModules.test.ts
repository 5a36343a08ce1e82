import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { safeModules } from "../../../src/checks/wallet/SafeModules.js"
import type { Address } from "../../../src/domain/Address.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import { account, alice, bob, evidence, failing, inert, own, person, safe, said, target, word } from "../Scripted.js"

const { functions } = Selectors

const module = account("e")
const another = account("c")

const of = (it: Account, options: Partial<Script> = {}): Script => ({ accounts: { [target]: it }, ...options })

const enabled = (...modules: ReadonlyArray<Address>): Script => of(safe(2n, [alice, bob], { modules }))

describe("safe.modules", () => {
  it.effect("is confirmed with every module, in one order, and high", () =>
    Effect.gen(function* () {
      for (const kind of ["wallet", "contract"] as const)
        for (const modules of [
          [module, another],
          [another, module]
        ]) {
          const [item] = yield* evidence(safeModules, kind, enabled(...modules))
          assert.strictEqual(item?.state, "confirmed")
          assert.strictEqual(item?.severity, "high")
          assert.deepStrictEqual(item?.value, { modules: [another, module], unlisted: [] })
          assert.include(item?.detail, module)
        }
    })
  )

  it.effect("is refuted of a Safe with an empty list", () =>
    Effect.gen(function* () {
      const [item] = yield* said(safeModules, "wallet", enabled())
      assert.deepInclude(item, { says: "refuted", value: { modules: [], unlisted: [] } })
    })
  )

  it.effect("is confirmed of a module that acted and is enabled past the list", () =>
    Effect.gen(function* () {
      const plain = safe(2n, [alice, bob])
      const acted = {
        address: target,
        topics: [Selectors.topic("ExecutionFromModuleSuccess(address)"), word(module)]
      }
      const isEnabled = (answer: bigint) =>
        of(
          { ...plain, calls: { ...plain.calls, [Selectors.selector("isModuleEnabled(address)")]: word(answer) } },
          { logs: [acted] }
        )
      const [hidden] = yield* said(safeModules, "wallet", isEnabled(1n))
      assert.deepInclude(hidden, { says: "confirmed", value: { modules: [], unlisted: [module] } })
      const [former] = yield* said(safeModules, "wallet", isEnabled(0n))
      assert.deepInclude(former, { says: "refuted", value: { modules: [], unlisted: [] } })
    })
  )

  it.effect(
    "is unknown where the Safe was set up by code that can write past its lists, and where no event was read",
    () =>
      Effect.gen(function* () {
        const setUp = (initializer: Address) => ({
          address: target,
          topics: [Selectors.topic("SafeSetup(address,address[],uint256,address,address)"), word(alice)],
          data: Getter.calldata("0x", [word(128n), word(2n), word(initializer), word(0n), word(0n)])
        })
        const by = (code: Account) =>
          said(safeModules, "wallet", {
            ...enabled(),
            accounts: { [target]: safe(2n, [alice, bob]), [another]: code },
            logs: [setUp(another)]
          })
        assert.deepInclude((yield* by({ code: own("UnlistedEntry") }))[0], {
          says: "unknown: inconclusive",
          value: null
        })
        assert.deepInclude((yield* by({}))[0], { says: "unknown: inconclusive" })
        assert.deepInclude((yield* by({ code: inert }))[0], { says: "refuted" })
        const lost = { ...enabled(), logs: [setUp(another)], fault: failing("eth_getLogs") }
        assert.deepInclude((yield* said(safeModules, "wallet", lost))[0], { says: "unknown: rate_limited" })
      })
  )

  it.effect("is unknown where the list does not answer, and never refuted by that", () =>
    Effect.gen(function* () {
      const plain = safe(2n, [alice, bob])
      const { [functions.getModulesPaginated]: _, ...calls } = plain.calls ?? {}
      for (const answers of [calls, { ...calls, [functions.getModulesPaginated]: "0x" as const }]) {
        const [item] = yield* said(safeModules, "wallet", of({ ...plain, calls: answers }))
        assert.deepInclude(item, { says: "unknown: inconclusive", severity: "high", value: null })
      }
    })
  )

  it.effect("is unknown where the list could not be read", () =>
    Effect.gen(function* () {
      for (const fault of [failing("eth_getCode"), failing("eth_call", functions.getModulesPaginated)]) {
        const items = yield* said(safeModules, "wallet", { ...enabled(module), fault })
        assert.deepStrictEqual(
          items.map(({ says, value }) => [says, value]),
          [["unknown: rate_limited", null]]
        )
      }
    })
  )

  it.effect("does not apply to what is no Safe, nor to tokens", () =>
    Effect.gen(function* () {
      for (const it of [person, { code: inert }, {}])
        assert.deepStrictEqual(yield* said(safeModules, "wallet", of(it)), [])
      assert.deepStrictEqual(yield* said(safeModules, "token", enabled(module)), [])
    })
  )
})
