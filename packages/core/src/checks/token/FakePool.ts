import { Effect, Option, Schema } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/ChainState.js"
import type * as Reading from "../../chain/Reading.js"
import * as Together from "../../chain/Together.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as BatchRead from "../../facts/BatchRead.js"
import * as Getter from "../../facts/Getter.js"
import * as Pools from "../../facts/market/Pools.js"
import * as Market from "../../facts/venue/Market.js"
import * as Check from "../Check.js"
import * as Tradeable from "./Tradeable.js"

const { functions, selector } = Selectors

// By which tokens that treat their pool in a way of its own tell where it is.
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
  /** Whether its factory made it: by its address, or by the word of a factory that anybody can have written. */
  readonly standing: "made" | "fake" | "claimed"
  readonly observation: Reading.Reading<unknown>["observation"]
}

/**
 * L-10: whether the pair that the token names is one that its factory never made. It answers as a pair of the token and
 * names its factory; the factory of a known exchange can have made it only at one address, by CREATE2, and every other
 * factory is asked which pair it made of the two tokens. That it names another confirms it; that it names this one leaves
 * it open, since whoever wrote the pair may have written the factory. Pools that this library found by their address are
 * true by that; beside them, one that is named and does not answer as a pool leaves it open. It does not apply to a token
 * that names no pair and has none.
 *
 * @see https://docs.uniswap.org/contracts/v2/guides/smart-contract-integration/getting-pair-addresses
 * @since 0.1.0
 * @category models
 */
export const fakePool = Check.make({
  id: "liquidity.fake-pool",
  code: "L-10",
  version: 2,
  targets: ["token"],
  claim: "The pool that the token names was never made by its factory",
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
      const market = Market.of(state.chain.addressBook)

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
          // A factory that does not tell is one of another kind of exchange.
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
        fungible: Tradeable.fungible(target.address),
        known: pools.of(target.address)
      })
      if (!fungible || (found.length === 0 && known.value.length === 0)) return Check.notApplicable
      const fake = found.filter(({ standing }) => standing === "fake")
      const first = fake[0]
      const claimed = found.find(({ standing }) => standing === "claimed")
      if (first === undefined && claimed !== undefined)
        return [
          Check.unknown("inconclusive", `${claimed.pool} names the factory ${claimed.factory}, which is not known`, {
            observation: claimed.observation()
          })
        ]
      const [other] = silent
      if (first === undefined && other !== undefined && found.length === 0)
        return [
          Check.unknown("inconclusive", `${other}, which it names, does not answer as a pool of it`, {
            observation: observation()
          })
        ]
      const value = {
        fake: fake.map(({ factory, made, pool }) => ({ pool, factory, made: Option.getOrNull(made) })),
        checked: found.length + known.value.filter(({ address }) => !found.some(({ pool }) => pool === address)).length
      }
      return [
        first === undefined
          ? Check.refuted({
              value,
              detail: `${value.checked} pools are where their factories make them`,
              observation: (found[0] ?? known).observation()
            })
          : Check.confirmed({
              value,
              detail: `${first.pool} names the factory ${first.factory}, which ${Option.match(first.made, {
                onNone: () => "made no such pair",
                onSome: (made) => `made ${made}`
              })}`,
              observation: first.observation(),
              at: first.pool
            })
      ]
    })
})
