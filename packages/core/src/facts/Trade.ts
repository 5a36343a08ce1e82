import { Context, type Effect, type Option } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import type { Reading } from "../chain/Reading.js"
import type { Address } from "../domain/Address.js"
import type { TradeOutcome } from "../domain/facts/TradeOutcome.js"

/**
 * What happens when the token is bought, moved and sold in simulation; none where it has no pool to trade in.
 *
 * @since 0.1.0
 * @category services
 */
export class Trade extends Context.Tag("@assay/core/Trade")<
  Trade,
  {
    readonly of: (token: Address) => Effect.Effect<Option.Option<Reading<TradeOutcome>>, ChainError>
  }
>() {}
