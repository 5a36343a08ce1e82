import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hiddenController } from "../../../src/checks/contract/HiddenController.js"
import { singleKey } from "../../../src/checks/contract/SingleKey.js"
import * as AddressBook from "../../../src/data/AddressBook.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import * as Market from "../../../src/facts/venue/Market.js"
import type { Script } from "../../../src/testing/ScriptedChain.js"
import { account, alice, inert, logic, nobody, own, person, said, target, word } from "../../checks/Scripted.js"
import { book } from "../../EthereumBook.js"
import { contracts } from "../../evm/Compiled.js"
import { compile } from "../Compiled.js"

/** A renounced token that compares the sender of a transfer with an account in its slot 6. */
const noting = (about: Hex, accounts: Script["accounts"] = {}): Script => ({
  accounts: {
    [target]: {
      code: own("NotedToken"),
      storage: { [word(6n)]: word(about) },
      calls: { [Selectors.functions.owner]: word(nobody) }
    },
    ...accounts
  }
})

const hidden = (script: Script) => Effect.map(said(hiddenController, "token", script), ([found]) => found?.says)

describe("a renounced token that notes what one account sends", () => {
  const market = Market.of(book)

  it.effect("is nobody's where that account is a pool of its own, a router or Permit2", () =>
    Effect.gen(function* () {
      const pools = [...Market.pairAddresses(market, target), ...Market.poolAddresses(market, target)]
      const routers = market.exchanges.flatMap((exchange) =>
        exchange.kind === "uniswap-v2" ? (exchange.router ?? []) : []
      )
      assert.isAbove(pools.length * routers.length, 0)
      for (const place of [pools[0], pools.at(-1), routers[0], AddressBook.permit2]) {
        assert.isDefined(place)
        if (place === undefined) continue
        assert.strictEqual(yield* hidden(noting(place, { [place]: { code: inert } })), "refuted")
      }
    })
  )

  it.effect("is in the hand of an account with a key", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* hidden(noting(alice, { [alice]: person })), "confirmed")
      assert.strictEqual((yield* said(singleKey, "token", noting(alice, { [alice]: person })))[0]?.says, "confirmed")
    })
  )

  it.effect("is not said to be in anybody's hand, or in nobody's, where that account is an unknown contract", () =>
    Effect.gen(function* () {
      const script = noting(alice, { [alice]: { code: inert } })
      assert.strictEqual(yield* hidden(script), "unknown: inconclusive")
      assert.strictEqual((yield* said(singleKey, "token", script))[0]?.says, "unknown: inconclusive")
    })
  )

  it.effect("is nobody's where no account was named", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* hidden(noting(nobody)), "refuted")
    })
  )
})

describe("a renounced token with a function that needs a signature", () => {
  const { code } = contracts("optimised", "Guards.sol")("SignedByBoss")
  const boss = (account: Hex): Script => ({
    accounts: {
      [target]: { code, storage: { [word(2n)]: word(account) }, calls: { [Selectors.functions.owner]: word(nobody) } },
      [alice]: person
    }
  })
  const found = (account: Hex) =>
    Effect.map(said(hiddenController, "token", boss(account)), ([hidden]) => ({
      holders: ((hidden?.value?.holders ?? []) as ReadonlyArray<{ readonly address: string }>).map(
        (each) => each.address
      ),
      complete: hidden?.value?.complete,
      says: hidden?.says
    }))

  it.effect("is in the hand of the account that has to sign, where a variable names it", () =>
    Effect.gen(function* () {
      const { complete, holders } = yield* found(alice)
      assert.include(holders, alice)
      assert.isTrue(complete)
    })
  )

  it.effect("is not said to be nobody's where the variable is empty, as anything may pass for a signature then", () =>
    Effect.gen(function* () {
      const { holders, says } = yield* found(nobody)
      assert.isEmpty(holders)
      assert.strictEqual(says, "unknown: inconclusive")
    })
  )
})

describe("a renounced contract where another account may have a power", () => {
  const kept = compile("Kept.sol")
  const undone = compile("Undone.sol")
  const replaced = compile("Replaced.sol")
  const library = account("4")
  const clone = (to: Hex): Hex => `0x363d3d373d3d3d363d73${to.slice(2)}5af43d82803e903d91602b57fd5bf3`
  const renounced = (
    code: Hex,
    accounts: Script["accounts"] = {},
    storage: { readonly [slot: Hex]: Hex } = {}
  ): Script => ({
    accounts: { [target]: { code, storage, calls: { [Selectors.functions.owner]: word(nobody) } }, ...accounts }
  })

  it.effect("is not said to be nobody's where a list has others beside the owner", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* hidden(renounced(kept("OrTrusted"))), "unknown: inconclusive")
      assert.strictEqual(yield* hidden(renounced(undone("Shut"))), "refuted")
    })
  )

  it.effect("is not renounced where a library that it runs checks the caller", () =>
    Effect.gen(function* () {
      const linked = (code: Hex, behind: Hex) => renounced(code, { [library]: { code: behind } })
      assert.strictEqual(
        yield* hidden(linked(replaced("Linked", library), replaced("Backdoor"))),
        "unknown: inconclusive"
      )
      assert.strictEqual(yield* hidden(linked(undone("LinkedHonestly", library), undone("Honest"))), "refuted")
      // Nothing stands where it is linked to.
      assert.strictEqual(yield* hidden(renounced(undone("LinkedHonestly", library))), "unknown: inconclusive")
    })
  )

  it.effect("is not said to be nobody's where the code behind it hands calls on once more", () =>
    Effect.gen(function* () {
      const behind = { [library]: { code: clone(logic) }, [logic]: { code: undone("Shut") } }
      assert.strictEqual(yield* hidden(renounced(clone(library), behind)), "unknown: inconclusive")
      assert.strictEqual(yield* hidden(renounced(clone(logic), behind)), "refuted")
      const proxy = (to: Hex) => renounced(replaced("OfNobody"), behind, { [Slots.implementation]: word(to) })
      assert.strictEqual(yield* hidden(proxy(library)), "unknown: inconclusive")
      assert.strictEqual(yield* hidden(proxy(logic)), "refuted")
    })
  )
})

describe("a renounced token that an account may mint", () => {
  const compiled = compile("Hidden.sol")
  const linked = account("7")
  const key = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720"
  const script = (contract: string): Script => ({
    accounts: {
      [target]: {
        code: compiled(contract, linked),
        storage: {
          [word(4n)]: word(alice),
          [word(5n)]: word(account("6")),
          [word(10n)]: word(BigInt(alice) << 64n),
          [word(11n)]: word(77n),
          [word(12n)]: word(1n)
        },
        calls: { [Selectors.functions.owner]: word(nobody) }
      },
      [alice]: person,
      [key]: person,
      [account("6")]: { code: inert },
      [linked]: { code: contract === "LinkedTelling" ? compiled("Gate") : inert }
    }
  })
  const verdicts = (contract: string) =>
    Effect.gen(function* () {
      const [veiled] = yield* said(hiddenController, "token", script(contract))
      const [single] = yield* said(singleKey, "token", script(contract))
      return [veiled?.says, single?.says]
    })
  const unknown = ["unknown: inconclusive", "unknown: inconclusive"]
  const holdersOf = (contract: string) =>
    Effect.map(said(hiddenController, "token", script(contract)), ([found]) =>
      ((found?.value?.holders ?? []) as ReadonlyArray<{ readonly address: string }>).map(({ address }) => address)
    )

  it.effect("is not renounced where another contract says who may, however it is called", () =>
    Effect.gen(function* () {
      for (const contract of [
        "ByRegistry",
        "ByFixedRegistry",
        "ByAskedRegistry",
        "ByAuthority",
        "ByRegistryCheck",
        "ByRegistryOwner",
        "ByForeignLevel",
        "ByPass",
        "ByLow",
        "ByDelegated",
        "LinkedTelling"
      ])
        assert.deepStrictEqual(yield* verdicts(contract), unknown, contract)
    })
  )

  it.effect("is not said to be nobody's where that is one of several ways, of which the owner was another", () =>
    Effect.gen(function* () {
      for (const contract of [
        "ByOwnerOrAuthority",
        "BySolmate",
        "ByDSAuth",
        "ByOwnerOrRegistryOwner",
        "UnlessOwnerRegistry",
        "BySelfOrRegistry",
        "ByLowOrOwner",
        "OrListed",
        "BySoladyOr",
        "ByOwnerOrArray"
      ])
        assert.deepStrictEqual(yield* verdicts(contract), unknown, contract)
    })
  )

  it.effect("is not said to be nobody's where it goes by a number, a hash or a bit of the caller, or by a secret", () =>
    Effect.gen(function* () {
      for (const contract of [
        "ByLevel",
        "ByLevelAboveZero",
        "ByLevelSet",
        "ByQuota",
        "ByHashEntry",
        "ByPackedHashEntry",
        "ByXored",
        "ByHashed",
        "ByModulo",
        "ByBitmap",
        "ByCodehash",
        "BySmall",
        "BySolady",
        "ByPassword",
        "AppointedByPassword"
      ])
        assert.deepStrictEqual(yield* verdicts(contract), unknown, contract)
    })
  )

  it.effect("belongs to the account that is one of several ways, is checked only at the end, or may forward", () =>
    Effect.gen(function* () {
      for (const contract of [
        "OrHidden",
        "OrOrigin",
        "UnlessOwner",
        "WhereHidden",
        "AfterEffect",
        "ByForwarder",
        "BySigned",
        "ByTransferredHidden"
      ]) {
        assert.deepStrictEqual(yield* verdicts(contract), ["confirmed", "confirmed"], contract)
        assert.deepStrictEqual(yield* holdersOf(contract), [key], contract)
      }
      for (const contract of ["OrKeeper", "ByShifted", "BySignedOrOwner"])
        assert.deepStrictEqual(yield* holdersOf(contract), [alice], contract)
    })
  )

  it.effect(
    "is in the hand of the account that an amount, a place or what is kept goes by, where nothing branches on it",
    () =>
      Effect.gen(function* () {
        for (const contract of [
          "DividedByHidden",
          "MaskedByHidden",
          "ShiftedByHidden",
          "PlacedByHidden",
          "ChosenByHidden",
          "NamedByHidden",
          "SpentByHidden",
          "AnsweredByHidden",
          "NotedByHidden",
          "InTransfers",
          "ForHidden",
          "ByteOfHidden"
        ])
          assert.deepStrictEqual(yield* holdersOf(contract), [key], contract)
        for (const contract of ["MultipliedByKeeper", "ByWhetherKeeper", "DividedByDistance", "ByteOfDistance"])
          assert.deepStrictEqual(yield* holdersOf(contract), [alice], contract)
      })
  )

  it.effect("is not said to be nobody's where it goes by the caller in a way that names nobody", () =>
    Effect.gen(function* () {
      for (const contract of ["Remembered", "ByCode", "Allotted", "AllottedByHash", "AllowedByKeeper"])
        assert.deepStrictEqual(yield* verdicts(contract), unknown, contract)
    })
  )

  it.effect("is not said to be nobody's where roles are kept beside those that its getter knows", () =>
    Effect.gen(function* () {
      const { functions, topics } = Selectors
      const appointing = (contract: string): Script => {
        const { accounts } = script(contract)
        const { calls = {}, ...token } = accounts?.[target] ?? {}
        return {
          accounts: { ...accounts, [target]: { ...token, calls: { ...calls, [functions.hasRole]: word(0n) } } },
          logs: [{ address: target, topics: [topics.RoleGranted, word(0n), word(alice), word(alice)] }],
          logsComplete: true
        }
      }
      assert.strictEqual(yield* hidden(appointing("SecondRoles")), "unknown: inconclusive")
      assert.strictEqual(yield* hidden(appointing("HonestRoles")), "refuted")
    })
  )

  it.effect("is not renounced where anyone can admit an account, or make it call itself", () =>
    Effect.gen(function* () {
      for (const contract of ["FilledByAnybody", "ToggledByAnybody", "ItselfByAnybody", "ItselfByCalls"])
        assert.deepStrictEqual(yield* verdicts(contract), unknown, contract)
    })
  )

  it.effect("is not renounced where a used initialiser put an account on a list", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* verdicts("ListedOnce"), unknown)
    })
  )

  it.effect("is renounced where the first owner is gone, or nobody can make it call its own functions", () =>
    Effect.gen(function* () {
      for (const contract of ["FilledOnce", "ItselfByNobody"])
        assert.deepStrictEqual(yield* verdicts(contract), ["refuted", "refuted"], contract)
    })
  )

  it.effect("is renounced where everyone passes the conditions, or passes by his own entry", () =>
    Effect.gen(function* () {
      for (const contract of ["OnlyOwner", "Staking", "BySender", "Openly", "Judged"])
        assert.deepStrictEqual(yield* verdicts(contract), ["refuted", "refuted"], contract)
    })
  )
})
