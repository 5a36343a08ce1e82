import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { implementationUninitialised } from "../../../src/checks/contract/ImplementationUninitialised.js"
import { selfdestructReachable } from "../../../src/checks/contract/SelfdestructReachable.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import * as Getter from "../../../src/facts/Getter.js"
import { type Answer, reverts, type Script } from "../../../src/testing/ScriptedChain.js"
import { compile } from "../../facts/Compiled.js"
import { account, alice, delegating, failing, inert, own, person, safe, said, target, text, word } from "../Scripted.js"

const logic = account("2")

const proxied = (code: Hex, calls: { readonly [data: Hex]: Answer } = {}, version: Hex = "0x0"): Script => ({
  accounts: {
    [target]: { code: delegating(Slots.implementation), storage: { [Slots.implementation]: word(logic) } },
    [logic]: { code, calls, storage: { [Slots.initializable]: version } }
  }
})

const initialize = Selectors.selector("initialize(string,string,uint256,address)")

describe("proxy.implementation-uninitialised", () => {
  it.effect("is confirmed where a stranger's call succeeds, and critical where that could destroy the code", () =>
    Effect.gen(function* () {
      const [grave] = yield* said(
        implementationUninitialised,
        "token",
        proxied(own("OpenUupsToken"), { [initialize]: "0x" })
      )
      assert.deepInclude(grave, { says: "confirmed", severity: "critical" })
      const [mild] = yield* said(
        implementationUninitialised,
        "token",
        proxied(own("LogicToken"), { [initialize]: "0x" })
      )
      assert.deepInclude(mild, { says: "confirmed", severity: "medium" })
    })
  )

  it.effect("is refuted by the version that it keeps, or by a revert that says so", () =>
    Effect.gen(function* () {
      const code = own("LogicToken")
      const [locked] = yield* said(implementationUninitialised, "token", proxied(code, {}, "0xffffffffffffffff"))
      assert.strictEqual(locked?.says, "refuted")
      for (const data of [
        Selectors.selector("InvalidInitialization()"),
        Getter.calldata(Selectors.selector("Error(string)"), [text("already initialized")])
      ]) {
        const [said5] = yield* said(
          implementationUninitialised,
          "token",
          proxied(code, { [initialize]: reverts(data) })
        )
        assert.strictEqual(said5?.says, "refuted")
      }
    })
  )

  it.effect("is unknown of a revert without a reason, and of a lost call", () =>
    Effect.gen(function* () {
      const [silent] = yield* said(implementationUninitialised, "token", proxied(own("LogicToken")))
      assert.strictEqual(silent?.says, "unknown: inconclusive")
      const [lost] = yield* said(implementationUninitialised, "token", {
        ...proxied(own("LogicToken")),
        fault: failing("eth_call", initialize)
      })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )

  it.effect(
    "does not apply to what is no proxy, to a Safe, and to code that has nothing to initialise and cannot end",
    () =>
      Effect.gen(function* () {
        for (const script of [
          { accounts: { [target]: { code: own("LogicToken") } } },
          { accounts: { [target]: safe(1n, [alice]) } },
          proxied(own("PlainToken"))
        ]) {
          assert.deepStrictEqual(yield* said(implementationUninitialised, "token", script), [])
        }
      })
  )
})

describe("contract.selfdestruct-reachable", () => {
  const of = (code: Hex, accounts: Script["accounts"] = {}) =>
    said(selfdestructReachable, "contract", { accounts: { [target]: { code }, ...accounts } })
  // A constructor's call is one of the zero address to a scripted chain; a word of zeros is what TLOAD answers.
  const cancun = { [Address.zero]: { calls: { "0x60005c60005260206000f3": word(0n) } } } as const

  it.effect("is confirmed where a path leads to it, here or behind a proxy", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* of("0x33ff"))[0]?.says, "confirmed")
      assert.strictEqual((yield* said(selfdestructReachable, "contract", proxied("0x33ff")))[0]?.says, "confirmed")
    })
  )

  it.effect("is high on a chain where it ends the contract, and medium where it leaves the code", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* of("0x33ff"))[0]?.severity, "high")
      assert.strictEqual((yield* of("0x33ff", cancun))[0]?.severity, "medium")
      const [lost] = yield* said(selfdestructReachable, "contract", {
        accounts: { [target]: { code: "0x33ff" } },
        fault: failing("eth_call", "0x60005c60005260206000f3")
      })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )

  it.effect("weighs no more where it is unknown than where it is confirmed", () =>
    Effect.gen(function* () {
      const executing = compile("Owned.sol")("ExecutingForAll")
      const [spared] = yield* of(executing, cancun)
      assert.deepInclude(spared, { says: "unknown: inconclusive", severity: "medium" })
      const [deleted] = yield* of(executing)
      assert.deepInclude(deleted, { says: "unknown: inconclusive", severity: "high" })
    })
  )

  it.effect("is refuted where no code has it, and not by data that looks like it", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* of(inert))[0]?.says, "refuted")
      assert.strictEqual((yield* of("0x60ff5f5500"))[0]?.says, "refuted")
    })
  )

  it.effect("is refuted of code that an upgrade replaces, which is a power of its own", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* of(own("UupsToken")))[0]?.says, "refuted")
    })
  )

  it.effect("looks into a library, and is unknown for code that a caller brings", () =>
    Effect.gen(function* () {
      const linked = compile("Owned.sol")("Linked", logic)
      assert.strictEqual((yield* of(linked, { [logic]: { code: inert } }))[0]?.says, "refuted")
      assert.strictEqual((yield* of(linked, { [logic]: { code: "0x33ff" } }))[0]?.says, "confirmed")
      // An account may set one where it is missing.
      assert.strictEqual((yield* of(linked))[0]?.says, "unknown: inconclusive")
      assert.strictEqual((yield* of(compile("Owned.sol")("ExecutingForAll")))[0]?.says, "unknown: inconclusive")
    })
  )

  it.effect("is refuted where only an owner who is gone could bring code", () =>
    Effect.gen(function* () {
      const code = compile("Owned.sol")("Executing")
      assert.strictEqual((yield* of(code))[0]?.says, "refuted")
      const [owned] = yield* said(selfdestructReachable, "contract", {
        accounts: { [target]: { code, storage: { [word(2n)]: word(alice) } }, [alice]: person }
      })
      assert.strictEqual(owned?.says, "unknown: inconclusive")
    })
  )

  it.effect("is unknown where it stands in a block that nothing was seen to reach, or the code was not read", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* of("0x005b33ff"))[0]?.says, "unknown: inconclusive")
      const [lost] = yield* said(selfdestructReachable, "contract", {
        ...proxied(inert),
        fault: failing("eth_getCode")
      })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )
})
