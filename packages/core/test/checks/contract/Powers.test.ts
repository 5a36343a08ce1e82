import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { controllers } from "../../../src/checks/contract/Controllers.js"
import { hiddenController } from "../../../src/checks/contract/HiddenController.js"
import { owner } from "../../../src/checks/contract/Owner.js"
import { renounced } from "../../../src/checks/contract/Renounced.js"
import { roles } from "../../../src/checks/contract/Roles.js"
import { singleKey } from "../../../src/checks/contract/SingleKey.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Roles from "../../../src/facts/control/Roles.js"
import * as Getter from "../../../src/facts/Getter.js"
import type { Script } from "../../../src/testing/ScriptedChain.js"
import { compile } from "../../facts/Compiled.js"
import {
  account,
  alice,
  bob,
  failing,
  inert,
  nobody,
  openZeppelin,
  own,
  person,
  safe,
  said,
  target,
  word
} from "../Scripted.js"

const { functions, interfaceIds, topics } = Selectors

const owned = (by: `0x${string}`, accounts: Script["accounts"] = {}): Script => ({
  accounts: { [target]: { code: inert, calls: { [functions.owner]: word(by) } }, [alice]: person, ...accounts }
})
const ownerless: Script = { accounts: { [target]: { code: inert } } }
const lostOwner = failing("eth_call", functions.owner)

const minter = Roles.roleHash("MINTER_ROLE")
const withRoles = (options: { readonly has: boolean; readonly complete?: boolean }): Script => ({
  accounts: {
    [target]: {
      code: inert,
      calls: {
        [Getter.calldata(functions.supportsInterface, [Getter.leftAligned(interfaceIds.accessControl)])]: word(1n),
        [functions.hasRole]: word(0n),
        [Getter.calldata(functions.hasRole, [minter, word(alice)])]: word(options.has ? 1n : 0n)
      }
    },
    [alice]: person
  },
  logs: [{ address: target, topics: [topics.RoleGranted, minter, word(alice), word(bob)] }],
  logsComplete: options.complete ?? true
})

describe("control.owner", () => {
  it.effect("is confirmed, refuted or unknown by the getters", () =>
    Effect.gen(function* () {
      const [found] = yield* said(owner, "contract", owned(alice))
      assert.deepInclude(found, { says: "confirmed", value: { owner: alice } })
      assert.strictEqual((yield* said(owner, "contract", ownerless))[0]?.says, "refuted")
      assert.strictEqual(
        (yield* said(owner, "contract", { ...ownerless, fault: lostOwner }))[0]?.says,
        "unknown: rate_limited"
      )
    })
  )
})

describe("an owner that two getters give differently", () => {
  const torn: Script = {
    accounts: {
      [target]: { code: inert, calls: { [functions.owner]: word(nobody), [functions.getOwner]: word(alice) } },
      [alice]: person
    }
  }

  it.effect("is the first one's, and unknown where that was lost", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* said(renounced, "token", torn))[0]?.says, "confirmed")
      assert.strictEqual((yield* said(hiddenController, "token", torn))[0]?.says, "confirmed")
      const lost = { ...torn, fault: lostOwner }
      for (const check of [owner, renounced, hiddenController])
        assert.strictEqual((yield* said(check, "token", lost))[0]?.says, "unknown: rate_limited", check.id)
    })
  )
})

describe("a contract that owns itself", () => {
  it.effect("has an owner, and has not given up ownership", () =>
    Effect.gen(function* () {
      const [named] = yield* said(owner, "token", owned(target))
      assert.deepInclude(named, { says: "confirmed", value: { owner: target } })
      assert.strictEqual((yield* said(renounced, "token", owned(target)))[0]?.says, "refuted")
    })
  )
})

describe("control.controllers", () => {
  it.effect("names who has a power, is refuted of nobody, and unknown where one is unknown", () =>
    Effect.gen(function* () {
      const [found] = yield* said(controllers, "contract", owned(alice))
      assert.strictEqual(found?.says, "confirmed")
      assert.strictEqual((yield* said(controllers, "contract", ownerless))[0]?.says, "refuted")
      assert.strictEqual((yield* said(controllers, "contract", owned(nobody)))[0]?.says, "refuted")
      const [lost] = yield* said(controllers, "contract", { ...ownerless, fault: lostOwner })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
      assert.deepInclude(found?.value, { complete: true })
      const untold: Script["fault"] = ({ address, method }) =>
        method === "eth_getCode" && Option.contains(address, nobody) ? "rate_limited" : undefined
      const [blurred] = yield* said(controllers, "contract", { ...owned(nobody), fault: untold })
      assert.strictEqual(blurred?.says, "unknown: rate_limited")
    })
  )
})

describe("control.renounced", () => {
  it.effect("is confirmed of nobody, refuted of anybody, and no claim about a contract that never had an owner", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* said(renounced, "token", owned(nobody)))[0]?.says, "confirmed")
      assert.strictEqual((yield* said(renounced, "token", owned(alice)))[0]?.says, "refuted")
      const identity = "0x0000000000000000000000000000000000000004"
      assert.strictEqual((yield* said(renounced, "token", owned(identity)))[0]?.says, "confirmed")
      assert.strictEqual((yield* said(hiddenController, "token", owned(identity)))[0]?.says, "refuted")
      assert.deepStrictEqual(yield* said(renounced, "token", ownerless), [])
      const [lost] = yield* said(renounced, "token", { ...ownerless, fault: lostOwner })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )
})

describe("control.renounced of an owner whom only a getter denies", () => {
  const kept = compile("Kept.sol")
  const denying = (name: string, owner: Hex): Script => ({
    accounts: {
      [target]: {
        code: kept(name),
        storage: { [word(3n)]: word(owner), [word(6n)]: word(1n) },
        calls: { [functions.owner]: word(nobody) }
      },
      [alice]: person
    }
  })
  it.effect("is refuted where the variable behind the getter has an account, unknown where there is no variable", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* said(renounced, "token", denying("Veiled", alice)))[0]?.says, "refuted")
      assert.strictEqual((yield* said(renounced, "token", denying("Veiled", nobody)))[0]?.says, "confirmed")
      assert.strictEqual((yield* said(renounced, "token", denying("Denied", alice)))[0]?.says, "unknown: inconclusive")
      assert.strictEqual((yield* said(renounced, "token", denying("Denied", nobody)))[0]?.says, "confirmed")
    })
  )

  it.effect("is unknown where the account in the variable that its functions require, or its kind, was lost", () =>
    Effect.gen(function* () {
      const script = denying("Denied", alice)
      for (const fault of [
        failing("eth_getStorageAt", word(3n)),
        ((read) => (Option.contains(read.address, alice) ? "rate_limited" : undefined)) satisfies Script["fault"]
      ])
        assert.match((yield* said(renounced, "token", { ...script, fault }))[0]?.says ?? "", /^unknown/)
    })
  )
})

describe("control.renounced of an owner who is nobody for now", () => {
  const lent = compile("Lent.sol")

  it.effect(
    "is unknown where another contract names him, or another variable can be what the getter answers with",
    () =>
      Effect.gen(function* () {
        const of = (name: string): Script => ({
          accounts: { [target]: { code: lent(name), calls: { [functions.owner]: word(nobody) } } }
        })
        const [lending] = yield* said(renounced, "token", of("LentToken"))
        assert.strictEqual(lending?.says, "unknown: dependency_unknown")
        const [turning] = yield* said(renounced, "token", of("TakingTurns"))
        assert.strictEqual(turning?.says, "unknown: inconclusive")
      })
  )
})

describe("control.hidden", () => {
  it.effect("is confirmed where the code lets another address through than the owner that renounced", () =>
    Effect.gen(function* () {
      const [found] = yield* said(hiddenController, "token", {
        accounts: {
          // The owner is behind a byte of its word, in the slot that Pausable shares with Ownable.
          [target]: {
            code: own("ManagedToken"),
            storage: { [word(5n)]: `0x${alice.slice(2)}00` },
            calls: { [functions.owner]: word(nobody) }
          },
          [alice]: person
        }
      })
      assert.strictEqual(found?.says, "confirmed")
      assert.strictEqual(found?.severity, "critical")
      const holders = (found?.value?.holders ?? []) as ReadonlyArray<{ readonly address: string }>
      assert.deepStrictEqual(
        holders.map(({ address }) => address),
        [alice]
      )
    })
  )

  it.effect("is refuted where nobody else passes, and no claim about an owner who is there", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* said(hiddenController, "token", owned(nobody)))[0]?.says, "refuted")
      assert.deepStrictEqual(yield* said(hiddenController, "token", owned(alice)), [])
      assert.deepStrictEqual(yield* said(hiddenController, "token", ownerless), [])
    })
  )

  it.effect("is unknown where a part of the powers was lost", () =>
    Effect.gen(function* () {
      const [lost] = yield* said(hiddenController, "token", {
        ...owned(nobody),
        fault: failing("eth_call", functions.hasRole)
      })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )
})

describe("control.roles", () => {
  it.effect("names members that an event names and that hasRole still knows", () =>
    Effect.gen(function* () {
      const [found] = yield* said(roles, "contract", withRoles({ has: true }))
      assert.deepInclude(found, {
        says: "confirmed",
        value: { roles: [{ role: "MINTER_ROLE", member: alice }], complete: true }
      })
      assert.strictEqual((yield* said(roles, "contract", withRoles({ has: false })))[0]?.says, "refuted")
      assert.strictEqual((yield* said(roles, "contract", ownerless))[0]?.says, "refuted")
    })
  )

  it.effect("is unknown where the contract has a role scheme of its own", () =>
    Effect.gen(function* () {
      const [found] = yield* said(roles, "contract", {
        accounts: { [target]: { code: compile("Schemes.sol")("OwnScheme") } }
      })
      assert.strictEqual(found?.says, "unknown: inconclusive")
    })
  )

  it.effect("is unknown where the events of some blocks are missing and no member was found", () =>
    Effect.gen(function* () {
      const [partial] = yield* said(roles, "contract", withRoles({ has: false, complete: false }))
      assert.strictEqual(partial?.says, "unknown: log_range_limited")
      const [some] = yield* said(roles, "contract", withRoles({ has: true, complete: false }))
      assert.strictEqual(some?.says, "confirmed")
      assert.deepInclude(some?.value, { complete: false })
    })
  )

  it.effect("is unknown where the getter that names its only member was lost", () =>
    Effect.gen(function* () {
      const pauser = Selectors.selector("pauser()")
      const named: Script = {
        accounts: { [target]: { code: inert, calls: { [pauser]: word(alice) } }, [alice]: person }
      }
      const [found] = yield* said(roles, "token", named)
      assert.deepInclude(found, {
        says: "confirmed",
        value: { roles: [{ role: "pauser", member: alice }], complete: true }
      })
      const [lost] = yield* said(roles, "token", { ...named, fault: failing("eth_call", pauser) })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
      // Another getter can hide no member.
      const [other] = yield* said(roles, "token", { ...ownerless, fault: lostOwner })
      assert.strictEqual(other?.says, "refuted")
    })
  )
})

describe("control.single-key", () => {
  it.effect("is confirmed of a key and refuted of a Safe and of nobody", () =>
    Effect.gen(function* () {
      const [found] = yield* said(singleKey, "contract", owned(alice))
      assert.deepInclude(found, {
        says: "confirmed",
        value: { holders: [{ address: alice, powers: ["owner"] }], complete: true },
        controller: "eoa"
      })
      const council = owned(bob, { [bob]: safe(2n, [alice, account("c"), account("d")]) })
      assert.strictEqual((yield* said(singleKey, "contract", council))[0]?.says, "refuted")
      assert.strictEqual((yield* said(singleKey, "contract", ownerless))[0]?.says, "refuted")
    })
  )

  it.effect("is confirmed of a key that signs for a Safe alone, and of one that plans what a timelock does", () =>
    Effect.gen(function* () {
      const one = owned(bob, { [bob]: safe(1n, [alice, account("c")]), [account("c")]: person })
      const [signing] = yield* said(singleKey, "contract", one)
      assert.deepInclude(signing, { says: "confirmed", controller: "eoa" })
      const waiting = (planner: `0x${string}`, accounts: Script["accounts"] = {}): Script => ({
        ...owned(bob, {
          [bob]: {
            code: openZeppelin("TimelockController"),
            calls: { [functions.getMinDelay]: word(604_800n), [functions.hasRole]: word(1n) }
          },
          ...accounts
        }),
        logs: [
          { address: bob, topics: [topics.RoleGranted, Roles.roleHash("PROPOSER_ROLE"), word(planner), word(bob)] }
        ]
      })
      const [planning] = yield* said(singleKey, "contract", waiting(alice))
      assert.deepInclude(planning, {
        says: "confirmed",
        value: { holders: [{ address: alice, powers: ["owner"] }], complete: true },
        controller: "timelock"
      })
      const several = waiting(account("c"), { [account("c")]: safe(2n, [alice, account("d")]) })
      assert.strictEqual((yield* said(singleKey, "contract", several))[0]?.says, "refuted")
      const [lost] = yield* said(singleKey, "contract", { ...waiting(account("c")), fault: failing("eth_getLogs") })
      assert.match(lost?.says ?? "", /^unknown/)
    })
  )

  it.effect("is of a Safe what its own signers are, and no signer's who needs others", () =>
    Effect.gen(function* () {
      const itself = (threshold: bigint): Script => ({
        accounts: { [target]: safe(threshold, [bob, account("c")]), [bob]: safe(1n, [alice]), [alice]: person }
      })
      assert.strictEqual((yield* said(singleKey, "contract", itself(1n)))[0]?.says, "confirmed")
      assert.strictEqual((yield* said(singleKey, "contract", itself(2n)))[0]?.says, "refuted")
    })
  )

  it.effect("is unknown of a governor, of which one key may have the votes", () =>
    Effect.gen(function* () {
      const calls = { [functions.votingDelay]: word(7_200n), [functions.votingPeriod]: word(50_400n) }
      const [voted] = yield* said(singleKey, "contract", owned(bob, { [bob]: { code: own("TokenGovernor"), calls } }))
      assert.strictEqual(voted?.says, "unknown: inconclusive")
    })
  )

  it.effect("is confirmed of a key that only the code names", () =>
    Effect.gen(function* () {
      const [found] = yield* said(singleKey, "token", {
        accounts: {
          [target]: { code: own("ManagedToken"), storage: { [word(5n)]: `0x${alice.slice(2)}00` } },
          [alice]: person
        }
      })
      assert.strictEqual(found?.says, "confirmed")
    })
  )

  it.effect("is unknown where the controller behind a contract is unknown, or a read was lost", () =>
    Effect.gen(function* () {
      const [opaque] = yield* said(singleKey, "contract", owned(bob, { [bob]: { code: inert } }))
      assert.strictEqual(opaque?.says, "unknown: inconclusive")
      const [lost] = yield* said(singleKey, "contract", { ...ownerless, fault: lostOwner })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )
})
