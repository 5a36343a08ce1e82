import { Artifact } from "@assay/sandbox"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Timestamp from "../../../src/domain/Timestamp.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import { Liquidity } from "../../../src/facts/market/Liquidity.js"
import * as Market from "../../../src/facts/venue/Market.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import * as Facts from "../../checks/Facts.js"
import { openZeppelin, safe } from "../../checks/Scripted.js"
import { book } from "../../EthereumBook.js"
import { pinned, Running, running } from "../SandboxState.js"

const { functions, selector, topics } = Selectors
const word = Getter.word

describe("Liquidity", () => {
  layer(running)("on a chain", (it) => {
    const of = (
      name:
        | "lockedUncx"
        | "lockedPink"
        | "lockedTeam"
        | "lockExpired"
        | "lockUnreadable"
        | "vestedShares"
        | "plain"
        | "pausable"
    ) =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const { value } = yield* Effect.flatMap(Liquidity, (liquidity) =>
          liquidity.of(Address.checksum(targets[name].address))
        )
        assert.strictEqual(value.length, 1)
        assert.strictEqual(value[0]?.pool.address, targets[name].pair)
        const { levels } = yield* Effect.flatMap(ChainState, ({ spending }) => spending)
        return { ...value[0], levels }
      }).pipe(Effect.provide(Layer.provideMerge(Facts.layer, pinned())))

    it.effect("takes the owner and the end of a lock from each locker's own record", () =>
      Effect.gen(function* () {
        const { accounts } = yield* Running
        for (const [name, locks] of [
          ["lockedUncx", 1],
          ["lockedPink", 2],
          ["lockedTeam", 1]
        ] as const) {
          const found = yield* of(name)
          assert.deepStrictEqual(
            found.shares?.map(({ kind }) => kind),
            ["locked"],
            name
          )
          assert.strictEqual(found.unseen, 0n, name)
          assert.isNull(found.gap, name)
          assert.strictEqual(found.locks?.length, locks, name)
          for (const lock of found.locks ?? []) assert.strictEqual(lock.owner, accounts.issuer, name)
          assert.isAtMost(found.levels, 3, name)
        }
      })
    )

    it.effect("gives the shares of a lock that has ended to its owner", () =>
      Effect.gen(function* () {
        const { accounts } = yield* Running
        const { shares } = yield* of("lockExpired")
        assert.deepStrictEqual(
          shares?.map(({ account, kind }) => [account, kind]),
          [[accounts.issuer, "insider"]]
        )
      })
    )

    it.effect("takes no locker at its name: without a record the shares are stuck and not locked", () =>
      Effect.gen(function* () {
        const { locks, shares, unrecorded } = yield* of("lockUnreadable")
        assert.deepStrictEqual(
          shares?.map(({ kind }) => kind),
          ["stuck"]
        )
        assert.deepStrictEqual(locks, [])
        assert.isTrue(unrecorded?.[0]?.empty)
      })
    )

    it.effect("reads a vault of published code, and until when it keeps the shares", () =>
      Effect.gen(function* () {
        const { head } = yield* Running
        const { levels, locks, shares } = yield* of("vestedShares")
        assert.deepStrictEqual(
          shares?.map(({ kind }) => kind),
          ["locked"]
        )
        assert.strictEqual(locks?.[0]?.name, "VestingWallet")
        assert.isAbove(
          Option.getOrElse(locks?.[0]?.unlocksAt ?? Option.none(), () => 0),
          head.timestamp
        )
        assert.isAtMost(levels, 3)
      })
    )

    it.effect("distinguishes what is burned from what its deployer has", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          (yield* of("plain")).shares?.map(({ kind }) => kind),
          ["burned"]
        )
        const { levels, shares, weight } = yield* of("pausable")
        assert.deepStrictEqual(
          shares?.map(({ kind }) => kind),
          ["insider"]
        )
        assert.strictEqual(weight, 10_000)
        assert.strictEqual(levels, 2)
      })
    )
  })

  const token = Address.checksum(`0x${"11".repeat(20)}`)
  const weth: Hex = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"
  const pair = Market.pairAddresses(Market.of(book), token)[0] ?? Address.zero
  const holder = Address.checksum(`0x${"aa".repeat(20)}`)
  const owner = Address.checksum(`0x${"bb".repeat(20)}`)
  const signer = Address.checksum(`0x${"cc".repeat(20)}`)
  const now = 1_700_000_000

  /** A pair of a hundred thousand shares, all of which one account has. */
  const heldBy = (
    account: ScriptedChain.Account,
    options: Partial<ScriptedChain.Script> = {}
  ): ScriptedChain.Script => ({
    accounts: {
      [token]: {
        code: "0x60006000f3",
        calls: { [functions.totalSupply]: word(1_000n), [functions.balanceOf]: word(0n) }
      },
      [weth]: { code: "0x60006000f3", calls: { [functions.balanceOf]: word(0n) } },
      [pair]: {
        code: "0x60006000f3",
        calls: {
          [functions.getReserves]: Getter.calldata("0x", [word(10n ** 18n), word(10n ** 18n), word(1n)]),
          [functions.totalSupply]: word(101_000n),
          [functions.balanceOf]: word(0n),
          [Getter.calldata(functions.balanceOf, [word(Address.zero)])]: word(1_000n),
          [Getter.calldata(functions.balanceOf, [word(holder)])]: word(100_000n)
        }
      },
      [holder]: account
    },
    logs: [{ address: pair, topics: [topics.Transfer, word(0n), word(holder)], data: word(100_000n) }],
    ...options
  })

  const sharesIn = (script: ScriptedChain.Script) =>
    Effect.flatMap(Liquidity, (liquidity) => liquidity.of(token)).pipe(
      Effect.map(({ value }) => value[0]),
      Effect.provide(Layer.provide(Facts.layer, ScriptedChain.layer(script)))
    )

  const kindIn = (script: ScriptedChain.Script) =>
    Effect.map(sharesIn(script), (found) => found?.shares.map(({ kind }) => kind))

  /** OpenZeppelin's TokenTimelock as its constructor leaves it, with other values in its code. */
  const timelock = (kept: Hex, until: number | bigint): ScriptedChain.Account => {
    const { deployedBytecode = "0x" } = Artifact.load("openzeppelin-contracts-4/build/contracts/TokenTimelock.json")
    return {
      code: deployedBytecode.replaceAll(`7f${"0".repeat(64)}`, `7f${word(owner).slice(2)}`) as Hex,
      calls: {
        [selector("token()")]: word(kept),
        [selector("beneficiary()")]: word(owner),
        [selector("releaseTime()")]: word(BigInt(until))
      }
    }
  }

  it.effect("knows a TokenTimelock by its code, whatever values it was made with, and reads what it keeps", () =>
    Effect.gen(function* () {
      const found = yield* sharesIn(heldBy(timelock(pair, now + 100)))
      assert.deepStrictEqual(
        found?.shares.map(({ kind }) => kind),
        ["locked"]
      )
      assert.deepInclude(found?.locks[0], {
        name: "TokenTimelock",
        amount: 100_000n,
        unlocksAt: Option.some(now + 100)
      })
      assert.deepStrictEqual(yield* kindIn(heldBy(timelock(token, now + 100))), ["contract"])
      const over = yield* sharesIn(heldBy(timelock(pair, now)))
      assert.deepStrictEqual(over?.shares, [{ account: owner, amount: 100_000n, kind: "insider" }])
    })
  )

  it.effect("takes a vault with an end beyond every date for one that never gives back", () =>
    Effect.gen(function* () {
      // In milliseconds, by mistake; and the largest number there is.
      for (const until of [1_000 * (now + 100), 2n ** 256n - 1n]) {
        const found = yield* sharesIn(heldBy(timelock(pair, until)))
        assert.deepStrictEqual(
          found?.shares.map(({ kind }) => kind),
          ["locked"]
        )
        assert.deepStrictEqual(
          found?.locks.map(({ unlocksAt }) => unlocksAt),
          [Option.none()]
        )
      }
    })
  )

  it.effect("takes no other code at its word, though it answers the same", () =>
    Effect.gen(function* () {
      const genuine = timelock(pair, now + 100)
      const code = (genuine.code ?? "0x").replace("b91d4001", "b91d4002") as Hex
      assert.deepStrictEqual(yield* kindIn(heldBy({ ...genuine, code })), ["contract"])
    })
  )

  it.effect("distinguishes a key, a Safe and a contract of any other code", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* kindIn(heldBy({ nonce: 1 })), ["key"])
      assert.deepStrictEqual(yield* kindIn(heldBy(safe(2n, [owner, signer]))), ["safe"])
      assert.deepStrictEqual(yield* kindIn(heldBy(safe(1n, [owner]))), ["contract"])
      assert.deepStrictEqual(yield* kindIn(heldBy(safe(2n, [owner, token], { modules: [owner] }))), ["contract"])
      assert.deepStrictEqual(yield* kindIn(heldBy({ code: "0x60006000f3" })), ["contract"])
    })
  )

  it.effect("takes a Safe with owners of one key for that key, and one with unknown owners for a contract", () =>
    Effect.gen(function* () {
      const other = Address.checksum(`0x${"dd".repeat(20)}`)
      const script = heldBy(safe(2n, [signer, other]))
      const withOwners = (first: ScriptedChain.Account, second: ScriptedChain.Account) =>
        kindIn({
          ...script,
          accounts: { ...script.accounts, [owner]: { nonce: 1 }, [signer]: first, [other]: second }
        })
      assert.deepStrictEqual(yield* withOwners(safe(1n, [owner]), safe(1n, [owner])), ["key"])
      assert.deepStrictEqual(yield* withOwners({ code: "0x60006000f3" }, { code: "0x60006000f3" }), ["contract"])
      assert.deepStrictEqual(yield* withOwners({ nonce: 1 }, { nonce: 1 }), ["safe"])
    })
  )

  it.effect("takes a timelock for one who has to wait only where the wait is one that counts", () =>
    Effect.gen(function* () {
      const waiting = (delay: bigint) =>
        heldBy({
          code: openZeppelin("TimelockController"),
          calls: { [functions.getMinDelay]: word(delay) },
          storage: { [word(2n)]: word(delay) }
        })
      assert.deepStrictEqual(yield* kindIn(waiting(2n * 86_400n)), ["timelock"])
      for (const delay of [0n, 60n, 2n * 86_400n - 1n])
        assert.deepStrictEqual(yield* kindIn(waiting(delay)), ["contract"])
    })
  )

  it.effect("calls an owner and a first receiver of the token insiders", () =>
    Effect.gen(function* () {
      const script = heldBy({ nonce: 1 })
      const minted = { address: token, topics: [topics.Transfer, word(0n), word(holder)], data: word(1_000n) }
      assert.deepStrictEqual(yield* kindIn({ ...script, logs: [...(script.logs ?? []), minted] }), ["insider"])
      const owned = {
        ...script.accounts?.[token],
        calls: { ...script.accounts?.[token]?.calls, [functions.owner]: word(holder) }
      }
      assert.deepStrictEqual(yield* kindIn({ ...script, accounts: { ...script.accounts, [token]: owned } }), [
        "insider"
      ])
    })
  )

  it.effect("finds how much keys have from insiders, by any way", () =>
    Effect.gen(function* () {
      const between = Address.checksum(`0x${"cc".repeat(20)}`)
      const sent = (to: Hex, from: Hex, amount: bigint) => ({
        address: pair,
        topics: [topics.Transfer, word(from), word(to)],
        data: word(amount)
      })
      const given = (logs: ScriptedChain.Script["logs"], account: ScriptedChain.Account = { nonce: 1 }) =>
        Effect.map(
          sharesIn(
            heldBy(account, {
              logs: [
                { address: token, topics: [topics.Transfer, word(0n), word(owner)], data: word(1_000n) },
                ...(logs ?? [])
              ]
            })
          ),
          (found) => found?.given
        )
      const [made, passed] = [sent(owner, Address.zero, 100_000n), sent(holder, owner, 100_000n)]
      assert.strictEqual(yield* given([made, passed]), 100_000n)
      assert.strictEqual(
        yield* given([made, sent(between, owner, 100_000n), sent(holder, between, 100_000n)]),
        100_000n
      )
      // What it put in itself is its own, and so is what is left of it after what was given went on.
      assert.strictEqual(yield* given([sent(holder, Address.zero, 100_000n)]), 0n)
      assert.strictEqual(
        yield* given([made, passed, sent(holder, Address.zero, 60_000n), sent(pair, holder, 60_000n)]),
        40_000n
      )
      // Other code counts as itself.
      assert.strictEqual(yield* given([made, passed], { code: "0x60006000f3" }), 0n)
    })
  )

  it.effect("says how much nobody was found to hold, and why", () =>
    Effect.gen(function* () {
      const lost = yield* sharesIn(
        heldBy({ nonce: 1 }, { fault: ({ method }) => (method === "eth_getLogs" ? "rate_limited" : undefined) })
      )
      assert.deepInclude(lost, { unseen: 100_000n, gap: "rate_limited", insidersGap: "rate_limited" })
      const short = yield* sharesIn(heldBy({ nonce: 1 }, { logs: [], logsComplete: false }))
      assert.deepInclude(short, { unseen: 100_000n, gap: "log_range_limited", insidersGap: "log_range_limited" })
      const unread = yield* sharesIn(
        heldBy(
          { nonce: 1 },
          {
            fault: ({ address, method }) =>
              method === "eth_getCode" && Option.contains(address, holder) ? "rpc_error" : undefined
          }
        )
      )
      assert.deepInclude(unread, { unseen: 0n, gap: "rpc_error" })
      assert.strictEqual(unread?.shares[0]?.kind, "unknown")
    })
  )

  it("counts seconds as the scripted block does", () => {
    assert.strictEqual(Timestamp.fromMillis(1_000 * now), "2023-11-14T22:13:20.000Z")
  })
})
