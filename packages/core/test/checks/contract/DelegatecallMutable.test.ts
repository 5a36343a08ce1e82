import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { delegatecallMutable } from "../../../src/checks/contract/DelegatecallMutable.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import type { Account } from "../../../src/testing/ScriptedChain.js"
import { compile } from "../../facts/Compiled.js"
import {
  alice,
  bob,
  delegating,
  failing,
  inert,
  logic,
  nobody,
  openZeppelin,
  own,
  person,
  safe,
  said,
  target,
  word
} from "../Scripted.js"

const { functions, selector } = Selectors
const code = compile("Owned.sol")
const kept = compile("Kept.sol")

const of = (runtime: Hex, options: Partial<Account> = {}) =>
  said(delegatecallMutable, "contract", { accounts: { [target]: { code: runtime, ...options }, [alice]: person } })

const proxied = (runtime: Hex) =>
  said(delegatecallMutable, "contract", {
    accounts: {
      [target]: { code: delegating(Slots.implementation), storage: { [Slots.implementation]: word(logic) } },
      [logic]: { code: runtime }
    }
  })

describe("contract.delegatecall-mutable", () => {
  it.effect("is confirmed of code that comes with the call, with who may bring it", () =>
    Effect.gen(function* () {
      const [byOwner] = yield* of(code("Executing"), { storage: { [word(2n)]: word(alice) } })
      assert.deepInclude(byOwner, { says: "confirmed", severity: "high", controller: "eoa" })
      const execute = selector("execute(address,bytes)")
      assert.deepStrictEqual(byOwner?.value, { functions: [{ selector: execute, from: "argument", slot: null }] })
      assert.deepInclude((yield* of(code("ExecutingForAll")))[0], { says: "confirmed", controller: "eoa" })
    })
  )

  it.effect("is confirmed of code from a variable that an account can set", () =>
    Effect.gen(function* () {
      const [item] = yield* of(code("PluggedIn"), { storage: { [word(2n)]: word(alice) } })
      assert.strictEqual(item?.says, "confirmed")
      assert.deepStrictEqual(item?.value, {
        functions: [{ selector: selector("run()"), from: "storage", slot: "0x3" }]
      })
    })
  )

  it.effect("is refuted where what is run is fixed: a library, the contract itself, a variable set once", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* of(code("Linked", bob)))[0]?.says, "refuted")
      assert.strictEqual((yield* of(code("Batching")))[0]?.says, "refuted")
      assert.strictEqual((yield* proxied(code("Plain")))[0]?.says, "refuted")
    })
  )

  it.effect("is unknown where a function with a chosen slot may write the variable", () =>
    Effect.gen(function* () {
      const [item] = yield* of(compile("Replaced.sol")("RunsKept"), { storage: { [word(0n)]: word(alice) } })
      assert.strictEqual(item?.says, "unknown: inconclusive")
    })
  )

  it.effect("is refuted where nobody is left who could choose", () =>
    Effect.gen(function* () {
      for (const name of ["Executing", "PluggedIn"]) {
        assert.strictEqual((yield* of(code(name), { storage: { [word(2n)]: word(nobody) } }))[0]?.says, "refuted")
      }
    })
  )

  it.effect("looks at whether a variable that is set once was set", () =>
    Effect.gen(function* () {
      const plugged = { [word(2n)]: word(bob) }
      const behind = (storage: NonNullable<Account["storage"]>) =>
        said(delegatecallMutable, "contract", {
          accounts: {
            [target]: {
              code: delegating(Slots.implementation),
              storage: { [Slots.implementation]: word(logic), ...storage }
            },
            [logic]: { code: code("PluggedOnce") }
          }
        })
      assert.strictEqual((yield* behind(plugged))[0]?.says, "refuted")
      assert.strictEqual((yield* behind({}))[0]?.says, "confirmed")
    })
  )

  it.effect("leaves a proxy's delegation and upgrade calls to the claims about proxies", () =>
    Effect.gen(function* () {
      for (const runtime of [own("UupsToken"), own("LogicToken")]) {
        assert.strictEqual((yield* proxied(runtime))[0]?.says, "refuted")
      }
      for (const name of ["ERC1967Proxy", "TransparentUpgradeableProxy"]) {
        const [item] = yield* said(delegatecallMutable, "contract", {
          accounts: {
            [target]: { code: openZeppelin(name), storage: { [Slots.implementation]: word(logic) } },
            [logic]: { code: own("PlainToken") }
          }
        })
        assert.strictEqual(item?.says, "refuted", name)
      }
    })
  )

  it.effect("does not apply to a Safe", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* said(delegatecallMutable, "contract", { accounts: { [target]: safe(1n, [alice]) } }),
        []
      )
    })
  )

  it.effect("is unknown where the delegated code is unknown, and where the code was not read", () =>
    Effect.gen(function* () {
      const [lost] = yield* said(delegatecallMutable, "contract", {
        accounts: { [target]: { code: inert, calls: { [functions.owner]: word(alice) } } },
        fault: failing("eth_getCode")
      })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
      // Jumps to a place that it is given, behind which there is a DELEGATECALL.
      const [jumping] = yield* of("0x5f35565b5f5f5f5f5f355af45b00")
      assert.strictEqual(jumping?.says, "unknown: inconclusive")
    })
  )

  it.effect("is not refuted where nobody can choose it now, but an account may be given the right", () =>
    Effect.gen(function* () {
      const plugged = (keeper: Hex) =>
        of(kept("Plugged"), { storage: { [word(4n)]: word(keeper), [word(7n)]: word(logic) } })
      assert.strictEqual((yield* plugged(alice))[0]?.says, "unknown: inconclusive")
      assert.strictEqual((yield* plugged(nobody))[0]?.says, "refuted")
    })
  )
})
