import { Effect, Option, Schema } from "effect"
import { Address } from "../../../domain/Address.js"
import * as Pools from "../../../facts/market/Pools.js"
import * as Route from "../../../facts/trade/TradeRoute.js"
import * as Check from "../../Check.js"
import * as Fungible from "../Fungible.js"
import * as Tradeable from "./Tradeable.js"

/**
 * The deepest pool with reserves on both sides, on an exchange of the address book. `routed` says whether a known
 * router reaches it from the native coin, which trade simulation needs.
 */
const TradeRouteValue = Schema.Struct({
  pool: Schema.NullOr(Address),
  exchange: Schema.NullOr(Schema.String),
  quote: Schema.NullOr(Address),
  routed: Schema.Boolean
})

/**
 * E-01: whether a tradeable pool exists: both sides have reserves, and a Uniswap V3 pool has liquidity at its current
 * price. All exchanges and quote tokens of the address book are searched; pools with other tokens or on other exchanges
 * are not. Without a pool, the result is unknown where a vault of unread pools, such as that of Uniswap V4, holds the
 * token, or the address book has no exchange. It does not apply to non-fungible tokens.
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
      if (!(yield* Fungible.is(target.address))) return Check.notApplicable
      if (!(yield* pools.covers(target.address))) return [Tradeable.untried]
      const market = yield* pools.inspect(target.address)
      const [inspected] = market
      const observation = inspected.observation()
      const route = Route.find(market, target.address)
      const found = Option.match(route, { onNone: () => Route.tradeable(market)[0], onSome: ({ pool }) => pool })
      if (found === undefined) {
        const elsewhere = Pools.elsewhere(market)
        if (Option.isSome(elsewhere)) return [Check.unknown("inconclusive", elsewhere.value, { observation })]
        return [
          Check.refuted({
            value: { pool: null, exchange: null, quote: null, routed: false },
            detail:
              inspected.value.length === 0
                ? "no pool found on the known exchanges"
                : `${inspected.value.length} pools found on the known exchanges, 0 of them with liquidity`,
            observation
          })
        ]
      }
      const { address, exchange, quote, quote_symbol } = found.pool
      const routed = Option.isSome(route)
      return [
        Check.confirmed({
          value: { pool: address, exchange, quote, routed },
          detail: `${exchange} ${quote_symbol} pool${routed ? "" : "; no known router reaches it from the native coin"}`,
          observation,
          at: address
        })
      ]
    })
})
