import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { allowanceSpenderRisky } from "../../../src/checks/wallet/AllowanceSpenderRisky.js"
import * as AddressBook from "../../../src/data/AddressBook.js"
import * as KnownCode from "../../../src/data/KnownCode.js"
import * as Address from "../../../src/domain/Address.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import * as Getter from "../../../src/facts/Getter.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import {
  account,
  alice,
  approval,
  bob,
  delegating,
  evidence,
  failing,
  inert,
  openZeppelin,
  own,
  person,
  safe,
  said,
  target,
  word
} from "../Scripted.js"

const { functions, topics } = Selectors

const coin = account("2")
const collection = account("3")
const mute = account("4")
const spender = account("5")
const admin = account("6")
const logic = account("7")
const permit2 = Address.checksum(AddressBook.permit2)

const token: Account = {
  code: inert,
  calls: {
    [functions.allowance]: word(7n),
    [functions.balanceOf]: word(5n),
    [functions.isApprovedForAll]: word(1n)
  }
}

const wallet = (accounts: Script["accounts"], options: Partial<Script> = {}): Script => ({
  accounts: { [coin]: token, [collection]: token, ...accounts },
  logs: [approval(coin, spender)],
  ...options
})

const failingAt =
  (address: string, method?: string): NonNullable<Script["fault"]> =>
  (read) =>
    read.address._tag === "Some" && read.address.value === address && (method === undefined || read.method === method)
      ? "rpc_error"
      : undefined

/** A transparent proxy with its admin, as OpenZeppelin 4 made them, down to who owns the admin. */
const transparent = (owner: Address.Address, code: Account["code"] = inert): Script["accounts"] => ({
  [spender]: {
    code: delegating(Slots.implementation),
    storage: { [Slots.implementation]: word(logic), [Slots.admin]: word(admin) }
  },
  [logic]: { code },
  [admin]: { code: openZeppelin("ProxyAdmin"), calls: { [functions.owner]: word(owner) } }
})

describe("allowance.spender-risky", () => {
  it.effect.each<readonly [string, Account, string, string]>([
    ["a key", person, "eoa", "critical"],
    ["a key that runs a contract's code", { code: `0xef0100${bob.slice(2)}` }, "delegated_eoa", "critical"],
    ["an address without code", {}, "empty", "high"]
  ])("is confirmed of %s", ([_, it, kind, severity]) =>
    Effect.gen(function* () {
      const [item, ...more] = yield* evidence(allowanceSpenderRisky, "wallet", wallet({ [spender]: it }))
      assert.isEmpty(more)
      assert.strictEqual(item?.id, `allowance.spender-risky:${coin}:${spender}`)
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(item?.severity, severity)
      assert.deepStrictEqual(item?.value, {
        spender_kind: kind,
        upgrade: "none",
        pulls: null
      })
      assert.include(item?.source_url, spender)
    })
  )

  it.effect("is one severity less where the wallet has none of the token now, but for a reported spender", () =>
    Effect.gen(function* () {
      const holding = (
        balance: `0x${string}` | undefined,
        accounts: Script["accounts"],
        logs = [approval(coin, spender)]
      ) => {
        const { [functions.balanceOf]: _, ...calls } = token.calls ?? {}
        const held = balance === undefined ? calls : { ...calls, [functions.balanceOf]: balance }
        return Effect.map(
          said(allowanceSpenderRisky, "wallet", wallet({ [coin]: { ...token, calls: held }, ...accounts }, { logs })),
          (items) => items.map(({ severity }) => severity)
        )
      }
      for (const [it, now, later] of [
        [person, "critical", "high"],
        [{}, "high", "medium"]
      ] as const) {
        assert.deepStrictEqual(yield* holding(word(1n), { [spender]: it }), [now])
        assert.deepStrictEqual(yield* holding(word(0n), { [spender]: it }), [later])
        // A balance that was not read may be anything.
        assert.deepStrictEqual(yield* holding(undefined, { [spender]: it }), [now])
      }
      const reported = Address.checksum(KnownCode.delegates[0]?.address ?? "0x")
      assert.deepStrictEqual(yield* holding(word(0n), { [reported]: { code: inert } }, [approval(coin, reported)]), [
        "critical"
      ])
    })
  )

  it.effect("names who announced it, where the wallet is a key, and is medium where the token made it up", () =>
    Effect.gen(function* () {
      const at = word(0x2an)
      const stranger = account("0").slice(0, -2).concat("2a")
      const input = `0xd15ea5ed${word(target).slice(2)}${word(spender).slice(2)}` as const
      /** What is said where the transaction is of an account and gives permissions of some account. */
      const sent = (from: Address.Address | undefined, given: string | undefined, options: Partial<Script> = {}) => {
        const script = wallet(
          { [spender]: person, [target]: person },
          {
            logs: [{ ...approval(coin, spender), transactionHash: at, data: word(7n) }],
            transactions:
              from === undefined
                ? {}
                : { [at]: { blockNumber: 1, from, to: Option.some(coin), value: 0n, data: input } },
            ...(given === undefined
              ? {}
              : {
                  simulate: ({ blocks: [block] }) => [
                    (block?.calls ?? []).map(({ data = "0x" }, place, { length }) => ({
                      outcome: {
                        _tag: "Returned",
                        data: word(BigInt(place > 0 && place < length - 1 && data.includes(given)))
                      },
                      gasUsed: 0,
                      logs: []
                    }))
                  ]
                }),
            ...options
          }
        )
        return Effect.map(evidence(allowanceSpenderRisky, "wallet", script), (items) =>
          items.map(({ detail, severity, state, value }) => {
            const { announced_by, complete, made_up } = (value ?? {}) as Readonly<Record<string, unknown>>
            return [state, severity, announced_by, made_up, complete, detail.split("; ")[1]?.split(" ")[0] ?? ""]
          })
        )
      }
      const someone = stranger.slice(2).toLowerCase()
      assert.deepStrictEqual(yield* sent(bob, someone), [["confirmed", "medium", bob, true, undefined, "the"]])
      // A permit gives a permission of the wallet alone.
      assert.deepStrictEqual(yield* sent(bob, "nobody"), [
        ["confirmed", "critical", bob, undefined, undefined, "announced"]
      ])
      assert.deepStrictEqual(yield* sent(target, someone), [
        ["confirmed", "critical", undefined, undefined, undefined, ""]
      ])
      // An endpoint that lost the transaction says nothing of it; where it was not read or tried, nothing is decided.
      assert.deepStrictEqual(yield* sent(undefined, someone), [
        ["confirmed", "critical", undefined, undefined, false, ""]
      ])
      for (const method of ["eth_getTransactionByHash", "eth_simulateV1"]) {
        const fault: Script["fault"] = (read) => (read.method === method ? "rate_limited" : undefined)
        const [[state] = []] = yield* sent(bob, someone, { fault })
        assert.strictEqual(state, "unknown")
      }
      const unread = [["confirmed", "critical", undefined, undefined, undefined, ""]]
      // Others send for a contract, and what was taken back was not announced.
      const accounts = { [coin]: token, [spender]: person, [target]: { code: inert } }
      assert.deepStrictEqual(yield* sent(bob, someone, { accounts }), unread)
      const logs = [{ ...approval(coin, spender), transactionHash: at, data: word(0n) }]
      assert.deepStrictEqual(yield* sent(bob, someone, { logs }), unread)
    })
  )

  it.effect("is confirmed of replaceable code, with its controller", () =>
    Effect.gen(function* () {
      const keyed = yield* said(allowanceSpenderRisky, "wallet", wallet({ ...transparent(alice), [alice]: person }))
      assert.deepStrictEqual(
        keyed.map(({ controller, says, severity, value }) => [says, severity, controller, value]),
        [
          [
            "confirmed",
            "high",
            "eoa",
            {
              spender_kind: "contract",
              upgrade: "admin",
              pulls: null
            }
          ]
        ]
      )
      const [shared] = yield* said(
        allowanceSpenderRisky,
        "wallet",
        wallet({ ...transparent(alice), [alice]: safe(2n, [bob, admin]) })
      )
      assert.deepInclude(shared, { says: "confirmed", controller: "safe" })
      const nobody = account("0")
      const [renounced] = yield* said(allowanceSpenderRisky, "wallet", wallet(transparent(nobody)))
      assert.strictEqual(renounced?.says, "refuted")
    })
  )

  it.effect("analyses code that nobody can replace any more", () =>
    Effect.gen(function* () {
      const of = (code: Account["code"]) =>
        said(allowanceSpenderRisky, "wallet", wallet(transparent(account("0"), code)))
      assert.deepStrictEqual(
        (yield* of(own("OpenPuller"))).map(({ controller, says, severity, value }) => [
          says,
          severity,
          controller,
          value
        ]),
        [
          [
            "confirmed",
            "critical",
            undefined,
            {
              spender_kind: "contract",
              upgrade: "admin",
              pulls: "anybody"
            }
          ]
        ]
      )
      const [keyed] = yield* said(
        allowanceSpenderRisky,
        "wallet",
        wallet({
          ...transparent(account("0"), own("KeyedPuller")),
          [spender]: {
            code: delegating(Slots.implementation),
            storage: { [Slots.implementation]: word(logic), [Slots.admin]: word(admin), "0x0": word(alice) }
          },
          [alice]: person
        })
      )
      assert.deepInclude(keyed, { says: "confirmed", severity: "critical", controller: "eoa" })
    })
  )

  it.effect("is critical of a spender that was reported, whatever stands there now", () =>
    Effect.gen(function* () {
      for (const known of KnownCode.delegates) {
        const reported = Address.checksum(known.address)
        const [item] = yield* said(
          allowanceSpenderRisky,
          "wallet",
          wallet({ [reported]: { code: inert } }, { logs: [approval(coin, reported)] })
        )
        assert.deepInclude(item, { says: "confirmed", severity: "critical" })
      }
    })
  )

  it.effect("is critical of fixed code by which anyone, or a privileged key, takes from an account of his choice", () =>
    Effect.gen(function* () {
      const open = yield* said(allowanceSpenderRisky, "wallet", wallet({ [spender]: { code: own("OpenPuller") } }))
      assert.deepStrictEqual(
        open.map(({ controller, says, severity, value }) => [says, severity, controller, value]),
        [
          [
            "confirmed",
            "critical",
            undefined,
            {
              spender_kind: "contract",
              upgrade: "none",
              pulls: "anybody"
            }
          ]
        ]
      )
      const keyed = (owner: Account) =>
        said(
          allowanceSpenderRisky,
          "wallet",
          wallet({ [spender]: { code: own("KeyedPuller"), storage: { "0x0": word(alice) } }, [alice]: owner })
        )
      assert.deepStrictEqual(
        (yield* keyed(person)).map(({ controller, says, severity, value }) => [says, severity, controller, value]),
        [
          [
            "confirmed",
            "critical",
            "eoa",
            {
              spender_kind: "contract",
              upgrade: "none",
              pulls: "appointed"
            }
          ]
        ]
      )
      assert.deepInclude((yield* keyed(safe(2n, [bob, admin])))[0], { says: "confirmed", controller: "safe" })
    })
  )

  it.effect("is unknown, and never refuted, of fixed code with an unknown source of tokens", () =>
    Effect.gen(function* () {
      const [forwarder] = yield* said(
        allowanceSpenderRisky,
        "wallet",
        wallet({ [spender]: { code: own("OpenForwarder") } })
      )
      assert.deepInclude(forwarder, { says: "unknown: inconclusive", severity: "critical" })
      // Whoever comes first appoints himself.
      const [vacant] = yield* said(
        allowanceSpenderRisky,
        "wallet",
        wallet({ [spender]: { code: own("ClonedPuller") } })
      )
      assert.deepInclude(vacant, { says: "unknown: inconclusive" })
      // Another contract may take by it, and that one may serve its own callers.
      const [shared] = yield* said(
        allowanceSpenderRisky,
        "wallet",
        wallet({
          [spender]: { code: own("KeyedPuller"), storage: { "0x0": word(admin) } },
          [admin]: { code: inert }
        })
      )
      assert.deepInclude(shared, { says: "unknown: inconclusive" })
    })
  )

  it.effect(
    "is refuted of fixed code that takes from its caller alone, and of code that nobody is left to take by",
    () =>
      Effect.gen(function* () {
        for (const code of [own("Puller"), own("FeeVault"), own("KeyedPuller")]) {
          const [item] = yield* said(allowanceSpenderRisky, "wallet", wallet({ [spender]: { code } }))
          assert.strictEqual(item?.says, "refuted")
        }
      })
  )

  it.effect("is low of a Permit2 allowance as long as Permit2 itself may not move the token", () =>
    Effect.gen(function* () {
      const forever = Getter.calldata("0x", [word(1n), word((1n << 48n) - 1n), word(0n)])
      const by = (amount: bigint) =>
        said(
          allowanceSpenderRisky,
          "wallet",
          wallet(
            {
              [alice]: person,
              [coin]: { ...token, calls: { ...token.calls, [functions.allowance]: word(amount) } },
              [permit2]: { code: inert, calls: { [functions.permit2Allowance]: forever } }
            },
            { logs: [{ address: permit2, topics: [topics.Permit2Approval, word(target), word(coin), word(alice)] }] }
          )
        )
      assert.deepInclude((yield* by(0n))[0], { says: "confirmed", severity: "low" })
      assert.deepInclude((yield* by(7n))[0], { says: "confirmed", severity: "critical" })
    })
  )

  it.effect("is of every token and collection that a spender may move, by every way", () =>
    Effect.gen(function* () {
      const forever = Getter.calldata("0x", [word(1n), word((1n << 48n) - 1n), word(0n)])
      const items = yield* said(
        allowanceSpenderRisky,
        "wallet",
        wallet(
          {
            [alice]: person,
            [bob]: { code: inert },
            [permit2]: { code: inert, calls: { [functions.permit2Allowance]: forever } }
          },
          {
            logs: [
              approval(coin, alice),
              approval(coin, bob),
              approval(collection, alice, topics.ApprovalForAll),
              { address: permit2, topics: [topics.Permit2Approval, word(target), word(mute), word(alice)] }
            ]
          }
        )
      )
      assert.deepStrictEqual(
        items.map(({ id }) => id),
        [coin, collection, mute].map((held) => `allowance.spender-risky:${held}:${alice}`)
      )
    })
  )

  it.effect.each<readonly [string, Address.Address, Account]>([
    ["code that nothing can replace", spender, { code: inert }],
    ["Permit2", permit2, { code: delegating(Slots.implementation) }],
    [
      "a router of the address book",
      Address.checksum("0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D"),
      { code: delegating(Slots.implementation) }
    ],
    [
      "a spender of the address book",
      Address.checksum("0x111111125421cA6dc452d289314280a0f8842A65"),
      { code: own("OpenPuller") }
    ],
    ["a burn address", Address.checksum("0x000000000000000000000000000000000000dEaD"), {}],
    ["a precompile", Address.checksum("0x0000000000000000000000000000000000000002"), {}],
    ["the wallet itself", target, person]
  ])("is refuted of %s", ([_, address, it]) =>
    Effect.gen(function* () {
      const items = yield* said(
        allowanceSpenderRisky,
        "wallet",
        wallet({ [address]: it }, { logs: [approval(coin, address)] })
      )
      assert.deepStrictEqual(
        items.map(({ id, says, value }) => [id, says, value]),
        [["allowance.spender-risky", "refuted", null]]
      )
    })
  )

  it.effect("takes an address of the book for nothing where no contract stands at it", () =>
    Effect.gen(function* () {
      for (const known of [
        "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D",
        "0x111111125421cA6dc452d289314280a0f8842A65"
      ] as const) {
        const address = Address.checksum(known)
        const of = (it: Account) =>
          said(allowanceSpenderRisky, "wallet", wallet({ [address]: it }, { logs: [approval(coin, address)] }))
        const [empty] = yield* of({})
        assert.deepInclude(empty, { says: "confirmed", severity: "high" })
        const [key] = yield* of(person)
        assert.deepInclude(key, { says: "confirmed", severity: "critical" })
      }
    })
  )

  it.effect("is unknown of delegated code from an unknown source", () =>
    Effect.gen(function* () {
      // Delegates to an address that the caller gives.
      const [item] = yield* said(
        allowanceSpenderRisky,
        "wallet",
        wallet({ [spender]: { code: "0x365f5f375f5f365f5f355af400" } })
      )
      assert.deepInclude(item, { says: "unknown: inconclusive", severity: "critical" })
    })
  )

  it.effect("is unknown of the spender or token alone that could not be read", () =>
    Effect.gen(function* () {
      const logs = [approval(coin, alice), approval(coin, spender), approval(mute, alice)]
      const items = yield* said(
        allowanceSpenderRisky,
        "wallet",
        wallet({ [alice]: person }, { logs, fault: failingAt(spender, "eth_getCode") })
      )
      assert.deepStrictEqual(
        items.map(({ id, says }) => [id, says]),
        [
          [`allowance.spender-risky:${coin}:${spender}`, "unknown: rpc_error"],
          [`allowance.spender-risky:${coin}:${alice}`, "confirmed"]
        ]
      )
      const silent = yield* said(
        allowanceSpenderRisky,
        "wallet",
        wallet({ [alice]: person }, { logs, fault: failingAt(mute) })
      )
      assert.includeDeepMembers(
        silent.map(({ id, says }) => [id, says]),
        [
          [`allowance.spender-risky:${coin}:${alice}`, "confirmed"],
          [`allowance.spender-risky:${mute}:${alice}`, "unknown: rpc_error"]
        ]
      )
    })
  )

  it.effect("is unknown beyond the blocks that were searched, and where nothing could be", () =>
    Effect.gen(function* () {
      const partial = yield* said(
        allowanceSpenderRisky,
        "wallet",
        wallet({ [spender]: { code: inert } }, { logsComplete: false })
      )
      assert.deepStrictEqual(
        partial.map(({ says }) => says),
        ["unknown: log_range_limited"]
      )
      const lost = wallet({ [spender]: person }, { fault: failing("eth_getLogs") })
      assert.deepStrictEqual(
        (yield* said(allowanceSpenderRisky, "wallet", lost)).map(({ says, severity }) => [says, severity]),
        [["unknown: rate_limited", "critical"]]
      )
      assert.deepStrictEqual(yield* said(allowanceSpenderRisky, "token", lost), [])
      assert.deepStrictEqual(yield* said(allowanceSpenderRisky, "contract", lost), [])
    })
  )

  it.effect("follows nobody else instead of a spender that was lost", () =>
    Effect.gen(function* () {
      const code = own("OpenPuller")
      const spenders = Array.from({ length: 30 }, (_, place) =>
        Address.checksum(`0x${(place + 0x1000).toString(16).padStart(40, "0")}`)
      )
      const script = wallet(Object.fromEntries(spenders.map((each) => [each, { code }])), {
        logs: spenders.map((each) => approval(coin, each))
      })
      const told = (fault: Partial<Script>) =>
        Effect.map(
          said(allowanceSpenderRisky, "wallet", { ...script, ...fault }),
          (items) => new Map(items.map(({ id, says }) => [id, says]))
        )
      const before = yield* told({})
      const undecided = [...before].filter(([, says]) => says.startsWith("unknown")).map(([id]) => id)
      assert.isNotEmpty(undecided)
      assert.isBelow(undecided.length, spenders.length)
      const [gone = spender] = spenders.filter((each) => !undecided.some((id) => id.endsWith(each)))
      const after = yield* told({ fault: failingAt(gone) })
      for (const id of undecided) assert.strictEqual(after.get(id), before.get(id))
    })
  )
})
