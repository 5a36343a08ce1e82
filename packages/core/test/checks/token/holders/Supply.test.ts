import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { insiders } from "../../../../src/checks/token/holders/Insiders.js"
import { mintable } from "../../../../src/checks/token/powers/Mintable.js"
import * as Selectors from "../../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../../src/facts/Getter.js"
import type { Script } from "../../../../src/testing/ScriptedChain.js"
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
} from "../../Scripted.js"

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

const dead = "0x000000000000000000000000000000000000dEaD"

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
      const buyer = account("c")
      const transfers = (units: bigint) => [
        { address: target, topics: [topics.Transfer, word(nobody), word(alice)], data: word(1_000n + units) },
        { address: target, topics: [topics.Transfer, word(alice), word(buyer)], data: word(1_000n) }
      ]
      const held = { [alice]: 0n, [buyer]: 1_000n }
      const [denied] = yield* said(insiders, "token", holding(held, { logs: transfers(50n) }))
      assert.strictEqual(denied?.says, "unknown: conflicting_sources")
      const [little] = yield* said(insiders, "token", holding(held, { logs: transfers(49n) }))
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

  it.effect("measures what accounts have that insiders sent them, themselves or by a contract that sends to many", () =>
    Effect.gen(function* () {
      const sender = account("e")
      const sent = (from: `0x${string}`, to: `0x${string}`, units: bigint, transaction: bigint) => ({
        address: target,
        topics: [topics.Transfer, word(from), word(to)],
        data: word(units),
        transactionHash: word(transaction)
      })
      const many = [1n, 2n, 3n].map(
        (each) => word(0xf000n + each).replace(`0x${"0".repeat(24)}`, "0x") as `0x${string}`
      )
      const share = (logs: ReadonlyArray<ReturnType<typeof sent>>, deployer: Script["accounts"] = {}) =>
        Effect.gen(function* () {
          const given = logs.reduce(
            (sum, { data, topics: [, from] }) => sum + (from === word(alice) ? BigInt(data) : 0n),
            0n
          )
          const script = holding(
            {
              [alice]: 10n,
              [account("c")]: 300n,
              [dead]: 1_000n,
              ...Object.fromEntries(many.map((each) => [each, 100n]))
            },
            { logs: [sent(nobody, alice, 10n + given, 1n), ...logs] }
          )
          const [item] = yield* said(insiders, "token", {
            ...script,
            accounts: { ...script.accounts, [sender]: { code: inert }, ...deployer }
          })
          return [item?.says, item?.value?.handed_bps]
        })
      const [one = nobody] = many
      assert.deepStrictEqual(yield* share(many.map((to) => sent(alice, to, 100n, 2n))), ["refuted", 3_000])
      const multisent = [sent(alice, sender, 300n, 2n), ...many.map((to) => sent(sender, to, 100n, 2n))]
      assert.deepStrictEqual(yield* share(multisent), ["refuted", 3_000])
      // Who sold it in between has no more of it, and who bought it has it from nobody's hand.
      assert.deepStrictEqual(yield* share([sent(alice, one, 100n, 2n), sent(one, sender, 60n, 3n)]), ["refuted", 400])
      const sold = [sent(alice, sender, 300n, 2n), sent(sender, account("c"), 300n, 3n)]
      assert.deepStrictEqual((yield* share(sold))[1], 0)
      // What a contract that received all of it gives out it may have sold.
      const dealt = many.map((to) => sent(alice, to, 100n, 2n))
      assert.deepStrictEqual((yield* share(dealt, { [alice]: { code: inert } }))[1], 0)
    })
  )

  it.effect("is unknown where minted tokens went to more accounts than are read", () =>
    Effect.gen(function* () {
      const made = (to: `0x${string}`, units: bigint) => ({
        address: target,
        topics: [topics.Transfer, word(nobody), word(to)],
        data: word(units)
      })
      const first = [
        made(dead, 951n),
        ...Array.from({ length: 15 }, (_, place) => made(`0x${(0xf000 + place).toString(16).padStart(40, "0")}`, 0n))
      ]
      const of = (last: bigint) =>
        said(insiders, "token", holding({ [dead]: 951n, [alice]: last }, { logs: [...first, made(alice, last)] }))
      assert.strictEqual((yield* of(50n))[0]?.says, "unknown: inconclusive")
      assert.strictEqual((yield* of(49n))[0]?.says, "refuted")
    })
  )

  it.effect("is unknown where nobody was found to have what may be an insider's", () =>
    Effect.gen(function* () {
      const of = (unseen: bigint) => {
        const made = (to: `0x${string}`, units: bigint) => ({
          address: target,
          topics: [topics.Transfer, word(nobody), word(to)],
          data: word(units)
        })
        const left = 990n - unseen
        return said(
          insiders,
          "token",
          holding({ [alice]: 10n, [dead]: left }, { logs: [made(alice, 10n), made(dead, left)] })
        )
      }
      assert.strictEqual((yield* of(40n))[0]?.says, "unknown: inconclusive")
      assert.strictEqual((yield* of(39n))[0]?.says, "refuted")
    })
  )

  it.effect("counts nobody's tokens and the token's own as out of hand", () =>
    Effect.gen(function* () {
      const logs = [dead, target, account("c")].map((to) => ({
        address: target,
        topics: [topics.Transfer, word(nobody), word(to as `0x${string}`)]
      }))
      const [item] = yield* said(insiders, "token", holding({ [dead]: 500n, [target]: 400n }, { logs }))
      assert.deepInclude(item, { says: "refuted" })
    })
  )
})
