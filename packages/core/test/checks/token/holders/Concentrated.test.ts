import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { concentrated } from "../../../../src/checks/token/holders/Concentrated.js"
import { topHolders } from "../../../../src/checks/token/holders/TopHolders.js"
import * as Address from "../../../../src/domain/Address.js"
import { evidence, holder, holderSet, lost, said } from "../Markets.js"
import { address, target } from "../Trades.js"

const spread = (balances: ReadonlyArray<bigint>) =>
  balances.map((balance, index) => holder((index + 1).toString(16), balance))

describe("holders.concentrated", () => {
  it.effect.each([
    [[500n, 100n], "confirmed high"],
    [[200n, 100n], "confirmed medium"],
    [[199n, 199n, 199n], "refuted"],
    [[199n, 199n, 199n, 103n], "confirmed medium"],
    [Array.from({ length: 10 }, () => 90n), "confirmed high"],
    [Array.from({ length: 12 }, () => 60n), "refuted"]
  ] as const)("of balances %s of a thousand is %s", ([balances, says]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(concentrated, { holders: holderSet(spread(balances)) }), [says])
    })
  )

  it.effect("leaves out pools, lockers and what is burned, and counts everybody else", () =>
    Effect.gen(function* () {
      const holders = holderSet([
        holder("1", 400n, "pool"),
        holder("2", 300n, "locker"),
        holder("3", 100n, "burn"),
        holder("4", 100n),
        holder("5", 100n, "contract")
      ])
      const [item] = yield* evidence(concentrated, { holders })
      assert.strictEqual(item?.state, "refuted")
      // Of the 900 that are in circulation.
      assert.deepStrictEqual(item?.value, {
        top_1_bps: 1_111,
        top_10_bps: 2_222,
        complete: true,
        largest: address("4")
      })
      for (const kind of ["self", "controller", "unknown"] as const)
        assert.deepStrictEqual(yield* said(concentrated, { holders: holderSet([holder("1", 600n, kind)]) }), [
          "confirmed high"
        ])
    })
  )

  it.effect("takes nothing for locked that lies in a locker without a lock that runs", () =>
    Effect.gen(function* () {
      const inLocker = (unattributed: bigint) =>
        said(concentrated, {
          holders: holderSet([holder("f", 590n, "locker"), ...spread(Array.from({ length: 8 }, () => 51n))], {
            unattributed
          })
        })
      assert.deepStrictEqual(yield* inLocker(0n), ["refuted"])
      assert.deepStrictEqual(yield* inLocker(590n), ["unknown: inconclusive"])
    })
  )

  it.effect("takes a vault of pools for nobody's and nobody for whoever has what lies in it", () =>
    Effect.gen(function* () {
      const inVault = (amount: bigint, unattributed: bigint) =>
        said(concentrated, {
          holders: holderSet([holder("f", amount, "vault"), ...spread(Array.from({ length: 8 }, () => 51n))], {
            unattributed
          })
        })
      assert.deepStrictEqual(yield* inVault(590n, 590n), ["unknown: inconclusive"])
    })
  )

  it.effect("of a sample is a lower bound: it confirms the highest grade and refutes nothing that has room", () =>
    Effect.gen(function* () {
      const sample = (balances: ReadonlyArray<bigint>) =>
        said(concentrated, { holders: holderSet(spread(balances), { complete: false, fromBlock: 7 }) })
      assert.deepStrictEqual(yield* sample([500n]), ["confirmed high"])
      assert.deepStrictEqual(yield* sample([200n]), ["unknown: log_range_limited"])
      assert.deepStrictEqual(yield* sample([100n]), ["unknown: log_range_limited"])
      // Whoever was not seen has too little to matter.
      assert.deepStrictEqual(yield* sample(Array.from({ length: 15 }, () => 63n)), ["refuted"])
    })
  )

  it.effect(
    "is unknown where the owner could not be read, who may hold tokens without an event, unless one account has most",
    () =>
      Effect.gen(function* () {
        const blind = (balances: ReadonlyArray<bigint>) =>
          said(concentrated, { holders: holderSet(spread(balances), { complete: false, gap: "archive_required" }) })
        assert.deepStrictEqual(yield* blind(Array.from({ length: 15 }, () => 66n)), ["unknown: archive_required"])
        assert.deepStrictEqual(yield* blind([600n, 400n]), ["confirmed high"])
      })
  )

  it.effect("is unknown where the numbers do not fit together, unless one holder has it all", () =>
    Effect.gen(function* () {
      const inflated = (balances: ReadonlyArray<bigint>) =>
        said(concentrated, { holders: holderSet(spread(balances), { complete: false }) })
      assert.deepStrictEqual(yield* inflated([1_000n, 1_000n]), ["confirmed high"])
      assert.deepStrictEqual(yield* inflated(Array.from({ length: 15 }, () => 70n)), ["unknown: inconclusive"])
      assert.deepStrictEqual(yield* inflated([]), ["unknown: inconclusive"])
      assert.deepStrictEqual(yield* said(concentrated, { holders: holderSet([holder("1", 1_000n, "burn")]) }), [
        "unknown: inconclusive"
      ])
    })
  )

  it.effect("is unknown for the reason that the holders are", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(concentrated, { holders: lost("rate_limited") }), ["unknown: rate_limited"])
    })
  )

  it.effect("does not apply to a collection, nor to a token of the list", () =>
    Effect.gen(function* () {
      const holders = holderSet(spread([500n]))
      assert.deepStrictEqual(yield* said(concentrated, { holders, standard: "erc721" }), [])
      const usdc = Address.checksum("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48")
      const items = yield* evidence(
        { ...concentrated, run: () => concentrated.run({ ...target, address: usdc }) },
        { holders }
      )
      assert.deepStrictEqual(items, [])
    })
  )
})

describe("holders.top", () => {
  it.effect("names the ten largest with their kind and share, and says whether anybody is missing", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(topHolders, {
        holders: holderSet([...spread(Array.from({ length: 11 }, (_, index) => BigInt(20 + index))), holder("f", 0n)])
      })
      assert.strictEqual(item?.state, "confirmed")
      const value = item?.value as { complete: boolean; holders: ReadonlyArray<object> }
      assert.isTrue(value.complete)
      assert.strictEqual(value.holders.length, 10)
      assert.deepStrictEqual(value.holders[0], {
        address: address("b"),
        kind: "account",
        balance: "30",
        share_bps: 300
      })
      const [sample] = yield* evidence(topHolders, {
        holders: holderSet(spread([1n]), { complete: false, fromBlock: 9 })
      })
      assert.deepInclude(sample?.value as object, { complete: false, from_block: 9 })
    })
  )

  it.effect("is unknown without holders or with a fault, and does not apply to a collection", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(topHolders, { holders: holderSet([]) }), ["unknown: inconclusive"])
      assert.deepStrictEqual(yield* said(topHolders, { holders: lost("rpc_error") }), ["unknown: rpc_error"])
      const unnamed = holderSet([holder("a", 600n)], { complete: false, gap: "rate_limited" })
      assert.deepStrictEqual(
        yield* said(topHolders, { holders: unnamed }),
        ["unknown: rate_limited"],
        "whom the token names may hold more"
      )
      assert.deepStrictEqual(yield* said(topHolders, { standard: "erc1155" }), [])
    })
  )
})
