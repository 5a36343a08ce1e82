import { Effect, Option, Schema } from "effect"
import type { ChainError } from "../../../chain/ChainError.js"
import { ChainState } from "../../../chain/state/ChainState.js"
import type * as Reading from "../../../chain/state/Reading.js"
import * as Address from "../../../domain/Address.js"
import type { Hex } from "../../../domain/Hex.js"
import * as Selectors from "../../../evm/bytecode/Selectors.js"
import * as BatchRead from "../../../facts/BatchRead.js"
import * as Getter from "../../../facts/Getter.js"
import * as Pools from "../../../facts/market/Pools.js"
import * as Market from "../../../facts/venue/Market.js"
import * as Together from "../../../runtime/Together.js"
import * as Check from "../../Check.js"
import * as Fungible from "../Fungible.js"

const { functions, selector } = Selectors

// Getters that return the pool of a token with special rules for its pool.
const getters: ReadonlyArray<Hex> = [
  "uniswapV2Pair()",
  "uniswapPair()",
  "pancakePair()",
  "lpPair()",
  "pair()",
  "pairAddress()",
  "liquidityPair()"
].map((signature) => selector(signature))

type Finding = {
  readonly pool: Address.Address
  readonly factory: Address.Address
  readonly made: Option.Option<Address.Address>
  /** Whether its factory created it: proved by the CREATE2 address, or only claimed by an unknown factory. */
  readonly standing: "made" | "fake" | "claimed"
  readonly observation: Reading.Reading<unknown>["observation"]
}

/**
 * L-10: whether the token names a pair that the pair's factory did not create. The pair has the interface of a pair of
 * the token and names its factory. A known exchange creates a pair at one CREATE2 address only. Any other factory is
 * called for its pair of the two tokens: confirmed where it returns another pair, unknown where it returns this pair,
 * because the same author may have deployed both. Pools that this library computed from a factory are genuine. The
 * result is unknown where the only pool that the token names does not have the interface of a pool. It does not apply
 * to a token that names no pair and has no pool.
 *
 * @see https://docs.uniswap.org/contracts/v2/guides/smart-contract-integration/getting-pair-addresses
 */
export const fakePool = Check.make({
  id: "liquidity.fake-pool",
  code: "L-10",
  version: 2,
  targets: ["token"],
  claim: "The token names a pool that its factory did not create",
  polarity: "risk",
  severity: "critical",
  dimension: "exit",
  value: Schema.Struct({
    fake: Schema.Array(
      Schema.Struct({
        pool: Address.Address,
        factory: Address.Address,
        made: Schema.NullOr(Address.Address)
      })
    ),
    checked: Schema.NonNegativeInt
  }),
  run: (target) =>
    Effect.gen(function* () {
      const state = yield* ChainState
      const pools = yield* Pools.Pools
      const market = yield* pools.market(target.address)

      const addresses = (reads: ReadonlyArray<BatchRead.Read>) =>
        Effect.map(BatchRead.all(state, reads), (reading) => ({
          observation: reading.observation,
          found: reading.value.map(([word]) =>
            Option.flatMap(Option.fromNullable(word), (value) => Getter.addressOfWord(Getter.word(value)))
          )
        }))

      const claimOf = (pool: Address.Address): Effect.Effect<ReadonlyArray<Finding>, ChainError> =>
        Effect.gen(function* () {
          const { found, observation } = yield* addresses(
            [functions.factory, functions.token0, functions.token1].map((getter) => BatchRead.get(pool, getter))
          )
          const [factory, a, b] = found.map(Option.getOrUndefined)
          const isPair = a === target.address || b === target.address
          if (factory === undefined || a === undefined || b === undefined || !isPair) return []
          const common = { pool, factory, observation }
          const exchange = market.exchanges.find((one) => Address.checksum(one.factory) === factory)
          if (exchange?.kind === "uniswap-v2" && Market.pairAddress(exchange, a, b) === pool)
            return [{ ...common, made: Option.some(pool), standing: "made" }]
          if (exchange?.kind === "uniswap-v3") {
            const fee = yield* Getter.read(state, pool, functions.fee, Getter.int)
            const place = Option.map(fee.value, (tier) => Market.poolAddress(exchange, a, b, tier))
            const isMade = Option.contains(place, pool)
            return [{ ...common, made: place, standing: isMade ? "made" : "fake", observation: fee.observation }]
          }
          const answer = yield* Getter.read(state, factory, functions.getPair, Getter.address, [
            Getter.word(a),
            Getter.word(b)
          ])
          const made = Option.filter(answer.value, (at) => at !== Address.zero)
          // A factory without this getter belongs to another kind of exchange.
          const isFake = exchange !== undefined || (Option.isSome(answer.value) && !Option.contains(made, pool))
          return [{ ...common, made, standing: isFake ? "fake" : "claimed", observation: answer.observation }]
        })

      const findings = Effect.gen(function* () {
        const named = yield* addresses(getters.map((getter) => BatchRead.get(target.address, getter)))
        const places = [...new Set(named.found.flatMap(Option.toArray))].filter((place) => place !== Address.zero)
        const claims = yield* Together.forEach(places, claimOf)
        return {
          found: claims.flat(),
          silent: places.filter((_, index) => claims[index]?.length === 0),
          observation: named.observation
        }
      })

      const {
        fungible,
        known,
        told: { found, observation, silent }
      } = yield* Together.all({
        told: findings,
        fungible: Fungible.is(target.address),
        known: pools.of(target.address)
      })
      if (!fungible || (found.length === 0 && known.value.length === 0)) return Check.notApplicable
      const fake = found.filter(({ standing }) => standing === "fake")
      const first = fake[0]
      const claimed = found.find(({ standing }) => standing === "claimed")
      if (first === undefined && claimed !== undefined)
        return [
          Check.unknown(
            "inconclusive",
            `pool ${claimed.pool} names factory ${claimed.factory}, which is not a known exchange`,
            {
              observation: claimed.observation()
            }
          )
        ]
      const [other] = silent
      if (first === undefined && other !== undefined && found.length === 0)
        return [
          Check.unknown(
            "inconclusive",
            `the token names ${other} as its pool, but that address does not have the interface of a pool of the token`,
            {
              observation: observation()
            }
          )
        ]
      const value = {
        fake: fake.map(({ factory, made, pool }) => ({ pool, factory, made: Option.getOrNull(made) })),
        checked: found.length + known.value.filter(({ address }) => !found.some(({ pool }) => pool === address)).length
      }
      return [
        first === undefined
          ? Check.refuted({
              value,
              detail: `${value.checked} of ${value.checked} pools were created by their factories`,
              observation: (found[0] ?? known).observation()
            })
          : Check.confirmed({
              value,
              detail: Option.match(first.made, {
                onNone: () => `pool ${first.pool} names factory ${first.factory}, which created no such pair`,
                onSome: (made) => `pool ${first.pool} is not the pair that its factory created, ${made}`
              }),
              observation: first.observation(),
              at: first.pool
            })
      ]
    })
})
