import { Context, Effect, Either, Layer, Option } from "effect"
import * as Hash from "ox/Hash"
import type { ChainError } from "../chain/ChainError.js"
import { ChainState, type LogScan } from "../chain/ChainState.js"
import type * as Reading from "../chain/Reading.js"
import * as Together from "../chain/Together.js"
import * as AddressBook from "../data/AddressBook.js"
import * as KnownCode from "../data/KnownCode.js"
import * as Address from "../domain/Address.js"
import type { UnknownReason } from "../domain/Evidence.js"
import type { Pool } from "../domain/facts/Pool.js"
import * as Hex from "../domain/Hex.js"
import * as Timestamp from "../domain/Timestamp.js"
import * as Bytecode from "../evm/Bytecode.js"
import * as Selectors from "../evm/Selectors.js"
import * as BatchRead from "./BatchRead.js"
import { Control } from "./Control.js"
import * as Getter from "./Getter.js"
import * as Insiders from "./Insiders.js"
import * as Ledger from "./Ledger.js"
import { LiquidityPositions, type PoolPositions } from "./LiquidityPositions.js"
import { type LockRecord, Locks, type Unrecorded } from "./Locks.js"
import * as Market from "./Market.js"
import * as MarketReference from "./MarketReference.js"
import * as Memo from "./Memo.js"
import * as Pools from "./Pools.js"
import { Safe } from "./Safe.js"

/**
 * A part of a pool's liquidity and who can take it out.
 *
 * - `burned`: nobody.
 * - `locked`: nobody before the time in its record.
 * - `stuck`: it lies in a locker that says that it has no record of it.
 * - `insider`: an owner or admin of the token, a first receiver of it, or the owner of a lock that has ended.
 * - `key`: another account without code.
 * - `safe`, `timelock`: several signers, or one who has to wait.
 * - `contract`: code that is not known.
 * - `minor`: an account that was not looked at, since eight others hold more; `unknown`: one that could not be.
 *
 * @since 0.1.0
 * @category models
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
 * Who has the liquidity of a pool. `total` is all that can be taken out of it, `unseen` what of that nobody was found
 * to hold, and `gap` why, or why an account could not be looked at; `insidersGap` and `locksGap` say why not every insider
 * or lock may be known. They are null where nothing is missing. `weight` is the pool's part of all that the token can be
 * sold for in its pools, in basis points, and `mostWeight` what it would be if pools of which that is not known paid
 * nothing.
 *
 * @since 0.1.0
 * @category models
 */
export interface PoolShares {
  readonly pool: Pool
  readonly weight: number
  readonly mostWeight: number
  readonly total: bigint
  readonly shares: ReadonlyArray<PoolShare>
  readonly locks: ReadonlyArray<LockRecord>
  readonly unrecorded: ReadonlyArray<Unrecorded>
  readonly unseen: bigint
  readonly gap: UnknownReason | null
  readonly insidersGap: UnknownReason | null
  readonly locksGap: UnknownReason | null
}

/**
 * Who has the liquidity of a token's pools, deepest pool first; pools that are empty are left out, and of more pairs or
 * pools than matter the shallowest. Amounts are LP tokens of a pair; of a Uniswap V3 pool they are as in
 * {@link LiquidityPositions}.
 *
 * @since 0.1.0
 * @category services
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

const mostInspected = 8

const mostClassified = 2

// Of all that the token's pools hold, in basis points; who has a smaller pool is looked at less closely.
const mainWeight = 500

const leastWeight = 100

const { functions, selector, topics } = Selectors

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const pools = yield* Pools.Pools
  const locks = yield* Locks
  const positions = yield* LiquidityPositions
  const control = yield* Control
  const safe = yield* Safe
  const market = Market.of(state.chain.addressBook)
  const now = Timestamp.toMillis(state.block.timestamp) / 1_000
  const burnt = AddressBook.burnAddresses.map((address) => Address.checksum(address))
  const lockers = Option.toArray(AddressBook.forChain(state.chain.addressBook)).flatMap((book) =>
    book.lockers.map((locker) => Address.checksum(locker.address))
  )

  const special = new Set([...burnt, ...lockers])

  const inspect = (
    account: Address.Address,
    options: { readonly pair: Option.Option<Address.Address>; readonly place: number }
  ): Effect.Effect<Sight> =>
    Effect.gen(function* () {
      const { value: code } = yield* state.code(account)
      if (Bytecode.isEmpty(code) || Option.isSome(Bytecode.delegate(code))) return { kind: "key" } as const
      const kept = Option.all({ name: vaultOf(code), pair: options.pair })
      const vault = Option.isNone(kept) ? Option.none() : yield* vaultLock(kept.value.name, account, kept.value.pair)
      if (Option.isSome(vault)) return { kind: "vault", vault: vault.value } as const
      return { kind: options.place < mostClassified ? yield* deciderOf(account, code) : "contract" } as const
    }).pipe(Effect.catchAll(({ reason }) => Effect.succeed({ kind: "unread", reason } as const)))

  const inspectAll = (
    accounts: ReadonlyArray<Address.Address>,
    options: { readonly pair: Option.Option<Address.Address>; readonly weight: number }
  ) =>
    Together.forEach(
      accounts.slice(0, options.weight >= mainWeight ? mostInspected : mostClassified),
      (account, place) =>
        Effect.map(inspect(account, { pair: options.pair, place }), (sight) => [account, sight] as const)
    )

  /** Whether several signers, or one who has to wait, decide for a contract. What is behind any other is not followed. */
  const deciderOf = (account: Address.Address, code: Hex.Hex) =>
    Effect.gen(function* () {
      const multisig = yield* safe.of(account)
      const isSigned = Option.exists(
        multisig,
        ({ value }) => value.canonical && value.threshold > 1 && value.modules?.length === 0
      )
      if (isSigned) return "safe" as const
      const selectors = yield* Selectors.dispatched(code)
      if (!selectors.includes(functions.getMinDelay)) return "contract" as const
      const { value } = yield* control.classify(account)
      return value.kind === "timelock" ? ("timelock" as const) : ("contract" as const)
    })

  /** What a vault of published code says, where it keeps this token. */
  const vaultLock = (name: KnownCode.KnownTemplate["name"], vault: Address.Address, token: Address.Address) => {
    const get = <A>(signature: string, decode: Getter.Decoder<A>) =>
      Effect.map(Getter.read(state, vault, selector(signature), decode), ({ value }) => value)
    const isTimelock = name === "TokenTimelock"
    return Effect.map(
      Together.all({
        kept: isTimelock ? get("token()", Getter.address) : Effect.succeedSome(token),
        owner: get(isTimelock ? "beneficiary()" : "owner()", Getter.address),
        until: get(isTimelock ? "releaseTime()" : "start()", Getter.int)
      }),
      ({ kept, owner, until }) =>
        Option.map(
          Option.filter(Option.all({ kept, owner, until }), (read) => read.kept === token),
          (read) => ({ name, owner: read.owner, unlocksAt: Option.some(read.until) })
        )
    )
  }

  /** Who was seen to hold shares of each pair, before it is known what the lockers say. */
  const draftsOf = Effect.fn("Liquidity.drafts")(function* (token: Address.Address) {
    const candidates = Market.pairAddresses(market, token)
    const { firsts, inspected, named, transfers } = yield* Together.all({
      inspected: pools.inspect(token),
      named: Insiders.named(state, token),
      firsts: Insiders.firstReceivers(state, token),
      transfers:
        candidates.length === 0
          ? Effect.succeed(Either.right<LogScan>(nothing))
          : Effect.either(
              Effect.map(state.logs({ address: candidates, topics: [topics.Transfer] }), ({ value }) => value)
            )
    })
    const [found, reference] = inspected
    const weigh = weightsOf(found.value, reference.value, new Map())
    const pairs = Pools.deepestFirst(found.value, reference.value)
      .filter(({ pool, reserveQuote, reserveToken }) => pool.kind === "uniswap-v2" && reserveQuote * reserveToken > 0n)
      .slice(0, mostPairs)
    const close = new Set([...named.accounts, ...firsts.accounts])
    const scanGap = Either.match(transfers, {
      onLeft: ({ reason }) => reason,
      onRight: ({ complete }): UnknownReason | null => (complete ? null : "log_range_limited")
    })
    const logs = Either.match(transfers, { onLeft: () => [], onRight: (scan) => scan.logs })

    const drafts = yield* Together.forEach(pairs, (item) =>
      Effect.gen(function* () {
        const { address } = item.pool
        const { weight } = weigh(item)
        const ledger = Ledger.of(logs.filter((log) => log.address === address))
        const holders = Ledger.largest(ledger).filter((account) => !special.has(account) && account !== address)
        const asked = [...new Set([address, ...close, ...holders])]
          .filter((account) => !special.has(account))
          .slice(0, mostCandidates)
        const { balances, seen } = yield* Together.all({
          balances: BatchRead.all(
            state,
            asked.map((account) => BatchRead.balanceOf(address, account))
          ),
          seen: inspectAll(holders, { pair: Option.some(address), weight })
        })
        const sights = new Map(seen)
        return {
          item,
          holdings: [
            ...asked.map((account, place) => ({ account, amount: balances.value[place]?.[0] ?? 0n })),
            // Whoever was not asked has what the pair's own code wrote down.
            ...(scanGap === null ? holders.filter((account) => !asked.includes(account)) : []).map((account) => ({
              account,
              amount: ledger.balances.get(account) ?? 0n
            }))
          ]
            .filter(({ amount }) => amount > 0n)
            .map((holding) => ({
              ...holding,
              // What lies in the pair itself goes to whoever asks for it first.
              ...judge(
                holding.account === address ? { kind: "contract" } : sights.get(holding.account),
                close.has(holding.account)
              )
            })),
          unread: unreadOf(seen)
        }
      })
    )
    return { drafts, scanGap, insidersGap: named.gap ?? firsts.gap, market: found, reference: reference.value }
  })

  const read = Effect.fn("Liquidity.of")(function* (token: Address.Address) {
    const [{ drafts, insidersGap, market: found, reference, scanGap }, kept, near] = yield* Together.all([
      draftsOf(token),
      Effect.either(locks.of(token)),
      Effect.either(positions.of(token))
    ])
    const locksGap = Either.isLeft(kept) ? kept.left.reason : null
    const ofPositions = new Map(
      Either.getOrElse(near, () => ({ value: [] as ReadonlyArray<PoolPositions> })).value.map((each) => [
        each.pool,
        each
      ])
    )
    const depths = new Map(
      [...ofPositions].flatMap(([pool, { depth }]) =>
        Option.toArray(Option.map(depth, (amount) => [pool, amount] as const))
      )
    )
    const weigh = weightsOf(found.value, reference, depths)
    const ofPairs = drafts.map(({ holdings, item, unread }): PoolShares => {
      const { pool } = item
      const mine = <A extends { readonly pool: Address.Address }>(list: ReadonlyArray<A>) =>
        list.filter((each) => each.pool === pool.address)
      const ofLockers = Either.match(kept, {
        onLeft: () => ({ records: [], unrecorded: [] }),
        onRight: ({ value }) => ({ records: mine(value.records), unrecorded: mine(value.unrecorded) })
      })
      const records: ReadonlyArray<LockRecord> = [
        ...ofLockers.records,
        ...holdings.flatMap(({ account, amount, vault }) =>
          vault === undefined ? [] : [{ pool: pool.address, locker: account, amount, ...vault }]
        )
      ]
      const total = BigInt(pool.lp_total_supply ?? "0") - lockedByPair
      const burned = BigInt(pool.lp_burned ?? "0") - lockedByPair
      const shares: ReadonlyArray<PoolShare> = [
        ...(burned > 0n ? [{ account: Address.zero, amount: burned, kind: "burned" as const }] : []),
        ...records.map(shareOfLock(now)),
        ...ofLockers.unrecorded.map(
          ({ amount, empty, locker }): PoolShare => ({ account: locker, amount, kind: empty ? "stuck" : "unknown" })
        ),
        ...holdings.flatMap(({ account, amount, kind, vault }) =>
          vault === undefined ? [{ account, amount, kind }] : []
        )
      ]
      const held = shares.reduce((sum, { amount }) => sum + amount, 0n)
      const unseen = total > held ? total - held : 0n
      return {
        pool,
        ...weigh(item),
        total,
        shares: merged(shares),
        locks: records,
        unrecorded: ofLockers.unrecorded,
        unseen,
        gap: locksGap ?? (unseen > 0n ? (scanGap ?? "inconclusive") : null) ?? unread,
        insidersGap,
        locksGap
      }
    })
    const ofOtherPairs = found.value
      .filter(({ pool }) => pool.kind === "uniswap-v2" && !drafts.some(({ item }) => item.pool === pool))
      .flatMap((item) => unopened(item, weigh(item), "inconclusive"))
    const ofPools = yield* Together.forEach(
      found.value.filter(({ pool }) => pool.kind === "uniswap-v3"),
      (item) =>
        Effect.gen(function* () {
          const { pool } = item
          const weights = weigh(item)
          const { weight } = weights
          const of = ofPositions.get(pool.address)
          if (of === undefined) return unopened(item, weights, Either.isRight(near) ? "inconclusive" : near.left.reason)
          // A part of what is not known is no share.
          if (Option.isNone(of.depth)) return unopened(item, weights, of.insidersGap ?? "inconclusive")
          const amounts = new Map<Address.Address, bigint>()
          for (const { account, amount } of of.held) amounts.set(account, (amounts.get(account) ?? 0n) + amount)
          const holders = [...amounts]
            .sort(([, a], [, b]) => (a === b ? 0 : a > b ? -1 : 1))
            .map(([account]) => account)
          const seen = yield* inspectAll(holders, { pair: Option.none(), weight })
          const sights = new Map(seen)
          const shares: ReadonlyArray<PoolShare> = [
            ...(of.burned > 0n ? [{ account: Address.zero, amount: of.burned, kind: "burned" as const }] : []),
            ...of.locks.map(shareOfLock(now)),
            ...of.unrecorded.map(({ amount, locker }): PoolShare => ({ account: locker, amount, kind: "unknown" })),
            ...of.held.map(({ account, amount, standing }) => {
              const sight = sights.get(account)
              // A contract that has the first position may be a launchpad's, which keeps those of strangers.
              const isOwn = standing === "close" || (standing === "opener" && sight?.kind === "key")
              return { account, amount, kind: judge(sight, isOwn).kind }
            })
          ]
          const held = shares.reduce((sum, { amount }) => sum + amount, 0n)
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
              unseen,
              gap: of.insidersGap ?? of.locksGap ?? (unseen > 0n ? "inconclusive" : null) ?? unreadOf(seen),
              insidersGap: of.insidersGap,
              locksGap: of.locksGap
            } satisfies PoolShares
          ]
        })
    )
    return {
      value: [...ofPairs, ...ofOtherPairs, ...ofPools.flat()].sort(
        (a, b) => b.weight - a.weight || (a.pool.address < b.pool.address ? -1 : 1)
      ),
      observation: found.observation
    }
  })

  return Liquidity.of({ of: yield* Memo.make((token: Address.Address) => token, read) })
})

type Vault = Pick<LockRecord, "name" | "owner" | "unlocksAt">

/** What was seen of an account that holds shares. */
type Sight =
  | { readonly kind: "key" | "safe" | "timelock" | "contract" }
  | { readonly kind: "vault"; readonly vault: Vault }
  | { readonly kind: "unread"; readonly reason: UnknownReason }

const judge = (
  sight: Sight | undefined,
  isClose: boolean
): { readonly kind: PoolShare["kind"]; readonly vault?: Vault | undefined } => {
  if (sight?.kind === "vault") return { kind: "locked", vault: sight.vault }
  if (sight?.kind === "safe" || sight?.kind === "timelock") return { kind: sight.kind }
  if (isClose) return { kind: "insider" }
  return { kind: sight === undefined ? "minor" : sight.kind === "unread" ? "unknown" : sight.kind }
}

const nothing: LogScan = { logs: [], fromBlock: 0, toBlock: 0, complete: true }

/**
 * Finds who holds the pairs' shares in their transfers and in the lockers, and asks for what each has: two levels, and
 * a third for vaults and for who decides about a contract.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<
  Liquidity,
  never,
  ChainState | Control | LiquidityPositions | Locks | Pools.Pools | Safe
> = Layer.scoped(Liquidity, make)

/** The shares behind a lock: nobody's until it ends, and its owner's from then on. */
const shareOfLock =
  (now: number) =>
  (record: LockRecord): PoolShare =>
    isOver(record, now)
      ? { account: record.owner, amount: record.amount, kind: "insider" }
      : { account: record.locker, amount: record.amount, kind: "locked" }

/**
 * Whether a lock has ended at a time in seconds since the epoch.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isOver = ({ unlocksAt }: Pick<LockRecord, "unlocksAt">, now: number): boolean =>
  Option.exists(unlocksAt, (at) => at <= now)

/** Which published vault a code is: the same but for the words that its constructor wrote. */
const vaultOf = (code: Hex.Hex): Option.Option<KnownCode.KnownTemplate["name"]> =>
  Option.fromNullable(
    KnownCode.vaults.find(({ codeHash, size, values }) => {
      if (Hex.size(code) < size) return false
      let digits = code.slice(2, 2 + 2 * size).toLowerCase()
      for (const offset of values)
        digits = `${digits.slice(0, 2 * offset)}${"0".repeat(64)}${digits.slice(2 * offset + 64)}`
      return Hash.keccak256(`0x${digits}`) === codeHash
    })?.name
  )

/** A pool that was not looked into, where it is large enough to matter beside others. */
const unopened = (
  { liquidity, pool, reserveQuote }: Pools.Inspected,
  weights: Weights,
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
          unseen: reserveQuote,
          gap: reason,
          insidersGap: reason,
          locksGap: reason
        }
      ]
}

const unreadOf = (seen: ReadonlyArray<readonly [Address.Address, Sight]>): UnknownReason | null =>
  seen.flatMap(([, sight]) => (sight.kind === "unread" ? [sight.reason] : []))[0] ?? null

/**
 * How much of the token's whole depth each pool is, by what its quote side is worth: in dollars, of which a dollar token
 * is one whatever a pool says that it costs. `depths` are of the pools that do not hold all that they pay.
 */
const weightsOf = (
  pools: ReadonlyArray<Pools.Inspected>,
  reference: MarketReference.Reference,
  depths: ReadonlyMap<Address.Address, bigint>
): ((item: Pools.Inspected) => Weights) => {
  const worth = new Map(
    pools.map(({ pool, reserveQuote }) => [
      pool.address,
      MarketReference.comparable(reference, pool.quote, depths.get(pool.address) ?? reserveQuote)
    ])
  )
  const isKnown = ({ pool }: Pools.Inspected) => pool.kind === "uniswap-v2" || depths.has(pool.address)
  const sumOf = (list: ReadonlyArray<Pools.Inspected>) =>
    list.reduce((total, { pool }) => total + Option.getOrElse(worth.get(pool.address) ?? Option.none(), () => 0n), 0n)
  const [all, known] = [sumOf(pools), sumOf(pools.filter(isKnown))]
  const part = (amount: bigint, whole: bigint) => (whole === 0n ? 10_000 : Number((amount * 10_000n) / whole))
  // A pool that has no price may be all there is.
  return (item) =>
    Option.match(worth.get(item.pool.address) ?? Option.none(), {
      onNone: () => ({ weight: 10_000, mostWeight: 10_000 }),
      onSome: (amount) => ({
        weight: part(amount, all),
        mostWeight: part(amount, isKnown(item) ? known : known + amount)
      })
    })
}

type Weights = Pick<PoolShares, "weight" | "mostWeight">

const merged = (shares: ReadonlyArray<PoolShare>): ReadonlyArray<PoolShare> => {
  const byAccount = new Map<string, PoolShare>()
  for (const share of shares) {
    const key = `${share.kind} ${share.account}`
    byAccount.set(key, { ...share, amount: share.amount + (byAccount.get(key)?.amount ?? 0n) })
  }
  return [...byAccount.values()].sort((a, b) =>
    a.amount === b.amount ? (a.account < b.account ? -1 : 1) : a.amount > b.amount ? -1 : 1
  )
}
