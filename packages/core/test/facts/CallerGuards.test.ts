import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hiddenController } from "../../src/checks/contract/HiddenController.js"
import { singleKey } from "../../src/checks/contract/SingleKey.js"
import * as AddressBook from "../../src/data/AddressBook.js"
import type { Hex } from "../../src/domain/Hex.js"
import * as Selectors from "../../src/evm/Selectors.js"
import * as Market from "../../src/facts/Market.js"
import type { Script } from "../../src/testing/ScriptedChain.js"
import { alice, inert, nobody, own, person, said, target, word } from "../checks/Scripted.js"
import { contracts } from "../evm/Compiled.js"

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
