/** @internal */

import { Array as Arr, Effect, Either, Option, Order } from "effect"
import type { ChainState, Log } from "../../chain/state/ChainState.js"
import * as AddressBook from "../../data/AddressBook.js"
import * as Address from "../../domain/Address.js"
import type { PoolVault } from "../../domain/facts/PoolVault.js"
import * as Quantity from "../../domain/Quantity.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import * as Getter from "../Getter.js"
import * as ManagerPools from "../venue/ManagerPools.js"
import * as Ledger from "./Ledger.js"
import * as TransferScan from "./TransferScan.js"

/**
 * A pool that an event names, or that a holder says to be. `pool` is none where a manager keeps it, which has no address for it.
 */
export interface Candidate {
  readonly maker: Address.Address
  readonly pool: Option.Option<Address.Address>
  readonly other: Address.Address
  readonly fee: Option.Option<number>
}

/** An account and what it holds of the token. */
export type Holding = readonly [Address.Address, bigint]

/**
 * Places that may trade a token, by what events and contracts say: nothing of it is proved. `all` are the pools, those with the most of
 * the token first; `owners` the largest holders and the managers of other chains, where they hold some. `beyond` are the next largest
 * holders, which were not looked at, by their transfers; none where these were not all read. `gap` is why events may name more
 * pools, none where all were read.
 */
export interface ExchangeCandidates {
  readonly all: ReadonlyArray<Candidate>
  readonly makers: ReadonlyArray<Address.Address>
  readonly owners: ReadonlyArray<Address.Address>
  readonly heldAt: (address: Address.Address) => bigint
  readonly beyond: Option.Option<ReadonlyArray<Holding>>
  readonly gap: Option.Option<string>
}

const { functions } = Selectors

const pairCreated = Selectors.topic("PairCreated(address,address,address,uint256)")
const poolCreated = Selectors.topic("PoolCreated(address,address,uint24,int24,address)")

/** Contracts that may have made pools, and are looked at: those of the pools that hold the most of the token. */
const mostMakers = 32

/** Holders that are looked at, the largest. */
const mostHolders = 32

/** Pools that events name and of which it is read what they hold. */
const mostNamed = 480

/** Reads them, in two levels. */
export const read = (state: ChainState["Type"], token: Address.Address): Effect.Effect<ExchangeCandidates> =>
  Effect.gen(function* () {
    const [transfers, named, isWhole] = yield* learn(state, token)
    const ledger = Ledger.of(transfers.logs)
    const accounts = Ledger.largest(ledger).filter((account) => account !== token)
    const managers = AddressBook.managersAnywhere.map(({ manager }) => Address.checksum(manager))
    const holders = [...new Set([...accounts.slice(0, mostHolders), ...managers])]
    const pools = [...new Set(named.map(placeOf))]
    const { held, said } = yield* readPlaces(state, token, holders, pools.slice(0, mostNamed))
    const heldAt = (address: Address.Address) => held.get(address) ?? 0n
    const all = [...named, ...said].sort((a, b) => Order.bigint(heldAt(placeOf(b)), heldAt(placeOf(a))))
    const makers = [...new Set([...all.map(({ maker }) => maker), ...managers.filter((each) => heldAt(each) > 0n)])]
    return {
      all,
      makers: makers.slice(0, mostMakers),
      owners: holders.filter((holder) => heldAt(holder) > 0n),
      heldAt,
      beyond:
        transfers.complete && ledger.readable
          ? Option.some(
              accounts.slice(mostHolders).map((account): Holding => [account, ledger.balances.get(account) ?? 0n])
            )
          : Option.none(),
      gap:
        makers.length > mostMakers || pools.length > mostNamed
          ? Option.some(`not read: ${pools.length} contracts that events name as pools`)
          : isWhole
            ? Option.none()
            : Option.some("not all events that name its pools could be read")
    }
  })

/** Those of them that hold some of the token, none of which was read as a pool. */
export const placesOf = (state: ChainState["Type"], token: Address.Address): Effect.Effect<ReadonlyArray<PoolVault>> =>
  Effect.map(read(state, token), ({ all, heldAt }) =>
    [...new Set(all.map(placeOf))].flatMap((vault) =>
      heldAt(vault) > 0n ? [{ exchange: "a pool that was not read", vault, amount: Quantity.make(heldAt(vault)) }] : []
    )
  )

/** What leaves first: the transfers of the token, and the events that name its pools. */
const learn = (
  state: ChainState["Type"],
  token: Address.Address
): Effect.Effect<
  readonly [Pick<TransferScan.TransferScan, "logs" | "complete">, ReadonlyArray<Candidate>, boolean]
> => {
  const word = Getter.word(token)
  const made = [pairCreated, poolCreated]
  return Effect.map(
    Together.all([
      Effect.orElseSucceed(TransferScan.of(state, token), () => ({ logs: [], complete: false })),
      Together.forEach(
        [
          [made, word],
          [[...made, ManagerPools.initialized], null, word],
          [ManagerPools.initialized, null, null, word]
        ],
        (wanted) => Effect.either(state.logs({ topics: wanted }))
      )
    ]),
    ([transfers, scans]) => [
      transfers,
      [
        ...new Map(
          Arr.getRights(scans)
            .flatMap(({ value }) => value.logs.flatMap((log) => Option.toArray(namedBy(log, token))))
            .map((named) => [[named.maker, placeOf(named), named.other].join(), named] as const)
        ).values()
      ],
      scans.every((scan) => Either.isRight(scan) && scan.right.value.complete)
    ]
  )
}

/** Where the tokens of a pool are. */
export const placeOf = ({ maker, pool }: Candidate): Address.Address => Option.getOrElse(pool, () => maker)

/** What an event says of a pool of the token; none where it says nothing that can be one. */
const namedBy = ({ address: maker, data, topics }: Log, token: Address.Address): Option.Option<Candidate> =>
  Option.gen(function* () {
    const [kind, ...rest] = topics
    const sides = (kind === ManagerPools.initialized ? rest.slice(1, 3) : rest.slice(0, 2)).map(Address.fromWord)
    const other = yield* Option.fromNullable(sides.find((side) => side !== token))
    if (kind === ManagerPools.initialized) return { maker, other, pool: Option.none(), fee: Option.none() }
    const pool = yield* Option.flatMap(Getter.wordAt(data, kind === pairCreated ? 0 : 32), Getter.addressOfWord)
    const fee = kind === pairCreated ? Option.none() : Option.map(Option.fromNullable(rest[2]), Number)
    return { maker, other, pool: Option.some(pool), fee }
  })

/** What contracts hold of the token, and what those that hold some say of themselves as pools. */
const readPlaces = (
  state: ChainState["Type"],
  token: Address.Address,
  holders: ReadonlyArray<Address.Address>,
  pools: ReadonlyArray<Address.Address>
): Effect.Effect<{ readonly held: ReadonlyMap<Address.Address, bigint>; readonly said: ReadonlyArray<Candidate> }> =>
  Effect.map(
    Effect.orElseSucceed(
      Effect.map(
        BatchRead.all(
          state,
          [
            ...holders.flatMap((holder) => [
              BatchRead.balanceOf(token, holder),
              ...asPool.map((getter) => BatchRead.get(holder, getter))
            ]),
            ...pools.map((pool) => BatchRead.balanceOf(token, pool))
          ],
          { readsPerCall: BatchRead.hostileReads }
        ),
        ({ value }) => value
      ),
      () => []
    ),
    (answers) => {
      const each = 1 + asPool.length
      const held = [
        ...holders.map((holder, place) => [holder, answers[each * place]?.[0] ?? 0n] as const),
        ...pools.map((pool, place) => [pool, answers[each * holders.length + place]?.[0] ?? 0n] as const)
      ]
      const said = holders.flatMap((holder, place) =>
        Option.toArray(saidBy(holder, token, answers.slice(each * place + 1, each * (place + 1))))
      )
      return { held: new Map(held), said }
    }
  )

const asPool = [functions.factory, functions.token0, functions.token1, functions.fee]

const saidBy = (
  holder: Address.Address,
  token: Address.Address,
  [factory, first, second, fee]: ReadonlyArray<BatchRead.Answer>
): Option.Option<Candidate> =>
  Option.gen(function* () {
    const [maker, ...sides] = yield* Option.all([factory, first, second].map(accountIn))
    const other = sides.find((side) => side !== token)
    if (maker === undefined || other === undefined || !sides.includes(token)) return yield* Option.none()
    return { maker, other, pool: Option.some(holder), fee: Option.map(Option.fromNullable(fee?.[0]), Number) }
  })

/** The account that an answer is; none where it is none. */
export const accountIn = (answer: BatchRead.Answer | undefined): Option.Option<Address.Address> =>
  Option.flatMap(Option.fromNullable(answer?.[0]), (word) => Getter.addressOfWord(Getter.word(word)))
