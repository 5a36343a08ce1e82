/** @internal */

import { BigInt as BigInts, Context, Effect, Either, Layer, Option, Order } from "effect"
import * as ChainBook from "../../chain/ChainBook.js"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as AddressBook from "../../data/AddressBook.js"
import * as Address from "../../domain/Address.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { HolderKind } from "../../domain/facts/HolderKind.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import * as Getter from "../Getter.js"
import * as Market from "../venue/Market.js"
import * as Insiders from "./Insiders.js"
import * as Ledger from "./Ledger.js"
import * as Locks from "./Locks.js"
import { Pools } from "./Pools.js"
import * as TransferScan from "./TransferScan.js"

/** An account that holds a token at the pinned block, in the token's smallest unit, and what it is. */
export interface Holder {
  readonly address: Address.Address
  readonly balance: bigint
  readonly kind: HolderKind
}

/**
 * The holders that were found, largest first. `complete` says that they are all: the whole history was seen and the
 * balances add up to the supply; otherwise every share is a lower bound. Holders beyond the largest two hundred are
 * left out of the list, not out of the sum. `unattributed` is what lies in vaults of pools, and in lockers without a
 * record of a running lock; its owners are not known. `withheld` is what accounts have by the transfers beyond their
 * `balanceOf`. It is empty where not all transfers were seen, and `withheldGap` says why; null for a token with too
 * many transfers for one analysis. `handed` is what accounts still have that came straight from keys that the token
 * names or that were the first to receive minted tokens, as far as transfers were seen; `handedGap` is why some of
 * those keys may be missing, null where none is. `unseen` is the part of the supply that neither the read balances nor
 * the transfers account for; zero where not all transfers were seen. `gap` is why an account that the token names may
 * be missing, null where none is: balances without an event are found only on accounts that are named.
 */
export interface HolderSet {
  readonly holders: ReadonlyArray<Holder>
  readonly supply: bigint
  readonly complete: boolean
  readonly unattributed: bigint
  readonly withheld: ReadonlyMap<Address.Address, bigint>
  readonly withheldGap: UnknownReason | null
  readonly handed: ReadonlyMap<Address.Address, bigint>
  readonly handedGap: UnknownReason | null
  readonly unseen: bigint
  readonly gap: UnknownReason | null
  readonly fromBlock: number
  readonly toBlock: number
}

/** Who holds a token. */
export class Holders extends Context.Tag("@assay/core/Holders")<
  Holders,
  {
    readonly of: (token: Address.Address) => Effect.Effect<Reading<HolderSet>, ChainError>
  }
>() {}

const mostCandidates = 200

// The holders that matter for concentration; the code of the others is not read.
const mostInspected = 32

const { functions } = Selectors

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const pools = yield* Pools
  const locks = yield* Locks.Locks
  const book = yield* ChainBook.of(state.chain.addressBook)
  const lockers = Locks.lockersOf(book).map(({ address }) => address)

  /** How much of a token lies in lockers by the record of a lock that runs. */
  const lockedOf = (token: Address.Address): Effect.Effect<bigint> =>
    Effect.match(locks.ofToken(token), {
      // Without a record nobody can say that it is locked.
      onFailure: () => 0n,
      onSuccess: ({ value }) =>
        BigInts.sumAll(value.records.filter((record) => !Locks.isOver(record, state.block)).map(({ amount }) => amount))
    })

  const read = Effect.fn("Holders.of")(function* (token: Address.Address) {
    const { firsts, known, named, supply, transfers, vaults } = yield* Together.all({
      transfers: TransferScan.of(state, token),
      // The first receivers of new tokens, whom the newest transfers of a busy token do not show.
      firsts: Insiders.firstReceivers(state, token),
      supply: Getter.read(state, token, functions.totalSupply, Getter.uint),
      known: Effect.if(pools.covers(token), {
        // A manager keeps deposits of single accounts as well, and is among the vaults.
        onTrue: () =>
          Effect.map(pools.of(token), ({ value }) =>
            value.filter(({ manager }) => manager === undefined).map((pool) => pool.address)
          ),
        onFalse: () => Effect.succeed<ReadonlyArray<Address.Address>>([])
      }),
      vaults: Effect.map(pools.market(token), Market.vaultsOf),
      named: Insiders.named(state, token)
    })
    const ledger = Ledger.of(transfers.logs)
    const special = [
      ...AddressBook.burnAddresses.map((burnt) => Address.checksum(burnt)),
      token,
      ...lockers,
      ...vaults,
      ...known
    ]
    const candidates = [
      ...new Set([...special, ...named.accounts, ...firsts.accounts, ...Ledger.largest(ledger)])
    ].slice(0, mostCandidates)
    const close = [...named.accounts, ...firsts.accounts].filter((address) => !special.includes(address))
    const inspected = new Set([
      ...candidates.filter((address) => !special.includes(address)).slice(0, mostInspected),
      ...close
    ])
    const { balances, codes } = yield* Together.all({
      balances: BatchRead.all(
        state,
        candidates.map((account) => BatchRead.balanceOf(token, account)),
        { readsPerCall: BatchRead.hostileReads }
      ),
      codes: Together.forEach(inspected, (address) =>
        Effect.map(Effect.either(state.code(address)), (code) => [address, code] as const)
      )
    })
    const codeOf = new Map(codes)
    const kindOf = (address: Address.Address): HolderKind => {
      if (address === token) return "self"
      if (known.includes(address)) return "pool"
      if (lockers.includes(address)) return "locker"
      if (vaults.includes(address)) return "vault"
      if (special.includes(address)) return "burn"
      if (named.accounts.includes(address)) return "controller"
      const code = codeOf.get(address)
      // An account that was not named may be the unread owner.
      if (named.gap !== null || code === undefined || Either.isLeft(code)) return "unknown"
      const { value } = code.right
      return Bytecode.isContract(value) ? "contract" : "account"
    }
    const answers = candidates.map((address, place) => ({ address, balance: balances.value[place]?.[0] }))
    const holders = answers
      .flatMap(({ address, balance }) =>
        balance === undefined || balance === 0n ? [] : [{ address, balance, kind: kindOf(address) }]
      )
      .sort((a, b) => Order.bigint(b.balance, a.balance) || (a.address < b.address ? -1 : 1))
    const asked = new Set(candidates)
    const heldBy = (kind: HolderKind) =>
      BigInts.sumAll(holders.filter((holder) => holder.kind === kind).map(({ balance }) => balance))
    const inLockers = heldBy("locker")
    const locked = inLockers === 0n ? 0n : yield* lockedOf(token)
    const isWhole = transfers.complete && ledger.readable
    const withheld = new Map(
      isWhole
        ? answers.flatMap(({ address, balance = 0n }) => {
            const more = (ledger.balances.get(address) ?? 0n) - balance
            return more > 0n ? [[address, more] as const] : []
          })
        : []
    )
    // What comes out of a contract went into it for something, as where it sells the token.
    const isKey = (address: Address.Address): boolean => {
      const code = codeOf.get(address)
      return code !== undefined && Either.isRight(code) && !Bytecode.isContract(code.right.value)
    }
    const lostAmong = (accounts: ReadonlyArray<Address.Address>): UnknownReason | null =>
      accounts
        .map((address) => codeOf.get(address))
        .find((code) => code !== undefined && Either.isLeft(code))
        ?.pipe(Either.match({ onLeft: ({ reason }) => reason, onRight: () => null })) ?? null
    const balanceOf = new Map(answers.map(({ address, balance }) => [address, balance]))
    const handed = new Map(
      [...Ledger.handedOut(transfers.logs, new Set(close.filter(isKey)), new Set(special))].map(
        ([address, amount]) => [address, BigInts.min(amount, balanceOf.get(address) ?? amount)] as const
      )
    )
    const rest = BigInts.sumAll(
      [...ledger.balances].flatMap(([address, balance]) => (asked.has(address) ? [] : balance))
    )
    const held = BigInts.sumAll(holders.map(({ balance }) => balance))
    const total = Option.getOrElse(supply.value, () => 0n)
    const set: HolderSet = {
      holders,
      supply: total,
      complete:
        named.gap === null &&
        isWhole &&
        answers.every(({ balance }) => balance !== undefined) &&
        total > 0n &&
        held + rest === total,
      unattributed: BigInts.max(inLockers - locked, 0n) + heldBy("vault"),
      withheld,
      withheldGap: transfers.complete || transfers.isBusy ? null : "log_range_limited",
      handed,
      handedGap: named.gap ?? firsts.gap ?? lostAmong(close),
      unseen: isWhole ? BigInts.max(total - held - rest, 0n) : 0n,
      gap: named.gap,
      fromBlock: transfers.fromBlock,
      toBlock: transfers.toBlock
    }
    return { value: set, observation: balances.observation }
  })

  return Holders.of({ of: yield* OncePerKey.make((token: Address.Address) => token, read) })
})

/**
 * Finds candidates in the token's transfers, its pools, its owner and the address book, and reads the balance of each:
 * two levels, and two more for the records of lockers that hold some.
 */
export const layer: Layer.Layer<Holders, never, ChainState | Locks.Locks | Pools> = Layer.scoped(Holders, make)
