import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as Holders from "../../../src/facts/market/Holders.js"
import * as Locks from "../../../src/facts/market/Locks.js"
import * as Pools from "../../../src/facts/market/Pools.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import { addresses } from "../../EthereumBook.js"
import { pinned, Running, running } from "../SandboxState.js"

const { functions, topics } = Selectors
const word = Getter.word

const facts = Layer.provideMerge(Holders.layer, Layer.merge(Locks.layer, Pools.layer))

const account = (digit: string) => Address.checksum(`0x${digit.repeat(40)}`)
const token = account("1")
const [alice, bob, carol] = [account("a"), account("b"), account("c")]

const transfer = (from: Hex, to: Hex, amount: bigint, blockNumber = 1) => ({
  address: token,
  topics: [topics.Transfer, word(from), word(to)],
  data: word(amount),
  blockNumber
})

/** A token of a thousand, what it says of balances, and its transfers. */
const holding = (
  balances: { readonly [account: Hex]: bigint },
  logs: ScriptedChain.Script["logs"],
  options: Partial<ScriptedChain.Script> = {}
): ScriptedChain.Script => ({
  accounts: {
    [token]: {
      code: "0x60006000f3",
      calls: {
        [functions.totalSupply]: word(1_000n),
        [functions.balanceOf]: word(0n),
        ...Object.fromEntries(
          Object.entries(balances).map(([each, amount]) => [
            Getter.calldata(functions.balanceOf, [word(each as Hex)]),
            word(amount)
          ])
        )
      }
    },
    [carol]: { code: "0x60006000f3" }
  },
  logs,
  chain: { addressBook: 31_337 },
  ...options
})

const holdersIn = (script: ScriptedChain.Script) =>
  Effect.flatMap(Holders.Holders, (holders) => holders.of(token)).pipe(
    Effect.map(({ value }) => value),
    Effect.provide(Layer.provide(facts, ScriptedChain.layer(script)))
  )

describe("Holders", () => {
  layer(running)("on a chain", (it) => {
    it.effect("are all of them where the history was seen, and add up to the supply, in two levels", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const holders = yield* Holders.Holders
        const { value } = yield* holders.of(Address.checksum(targets.plain.address))
        assert.isTrue(value.complete)
        assert.strictEqual(
          value.holders.reduce((sum, { balance }) => sum + balance, 0n),
          value.supply
        )
        assert.deepInclude(value.holders[0], {
          kind: "pool",
          address: Address.checksum(targets.plain.pair ?? Address.zero)
        })
        assert.isTrue(value.holders.slice(1).every(({ kind }) => kind === "account"))
        const { calls, levels } = yield* Effect.flatMap(ChainState, ({ spending }) => spending)
        assert.strictEqual(levels, 2)
        // Eight of them read the newest blocks, by the hashes of which events are bound.
        assert.isBelow(calls, 38)
      }).pipe(Effect.provide(Layer.provideMerge(facts, pinned())))
    )

    it.effect("of a token with balances that no event shows are a sample", () =>
      Effect.gen(function* () {
        const { accounts, targets } = yield* Running
        const holders = yield* Holders.Holders
        const { value } = yield* holders.of(Address.checksum(targets.phantom.address))
        assert.isFalse(value.complete)
        // Its owner is read all the same.
        assert.isTrue(value.holders.some(({ address, kind }) => address === accounts.issuer && kind === "controller"))
      }).pipe(Effect.provide(Layer.provideMerge(facts, pinned())))
    )
  })

  it.effect("have the balances that the token returns now, and are sorted by them", () =>
    Effect.gen(function* () {
      const { complete, holders } = yield* holdersIn(
        holding({ [alice]: 300n, [bob]: 700n }, [
          transfer(Address.zero, alice, 1_000n),
          transfer(alice, bob, 700n),
          transfer(alice, carol, 50n),
          transfer(carol, alice, 50n)
        ])
      )
      assert.isTrue(complete)
      assert.deepStrictEqual(
        holders.map(({ address, balance }) => [address, balance]),
        [
          [bob, 700n],
          [alice, 300n]
        ]
      )
    })
  )

  it.effect("say what they have by the transfers beyond what the token says, where all were seen", () =>
    Effect.gen(function* () {
      const logs = [transfer(Address.zero, alice, 1_000n), transfer(alice, bob, 400n)]
      const { complete, withheld } = yield* holdersIn(holding({ [bob]: 400n }, logs))
      assert.isFalse(complete)
      assert.deepStrictEqual([...withheld], [[alice, 600n]])
      const short = yield* holdersIn(holding({ [bob]: 400n }, logs, { logsComplete: false }))
      assert.strictEqual(short.withheld.size, 0)
    })
  )

  it.effect("that are lockers have locked what their records say, as long as the lock runs", () =>
    Effect.gen(function* () {
      const locker = Address.checksum(addresses.lockers.find(({ kind }) => kind === "uncx-v2")?.address ?? "0x")
      const now = 1_700_000_000
      const script = holding({ [locker]: 700n, [alice]: 300n }, [
        transfer(Address.zero, alice, 1_000n),
        transfer(alice, locker, 700n)
      ])
      const kept = (amount: bigint, until: number) =>
        holdersIn({
          ...script,
          chain: {},
          accounts: {
            ...script.accounts,
            [locker]: {
              code: "0x60006000f3",
              calls: {
                [functions.getNumLocksForToken]: word(1n),
                [Getter.calldata(functions.tokenLocks, [word(token), word(0n)])]: Getter.calldata("0x", [
                  word(1n),
                  word(amount),
                  word(amount),
                  word(BigInt(until)),
                  word(0n),
                  word(alice)
                ])
              }
            }
          }
        })
      assert.strictEqual((yield* kept(700n, now + 1)).unattributed, 0n)
      assert.strictEqual((yield* kept(700n, now)).unattributed, 700n)
      assert.strictEqual((yield* kept(200n, now + 1)).unattributed, 500n)
      // Nobody is believed about more than he has.
      assert.strictEqual((yield* kept(701n, now + 1)).unattributed, 700n)
    })
  )

  it.effect("that are vaults of pools count as holdings of unknown owners", () =>
    Effect.gen(function* () {
      const vault = Address.checksum(addresses.poolVaults[0]?.address ?? "0x")
      const set = yield* holdersIn({
        ...holding({ [vault]: 700n, [alice]: 300n }, [
          transfer(Address.zero, alice, 1_000n),
          transfer(alice, vault, 700n)
        ]),
        chain: {}
      })
      assert.deepInclude(set.holders[0], { address: vault, kind: "vault" })
      assert.strictEqual(set.unattributed, 700n)
    })
  )

  it.effect("are a sample where a part of the history, a balance or the sum is missing", () =>
    Effect.gen(function* () {
      const logs = [transfer(Address.zero, alice, 1_000n)]
      const isComplete = (script: ScriptedChain.Script) => Effect.map(holdersIn(script), ({ complete }) => complete)
      assert.isTrue(yield* isComplete(holding({ [alice]: 1_000n }, logs)))
      assert.isFalse(yield* isComplete(holding({ [alice]: 1_000n }, logs, { logsComplete: false })))
      assert.isFalse(yield* isComplete(holding({ [alice]: 999n }, logs)))
      assert.isFalse(yield* isComplete(holding({ [alice]: 1_001n }, logs)))
      const script = holding({}, logs)
      const mute = { code: "0x60006000f3" as Hex, calls: { [functions.totalSupply]: word(1_000n) } }
      assert.isFalse(yield* isComplete({ ...script, accounts: { [token]: mute } }))
    })
  )

  it.effect("are complete with thousands of them: unread ones have what their transfers add up to", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 500 }, (_, index) => Address.fromWord(word(BigInt(index + 1_000))))
      const { complete, holders } = yield* holdersIn(
        holding({ [alice]: 500n, ...Object.fromEntries(many.map((each) => [each, 1n])) }, [
          transfer(Address.zero, alice, 1_000n),
          ...many.map((each) => transfer(alice, each, 1n))
        ])
      )
      assert.isTrue(complete)
      assert.isBelow(holders.length, 201)
      assert.strictEqual(holders[0]?.address, alice)
    })
  )

  it.effect("of a busy token are those of its newest blocks, whatever more the endpoint would give", () =>
    Effect.gen(function* () {
      const old = transfer(Address.zero, alice, 1_000n, 5)
      const busy = Array.from({ length: 2_000 }, (_, index) => transfer(alice, bob, 0n, 999_000 + (index % 900)))
      const { complete, fromBlock } = yield* holdersIn(holding({ [alice]: 1_000n }, [old, ...busy]))
      assert.isFalse(complete)
      assert.strictEqual(fromBlock, 998_001)
      const quiet = yield* holdersIn(holding({ [alice]: 1_000n }, [old, ...busy.slice(1)]))
      assert.isTrue(quiet.complete)
    })
  )

  it.effect("are named by kind: nobody, the token itself, its owner, code, a key, and what was not looked at", () =>
    Effect.gen(function* () {
      const dead = Address.checksum("0x000000000000000000000000000000000000dEaD")
      const script = holding(
        { [dead]: 400n, [token]: 200n, [alice]: 150n, [bob]: 150n, [carol]: 100n },
        [dead, token, alice, bob, carol].map((to) => transfer(Address.zero, to, 1n))
      )
      const owned = {
        ...script,
        accounts: {
          ...script.accounts,
          [token]: {
            ...script.accounts?.[token],
            calls: { ...script.accounts?.[token]?.calls, [functions.owner]: word(alice) }
          }
        }
      }
      const kinds = (of: ScriptedChain.Script) =>
        Effect.map(holdersIn(of), ({ holders }) =>
          Object.fromEntries(holders.map(({ address, kind }) => [address, kind]))
        )
      assert.deepStrictEqual(yield* kinds(owned), {
        [dead]: "burn",
        [token]: "self",
        [alice]: "controller",
        [bob]: "account",
        [carol]: "contract"
      })
      const blind: ScriptedChain.Script = {
        ...owned,
        fault: ({ method }) => (method === "eth_getCode" ? "rpc_error" : undefined)
      }
      assert.deepInclude(yield* kinds(blind), { [bob]: "unknown", [carol]: "unknown", [alice]: "controller" })
    })
  )

  it.effect("are unknown where no transfer or pool could be read", () =>
    Effect.gen(function* () {
      const lost = (method: string) =>
        Effect.flip(
          holdersIn(
            holding({ [alice]: 1_000n }, [transfer(Address.zero, alice, 1_000n)], {
              chain: { addressBook: 1 },
              fault: (read) => (read.method === method ? "rate_limited" : undefined)
            })
          )
        )
      for (const method of ["eth_getLogs", "eth_call"])
        assert.strictEqual((yield* lost(method)).reason, "rate_limited", method)
    })
  )
})
