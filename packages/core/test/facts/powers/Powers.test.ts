import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { selfdestructReachable } from "../../../src/checks/contract/SelfdestructReachable.js"
import { blacklistable } from "../../../src/checks/token/powers/Blacklistable.js"
import { mintable } from "../../../src/checks/token/powers/Mintable.js"
import { pausable } from "../../../src/checks/token/powers/Pausable.js"
import { whitelistOnly } from "../../../src/checks/token/powers/WhitelistOnly.js"
import * as Address from "../../../src/domain/Address.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import * as Roles from "../../../src/facts/control/Roles.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as Power from "../../../src/facts/powers/Power.js"
import { Powers } from "../../../src/facts/powers/Powers.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import * as Facts from "../../checks/Facts.js"
import { alice, erc20, failing, logic, person, said, target } from "../../checks/Scripted.js"
import { compile } from "../Compiled.js"

const compiled = compile("Launching.sol")
const capped = compile("Capped.sol")
const undone = compile("Undone.sol")

/** A token of `contract` that alice owns, with its switches as they are. */
const launching = (
  contract: string,
  { halted = false, open }: { readonly open: boolean; readonly halted?: boolean }
): ScriptedChain.Script => ({
  accounts: {
    [target]: {
      code: compiled(contract),
      calls: erc20,
      storage: {
        [Getter.word(3n)]: Getter.word(BigInt(alice) | (open ? 1n << 160n : 0n) | (halted ? 1n << 168n : 0n))
      }
    },
    [alice]: person
  }
})

/** A token of `contract` that alice owns, of which trading is open or not, with the moment that is kept of it. */
const listing = (
  contract: string,
  {
    open = false,
    proxy,
    start = 0
  }: { readonly open?: boolean; readonly proxy?: string | undefined; readonly start?: number }
): ScriptedChain.Script => ({
  accounts: {
    [target]: {
      code: compiled(proxy ?? contract),
      calls: erc20,
      storage: {
        [Getter.word(3n)]: Getter.word(BigInt(alice) | (open ? 1n << 160n : 0n)),
        [Getter.word(5n)]: Getter.word(BigInt(start)),
        [Slots.implementation]: Getter.word(BigInt(logic))
      }
    },
    [logic]: { code: compiled(contract) },
    [alice]: person
  }
})

/** When the scripted chain's block was made, in seconds. */
const now = 1_700_000_000

const stoppers = (script: ScriptedChain.Script) =>
  Effect.gen(function* () {
    const { pause } = (yield* (yield* Powers).of(target)).value
    return Power.proven(pause).map(({ selector }) => selector)
  }).pipe(Effect.provide(Facts.layer), Effect.provide(ScriptedChain.layer(script)))

const banners = (script: ScriptedChain.Script) =>
  Effect.gen(function* () {
    const { blacklist } = (yield* (yield* Powers).of(target)).value
    return Power.proven(blacklist).map(({ selector }) => selector)
  }).pipe(Effect.provide(Facts.layer), Effect.provide(ScriptedChain.layer(script)))

/** A token of `contract` that alice owns, of which there is so much, and at most a thousand. */
const issued = (contract: string, supply: bigint): ScriptedChain.Script => ({
  accounts: {
    [target]: {
      code: capped(contract, "0x3e8"),
      calls: erc20,
      storage: {
        [Getter.word(2n)]: Getter.word(supply),
        [Getter.word(3n)]: Getter.word(BigInt(alice)),
        [Getter.word(4n)]: Getter.word(1000n),
        [Getter.word(5n)]: Getter.word(BigInt(alice))
      }
    },
    [alice]: person
  }
})

const issuers = (script: ScriptedChain.Script) =>
  Effect.gen(function* () {
    const { mint } = (yield* (yield* Powers).of(target)).value
    return Power.proven(mint).map(({ selector }) => selector)
  }).pipe(Effect.provide(Facts.layer), Effect.provide(ScriptedChain.layer(script)))

/** A token of which alice was given the role to mint, which `hasRole` says that she still has, or no more. */
const kept = (role: string, has: boolean): ScriptedChain.Script => ({
  accounts: {
    [target]: {
      code: compile("Granting.sol")("KeptRoleToken"),
      calls: { ...erc20, [Selectors.functions.hasRole]: Getter.word(has ? 1n : 0n) }
    },
    [alice]: person
  },
  logs: [
    {
      address: target,
      topics: [Selectors.topics.RoleGranted, Roles.roleHash(role), Getter.word(alice), Getter.word(alice)]
    }
  ],
  logsComplete: true
})

const minters = (script: ScriptedChain.Script) =>
  Effect.gen(function* () {
    const { mint } = (yield* (yield* Powers).of(target)).value
    return { proven: Power.proven(mint).length, possible: Power.possible(mint).length }
  }).pipe(Effect.provide(Facts.layer), Effect.provide(ScriptedChain.layer(script)))

/** A token of `contract` that alice owns, of which some was made, in code of its own or behind a proxy. */
const made = (contract: string, stage: bigint, proxy?: string): ScriptedChain.Script => ({
  accounts: {
    [target]: {
      code: undone(proxy ?? contract),
      calls: erc20,
      storage: {
        [Getter.word(3n)]: Getter.word(BigInt(alice)),
        [Getter.word(6n)]: Getter.word(stage),
        [Slots.implementation]: Getter.word(BigInt(logic))
      }
    },
    [logic]: { code: undone(contract) },
    [alice]: person
  }
})

/** A token of `contract` that alice owns, with a thousand of it, which is its cap, and its switches as they are. */
const switched = (
  contract: string,
  { proxy, reopened = false }: { readonly proxy?: string; readonly reopened?: boolean } = {}
): ScriptedChain.Script => ({
  accounts: {
    [target]: {
      code: undone(proxy ?? contract),
      calls: erc20,
      storage: {
        [Getter.word(0n)]: Getter.word(1000n),
        [Getter.word(3n)]: Getter.word(BigInt(alice) | (contract === "Crowded" ? 1n << 160n : 0n)),
        [Getter.word(4n)]: Getter.word(1000n),
        [Getter.word(5n)]: Getter.word(reopened ? 0x101n : 1n),
        [Slots.implementation]: Getter.word(BigInt(logic))
      }
    },
    [logic]: { code: undone(contract) },
    [alice]: person
  }
})

describe("Powers that are spent", () => {
  it.effect("is open, and neither proven nor excluded, where all who are known to have its role gave it up", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* minters(kept("MINTER_ROLE", true)), { proven: 1, possible: 0 })
      assert.deepStrictEqual(yield* minters(kept("MINTER_ROLE", false)), { proven: 0, possible: 1 })
      // Of another role nothing follows.
      assert.deepStrictEqual(yield* minters(kept("PAUSER_ROLE", false)), { proven: 1, possible: 0 })
    })
  )

  it.effect("knows that what is done once for good was done", () =>
    Effect.gen(function* () {
      for (const contract of ["Once", "BeforeTransfers", "OnceUnnamed"]) {
        assert.lengthOf(yield* issuers(made(contract, 0n)), 1, contract)
        assert.lengthOf(yield* issuers(made(contract, 1n)), 0, contract)
      }
    })
  )

  it.effect("leaves the power to whoever makes it undone, by the same function, by a transfer or by other code", () =>
    Effect.gen(function* () {
      for (const contract of ["InTurns", "AtWill", "BetweenTransfers", "OnceUndone", "UnnamedInTurns"])
        assert.lengthOf(yield* issuers(made(contract, 1n)), 1, contract)
      assert.lengthOf(yield* issuers(made("Once", 1n, "ResettingProxy")), 1)
    })
  )

  it.effect("leaves the power to whoever opens it again by another switch in the word of the first", () =>
    Effect.gen(function* () {
      for (const contract of ["Reopened", "Detoured", "TakenBack"]) {
        assert.lengthOf(yield* issuers(switched(contract)), 1, contract)
        assert.lengthOf(yield* issuers(switched(contract, { reopened: true })), 1, contract)
        const [told] = yield* said(mintable, "token", switched(contract))
        assert.strictEqual(told?.says, "confirmed", contract)
      }
    })
  )

  it.effect("knows what was done once for good, whatever else is kept in the same word", () =>
    Effect.gen(function* () {
      for (const contract of ["Shut", "Crowded"]) {
        assert.lengthOf(yield* issuers(switched(contract)), 0, contract)
        const [told] = yield* said(mintable, "token", switched(contract))
        assert.strictEqual(told?.says, "refuted", contract)
      }
    })
  )

  it.effect("leaves the power to whoever undoes by other code what stops it or lets everybody through", () =>
    Effect.gen(function* () {
      assert.lengthOf(yield* issuers(switched("Limited")), 0)
      for (const proxy of ["RaisingProxy", "BurningProxy"])
        assert.lengthOf(yield* issuers(switched("Limited", { proxy })), 1, proxy)
      assert.lengthOf(yield* stoppers(switched("Opening")), 0)
      assert.lengthOf(yield* stoppers(switched("Opening", { proxy: "ClosingProxy" })), 1)
    })
  )

  it.effect("knows that a function which opened trading for good stops nobody any more", () =>
    Effect.gen(function* () {
      assert.lengthOf(yield* stoppers(launching("OneWay", { open: false })), 1)
      assert.lengthOf(yield* stoppers(launching("OneWay", { open: true })), 0)
      const before = yield* said(pausable, "token", launching("OneWay", { open: false }))
      assert.strictEqual(before[0]?.says, "confirmed")
      const after = yield* said(pausable, "token", launching("OneWay", { open: true }))
      assert.strictEqual(after[0]?.says, "refuted")
    })
  )

  it.effect("leaves the power to whoever can close trading again, or halt it by another switch", () =>
    Effect.gen(function* () {
      for (const contract of ["TwoWays", "Halting"])
        assert.lengthOf(yield* stoppers(launching(contract, { open: true })), 1, contract)
    })
  )

  it.effect("does not know it where the switch could not be read", () =>
    Effect.gen(function* () {
      const [lost] = yield* said(pausable, "token", {
        ...launching("OneWay", { open: true }),
        fault: failing("eth_getStorageAt")
      })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )

  it.effect(
    "stops by a list only those that it is checked for: until trading was opened for good, or its time came",
    () =>
      Effect.gen(function* () {
        const cases = [
          [listing("BannedAtFirst", {}), "confirmed"],
          [listing("BannedAtFirst", { open: true }), "refuted"],
          [listing("BannedBefore", { start: now + 60 }), "confirmed"],
          [listing("BannedBefore", { start: now - 60 }), "refuted"],
          [listing("BannedTwice", { open: true }), "confirmed"],
          [listing("BannedByOneList", { open: true }), "confirmed"]
        ] as const
        for (const [script, says] of cases) {
          const [told] = yield* said(blacklistable, "token", script)
          assert.strictEqual(told?.says, says, JSON.stringify(script.accounts?.[target]?.storage))
        }
      })
  )

  it.effect("leaves it unknown whom a switch spares until it was opened for good", () =>
    Effect.gen(function* () {
      const [before] = yield* said(whitelistOnly, "token", listing("SparedAtFirst", {}))
      assert.strictEqual(before?.says, "unknown: inconclusive")
      const [after] = yield* said(whitelistOnly, "token", listing("SparedAtFirst", { open: true }))
      assert.strictEqual(after?.says, "refuted")
    })
  )

  it.effect(
    "does not take for open what another code shuts again, what could not be read, or what it cannot work out",
    () =>
      Effect.gen(function* () {
        const proxied = (proxy?: string) =>
          Effect.map(banners(listing("BannedAtFirst", { open: true, proxy })), (all) => all.length)
        assert.strictEqual(yield* proxied(), 0)
        assert.strictEqual(yield* proxied("ClosingLaunch"), 1)
        const [lost] = yield* said(blacklistable, "token", {
          ...listing("BannedAtFirst", { open: true }),
          fault: failing("eth_getStorageAt")
        })
        assert.strictEqual(lost?.says, "unknown: rate_limited")
        const [summed] = yield* said(blacklistable, "token", listing("BannedForAYear", { start: 1 }))
        assert.strictEqual(summed?.says, "unknown: inconclusive")
      })
  )

  it.effect("knows that nobody makes more of a token of which there is as much as there may ever be", () =>
    Effect.gen(function* () {
      for (const contract of ["Capped", "KeptCap"]) {
        assert.lengthOf(yield* issuers(issued(contract, 999n)), 1, contract)
        assert.lengthOf(yield* issuers(issued(contract, 1000n)), 0, contract)
      }
      assert.lengthOf(yield* issuers(issued("StrictCap", 998n)), 1)
      assert.lengthOf(yield* issuers(issued("StrictCap", 999n)), 0)
      const before = yield* said(mintable, "token", issued("Capped", 999n))
      assert.strictEqual(before[0]?.says, "confirmed")
      const after = yield* said(mintable, "token", issued("Capped", 1000n))
      assert.strictEqual(after[0]?.says, "refuted")
    })
  )

  it.effect("leaves the power to whoever makes again what was burnt, raises the cap, or gets past it", () =>
    Effect.gen(function* () {
      const others = [
        "CappedBurnable",
        "RaisedCap",
        "SteppedCap",
        "EntryCap",
        "WrappingCap",
        "SparedCap",
        "UncountedCap",
        "OtherCap"
      ]
      for (const contract of others) assert.lengthOf(yield* issuers(issued(contract, 1000n)), 1, contract)
    })
  )

  it.effect("does not know that there is as much as there may be where the supply could not be read", () =>
    Effect.gen(function* () {
      const [lost] = yield* said(mintable, "token", {
        ...issued("Capped", 1000n),
        fault: failing("eth_getStorageAt")
      })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )
})

const nobody = Address.checksum("0x000000000000000000000000000000000000dead")

/** A token that runs other code for its owner, and for `keeper` where it has one. */
const modular = (contract: string, owner: Address.Address, keeper: Address.Address = nobody): ScriptedChain.Script => ({
  accounts: {
    [target]: {
      code: undone(contract, keeper),
      calls: erc20,
      storage: { [Getter.word(3n)]: Getter.word(BigInt(owner)) }
    },
    [alice]: person
  }
})

describe("A token that runs other code for one account", () => {
  const ofMinting = (script: ScriptedChain.Script) =>
    Effect.map(said(mintable, "token", script), ([told]) => told?.says)

  it.effect("gives no power to anybody once that account is gone for good", () =>
    Effect.gen(function* () {
      for (const [contract, keeper] of [["Modular"], ["ModularForTwo", nobody]] as const) {
        assert.strictEqual(yield* ofMinting(modular(contract, Address.zero, keeper)), "refuted", contract)
        assert.strictEqual(yield* ofMinting(modular(contract, alice, keeper)), "unknown: inconclusive", contract)
        const reachable = yield* said(selfdestructReachable, "token", modular(contract, Address.zero, keeper))
        assert.strictEqual(reachable[0]?.says, "refuted", contract)
      }
    })
  )

  it.effect("may give it to another such account, to whoever takes its place, or to any caller", () =>
    Effect.gen(function* () {
      for (const script of [
        modular("ModularForTwo", Address.zero, alice),
        modular("ModularAgain", Address.zero),
        modular("ModularForAnyone", Address.zero),
        modular("ModularAnywhere", Address.zero)
      ]) {
        assert.strictEqual(yield* ofMinting(script), "unknown: inconclusive")
        const reachable = yield* said(selfdestructReachable, "token", script)
        assert.strictEqual(reachable[0]?.says, "unknown: inconclusive")
      }
    })
  )
})
