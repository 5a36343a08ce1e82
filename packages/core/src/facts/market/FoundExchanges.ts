/** @internal */

import { Array as Arr, BigInt as BigInts, Effect, Option, Order } from "effect"
import * as Chains from "../../chain/Chains.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import type * as AddressBook from "../../data/AddressBook.js"
import * as Address from "../../domain/Address.js"
import type { PoolVault } from "../../domain/facts/PoolVault.js"
import type { Hex } from "../../domain/Hex.js"
import * as Quantity from "../../domain/Quantity.js"
import * as KnownRuntime from "../../evm/bytecode/KnownRuntime.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import * as EventScan from "../EventScan.js"
import * as Getter from "../Getter.js"
import * as Market from "../venue/Market.js"
import * as ExchangeCandidates from "./ExchangeCandidates.js"
import * as PositionRanges from "./PositionRanges.js"
import * as UnprovedHolders from "./UnprovedHolders.js"

/**
 * The exchanges that trade a token on a chain without a row in the address book. `claimed` are contracts that hold some of
 * the token and say, or of which an event says, that they are its pools, until they are read as such. `unproved` says what else may be
 * a larger market than pools with so much of the token.
 */
export interface FoundExchanges {
  readonly market: Market.Market
  readonly claimed: ReadonlyArray<PoolVault>
  readonly unproved: (held: bigint) => Effect.Effect<UnprovedHolders.Unproved>
}

const { functions } = Selectors

const allPairs = Selectors.selector("allPairs(uint256)")

// What interfaces propose; the owner of a factory can allow others: https://docs.uniswap.org/concepts/protocol/fees
const usualFees = [100, 500, 3_000, 10_000]

// keccak256 of the creation code of the pairs and pools that the published factories make, each of which has it in its own code:
// https://github.com/Uniswap/v2-periphery/blob/master/contracts/libraries/UniswapV2Library.sol
const pairInit = "0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f"
// https://github.com/Uniswap/v3-periphery/blob/main/contracts/libraries/PoolAddress.sol
const poolInit = "0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54"

/** Other tokens that may be the wrapped coin: those that the pools with the most of the token have. */
const mostQuotes = 8

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
    const { all, beyond, gap, heldAt, makers, owners } = yield* ExchangeCandidates.read(state, token)
    const looked = new Set(makers)
    const tokens = [
      ...new Set(all.flatMap(({ maker, other }) => (looked.has(maker) && other !== Address.zero ? [other] : [])))
    ].slice(0, mostQuotes)
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
        proved.map(ExchangeCandidates.placeOf)
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
    const places = new Set([...priced.map(ExchangeCandidates.placeOf), ...found.managers])
    const unpriced = new Set(proved.map(ExchangeCandidates.placeOf).filter((place) => !places.has(place)))
    const kept = found.managers.map(managerExchange)
    const claimed = new Set(
      all.map(ExchangeCandidates.placeOf).filter((place) => !found.managers.includes(place) && heldAt(place) > 0n)
    )
    const isOther = (holder: Address.Address) => !places.has(holder) && !claimed.has(holder)
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
      unproved: UnprovedHolders.of(state, {
        looked: owners.filter(isOther).map((owner) => [owner, heldAt(owner)]),
        codeOf,
        beyond: Option.map(
          beyond,
          Arr.filter(([holder]) => isOther(holder))
        ),
        gap
      })
    }
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
    const places = pairs.value.flatMap((answer) => Option.toArray(ExchangeCandidates.accountIn(answer)))
    const sides = yield* BatchRead.all(
      state,
      places.flatMap((pair) => [BatchRead.get(pair, functions.token0), BatchRead.get(pair, functions.token1)])
    )
    return places.map((_, place) =>
      sides.value
        .slice(2 * place, 2 * place + 2)
        .flatMap((answer) => Option.toArray(ExchangeCandidates.accountIn(answer)))
    )
    // Without any, nothing is compared, and what fails shows nothing.
  }).pipe(Effect.orElseSucceed(() => []))

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
  pools: ReadonlyArray<ExchangeCandidates.Candidate>
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
  pools: ReadonlyArray<ExchangeCandidates.Candidate>
): Effect.Effect<Option.Option<Address.Address>> =>
  Effect.gen(function* () {
    const address = [...new Set(pools.map(ExchangeCandidates.placeOf))]
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
