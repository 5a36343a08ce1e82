import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as Pools from "../../facts/market/Pools.js"
import * as Route from "../../facts/trade/TradeRoute.js"
import * as Check from "../Check.js"
import * as Tradeable from "./Tradeable.js"

/**
 * Where the token can be traded: the deepest pool that holds both sides, on an exchange of the address book, and whether
 * a known router leads there from native coin, by which trades are simulated.
 */
const TradeRouteValue = Schema.Struct({
  pool: Schema.NullOr(Address),
  exchange: Schema.NullOr(Schema.String),
  quote: Schema.NullOr(Address),
  routed: Schema.Boolean
})

/**
 * E-01: whether a pool exists that can be traded in: both sides have reserves, and a pool of Uniswap V3 has liquidity at
 * its present price. Every exchange in the address book is asked for every quote that the book lists, so that no pool
 * means none there; a pool against another token, or on another exchange, is not looked for. Of a
 * token that lies in a vault of pools that are not read, as Uniswap V4's, it is unknown then. It does not apply where the
 * book knows no exchange, nor to what is no fungible token.
 *
 * @since 0.1.0
 * @category models
 */
export const tradeRoute = Check.make({
  id: "trade.route",
  code: "E-01",
  version: 2,
  targets: ["token"],
  claim: "The token can be traded in a pool of a known exchange",
  polarity: "neutral",
  severity: "info",
  dimension: "exit",
  value: TradeRouteValue,
  run: (target) =>
    Effect.gen(function* () {
      const pools = yield* Pools.Pools
      if (!pools.covered || !(yield* Tradeable.fungible(target.address))) return Check.notApplicable
      const market = yield* pools.inspect(target.address)
      const [inspected, , vaults] = market
      const observation = inspected.observation()
      const route = Route.find(market, target.address)
      const found = Option.match(route, { onNone: () => Route.tradeable(market)[0], onSome: ({ pool }) => pool })
      if (found === undefined) {
        const elsewhere = Pools.inVaults(vaults)
        if (Option.isSome(elsewhere)) return [Check.unknown("inconclusive", elsewhere.value, { observation })]
        return [
          Check.refuted({
            value: { pool: null, exchange: null, quote: null, routed: false },
            detail:
              inspected.value.length === 0
                ? "no pool on the known exchanges"
                : `${inspected.value.length} pools on the known exchanges, none of them with liquidity`,
            observation
          })
        ]
      }
      const { address, exchange, quote, quote_symbol } = found.pool
      const routed = Option.isSome(route)
      return [
        Check.confirmed({
          value: { pool: address, exchange, quote, routed },
          detail: `${exchange} against ${quote_symbol}${routed ? "" : ", to which no known router leads from native coin"}`,
          observation,
          at: address
        })
      ]
    })
})
