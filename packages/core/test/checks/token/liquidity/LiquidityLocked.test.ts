import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type * as Check from "../../../../src/checks/Check.js"
import { liquidityInsiders } from "../../../../src/checks/token/liquidity/LiquidityInsiders.js"
import { liquidityLocked } from "../../../../src/checks/token/liquidity/LiquidityLocked.js"
import { liquidityWithdrawn } from "../../../../src/checks/token/liquidity/LiquidityWithdrawn.js"
import { lockEnds } from "../../../../src/checks/token/liquidity/LockEnds.js"
import { lockExpiring } from "../../../../src/checks/token/liquidity/LockExpiring.js"
import * as Timestamp from "../../../../src/domain/Timestamp.js"
import type { PoolShare, PoolShares } from "../../../../src/facts/market/Liquidity.js"
import type { LockRecord, Unrecorded } from "../../../../src/facts/market/Locks.js"
import { evidence, lost, type Market, said, shares } from "../Markets.js"
import { address, pool } from "../Trades.js"

// When the scripted chain's block was made.
const now = 1_700_000_000
const day = 86_400

const share = (digit: string, amount: bigint, kind: PoolShare["kind"]): PoolShare => ({
  account: address(digit),
  amount,
  kind
})

const lock = (amount: bigint, unlocksAt: number | undefined): LockRecord => ({
  pool: address("b"),
  locker: address("6"),
  name: "UNCX",
  owner: address("7"),
  amount,
  unlocksAt: Option.fromNullable(unlocksAt)
})

const unrecorded = (amount: bigint, fields: Partial<Unrecorded> = {}): Unrecorded => ({
  pool: address("b"),
  locker: address("6"),
  name: "UNCX",
  amount,
  empty: false,
  reason: "inconclusive",
  ...fields
})

/** A pool of a hundred thousand shares, some of them locked until a day from now on. */
const locked = (
  amount: bigint,
  days: number,
  others: ReadonlyArray<PoolShare> = [],
  fields: Partial<PoolShares> = {}
) =>
  shares({
    shares: [share("6", amount, "locked"), ...others],
    locks: [lock(amount, now + days * day)],
    ...fields
  })

describe("liquidity.locked", () => {
  it.effect("is confirmed by records of nearly all that is not burned, with the first end among them", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(liquidityLocked, { shares: [locked(95_000n, 90, [share("1", 5_000n, "key")])] })
      assert.strictEqual(item?.id, `liquidity.locked:${address("b")}`)
      assert.strictEqual(item?.state, "confirmed")
      const until = Timestamp.fromMillis(1_000 * (now + 90 * day))
      assert.deepStrictEqual(item?.value, {
        locked_bps: 9_500,
        burned_bps: 0,
        until,
        locks: [
          {
            locker: address("6"),
            name: "UNCX",
            owner: address("7"),
            amount: "95000",
            share_bps: 9_500,
            unlocks_at: until
          }
        ]
      })
      const half = locked(50_000n, 90, [share("2", 50_000n, "burned")])
      assert.deepStrictEqual(yield* said(liquidityLocked, { shares: [half] }), ["confirmed info"])
      const forEver = shares({ shares: [share("6", 100_000n, "locked")], locks: [lock(100_000n, undefined)] })
      const [eternal] = yield* evidence(liquidityLocked, { shares: [forEver] })
      assert.deepInclude(eternal?.value as object, { until: null })
      assert.strictEqual(eternal?.state, "confirmed")
    })
  )

  it.effect("is refuted where an account has the shares, and where there is nothing left to lock", () =>
    Effect.gen(function* () {
      for (const others of [
        locked(94_000n, 90, [share("1", 6_000n, "key")]),
        shares({ shares: [share("1", 100_000n, "insider")] }),
        shares({ shares: [share("1", 100_000n, "safe")] }),
        shares({ shares: [share("2", 100_000n, "burned")] }),
        // Its time has come: it is its owner's.
        shares({ shares: [share("7", 100_000n, "insider")], locks: [lock(100_000n, now - day)] })
      ])
        assert.deepStrictEqual(yield* said(liquidityLocked, { shares: [others] }), ["refuted"])
    })
  )

  it.effect("is unknown where a locker has no readable record, and where code or holders are not known", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* said(liquidityLocked, {
          shares: [
            shares({ shares: [share("6", 100_000n, "stuck")], unrecorded: [unrecorded(100_000n, { empty: true })] }),
            shares({
              shares: [share("6", 100_000n, "unknown")],
              unrecorded: [unrecorded(100_000n, { reason: "rate_limited" })]
            }),
            shares({ shares: [share("5", 100_000n, "contract")] }),
            shares({ unseen: 100_000n, gap: "log_range_limited" })
          ]
        }),
        ["unknown: inconclusive", "unknown: rate_limited", "unknown: inconclusive", "unknown: log_range_limited"]
      )
      assert.deepStrictEqual(yield* said(liquidityLocked, { shares: lost("rpc_error") }), ["unknown: rpc_error"])
    })
  )

  it.effect("is silent about a Uniswap V3 pool only where all lockers were read and none has a part of it", () =>
    Effect.gen(function* () {
      const v3 = pool({ kind: "uniswap-v3" })
      assert.deepStrictEqual(yield* evidence(liquidityLocked, { shares: [shares({ pool: v3 })] }), [])
      const failed = { pool: v3, gap: "rpc_error", locksGap: "rpc_error" } as const
      for (const held of [
        { unseen: 100_000n },
        { shares: [share("5", 100_000n, "contract")] },
        { shares: [share("5", 10_000n, "insider")], unseen: 90_000n },
        { shares: [share("5", 100_000n, "burned")] }
      ]) {
        const [item] = yield* evidence(liquidityLocked, { shares: [shares({ ...failed, ...held })] })
        assert.deepInclude(item, { state: "unknown", reason: "rpc_error" })
      }
    })
  )

  it.effect(
    "does not apply without a pair or to a collection, and is one unknown item where no exchange is known",
    () =>
      Effect.gen(function* () {
        const some = [locked(100_000n, 1)]
        const markets: ReadonlyArray<Market> = [{}, { shares: some, standard: "erc721" }]
        for (const check of [liquidityLocked, lockExpiring, lockEnds, liquidityInsiders, liquidityWithdrawn]) {
          const [item, ...others] = yield* evidence(check as Check.Any, { shares: some, covered: false })
          assert.deepInclude(item, { id: check.id, state: "unknown" })
          assert.isEmpty(others)
        }
        for (const market of markets) {
          assert.deepStrictEqual(yield* evidence(liquidityLocked, market), [])
          assert.deepStrictEqual(yield* evidence(lockExpiring, market), [])
          assert.deepStrictEqual(yield* evidence(lockEnds, market), [])
          assert.deepStrictEqual(yield* evidence(liquidityInsiders, market), [])
        }
      })
  )
})

describe("liquidity.lock-ends", () => {
  it.effect.each([
    [4_000, "confirmed low"],
    [1, "confirmed low"],
    [0, "refuted"],
    [-400, "refuted"]
  ] as const)("of a lock of all shares with %s days to go is %s", ([days, says]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(lockEnds, { shares: [locked(100_000n, days)] }), [says])
    })
  )

  it.effect("is low however much can go, from 20 % of all that the token's pools hold", () =>
    Effect.gen(function* () {
      for (const [amount, weight, says] of [
        [100_000n, 10_000, "confirmed low"],
        [20_000n, 10_000, "confirmed low"],
        [19_999n, 10_000, "refuted"],
        [100_000n, 1_000, "refuted"]
      ] as const)
        assert.deepStrictEqual(
          yield* said(lockEnds, {
            shares: [locked(amount, 400, [share("1", 100_000n - amount, "key")], { weight })]
          }),
          [says]
        )
    })
  )

  it.effect("does not apply to a pair without locks, and is refuted of one that never ends", () =>
    Effect.gen(function* () {
      const open = shares({ shares: [share("1", 100_000n, "key")] })
      assert.deepStrictEqual(yield* said(lockEnds, { shares: [open] }), [])
      const forEver = shares({ shares: [share("6", 100_000n, "locked")], locks: [lock(100_000n, undefined)] })
      assert.deepStrictEqual(yield* said(lockEnds, { shares: [forEver] }), ["refuted"])
    })
  )

  it.effect("is unknown where so much may be in a lock that could not be read", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* said(lockEnds, {
          shares: [
            shares({
              shares: [share("6", 100_000n, "unknown")],
              unrecorded: [unrecorded(100_000n, { reason: "rate_limited" })]
            })
          ]
        }),
        ["unknown: rate_limited"]
      )
      assert.deepStrictEqual(
        yield* said(lockEnds, { shares: [locked(30_000n, 400, [], { unseen: 70_000n, gap: "rpc_error" })] }),
        ["confirmed low"]
      )
    })
  )
})

describe("liquidity.lock-expiring", () => {
  it.effect.each([
    [31, "refuted"],
    [30, "confirmed high"],
    [0, "confirmed high"],
    [-400, "confirmed high"]
  ] as const)("of a lock of all shares with %s days to go is %s", ([days, says]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(lockExpiring, { shares: [locked(100_000n, days)] }), [says])
    })
  )

  it.effect("is graded by how much of all that the token's pools hold can go", () =>
    Effect.gen(function* () {
      for (const [amount, weight, says] of [
        [50_000n, 10_000, "confirmed high"],
        [49_999n, 10_000, "confirmed medium"],
        [20_000n, 10_000, "confirmed medium"],
        [19_999n, 10_000, "refuted"],
        [100_000n, 4_000, "confirmed medium"],
        [100_000n, 1_000, "refuted"]
      ] as const)
        assert.deepStrictEqual(
          yield* said(lockExpiring, {
            shares: [locked(amount, 1, [share("1", 100_000n - amount, "key")], { weight })]
          }),
          [says]
        )
    })
  )

  it.effect("is graded by the locks of several pools together", () =>
    Effect.gen(function* () {
      const six = Array.from({ length: 6 }, (_, place) =>
        locked(100_000n, 1, [], { weight: 1_666, pool: pool({ address: address(String(place + 1)) }) })
      )
      assert.deepStrictEqual(yield* said(lockExpiring, { shares: six }), Array(6).fill("confirmed high"))
    })
  )

  it.effect("does not apply to a pair without locks, and is refuted of one that never ends", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* said(lockExpiring, {
          shares: [
            shares({ shares: [share("1", 100_000n, "key")] }),
            shares({ shares: [share("6", 100_000n, "stuck")], unrecorded: [unrecorded(100_000n, { empty: true })] })
          ]
        }),
        []
      )
      const forEver = shares({ shares: [share("6", 100_000n, "locked")], locks: [lock(100_000n, undefined)] })
      assert.deepStrictEqual(yield* said(lockExpiring, { shares: [forEver] }), ["refuted"])
    })
  )

  it.effect("is unknown where so much may be in a lock that could not be read", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* said(lockExpiring, {
          shares: [
            shares({
              shares: [share("6", 100_000n, "unknown")],
              unrecorded: [unrecorded(100_000n, { reason: "rate_limited" })]
            }),
            shares({ unseen: 20_000n, gap: "log_range_limited" }),
            locked(30_000n, 90, [], { unseen: 70_000n, gap: "rpc_error" })
          ]
        }),
        ["unknown: rate_limited", "unknown: log_range_limited", "unknown: rpc_error"]
      )
      // What is missing is too little to matter.
      assert.deepStrictEqual(
        yield* said(lockExpiring, { shares: [locked(90_000n, 90, [], { unseen: 10_000n, gap: "rpc_error" })] }),
        ["refuted"]
      )
      assert.deepStrictEqual(yield* said(lockExpiring, { shares: lost("rpc_error") }), ["unknown: rpc_error"])
    })
  )
})

describe("liquidity.held-by-insiders", () => {
  const held = (list: ReadonlyArray<PoolShare>, fields: Partial<PoolShares> = {}) =>
    said(liquidityInsiders, { shares: [shares({ shares: list, ...fields })] })

  it.effect("adds up what insiders have, and takes every other key alone", () =>
    Effect.gen(function* () {
      const [first, second] = [share("1", 30_000n, "insider"), share("2", 25_000n, "insider")]
      assert.deepStrictEqual(yield* held([first, second, share("3", 45_000n, "locked")]), ["confirmed high"])
      assert.deepStrictEqual(
        yield* held([share("1", 30_000n, "key"), share("2", 30_000n, "key"), share("3", 40_000n, "burned")]),
        ["confirmed medium"]
      )
      assert.deepStrictEqual(yield* held([share("1", 50_000n, "key"), share("3", 50_000n, "burned")]), [
        "confirmed high"
      ])
      assert.deepStrictEqual(
        yield* held(Array.from({ length: 9 }, (_, index) => share(String(index + 1), 11_000n, "key"))),
        ["refuted"]
      )
    })
  )

  it.effect("is unknown where keys have from insiders what would matter in one hand", () =>
    Effect.gen(function* () {
      const keys = Array.from({ length: 9 }, (_, index) => share(String(index + 1), 11_000n, "key"))
      assert.deepStrictEqual(yield* held(keys, { given: 99_000n }), ["unknown: inconclusive"])
      assert.deepStrictEqual(yield* held(keys, { given: 20_000n }), ["unknown: inconclusive"])
      assert.deepStrictEqual(yield* held(keys, { given: 19_999n }), ["refuted"])
    })
  )

  it.effect("is refuted of what is burned, locked, or stuck in a locker", () =>
    Effect.gen(function* () {
      for (const kind of ["burned", "locked", "stuck"] as const)
        assert.deepStrictEqual(yield* held([share("1", 100_000n, kind)]), ["refuted"])
    })
  )

  it.effect("is unknown of a pool that was emptied, unless others hold nearly all there is", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* held([], { total: 0n }), ["unknown: inconclusive"])
      assert.deepStrictEqual(yield* held([], { total: 0n, weight: 100 }), ["refuted"])
    })
  )

  it.effect("is a grade less where a Safe or a timelock decides", () =>
    Effect.gen(function* () {
      for (const kind of ["safe", "timelock"] as const) {
        assert.deepStrictEqual(yield* held([share("1", 100_000n, kind)]), ["confirmed medium"])
        assert.deepStrictEqual(yield* held([share("1", 30_000n, kind), share("2", 70_000n, "burned")]), [
          "confirmed low"
        ])
      }
    })
  )

  it.effect("weighs the pool by its part of all that the token's pools hold", () =>
    Effect.gen(function* () {
      const all = [share("1", 100_000n, "insider")]
      assert.deepStrictEqual(yield* held(all, { weight: 5_000 }), ["confirmed high"])
      assert.deepStrictEqual(yield* held(all, { weight: 2_000 }), ["confirmed medium"])
      assert.deepStrictEqual(yield* held(all, { weight: 1_999 }), ["refuted"])
    })
  )

  it.effect("adds up what one hand has in several pools, so that nobody looks smaller by having many", () =>
    Effect.gen(function* () {
      const inPools = (of: (place: number) => ReadonlyArray<PoolShare>, count = 6) =>
        said(liquidityInsiders, {
          shares: Array.from({ length: count }, (_, place) =>
            shares({
              weight: Math.floor(10_000 / count),
              pool: pool({ address: address(String(place + 1)) }),
              shares: of(place)
            })
          )
        })
      assert.deepStrictEqual(yield* inPools(() => [share("a", 100_000n, "insider")]), Array(6).fill("confirmed high"))
      assert.deepStrictEqual(yield* inPools(() => [share("a", 40_000n, "key")]), Array(6).fill("confirmed medium"))
      assert.deepStrictEqual(
        yield* inPools(() => [share("a", 100_000n, "contract")]),
        Array(6).fill("unknown: inconclusive")
      )
      // Each pool is another's.
      assert.deepStrictEqual(
        yield* inPools((place) => [share("abcdef".charAt(place), 100_000n, "key")]),
        Array(6).fill("refuted")
      )
    })
  )

  it.effect("is unknown of a pool that is all there is if another pays nothing", () =>
    Effect.gen(function* () {
      const all = [share("1", 100_000n, "insider")]
      assert.deepStrictEqual(yield* held(all, { weight: 300, mostWeight: 10_000 }), ["unknown: inconclusive"])
      assert.deepStrictEqual(yield* held(all, { weight: 5_000, mostWeight: 10_000 }), ["confirmed high"])
    })
  )

  it.effect("is not confirmed of a small pool of one's own because of another pool", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* said(liquidityInsiders, {
          shares: [
            shares({ weight: 9_900, shares: [share("1", 100_000n, "burned")] }),
            shares({ weight: 100, pool: pool({ address: address("d") }), shares: [share("2", 100_000n, "insider")] })
          ]
        }),
        ["refuted", "refuted"]
      )
    })
  )

  it.effect("is unknown where it may be more than was found", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* held([share("1", 100_000n, "contract")]), ["unknown: inconclusive"])
      assert.deepStrictEqual(yield* held([share("1", 100_000n, "unknown")], { gap: "rate_limited" }), [
        "unknown: rate_limited"
      ])
      assert.deepStrictEqual(yield* held([share("1", 30_000n, "key")], { unseen: 70_000n, gap: "log_range_limited" }), [
        "unknown: log_range_limited"
      ])
      // Half is known to be in one hand, whoever has the rest.
      assert.deepStrictEqual(yield* held([share("1", 50_000n, "key")], { unseen: 50_000n, gap: "log_range_limited" }), [
        "confirmed high"
      ])
      // A key that may be an insider's, where the insiders could not be read.
      const two = [share("1", 30_000n, "insider"), share("2", 30_000n, "key"), share("3", 40_000n, "burned")]
      assert.deepStrictEqual(yield* held(two), ["confirmed medium"])
      assert.deepStrictEqual(yield* held(two, { insidersGap: "rate_limited" }), ["unknown: rate_limited"])
      assert.deepStrictEqual(yield* said(liquidityInsiders, { shares: lost("rpc_error") }), ["unknown: rpc_error"])
    })
  )

  it.effect("is an item of each pair, with who has it", () =>
    Effect.gen(function* () {
      const items = yield* evidence(liquidityInsiders, {
        shares: [
          shares({ weight: 9_000, shares: [share("1", 60_000n, "insider"), share("2", 40_000n, "burned")] }),
          shares({ weight: 1_000, pool: pool({ address: address("d") }), shares: [share("2", 100_000n, "burned")] })
        ]
      })
      assert.deepStrictEqual(
        items.map((item) => [item.id, item.state]),
        [
          [`liquidity.held-by-insiders:${address("b")}`, "confirmed"],
          [`liquidity.held-by-insiders:${address("d")}`, "refuted"]
        ]
      )
      assert.deepStrictEqual(items[0]?.value, {
        complete: true,
        share_bps: 6_000,
        weight_bps: 9_000,
        holders: [{ account: address("1"), kind: "insider", share_bps: 6_000 }]
      })
    })
  )
})
