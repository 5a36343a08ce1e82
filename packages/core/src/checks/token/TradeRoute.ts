import { Effect, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as Pools from "../../facts/Pools.js"
import * as Check from "../Check.js"
import * as Tradeable from "./Tradeable.js"

/**
 * Where the token can be traded: the deepest pool that holds both sides, on an exchange of the address book.
 */
const TradeRouteValue = Schema.Struct({
  pool: Schema.NullOr(Address),
  exchange: Schema.NullOr(Schema.String),
  quote: Schema.NullOr(Address)
})

/**
 * E-01: whether a pool with reserves exists. Every exchange in the address book is asked for every quote that the book
 * lists, so that no pool means none there; a pool against another token, or on another exchange, is not looked for.
 * It does not apply where the book knows no exchange, nor to what is no fungible token.
 *
 * @since 0.1.0
 * @category models
 */
export const tradeRoute = Check.make({
  id: "trade.route",
  code: "E-01",
  version: 1,
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
      const reading = yield* pools.of(target.address)
      const found = reading.value.find((pool) => pool.reserve_token !== "0" && pool.reserve_quote !== "0")
      return found === undefined
        ? [
            Check.refuted({
              value: { pool: null, exchange: null, quote: null },
              detail:
                reading.value.length === 0
                  ? "no pool on the known exchanges"
                  : `${reading.value.length} pools on the known exchanges, all of them empty`,
              observation: reading.observation()
            })
          ]
        : [
            Check.confirmed({
              value: { pool: found.address, exchange: found.exchange, quote: found.quote },
              detail: `${found.exchange} against ${found.quote_symbol}`,
              observation: reading.observation(),
              at: found.address
            })
          ]
    })
})
