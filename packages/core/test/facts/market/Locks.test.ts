import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { encodeAbiParameters, parseAbiParameters } from "viem"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as Locks from "../../../src/facts/market/Locks.js"
import * as Market from "../../../src/facts/venue/Market.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import { addresses, book } from "../../EthereumBook.js"

const { functions, selector, topic } = Selectors
const word = Getter.word

const token = Address.checksum(`0x${"11".repeat(20)}`)
const owner = Address.checksum(`0x${"aa".repeat(20)}`)
const pair = Market.pairAddresses(Market.of(book), token)[0] ?? Address.zero
const locker = (name: string) => {
  const found = addresses.lockers.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no ${name}`)
  return found.address
}
const unlocksAt = 1_900_000_000

const balances = (held: { readonly [locker: Hex]: bigint }): ScriptedChain.Account => ({
  code: "0x60006000f3",
  calls: {
    [functions.balanceOf]: word(0n),
    ...Object.fromEntries(
      Object.entries(held).map(([account, amount]) => [
        Getter.calldata(functions.balanceOf, [word(account as Hex)]),
        word(amount)
      ])
    )
  }
})

const locksOf = (script: ScriptedChain.Script) =>
  Effect.flatMap(Locks.Locks, (locks) => locks.of(token)).pipe(
    Effect.map(({ value }) => value),
    Effect.provide(Layer.provide(Locks.layer, ScriptedChain.layer(script)))
  )

const uncx = locker("UNCX (Uniswap V2)")
const record = (amount: bigint, until = BigInt(unlocksAt)): Hex =>
  Getter.calldata("0x", [1n, amount, amount, until, 0n, BigInt(owner)].map(word))

const uncxWith = (records: ReadonlyArray<Hex>, held: bigint): ScriptedChain.Script => ({
  accounts: {
    [pair]: balances({ [uncx]: held }),
    [uncx]: {
      code: "0x60006000f3",
      calls: {
        [functions.getNumLocksForToken]: word(BigInt(records.length)),
        ...Object.fromEntries(
          records.map((each, index) => [Getter.calldata(functions.tokenLocks, [word(pair), word(BigInt(index))]), each])
        )
      }
    }
  }
})

describe("Locks", () => {
  it.effect("are read as records from UNCX: amount, time and owner", () =>
    Effect.gen(function* () {
      const { records, unrecorded } = yield* locksOf(uncxWith([record(60n), record(40n, 2n ** 256n - 1n)], 100n))
      assert.deepStrictEqual(
        records.map(({ amount, owner: whose, unlocksAt: until }) => [amount, whose, Option.getOrNull(until)]),
        [
          [40n, owner, null],
          [60n, owner, unlocksAt]
        ]
      )
      assert.deepStrictEqual(unrecorded, [])
    })
  )

  it.effect("are not credited beyond what the locker holds, nor for what it has no record of", () =>
    Effect.gen(function* () {
      const claimed = yield* locksOf(uncxWith([record(101n)], 100n))
      assert.deepStrictEqual(claimed.records, [])
      assert.deepInclude(claimed.unrecorded[0], { amount: 100n, empty: false, reason: "conflicting_sources" })
      const partly = yield* locksOf(uncxWith([record(60n)], 100n))
      assert.strictEqual(partly.records[0]?.amount, 60n)
      assert.deepInclude(partly.unrecorded[0], { amount: 40n, empty: false, reason: "inconclusive" })
      const never = yield* locksOf(uncxWith([], 100n))
      assert.deepInclude(never.unrecorded[0], { amount: 100n, empty: true, reason: "inconclusive" })
    })
  )

  it.effect("are not credited by the locker's name alone: it has to answer", () =>
    Effect.gen(function* () {
      const { records, unrecorded } = yield* locksOf({ accounts: { [pair]: balances({ [uncx]: 100n }) } })
      assert.deepStrictEqual(records, [])
      assert.deepInclude(unrecorded[0], { name: "UNCX (Uniswap V2)", amount: 100n, empty: false })
    })
  )

  it.effect("are read from UNCX's later contract by the lock's id, of this pair only", () =>
    Effect.gen(function* () {
      const later = locker("UNCX (Uniswap V2, second)")
      const at = (lpToken: Hex): ScriptedChain.Script => ({
        accounts: {
          [pair]: balances({ [later]: 100n }),
          [later]: {
            code: "0x60006000f3",
            calls: {
              [functions.getNumLocksForToken]: word(1n),
              [Getter.calldata(selector("TOKEN_LOCKS(address,uint256)"), [word(pair), word(0n)])]: word(77n),
              [Getter.calldata(selector("LOCKS(uint256)"), [word(77n)])]: Getter.calldata("0x", [
                word(lpToken),
                ...[1n, 100n, 100n, BigInt(unlocksAt), 77n, BigInt(owner), 0n].map(word)
              ])
            }
          }
        }
      })
      const { records } = yield* locksOf(at(pair))
      assert.deepInclude(records[0], { amount: 100n, owner, unlocksAt: Option.some(unlocksAt) })
      assert.deepStrictEqual((yield* locksOf(at(token))).records, [])
    })
  )

  it.effect("are read from both forms of PinkLock, less what was released", () =>
    Effect.gen(function* () {
      const pink = locker("PinkLock02")
      const at = (locks: Hex, count: bigint): ScriptedChain.Script => ({
        accounts: {
          [pair]: balances({ [pink]: 100n }),
          [pink]: {
            code: "0x60006000f3",
            calls: {
              [selector("totalLockCountForToken(address)")]: word(count),
              [Getter.calldata(functions.getLocksForToken, [word(pair), word(0n), word(count - 1n)])]: locks
            }
          }
        }
      })
      const second = parseAbiParameters(
        "(uint256 id, address token, address owner, uint256 amount, uint256 lockDate, uint256 tgeDate, uint256 tgeBps, uint256 cycle, uint256 cycleBps, uint256 unlockedAmount, string description)[]"
      )
      const lock = (amount: bigint, unlockedAmount: bigint, description: string, of: Hex = pair) => ({
        id: 1_000_000n,
        token: of,
        owner,
        amount,
        lockDate: 1n,
        tgeDate: BigInt(unlocksAt),
        tgeBps: 0n,
        cycle: 0n,
        cycleBps: 0n,
        unlockedAmount,
        description
      })
      const both = encodeAbiParameters(second, [[lock(90n, 20n, "x".repeat(100)), lock(30n, 0n, "")]])
      const { records, unrecorded } = yield* locksOf(at(both, 2n))
      assert.deepStrictEqual(
        records.map(({ amount }) => amount).sort((a, b) => Number(a - b)),
        [30n, 70n]
      )
      assert.deepStrictEqual(unrecorded, [])
      const foreign = encodeAbiParameters(second, [[lock(100n, 0n, "", token)]])
      assert.deepStrictEqual((yield* locksOf(at(foreign, 1n))).records, [])

      const first = parseAbiParameters(
        "(uint256 id, address token, address owner, uint256 amount, uint256 lockDate, uint256 unlockDate)[]"
      )
      const older = encodeAbiParameters(first, [
        [{ id: 1n, token: pair, owner, amount: 100n, lockDate: 1n, unlockDate: BigInt(unlocksAt) }]
      ])
      assert.deepInclude((yield* locksOf(at(older, 1n))).records[0], {
        amount: 100n,
        unlocksAt: Option.some(unlocksAt)
      })
    })
  )

  it.effect("are found at Team Finance by their events, and read as they are now", () =>
    Effect.gen(function* () {
      const team = Address.checksum(locker("Team Finance"))
      const at = (withdrawn: bigint, options: Partial<ScriptedChain.Script> = {}): ScriptedChain.Script => ({
        accounts: {
          [pair]: balances({ [team]: 100n }),
          [team]: {
            code: "0x60006000f3",
            calls: {
              [Getter.calldata(functions.getDepositDetails, [word(7n)])]: Getter.calldata("0x", [
                word(pair),
                word(owner),
                ...[100n, BigInt(unlocksAt), withdrawn, 0n, 0n, 0n, 0n].map(word)
              ])
            }
          }
        },
        logs: [
          {
            address: team,
            topics: [topic("Deposit(uint256,address,address,uint256,uint256)"), word(pair), word(owner)],
            data: Getter.calldata("0x", [7n, 100n, 1n].map(word))
          }
        ],
        ...options
      })
      assert.deepInclude((yield* locksOf(at(0n))).records[0], {
        amount: 100n,
        owner,
        unlocksAt: Option.some(unlocksAt)
      })
      assert.deepStrictEqual((yield* locksOf(at(1n))).records, [])
      const lost = yield* locksOf(
        at(0n, { fault: ({ method }) => (method === "eth_getLogs" ? "rate_limited" : undefined) })
      )
      assert.deepInclude(lost.unrecorded[0], { amount: 100n, empty: false, reason: "rate_limited" })
    })
  )

  it.effect("are none, and cost one level, where no locker holds a share", () =>
    Effect.gen(function* () {
      const locks = yield* Locks.Locks
      const { value } = yield* locks.of(token)
      assert.deepStrictEqual(value, { records: [], unrecorded: [] })
    }).pipe(Effect.provide(Layer.provide(Locks.layer, ScriptedChain.layer({}))))
  )
})
