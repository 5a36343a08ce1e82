import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { proxyKind } from "../../../src/checks/contract/ProxyKind.js"
import { singleKey } from "../../../src/checks/contract/SingleKey.js"
import { upgradeable } from "../../../src/checks/contract/Upgradeable.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import * as Roles from "../../../src/facts/control/Roles.js"
import * as Getter from "../../../src/facts/Getter.js"
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
  nobody,
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
const replaced = compile("Replaced.sol")
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

  it.effect("reads from the code who sets a variable of the contract's own", () =>
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

describe("proxy.upgradeable of a proxy without a live administrator", () => {
  const admin = { [Slots.implementation]: word(logic), [Slots.admin]: word(dead) }
  const of = (
    code: Hex,
    storage: { readonly [slot: Hex]: Hex },
    { behind = inert, calls = {} }: { readonly behind?: Hex; readonly calls?: typeof owned } = {}
  ) =>
    Effect.map(
      said(upgradeable, "contract", {
        accounts: {
          [target]: { code, storage, calls },
          [logic]: { code: behind },
          [alice]: person,
          [bob]: person
        }
      }),
      ([item]) => ({ says: item?.says, controller: item?.controller, authority: item?.value?.authority })
    )
  const owned: NonNullable<NonNullable<Script["accounts"]>[Hex]["calls"]> = {}
  const nobodys = { says: "refuted", controller: "dead" } as const
  const by = (authority: Hex) => ({ says: "confirmed", controller: "eoa", authority }) as const
  const immutable = (name: string, value: Hex): Hex =>
    openZeppelin(name).replaceAll(`7f${"0".repeat(64)}`, `7f${word(value).slice(2)}`) as Hex

  it.effect("is refuted where its code requires that one, and nobody can name another", () =>
    Effect.gen(function* () {
      for (const name of ["OfAdmin", "OfNobody"]) assert.deepInclude(yield* of(replaced(name), admin), nobodys, name)
      assert.deepInclude(yield* of(immutable("TransparentUpgradeableProxy", dead), admin), nobodys)
    })
  )

  it.effect("is confirmed of the account that the code requires, whatever the admin slot holds", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* of(replaced("OfConstant", bob), admin), by(bob))
      assert.deepStrictEqual(yield* of(immutable("TransparentUpgradeableProxy", bob), admin), by(bob))
      // Emptied, it says as little.
      const empty = { [Slots.implementation]: word(logic) }
      assert.deepStrictEqual(yield* of(immutable("TransparentUpgradeableProxy", bob), empty), by(bob))
    })
  )

  it.effect("is confirmed of an account that names the next one, and of one that the implementation admits", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* of(replaced("OfAnother", bob), admin), by(bob))
      const behind = { ...admin, [word(0n)]: word(alice) }
      for (const name of ["ReplacesItself", "NamesAdmin"])
        assert.deepStrictEqual(yield* of(replaced("OfAdmin"), behind, { behind: replaced(name) }), by(alice), name)
    })
  )

  it.effect("is unknown where it, or the code behind it, writes to a chosen slot", () =>
    Effect.gen(function* () {
      const behind = replaced("WritesAnywhere")
      const empty = { [Slots.implementation]: word(logic) }
      for (const found of [
        yield* of(replaced("OfNobody"), empty, { behind }),
        yield* of(replaced("OfAdmin"), admin, { behind }),
        yield* of(replaced("OfPlaces", bob), empty)
      ])
        assert.strictEqual(found.says, "unknown: inconclusive")
    })
  )

  it.effect("is confirmed of another way than the standard one, and unknown of a list", () =>
    Effect.gen(function* () {
      const storage = { [Slots.implementation]: word(logic), [word(1n)]: word(bob) }
      const renounced: typeof owned = {
        [functions.owner]: word(nobody),
        [functions.upgradeToAndCall]: ({ from }) => (from === nobody ? "0x" : reverts())
      }
      const uupsOf = (name: string) => of(replaced("OfNobody"), storage, { behind: replaced(name), calls: renounced })
      assert.deepInclude(yield* uupsOf("Standard"), nobodys)
      assert.deepStrictEqual(yield* uupsOf("Migrates"), by(bob))
      assert.strictEqual((yield* uupsOf("MigratesByRole")).says, "unknown: inconclusive")
    })
  )

  it.effect("is confirmed of whoever appoints who takes the next step in a variable of its own", () =>
    Effect.gen(function* () {
      const storage = (owner: Hex, third: Hex) => ({
        [word(0n)]: word(owner),
        [word(1n)]: word(logic),
        [word(2n)]: word(third)
      })
      assert.deepInclude(yield* of(replaced("Appointed"), storage(nobody, nobody)), nobodys)
      assert.deepStrictEqual(yield* of(replaced("TwoSteps"), storage(alice, nobody)), by(alice))
      assert.deepInclude(yield* of(replaced("TwoSteps"), storage(nobody, nobody)), nobodys)
      assert.deepStrictEqual(yield* of(replaced("Reappointed"), storage(nobody, alice)), by(alice))
      const pretending = { [functions.comptrollerImplementation]: word(logic), [functions.admin]: word(nobody) }
      assert.deepStrictEqual(
        yield* of(replaced("Pretending"), storage(alice, nobody), { calls: pretending }),
        by(alice)
      )
    })
  )

  it.effect("is confirmed of the account that a beacon's code requires, and unknown where that is not known", () =>
    Effect.gen(function* () {
      const beacon = account("3")
      const fixed = immutable("BeaconProxy", beacon)
      const behind = (code: Hex, owner: Hex, implementation: Hex = inert, proxy: Hex = fixed) =>
        Effect.map(
          said(upgradeable, "contract", {
            accounts: {
              [target]: {
                code: proxy,
                storage: { [Slots.beacon]: word(beacon), [word(0n)]: word(bob) }
              },
              [beacon]: {
                code,
                storage: { [word(0n)]: word(owner), [word(1n)]: word(logic), [word(2n)]: word(alice) },
                calls: { [functions.owner]: word(owner), [functions.implementation]: word(logic) }
              },
              [logic]: { code: implementation },
              [alice]: person,
              [bob]: person
            }
          }),
          ([item]) => ({ says: item?.says, controller: item?.controller, authority: item?.value?.authority })
        )
      for (const code of [replaced("Beacon"), openZeppelin("UpgradeableBeacon")]) {
        assert.deepInclude(yield* behind(code, nobody), nobodys)
        assert.deepStrictEqual(yield* behind(code, bob), by(bob))
      }
      assert.deepStrictEqual(yield* behind(replaced("BeaconOfAnother"), nobody), by(alice))
      assert.strictEqual((yield* behind(replaced("BeaconOfAnyAnswer", alice), nobody)).says, "unknown: inconclusive")
      const moved = (name: string, proxy: Hex) => behind(replaced("Beacon"), nobody, replaced(name), proxy)
      assert.deepStrictEqual(yield* moved("MovesBeacon", replaced("OfBeacon")), by(bob))
      assert.strictEqual((yield* moved("WritesAnywhere", replaced("OfBeacon"))).says, "unknown: inconclusive")
      for (const name of ["MovesBeacon", "WritesAnywhere"]) assert.deepInclude(yield* moved(name, fixed), nobodys, name)
    })
  )

  it.effect("is unknown of a diamond: only getters give its facets and its owner", () =>
    Effect.gen(function* () {
      const listing = (selector: Hex, owner: Hex) => ({
        [functions.facetAddresses]: list([logic]),
        [functions.facets]: Getter.calldata("0x", [
          ...[word(32n), word(1n), word(32n), word(logic), word(64n), word(1n)],
          Getter.leftAligned(selector)
        ]),
        [functions.owner]: word(owner)
      })
      const diamond = (selector: Hex, owner: Hex) => of(own("Diamond"), {}, { calls: listing(selector, owner) })
      assert.deepStrictEqual(yield* diamond(functions.diamondCut, alice), by(alice))
      assert.strictEqual((yield* diamond(functions.diamondCut, nobody)).says, "unknown: inconclusive")
      assert.strictEqual((yield* diamond(functions.transfer, nobody)).says, "unknown: inconclusive")
    })
  )
})

describe("proxy.upgradeable of a proxy with a multisig owner", () => {
  const signers = { [bob]: safe(2n, [alice, account("c"), account("d")]), [alice]: person }
  const by = ([item]: ReadonlyArray<{ readonly says: string; readonly controller: string | undefined }>) => ({
    says: item?.says,
    controller: item?.controller
  })
  const beacon = account("3")
  const ofBeacon = (name: string) =>
    Effect.map(
      said(upgradeable, "contract", {
        accounts: {
          ...signers,
          [target]: { code: replaced("OfBeacon"), storage: { [Slots.beacon]: word(beacon) } },
          [beacon]: {
            code: replaced(name),
            storage: { [word(0n)]: word(bob), [word(1n)]: word(logic), [word(2n)]: word(account("e")) },
            calls: { [functions.owner]: word(bob), [functions.implementation]: word(logic) }
          },
          [logic]: { code: inert }
        }
      }),
      by
    )

  it.effect("is the owner's where only he is required, and unknown where a list or another account is", () =>
    Effect.gen(function* () {
      const owner = { [functions.owner]: word(bob) }
      const ofOwner = (name: string) =>
        Effect.map(
          said(upgradeable, "contract", {
            accounts: {
              ...signers,
              [target]: {
                code: replaced("OfNobody"),
                storage: { [Slots.implementation]: word(logic), [word(0n)]: word(bob) },
                calls: { ...owner, [functions.upgradeToAndCall]: ({ from }) => (from === bob ? "0x" : reverts()) }
              },
              [logic]: { code: replaced(name) }
            }
          }),
          by
        )
      assert.deepStrictEqual(yield* ofOwner("Standard"), { says: "confirmed", controller: "safe" })
      assert.deepStrictEqual(yield* ofBeacon("Beacon"), { says: "confirmed", controller: "safe" })
      const unknown = { says: "confirmed", controller: "unknown" }
      assert.deepStrictEqual(yield* ofOwner("MigratesByRole"), unknown)
      for (const name of ["BeaconOfTwo", "BeaconOfList"]) assert.deepStrictEqual(yield* ofBeacon(name), unknown, name)
    })
  )

  it.effect("leaves who holds it open for every other claim about control", () =>
    Effect.gen(function* () {
      const [shared] = yield* said(singleKey, "contract", {
        accounts: {
          ...signers,
          [target]: { code: replaced("OfBeacon"), storage: { [Slots.beacon]: word(beacon) } },
          [beacon]: {
            code: replaced("BeaconOfTwo"),
            storage: { [word(0n)]: word(bob), [word(1n)]: word(logic), [word(2n)]: word(account("e")) },
            calls: { [functions.owner]: word(bob), [functions.implementation]: word(logic) }
          },
          [logic]: { code: inert }
        }
      })
      assert.strictEqual(shared?.says, "unknown: inconclusive")
    })
  )
})

describe("proxy.upgradeable of an implementation that requires a role", () => {
  const [administrator, upgrader, other] = [word(0n), Roles.roleHash("UPGRADER_ROLE"), Roles.roleHash("OTHER")]
  const of = (
    name: string,
    members: ReadonlyArray<readonly [role: Hex, member: Hex]>,
    givers: Readonly<Record<Hex, Hex>> = {}
  ) =>
    Effect.map(
      said(upgradeable, "contract", {
        accounts: {
          [target]: {
            code: replaced("OfNobody"),
            storage: { [Slots.implementation]: word(logic) },
            calls: {
              [functions.supportsInterface]: word(1n),
              [functions.hasRole]: word(1n),
              [functions.upgradeToAndCall]: reverts(),
              [Selectors.selector("getRoleAdmin(bytes32)")]: ({ data }) =>
                givers[`0x${(data ?? "0x").slice(10)}`] ?? administrator
            }
          },
          [logic]: { code: replaced(name) },
          [bob]: safe(2n, [alice, account("c"), account("d")]),
          [alice]: person
        },
        logs: members.map(([role, member]) => ({
          address: target,
          topics: [Selectors.topics.RoleGranted, role, word(member), word(alice)]
        }))
      }),
      ([item]) => ({ says: item?.says, controller: item?.controller })
    )
  const members = [
    [administrator, bob],
    [upgrader, bob],
    [other, alice]
  ] as const
  const signed = { says: "confirmed", controller: "safe" } as const
  const single = { says: "confirmed", controller: "eoa" } as const

  it.effect("is its members', whatever keys have other roles", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* of("ByRole", members), signed)
      assert.deepStrictEqual(
        yield* of("ByRole", [
          [administrator, bob],
          [upgrader, alice]
        ]),
        single
      )
    })
  )

  it.effect("is theirs as well who give that role, by whatever role they do", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* of("ByRole", members, { [upgrader]: other }), single)
    })
  )

  it.effect("has no known controller where a list is required, whoever has roles", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* of("ByList", [
          [administrator, bob],
          [upgrader, bob]
        ]),
        {
          says: "confirmed",
          controller: "unknown"
        }
      )
    })
  )
})
