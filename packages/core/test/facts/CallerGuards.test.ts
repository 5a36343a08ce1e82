import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hiddenController } from "../../src/checks/contract/HiddenController.js"
import { singleKey } from "../../src/checks/contract/SingleKey.js"
import * as AddressBook from "../../src/data/AddressBook.js"
import type { Hex } from "../../src/domain/Hex.js"
import * as Selectors from "../../src/evm/Selectors.js"
import * as Slots from "../../src/evm/Slots.js"
import * as Market from "../../src/facts/Market.js"
import type { Script } from "../../src/testing/ScriptedChain.js"
import { account, alice, inert, logic, nobody, own, person, said, target, word } from "../checks/Scripted.js"
import { contracts } from "../evm/Compiled.js"
import { compile } from "./Compiled.js"

/** A token whose owner renounced and that compares the sender of a transfer with an account in its slot 6. */
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
  const market = Market.of(1)

  it.effect("is nobody's where that account is a pool of its own, a router or Permit2", () =>
    Effect.gen(function* () {
      const pools = [...Market.pairAddresses(market, target), ...Market.poolAddresses(market, target)]
      const routers = market.exchanges.flatMap((exchange) => (exchange.kind === "uniswap-v2" ? [exchange.router] : []))
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

describe("a renounced token whose function wants a signature", () => {
  const { code } = contracts("optimised", ["SignedByBoss"], "Guards.sol")("SignedByBoss")
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
      complete: hidden?.value?.complete
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
      const { complete, holders } = yield* found(nobody)
      assert.notInclude(holders, nobody)
      assert.isFalse(complete)
    })
  )
})

describe("a renounced contract of which somebody else may have a power", () => {
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

  it.effect("is not said to be nobody's where a library that it runs asks who calls", () =>
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
