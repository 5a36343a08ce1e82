/** @internal */

import { Array as Arr, BigInt as BigInts, Effect, Either, Option, Order } from "effect"
import * as Chains from "../../chain/Chains.js"
import type { ChainState, Log } from "../../chain/state/ChainState.js"
import * as AddressBook from "../../data/AddressBook.js"
import * as Address from "../../domain/Address.js"
import type { PoolVault } from "../../domain/facts/PoolVault.js"
import type { Hex } from "../../domain/Hex.js"
import * as Quantity from "../../domain/Quantity.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as KnownRuntime from "../../evm/bytecode/KnownRuntime.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import * as EventScan from "../EventScan.js"
import * as Getter from "../Getter.js"
import * as ManagerPools from "../venue/ManagerPools.js"
import * as Market from "../venue/Market.js"
import * as Ledger from "./Ledger.js"
import * as PositionRanges from "./PositionRanges.js"
import * as TransferScan from "./TransferScan.js"

/**
 * The exchanges that trade a token on a chain without a row in the address book. `claimed` are contracts that hold some of
 * the token and say, or of which an event says, that they are its pools, until they are read as such; `large` are those that hold
 * some and have code that is no published build. `unseen` is the most that an account holds that was not looked at, none where not
 * all transfers were read; `gap` is why events may name more pools, none where all were read.
 */
export interface FoundExchanges {
  readonly market: Market.Market
  readonly claimed: ReadonlyArray<PoolVault>
  readonly large: ReadonlyArray<PoolVault>
  readonly unseen: Option.Option<bigint>
  readonly gap: Option.Option<string>
}

const { functions } = Selectors

const pairCreated = Selectors.topic("PairCreated(address,address,address,uint256)")
const poolCreated = Selectors.topic("PoolCreated(address,address,uint24,int24,address)")

const allPairs = Selectors.selector("allPairs(uint256)")

// What interfaces propose; the owner of a factory can allow others: https://docs.uniswap.org/concepts/protocol/fees
const usualFees = [100, 500, 3_000, 10_000]

// keccak256 of the creation code of the pairs and pools that the published factories make, each of which has it in its own code:
// https://github.com/Uniswap/v2-periphery/blob/master/contracts/libraries/UniswapV2Library.sol
const pairInit = "0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f"
// https://github.com/Uniswap/v3-periphery/blob/main/contracts/libraries/PoolAddress.sol
const poolInit = "0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54"

/** Contracts that may have made pools, and are looked at: those of the pools that hold the most of the token. */
const mostMakers = 32

/** Holders that are looked at, the largest. */
const mostHolders = 32

/** Pools that events name and of which it is read what they hold. */
const mostNamed = 480

/** Other tokens that may be the wrapped coin: those that the pools with the most of the token have. */
const mostQuotes = 8

/** A pool that an event names, or that a holder says to be. None where it is a pool of a manager, which has no address. */
interface Named {
  readonly maker: Address.Address
  readonly pool: Option.Option<Address.Address>
  readonly other: Address.Address
  readonly fee: Option.Option<number>
}

/**
 * Finds the exchanges that trade a token. Where its pools are is learnt from events without an address in their filter, and
 * from who holds the token; neither proves anything. What counts is made by a factory, or kept by a manager, of which the
 * code is a published build: then a pool's address follows from the factory, and nothing but the exchange's code can be there.
 * Five levels, of which the first leaves with what else is read of the token.
 */
export const find = (
  state: ChainState["Type"],
  token: Address.Address,
  unlisted: Market.Market
): Effect.Effect<FoundExchanges> =>
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
    const looked = new Set(makers.slice(0, mostMakers))
    const tokens = [
      ...new Set(all.flatMap(({ maker, other }) => (looked.has(maker) && other !== Address.zero ? [other] : [])))
    ].slice(0, mostQuotes)
    const owners = holders.filter((holder) => heldAt(holder) > 0n)
    const codes = new Map(
      yield* Together.forEach([...new Set([...looked, ...tokens, ...owners])], (address) =>
        Effect.map(
          Effect.option(state.code(address)),
          (code) => [address, Option.map(code, ({ value }) => value)] as const
        )
      )
    )
    const codeOf = (address: Address.Address) => codes.get(address) ?? Option.none()
    const buildOf = (address: Address.Address) => Option.flatMap(codeOf(address), KnownRuntime.identify)
    const isBuild = (name: string) => (address: Address.Address) =>
      Option.exists(buildOf(address), (build) => build.name === name)
    const found = {
      pairs: [...looked].filter(isBuild("UniswapV2Factory")),
      pools: [...looked].filter(isBuild("UniswapV3Factory")),
      managers: [...looked].filter(isBuild("PoolManager"))
    }
    const makes = new Set(Object.values(found).flat())
    const proved = all.filter(({ maker }) => makes.has(maker))
    const [wrapped, pairs, poolFactories] = yield* Together.all([
      wrappedAmong(
        state,
        tokens.filter((other) => isBuild("WETH9")(other) && proved.some((each) => each.other === other)),
        proved.map(placeOf)
      ),
      firstPairs(state, found.pairs),
      Together.forEach(found.pools, (factory) =>
        poolExchange(
          state,
          factory,
          proved.filter(({ maker }) => maker === factory)
        )
      )
    ])
    const unit = Option.orElse(wrapped, () =>
      found.managers.length === 0 ? Option.none() : Option.some(coinOf(state))
    )
    const priced = proved.filter(({ other }) => Option.exists(wrapped, ({ address }) => address === other))
    const places = new Set([...priced.map(placeOf), ...found.managers])
    const unpriced = new Set(proved.map(placeOf).filter((place) => !places.has(place)))
    const kept = found.managers.map(managerExchange)
    const claimed = new Set(all.map(placeOf).filter((place) => !found.managers.includes(place) && heldAt(place) > 0n))
    const asVault = (exchange: string) => (address: Address.Address) => ({
      exchange,
      vault: address,
      amount: Quantity.make(heldAt(address))
    })
    return {
      market: {
        wrapped: unit,
        quotes: Option.toArray(wrapped),
        dollars: [],
        references: referencesAmong(pairs, token, wrapped),
        byBuild: true,
        exchanges: [...found.pairs.map(pairExchange), ...poolFactories],
        managers: kept,
        vaults: [
          ...kept.map(Market.vaultOf),
          ...unlisted.vaults.filter(({ address }) => !makes.has(Address.checksum(address)))
        ]
      },
      claimed: [...claimed].map((place) =>
        asVault(unpriced.has(place) ? "a pool with a token that has no known price" : "a pool without proof")(place)
      ),
      large: owners
        .filter(
          (owner) =>
            !places.has(owner) &&
            !claimed.has(owner) &&
            Option.isNone(buildOf(owner)) &&
            Option.exists(codeOf(owner), Bytecode.isContract)
        )
        .map(asVault("a contract of unknown code")),
      unseen:
        transfers.complete && ledger.readable
          ? Option.some(ledger.balances.get(accounts[mostHolders] ?? token) ?? 0n)
          : Option.none(),
      gap:
        makers.length > mostMakers || pools.length > mostNamed
          ? Option.some(`not read: ${pools.length} contracts that events name as pools`)
          : isWhole
            ? Option.none()
            : Option.some("not all events that name its pools could be read")
    }
  })

/** What leaves first: the transfers of the token, and the events that name its pools. */
const learn = (
  state: ChainState["Type"],
  token: Address.Address
): Effect.Effect<readonly [Pick<TransferScan.TransferScan, "logs" | "complete">, ReadonlyArray<Named>, boolean]> => {
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
const placeOf = ({ maker, pool }: Named): Address.Address => Option.getOrElse(pool, () => maker)

/** What an event says of a pool of the token; none where it says nothing that can be one. */
const namedBy = ({ address: maker, data, topics }: Log, token: Address.Address): Option.Option<Named> =>
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
): Effect.Effect<{ readonly held: ReadonlyMap<Address.Address, bigint>; readonly said: ReadonlyArray<Named> }> =>
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
): Option.Option<Named> =>
  Option.gen(function* () {
    const [maker, ...sides] = yield* Option.all([factory, first, second].map(accountIn))
    const other = sides.find((side) => side !== token)
    if (maker === undefined || other === undefined || !sides.includes(token)) return yield* Option.none()
    return { maker, other, pool: Option.some(holder), fee: Option.map(Option.fromNullable(fee?.[0]), Number) }
  })

/**
 * The wrapped coin among tokens of its build. Who deploys that can give himself a balance that nothing was paid for: so it counts
 * where it owns as much native coin as the pools have of it, and the one that owns the most is taken.
 */
const wrappedAmong = (
  state: ChainState["Type"],
  coins: ReadonlyArray<Address.Address>,
  places: ReadonlyArray<Address.Address>
): Effect.Effect<Option.Option<AddressBook.KnownToken>> =>
  Effect.map(
    Together.forEach(coins, (coin) =>
      Together.all([fundsOf(state, coin, places), getterOf(state, coin, functions.symbol, Getter.text)])
    ),
    (read) =>
      Option.map(
        Arr.head(
          coins
            .flatMap((address, place) => {
              const [{ held, owned }, symbol = ""] = read[place] ?? [{ held: 0n, owned: -1n }]
              return owned >= held ? [{ address, symbol, owned }] : []
            })
            .sort((a, b) => Order.bigint(b.owned, a.owned))
        ),
        ({ address, symbol }) => ({ address, symbol, decimals: 18, source })
      )
  )

/**
 * Native coin, as what pools are priced in where no wrapped coin is proved: a manager keeps it as itself, so that nothing has to be
 * true of a contract that wraps it.
 */
const coinOf = ({ chain }: ChainState["Type"]): AddressBook.KnownToken => ({
  address: Address.zero,
  symbol: Option.getOrElse(Chains.currencyOf(chain), () => "native coin"),
  decimals: 18,
  source: "native coin of the chain"
})

/** Pairs of a factory that are looked at for one to compare trades with, the oldest. */
const mostPairs = 16

/** The two tokens of the oldest pairs of each factory. */
const firstPairs = (
  state: ChainState["Type"],
  factories: ReadonlyArray<Address.Address>
): Effect.Effect<ReadonlyArray<ReadonlyArray<Address.Address>>> =>
  Effect.gen(function* () {
    const indices = Array.from({ length: mostPairs }, (_, index) => Getter.word(BigInt(index)))
    const pairs = yield* BatchRead.all(
      state,
      factories.flatMap((factory) => indices.map((index) => BatchRead.get(factory, allPairs, [index])))
    )
    const places = pairs.value.flatMap((answer) => Option.toArray(accountIn(answer)))
    const sides = yield* BatchRead.all(
      state,
      places.flatMap((pair) => [BatchRead.get(pair, functions.token0), BatchRead.get(pair, functions.token1)])
    )
    return places.map((_, place) =>
      sides.value.slice(2 * place, 2 * place + 2).flatMap((answer) => Option.toArray(accountIn(answer)))
    )
    // Without any, nothing is compared, and what fails shows nothing.
  }).pipe(Effect.orElseSucceed(() => []))

const accountIn = (answer: BatchRead.Answer | undefined): Option.Option<Address.Address> =>
  Option.flatMap(Option.fromNullable(answer?.[0]), (word) => Getter.addressOfWord(Getter.word(word)))

/** The tokens that are paired with the wrapped coin, but for the one under analysis. */
const referencesAmong = (
  pairs: ReadonlyArray<ReadonlyArray<Address.Address>>,
  token: Address.Address,
  wrapped: Option.Option<AddressBook.KnownToken>
): ReadonlyArray<AddressBook.KnownToken> =>
  Option.match(wrapped, {
    onNone: () => [],
    onSome: (coin) =>
      [...new Set(pairs.flatMap((sides) => (sides.some((side) => side === coin.address) ? sides : [])))]
        .filter((side) => side !== coin.address && side !== token)
        .map((address) => ({ address, symbol: "", decimals: 18, source }))
  })

const getterOf = <A>(
  state: ChainState["Type"],
  token: Address.Address,
  getter: Hex,
  decode: Getter.Decoder<A>
): Effect.Effect<A | undefined> =>
  Effect.match(Getter.read(state, token, getter, decode), {
    onFailure: () => undefined,
    onSuccess: ({ value }) => Option.getOrUndefined(value)
  })

/** How much native coin a wrapped coin owns, and how much of it pools have; it owns too little where that was not read. */
const fundsOf = (
  state: ChainState["Type"],
  coin: Address.Address,
  places: ReadonlyArray<Address.Address>
): Effect.Effect<{ readonly owned: bigint; readonly held: bigint }> =>
  Effect.match(
    Together.all([
      state.balance(coin),
      BatchRead.all(
        state,
        places.map((place) => BatchRead.balanceOf(coin, place))
      )
    ]),
    {
      onFailure: () => ({ owned: -1n, held: 0n }),
      onSuccess: ([owned, balances]) => ({
        owned: owned.value,
        held: BigInts.sumAll(balances.value.map(([amount = 0n]) => amount))
      })
    }
  )

const source = "its code is the published build"

const pairExchange = (factory: Address.Address): AddressBook.PairExchange => ({
  name: "Uniswap V2",
  kind: "uniswap-v2",
  factory,
  initCodeHash: pairInit,
  source
})

const poolExchange = (
  state: ChainState["Type"],
  factory: Address.Address,
  pools: ReadonlyArray<Named>
): Effect.Effect<AddressBook.PoolExchange> =>
  Effect.map(positionManagerOf(state, factory, pools), (manager) => ({
    name: "Uniswap V3",
    kind: "uniswap-v3",
    factory,
    initCodeHash: poolInit,
    ...Option.match(manager, { onNone: () => ({}), onSome: (nfpm) => ({ nfpm }) }),
    fees: [...new Set([...usualFees, ...pools.flatMap(({ fee }) => Option.toArray(fee))])],
    source
  }))

/** Owners of positions that may be the position manager, those with the first positions. */
const mostOwners = 8

/** The contract of the published build that has positions in a factory's pools for others; none where nobody used one. */
const positionManagerOf = (
  state: ChainState["Type"],
  factory: Address.Address,
  pools: ReadonlyArray<Named>
): Effect.Effect<Option.Option<Address.Address>> =>
  Effect.gen(function* () {
    const address = [...new Set(pools.map(placeOf))]
    const { logs } = yield* EventScan.of(state, { address, topics: [PositionRanges.mint] })
    const owners = [...new Set(logs.flatMap(({ topics }) => (topics[1] === undefined ? [] : [topics[1]])))]
      .slice(0, mostOwners)
      .map(Address.fromWord)
    const read = yield* Together.forEach(owners, (owner) =>
      Together.all([Effect.option(state.code(owner)), getterOf(state, owner, functions.factory, Getter.address)])
    )
    return Option.fromNullable(
      owners.find((_, place) => {
        const [code, made] = read[place] ?? [Option.none(), undefined]
        return (
          made === factory &&
          Option.exists(code, ({ value }) =>
            Option.exists(KnownRuntime.identify(value), ({ name }) => name === "NonfungiblePositionManager")
          )
        )
      })
    )
  })

const managerExchange = (manager: Address.Address): AddressBook.ManagerExchange => ({
  name: "Uniswap V4",
  kind: "uniswap-v4",
  manager,
  source
})
