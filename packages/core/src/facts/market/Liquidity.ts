/** @internal */

import { BigInt as BigInts, Context, Effect, Either, Layer, Option, Order } from "effect"
import * as ChainBook from "../../chain/ChainBook.js"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type * as Reading from "../../chain/state/Reading.js"
import * as AddressBook from "../../data/AddressBook.js"
import * as Address from "../../domain/Address.js"
import type { BlockRef } from "../../domain/BlockRef.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { Pool } from "../../domain/facts/Pool.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Part from "../../runtime/Part.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import type { Control } from "../control/Control.js"
import type { Safe } from "../control/Safe.js"
import * as EventScan from "../EventScan.js"
import * as Market from "../venue/Market.js"
import type * as MarketReference from "../venue/MarketReference.js"
import * as Insiders from "./Insiders.js"
import * as Ledger from "./Ledger.js"
import * as LiquidityHolders from "./LiquidityHolders.js"
import * as LiquidityPositions from "./LiquidityPositions.js"
import * as Locks from "./Locks.js"
import * as Pools from "./Pools.js"
import * as PoolWeights from "./PoolWeights.js"

/**
 * A part of a pool's liquidity and who can withdraw it.
 *
 * - `burned`: nobody.
 * - `locked`: nobody before the time in its record.
 * - `stuck`: it is in a locker that has no record of it.
 * - `insider`: an owner or admin of the token, a first receiver of it, or the owner of a lock that has ended.
 * - `key`: another account without code.
 * - `safe`, `timelock`: several signers, or one who has to wait.
 * - `contract`: unknown code.
 * - `minor`: an account that was not classified, since eight others hold more; `unknown`: one that could not be.
 */
export interface PoolShare {
  readonly account: Address.Address
  readonly amount: bigint
  readonly kind:
    | "burned"
    | "locked"
    | "stuck"
    | "insider"
    | "key"
    | "safe"
    | "timelock"
    | "contract"
    | "minor"
    | "unknown"
}

/**
 * The holders of a pool's liquidity. `total` is all that can be withdrawn, `given` the part of it that keys have from
 * insiders, who may be the same persons, `unseen` the part without a known holder, and `gap` the reason for it, or why
 * an account could not be classified; `insidersGap` and `locksGap` say why not every insider or lock may be known. They
 * are null where nothing is missing. `withdrawn` is for an emptied pair: the part, in basis points, that was issued to
 * insiders or redeemed by them; null for any other pool.
 */
export interface PoolShares extends PoolWeights.PoolWeight {
  readonly pool: Pool
  readonly total: bigint
  readonly shares: ReadonlyArray<PoolShare>
  readonly locks: ReadonlyArray<Locks.LockRecord>
  readonly unrecorded: ReadonlyArray<Locks.Unrecorded>
  readonly given: bigint
  readonly withdrawn: number | null
  readonly unseen: bigint
  readonly gap: UnknownReason | null
  readonly insidersGap: UnknownReason | null
  readonly locksGap: UnknownReason | null
}

/**
 * Who has the liquidity of a token's pools, deepest pool first; pools that are empty are left out, and of more pairs or
 * pools than matter the shallowest. Amounts are LP tokens of a pair; of a Uniswap V3 pool they are as in
 * {@link LiquidityPositions}, and of Uniswap V4 the same of all pools in the manager together.
 */
export class Liquidity extends Context.Tag("@assay/core/Liquidity")<
  Liquidity,
  {
    readonly of: (token: Address.Address) => Effect.Effect<Reading.Reading<ReadonlyArray<PoolShares>>, ChainError>
  }
>() {}

// https://docs.uniswap.org/contracts/v2/reference/smart-contracts/pair: MINIMUM_LIQUIDITY, at nobody's for ever.
const lockedByPair = 1_000n

// A token has a few pairs that matter; the deepest are looked into.
const mostPairs = 6

const mostCandidates = 60

// Of all that the token's pools hold, in basis points: what smaller pools hold does not matter beside it.
const leastWeight = 100

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const pools = yield* Pools.Pools
  const locks = yield* Locks.Locks
  const positions = yield* LiquidityPositions.LiquidityPositions
  const { inspect } = yield* LiquidityHolders.make
  const book = yield* ChainBook.of(state.chain.addressBook)
  const burnt = AddressBook.burnAddresses.map((address) => Address.checksum(address))
  const special = new Set([...burnt, ...Locks.lockersOf(book).map(({ address }) => address)])

  /** Who was seen to hold shares of each pair, before it is known what the lockers say. */
  const draftsOf = Effect.fn("Liquidity.drafts")(function* (token: Address.Address) {
    const market = yield* pools.market(token)
    const { inspected, insiders, transfers } = yield* Together.all({
      inspected: pools.inspect(token),
      insiders: Insiders.close(state, token),
      transfers: EventScan.of(state, {
        address: Market.pairAddresses(market, token),
        topics: [Selectors.topics.Transfer]
      })
    })
    const [found, reference] = inspected
    const weigh = PoolWeights.of(found.value, reference.value, new Map())
    const pairs = Pools.deepestFirst(found.value, reference.value)
      .filter(({ pool, reserveQuote, reserveToken }) => pool.kind === "uniswap-v2" && reserveQuote * reserveToken > 0n)
      .slice(0, mostPairs)
    const drafts = yield* Together.forEach(pairs, (item) =>
      Effect.gen(function* () {
        const { address } = item.pool
        const { weight } = weigh(item)
        const ofPair = transfers.logs.filter((log) => log.address === address)
        const ledger = Ledger.of(ofPair)
        const passed = Ledger.passedOn(ofPair, new Set(insiders.accounts), new Set([address, ...burnt]))
        const holders = Ledger.largest(ledger).filter((account) => !special.has(account) && account !== address)
        const asked = [...new Set([address, ...insiders.accounts, ...holders])]
          .filter((account) => !special.has(account))
          .slice(0, mostCandidates)
        const { balances, seen } = yield* Together.all({
          balances: BatchRead.all(
            state,
            asked.map((account) => BatchRead.balanceOf(address, account))
          ),
          seen: inspect(holders, { pair: Option.some(address), weight })
        })
        return {
          item,
          passed,
          withdrawn:
            BigInt(item.pool.lp_total_supply ?? "0") === lockedByPair
              ? Ledger.partOf(ofPair, new Set(insiders.accounts), address)
              : null,
          holdings: [
            ...asked.map((account, place) => ({ account, amount: balances.value[place]?.[0] ?? 0n })),
            // For all others, the transfers of the pair's own code give the balance.
            ...(transfers.gap === null ? holders.filter((account) => !asked.includes(account)) : []).map((account) => ({
              account,
              amount: ledger.balances.get(account) ?? 0n
            }))
          ]
            .filter(({ amount }) => amount > 0n)
            .map(({ account, amount }) => {
              // Shares in the pair itself can be claimed by anyone.
              const { kind, vault } = account === address ? LiquidityHolders.ofKind("contract") : seen.of(account)
              return { account, amount, kind: insiders.accounts.includes(account) ? asInsider(kind) : kind, vault }
            }),
          gap: seen.gap
        }
      })
    )
    return {
      drafts,
      scanGap: transfers.gap,
      // Transfers of the shares show who has them from an insider.
      insidersGap: insiders.gap ?? transfers.gap,
      market: found,
      reference: reference.value
    }
  })

  const read = Effect.fn("Liquidity.of")(function* (token: Address.Address) {
    const [{ drafts, insidersGap, market: found, reference, scanGap }, kept, near, inManagers] = yield* Together.all([
      draftsOf(token),
      Effect.either(locks.of(token)),
      Effect.either(positions.of(token)),
      Effect.either(
        Effect.flatMap(pools.inspect(token), (reading) =>
          reading[3].length === 0
            ? Effect.succeed([])
            : Effect.flatMap(managerPositions, ({ read }) => read(state, token, reading))
        )
      )
    ])
    const locksGap = Either.isLeft(kept) ? kept.left.reason : null
    const ofPositions = Either.match(near, { onLeft: () => [], onRight: ({ value }) => value })
    const weigh = PoolWeights.of(found.value, reference, LiquidityPositions.depths(ofPositions))
    const ofPairs = drafts.map(({ gap, holdings, item, passed, withdrawn }): PoolShares => {
      const { pool } = item
      const mine = <A extends { readonly pool: Address.Address }>(list: ReadonlyArray<A>) =>
        list.filter((each) => each.pool === pool.address)
      const ofLockers = Either.match(kept, {
        onLeft: () => ({ records: [], unrecorded: [] }),
        onRight: ({ value }) => ({ records: mine(value.records), unrecorded: mine(value.unrecorded) })
      })
      const records: ReadonlyArray<Locks.LockRecord> = [
        ...ofLockers.records,
        ...holdings.flatMap(({ account, amount, vault }) =>
          Option.isNone(vault) ? [] : [{ pool: pool.address, locker: account, amount, ...vault.value }]
        )
      ]
      const total = BigInt(pool.lp_total_supply ?? "0") - lockedByPair
      const burned = BigInt(pool.lp_burned ?? "0") - lockedByPair
      const shares: ReadonlyArray<PoolShare> = [
        ...(burned > 0n ? [{ account: Address.zero, amount: burned, kind: "burned" as const }] : []),
        ...records.map(shareOfLock(state.block)),
        ...ofLockers.unrecorded.map(
          ({ amount, empty, locker }): PoolShare => ({ account: locker, amount, kind: empty ? "stuck" : "unknown" })
        ),
        ...holdings.flatMap(({ account, amount, kind, vault }) =>
          Option.isNone(vault) ? [{ account, amount, kind }] : []
        )
      ]
      const held = BigInts.sumAll(shares.map(({ amount }) => amount))
      const unseen = BigInts.max(total - held, 0n)
      return {
        pool,
        ...weigh(item),
        total,
        shares: merged(shares),
        locks: records,
        unrecorded: ofLockers.unrecorded,
        given: BigInts.sumAll(
          holdings.flatMap(({ account, amount, kind }) =>
            isKey(kind) ? BigInts.min(passed.get(account) ?? 0n, amount) : []
          )
        ),
        withdrawn,
        unseen,
        gap: locksGap ?? (unseen > 0n ? (scanGap ?? "inconclusive") : null) ?? gap,
        insidersGap,
        locksGap
      }
    })
    const ofOthers = found.value
      .filter(({ pool }) => pool.kind === "uniswap-v2" && !drafts.some(({ item }) => item.pool === pool))
      .flatMap((item) => unopened(item, weigh(item), "inconclusive"))
    const opened = Effect.fn("Liquidity.opened")(function* (
      item: Pools.Inspected,
      weights: PoolWeights.PoolWeight,
      positions: Either.Either<ReadonlyArray<LiquidityPositions.PoolPositions>, ChainError>
    ) {
      const { pool } = item
      if (Either.isLeft(positions)) return unopened(item, weights, positions.left.reason)
      const of = positions.right.find((each) => each.pool === pool.address)
      if (of === undefined) return unopened(item, weights, "inconclusive")
      // A part of an unknown total has no share.
      if (Option.isNone(of.depth)) return unopened(item, weights, of.insidersGap ?? "inconclusive")
      const amounts = new Map<Address.Address, bigint>()
      // What was called back has code, and is neither a Safe nor a timelock.
      for (const { account, amount, standing } of of.held)
        if (standing !== "caller") amounts.set(account, (amounts.get(account) ?? 0n) + amount)
      const holders = [...amounts].sort(([, a], [, b]) => Order.bigint(b, a)).map(([account]) => account)
      const seen = yield* inspect(holders, { pair: Option.none(), weight: weights.weight })
      const shares: ReadonlyArray<PoolShare> = [
        ...(of.burned > 0n ? [{ account: Address.zero, amount: of.burned, kind: "burned" as const }] : []),
        ...of.locks.map(shareOfLock(state.block)),
        ...of.unrecorded.map(({ amount, locker }): PoolShare => ({ account: locker, amount, kind: "unknown" })),
        ...of.held.map(({ account, amount, standing }) => {
          const kind = standing === "caller" ? "contract" : seen.of(account).kind
          // A contract that has the first position may be a launchpad's, which keeps those of strangers.
          const isOwn = standing === "close" || (standing === "opener" && kind === "key")
          return { account, amount, kind: isOwn ? asInsider(kind) : kind }
        })
      ]
      const held = BigInts.sumAll(shares.map(({ amount }) => amount))
      // Each position is rounded by itself.
      const unseen = of.total - held <= of.total / 1_000_000n ? 0n : of.total - held
      return [
        {
          pool,
          ...weights,
          total: of.total,
          shares: merged(shares),
          locks: of.locks,
          unrecorded: of.unrecorded,
          given: BigInts.sumAll(
            of.held.flatMap(({ account, amount, standing }) =>
              standing === "given" && isKey(seen.of(account).kind) ? amount : []
            )
          ),
          withdrawn: null,
          unseen,
          gap: of.insidersGap ?? of.locksGap ?? (unseen > 0n ? "inconclusive" : null) ?? seen.gap,
          insidersGap: of.insidersGap,
          locksGap: of.locksGap
        } satisfies PoolShares
      ]
    })
    const ofPools = yield* Together.all([
      Together.forEach(
        found.value.filter(({ pool }) => pool.kind === "uniswap-v3"),
        (item) =>
          opened(
            item,
            weigh(item),
            Either.map(near, ({ value }) => value)
          )
      ),
      Together.forEach(ofManagers(found.value, reference, weigh), ([item, weights]) =>
        opened(item, weights, inManagers)
      )
    ])
    return {
      value: [...ofPairs, ...ofOthers, ...ofPools.flat(2)].sort(
        (a, b) => b.weight - a.weight || (a.pool.address < b.pool.address ? -1 : 1)
      ),
      observation: found.observation
    }
  })

  return Liquidity.of({ of: yield* OncePerKey.make((token: Address.Address) => token, read) })
})

// Most tokens are in no manager.
const managerPositions = Effect.suspend(() =>
  Part.load("positions of Uniswap V4", () => import("./ManagerPositions.js"))
)

// Who was not looked at, since others hold more, may be one as well.
const isKey = (kind: PoolShare["kind"]): boolean => kind === "key" || kind === "minor"

const asInsider = (kind: LiquidityHolders.LiquidityHolder["kind"]): PoolShare["kind"] =>
  kind === "locked" || kind === "safe" || kind === "timelock" ? kind : "insider"

/**
 * Finds who holds the pairs' shares in their transfers and in the lockers, and reads what each has: two levels, and a
 * third for vaults and for the controller of a contract.
 */
export const layer: Layer.Layer<
  Liquidity,
  never,
  ChainState | Control | LiquidityPositions.LiquidityPositions | Locks.Locks | Pools.Pools | Safe
> = Layer.scoped(Liquidity, make)

/** The shares behind a lock: nobody's until it ends, and its owner's from then on. */
const shareOfLock =
  (block: BlockRef) =>
  (record: Locks.LockRecord): PoolShare =>
    Locks.isOver(record, block)
      ? { account: record.owner, amount: record.amount, kind: "insider" }
      : { account: record.locker, amount: record.amount, kind: "locked" }

/** The pools of each manager as one, since they share its address. */
const ofManagers = (
  pools: ReadonlyArray<Pools.Inspected>,
  reference: MarketReference.Reference,
  weigh: (item: Pools.Inspected) => PoolWeights.PoolWeight
): ReadonlyArray<readonly [Pools.Inspected, PoolWeights.PoolWeight]> => {
  const managed = Pools.deepestFirst(pools, reference).filter(({ key }) => Option.isSome(key))
  const managers = new Set(managed.map(({ pool }) => pool.address))
  return [...managers].flatMap((manager) => {
    const own = managed.filter(({ pool }) => pool.address === manager)
    const sum = (of: (weights: PoolWeights.PoolWeight) => number) =>
      Math.min(
        10_000,
        own.reduce((total, item) => total + of(weigh(item)), 0)
      )
    return own
      .slice(0, 1)
      .map(
        (item) => [item, { weight: sum(({ weight }) => weight), mostWeight: sum((each) => each.mostWeight) }] as const
      )
  })
}

/** A pool that was not looked into, where it is large enough to matter beside others. */
const unopened = (
  { liquidity, pool, reserveQuote }: Pools.Inspected,
  weights: PoolWeights.PoolWeight,
  reason: UnknownReason
): ReadonlyArray<PoolShares> => {
  const isEmpty = reserveQuote === 0n && Option.getOrElse(liquidity, () => 0n) === 0n
  return isEmpty || weights.mostWeight < leastWeight
    ? []
    : [
        {
          pool,
          ...weights,
          total: reserveQuote,
          shares: [],
          locks: [],
          unrecorded: [],
          given: 0n,
          withdrawn: null,
          unseen: reserveQuote,
          gap: reason,
          insidersGap: reason,
          locksGap: reason
        }
      ]
}

const merged = (shares: ReadonlyArray<PoolShare>): ReadonlyArray<PoolShare> => {
  const byAccount = new Map<string, PoolShare>()
  for (const share of shares) {
    const key = `${share.kind} ${share.account}`
    byAccount.set(key, { ...share, amount: share.amount + (byAccount.get(key)?.amount ?? 0n) })
  }
  return [...byAccount.values()].sort((a, b) => Order.bigint(b.amount, a.amount) || (a.account < b.account ? -1 : 1))
}
