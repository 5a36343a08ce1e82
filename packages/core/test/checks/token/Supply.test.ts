import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { insiders } from "../../../src/checks/token/Insiders.js"
import { mintable } from "../../../src/checks/token/Mintable.js"
import * as Selectors from "../../../src/evm/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import type { Script } from "../../../src/testing/ScriptedChain.js"
import {
  account,
  alice,
  bob,
  erc20,
  failing,
  inert,
  nobody,
  openZeppelin,
  own,
  person,
  said,
  target,
  word
} from "../Scripted.js"

const { functions, topics } = Selectors

describe("token.mintable", () => {
  const managed = (owner: `0x${string}`, accounts: Script["accounts"] = {}): Script => ({
    accounts: {
      [target]: {
        code: own("ManagedToken"),
        storage: { [word(5n)]: `0x${owner.slice(2)}00` },
        calls: { ...erc20, [functions.owner]: word(owner) }
      },
      [alice]: person,
      ...accounts
    }
  })

  it.effect("is confirmed with whoever the minting function lets through as the controller", () =>
    Effect.gen(function* () {
      const [key] = yield* said(mintable, "token", managed(alice))
      assert.deepInclude(key, { says: "confirmed", controller: "eoa", severity: "high" })
      assert.deepStrictEqual(key?.value?.functions, [functions.mint])
      const [timelock] = yield* said(
        mintable,
        "token",
        managed(bob, {
          [bob]: { code: openZeppelin("TimelockController"), calls: { [functions.getMinDelay]: word(604_800n) } }
        })
      )
      assert.deepInclude(timelock, { says: "confirmed", controller: "timelock" })
    })
  )

  it.effect("goes by the condition in the code and not by what owner() answers", () =>
    Effect.gen(function* () {
      const script = managed(alice)
      const [item] = yield* said(mintable, "token", {
        accounts: {
          ...script.accounts,
          [target]: { ...script.accounts?.[target], calls: { ...erc20, [functions.owner]: word(nobody) } }
        }
      })
      assert.deepInclude(item, { says: "confirmed", controller: "eoa" })
    })
  )

  it.effect("is refuted where no function mints, and where nobody may call the one that does", () =>
    Effect.gen(function* () {
      const [fixed] = yield* said(mintable, "token", {
        accounts: { [target]: { code: own("PlainToken"), calls: erc20 } }
      })
      assert.strictEqual(fixed?.says, "refuted")
      assert.strictEqual((yield* said(mintable, "token", managed(nobody)))[0]?.says, "refuted")
    })
  )

  it.effect("is unknown where foreign code may run, and where the slot of the minter was lost", () =>
    Effect.gen(function* () {
      const [foreign] = yield* said(mintable, "token", {
        accounts: { [target]: { code: own("UupsToken"), calls: erc20 } }
      })
      assert.strictEqual(foreign?.says, "unknown: inconclusive")
      const [lost] = yield* said(mintable, "token", { ...managed(alice), fault: failing("eth_getStorageAt") })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )

  it.effect("does not apply to a collection", () =>
    Effect.gen(function* () {
      const id = Getter.calldata(functions.supportsInterface, [Getter.leftAligned(Selectors.interfaceIds.erc721)])
      const calls = { [functions.supportsInterface]: word(0n), [id]: word(1n) }
      assert.deepStrictEqual(yield* said(mintable, "token", { accounts: { [target]: { code: inert, calls } } }), [])
    })
  )
})

describe("holders.insiders", () => {
  const holding = (balances: { readonly [account: string]: bigint }, options: Partial<Script> = {}): Script => ({
    accounts: {
      [target]: {
        code: inert,
        calls: {
          ...erc20,
          [functions.owner]: word(bob),
          ...Object.fromEntries(
            Object.entries(balances).map(([address, units]) => [
              Getter.calldata(functions.balanceOf, [word(address as `0x${string}`)]),
              word(units)
            ])
          )
        }
      },
      [alice]: person,
      [bob]: person
    },
    logs: [{ address: target, topics: [topics.Transfer, word(nobody), word(alice)] }],
    chain: { addressBook: 31_337 },
    ...options
  })

  it.effect("adds up what the first receiver and those in power hold, and grades it", () =>
    Effect.gen(function* () {
      for (const [mine, yours, severity] of [
        [30n, 20n, "low"],
        [60n, 40n, "medium"],
        [150n, 50n, "high"]
      ] as const) {
        const [item] = yield* said(insiders, "token", holding({ [alice]: mine, [bob]: yours }))
        assert.deepInclude(item, { says: "confirmed", severity })
        assert.strictEqual(item?.value?.share_bps, Number(mine + yours) * 10)
      }
    })
  )

  it.effect("is refuted of little, when everybody is known", () =>
    Effect.gen(function* () {
      const [item] = yield* said(insiders, "token", holding({ [alice]: 49n }))
      assert.strictEqual(item?.says, "refuted")
    })
  )

  it.effect("says less than the highest grade only when everybody is known", () =>
    Effect.gen(function* () {
      const partial = { logsComplete: false }
      const [little] = yield* said(insiders, "token", holding({ [alice]: 60n }, partial))
      assert.strictEqual(little?.says, "unknown: log_range_limited")
      const [much] = yield* said(insiders, "token", holding({ [alice]: 300n }, partial))
      assert.deepInclude(much, { says: "confirmed", severity: "high" })
      const [lost] = yield* said(
        insiders,
        "token",
        holding({ [alice]: 60n }, { fault: failing("eth_call", functions.getOwner) })
      )
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )

  it.effect("is unknown where the token does not say what one of them holds, or less than its transfers gave him", () =>
    Effect.gen(function* () {
      const transfers = (units: bigint) => [
        { address: target, topics: [topics.Transfer, word(nobody), word(alice)], data: word(units) }
      ]
      const [denied] = yield* said(insiders, "token", holding({ [alice]: 0n }, { logs: transfers(50n) }))
      assert.strictEqual(denied?.says, "unknown: conflicting_sources")
      const [little] = yield* said(insiders, "token", holding({ [alice]: 0n }, { logs: transfers(49n) }))
      assert.strictEqual(little?.says, "refuted")
      const script = holding({ [bob]: 0n })
      const { [functions.balanceOf]: _, ...calls } = script.accounts?.[target]?.calls ?? {}
      const [mute] = yield* said(insiders, "token", {
        ...script,
        accounts: { ...script.accounts, [target]: { code: inert, calls } }
      })
      assert.strictEqual(mute?.says, "unknown: inconclusive")
    })
  )

  it.effect("counts nobody's tokens and the token's own as out of hand", () =>
    Effect.gen(function* () {
      const dead = "0x000000000000000000000000000000000000dEaD"
      const logs = [dead, target, account("c")].map((to) => ({
        address: target,
        topics: [topics.Transfer, word(nobody), word(to as `0x${string}`)]
      }))
      const [item] = yield* said(insiders, "token", holding({ [dead]: 500n, [target]: 400n }, { logs }))
      assert.deepInclude(item, { says: "refuted" })
    })
  )
})
