import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { proxyKind } from "../../../src/checks/contract/ProxyKind.js"
import { upgradeable } from "../../../src/checks/contract/Upgradeable.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/Selectors.js"
import * as Slots from "../../../src/evm/Slots.js"
import { reverts, type Script } from "../../../src/testing/ScriptedChain.js"
import { compile } from "../../facts/Compiled.js"
import {
  account,
  alice,
  bob,
  delegating,
  failing,
  inert,
  list,
  logic,
  openZeppelin,
  own,
  person,
  safe,
  said,
  target,
  transparent,
  word
} from "../Scripted.js"

const { functions } = Selectors
const proxies = compile("Proxies.sol")
const dead = "0x000000000000000000000000000000000000dEaD"

const uups = (calls: NonNullable<NonNullable<Script["accounts"]>[`0x${string}`]["calls"]>): Script => ({
  accounts: {
    [target]: { code: delegating(Slots.implementation), storage: { [Slots.implementation]: word(logic) }, calls },
    [logic]: { code: own("UupsToken") },
    [alice]: person
  }
})

describe("proxy.kind", () => {
  it.effect("is refuted of code that runs no foreign code, whatever its slots hold", () =>
    Effect.gen(function* () {
      const [item] = yield* said(proxyKind, "contract", {
        accounts: { [target]: { code: inert, storage: { [Slots.implementation]: word(logic) } } },
        fault: failing("eth_getStorageAt")
      })
      assert.strictEqual(item?.says, "refuted")
    })
  )

  it.effect("names the kind by the slot that the code delegates to", () =>
    Effect.gen(function* () {
      for (const [kind, slot] of [
        ["eip1967", Slots.implementation],
        ["eip1822", Slots.proxiable],
        ["zeppelinos", Slots.zeppelinOsImplementation],
        ["polygon", Slots.polygonImplementation]
      ] as const) {
        const [item] = yield* said(proxyKind, "contract", {
          accounts: { [target]: { code: delegating(slot), storage: { [slot]: word(logic) } }, [logic]: { code: inert } }
        })
        assert.strictEqual(item?.says, "confirmed")
        assert.strictEqual(item?.value?.kind, kind)
        assert.deepStrictEqual(item?.value?.implementations, [logic])
      }
    })
  )

  it.effect("finds an EIP-1167 clone by its code alone", () =>
    Effect.gen(function* () {
      const code = `0x363d3d373d3d3d363d73${logic.slice(2)}5af43d82803e903d91602b57fd5bf3` as const
      const [item] = yield* said(proxyKind, "contract", {
        accounts: { [target]: { code } },
        fault: failing("eth_call")
      })
      assert.strictEqual(item?.value?.kind, "eip1167")
    })
  )

  it.effect("finds a diamond, a Safe, and a slot of the contract's own", () =>
    Effect.gen(function* () {
      const slot = word(0x77n)
      const kinds = yield* Effect.forEach(
        [
          { code: own("Diamond"), calls: { [functions.facetAddresses]: list([logic, bob]) } },
          safe(1n, [alice]),
          { code: delegating(slot), storage: { [slot]: word(logic) } }
        ],
        (code) =>
          Effect.map(said(proxyKind, "contract", { accounts: { [target]: code } }), ([item]) => item?.value?.kind)
      )
      assert.deepStrictEqual(kinds, ["eip2535_diamond", "safe", "delegatecall_slot"])
    })
  )

  it.effect("believes the code, and no getter of what is behind it or of nothing at all", () =>
    Effect.gen(function* () {
      const slot = word(0x77n)
      for (const calls of [
        { [functions.facetAddresses]: list([alice, bob]) },
        { [functions.comptrollerImplementation]: word(alice) },
        { [functions.proxyType]: word(1n), [functions.implementation]: word(alice) }
      ]) {
        const [item] = yield* said(proxyKind, "contract", {
          accounts: {
            [target]: { code: delegating(slot), storage: { [slot]: word(logic) }, calls },
            [logic]: { code: inert }
          }
        })
        assert.strictEqual(item?.value?.kind, "delegatecall_slot")
        assert.deepStrictEqual(item?.value?.implementations, [logic])
      }
    })
  )

  it.effect("finds an implementation that is part of the code", () =>
    Effect.gen(function* () {
      const [item] = yield* said(proxyKind, "contract", {
        accounts: { [target]: { code: proxies("FixedProxy", logic) }, [logic]: { code: inert } }
      })
      assert.strictEqual(item?.value?.kind, "fixed")
      assert.deepStrictEqual(item?.value?.implementations, [logic])
    })
  )

  it.effect("does not believe a slot that the code does not delegate to", () =>
    Effect.gen(function* () {
      const shown = { [Slots.implementation]: word(logic), [word(0x77n)]: word(bob) }
      const named = `0x7f${Slots.implementation.slice(2)}50${delegating(word(0x77n)).slice(2)}` as const
      const [hidden] = yield* said(proxyKind, "contract", {
        accounts: { [target]: { code: named, storage: shown }, [logic]: { code: inert } }
      })
      assert.strictEqual(hidden?.says, "unknown: inconclusive")
      const [unnamed] = yield* said(proxyKind, "contract", {
        accounts: { [target]: { code: delegating(word(0x77n)), storage: shown } }
      })
      assert.strictEqual(unnamed?.value?.kind, "delegatecall_slot")
      assert.deepStrictEqual(unnamed?.value?.implementations, [bob])
      assert.lengthOf(unnamed?.value?.conflicts as Array<string>, 1)
    })
  )

  it.effect("is unknown where a probe was lost, and never none", () =>
    Effect.gen(function* () {
      for (const fault of [failing("eth_getStorageAt"), failing("eth_call"), failing("eth_getCode")]) {
        const [item] = yield* said(proxyKind, "contract", { ...transparent(alice), fault })
        assert.strictEqual(item?.says, "unknown: rate_limited")
      }
    })
  )
})

describe("proxy.upgradeable", () => {
  it.effect("is confirmed of an admin, with the account behind a ProxyAdmin as the controller", () =>
    Effect.gen(function* () {
      const [direct] = yield* said(upgradeable, "contract", transparent(alice))
      assert.deepInclude(direct, { says: "confirmed", controller: "eoa" })
      const proxyAdmin = account("3")
      const [through] = yield* said(
        upgradeable,
        "contract",
        transparent(proxyAdmin, {
          [proxyAdmin]: { code: openZeppelin("ProxyAdmin"), calls: { [functions.owner]: word(bob) } },
          [bob]: safe(2n, [alice, account("c"), account("d")])
        })
      )
      assert.deepInclude(through, { says: "confirmed", controller: "safe" })
    })
  )

  it.effect("is refuted of fixed code and of an admin that nobody is", () =>
    Effect.gen(function* () {
      const [fixed] = yield* said(upgradeable, "contract", { accounts: { [target]: { code: inert } } })
      assert.strictEqual(fixed?.says, "refuted")
      const [burnt] = yield* said(upgradeable, "contract", transparent(dead))
      assert.deepInclude(burnt, { says: "refuted", controller: "dead" })
    })
  )

  it.effect("is confirmed of an implementation that lets its owner replace it, and of one that lets anybody", () =>
    Effect.gen(function* () {
      const calls = { [functions.owner]: word(alice) }
      const [owned] = yield* said(
        upgradeable,
        "contract",
        uups({ ...calls, [functions.upgradeToAndCall]: ({ from }) => (from === alice ? "0x" : reverts()) })
      )
      assert.deepInclude(owned, { says: "confirmed", controller: "eoa" })
      assert.deepStrictEqual(owned?.value, { upgrade: "uups", authority: alice })
      const [open] = yield* said(upgradeable, "contract", uups({ ...calls, [functions.upgradeToAndCall]: "0x" }))
      assert.strictEqual(open?.value?.upgrade, "anyone")
      assert.deepInclude(open, { says: "confirmed", controller: "eoa" })
    })
  )

  it.effect("has an unknown controller where nobody was seen to pass", () =>
    Effect.gen(function* () {
      const [item] = yield* said(upgradeable, "contract", uups({ [functions.owner]: word(account("e")) }))
      assert.deepInclude(item, { says: "confirmed", controller: "unknown" })
    })
  )

  it.effect("tells by the code who sets a variable of the contract's own", () =>
    Effect.gen(function* () {
      const of = (name: string, behind: Hex) =>
        said(upgradeable, "contract", {
          accounts: {
            [target]: { code: proxies(name), storage: { [word(0n)]: word(alice), [word(1n)]: word(logic) } },
            [logic]: { code: behind },
            [alice]: person
          }
        })
      const [owned] = yield* of("OwnedSlotProxy", own("PlainToken"))
      assert.deepInclude(owned, { says: "confirmed", controller: "eoa" })
      assert.deepStrictEqual(owned?.value, { upgrade: "admin", authority: alice })
      const [shut] = yield* of("ShutSlotProxy", inert)
      assert.strictEqual(shut?.says, "refuted")
      // The code behind it writes the same variable.
      assert.strictEqual((yield* of("ShutSlotProxy", proxies("OwnedSlotProxy")))[0]?.says, "unknown: inconclusive")
      assert.strictEqual((yield* of("OpenSlotProxy", inert))[0]?.says, "unknown: inconclusive")
    })
  )

  it.effect("does not apply to a Safe", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(upgradeable, "contract", { accounts: { [target]: safe(1n, [alice]) } }), [])
    })
  )
})
