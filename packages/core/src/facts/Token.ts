import { Context, type Effect } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import type { Reading } from "../chain/Reading.js"
import type { Address } from "../domain/Address.js"
import type { TokenProfile } from "../domain/facts/TokenProfile.js"

/**
 * What a token says of itself and which interface it answers to.
 *
 * @since 0.1.0
 * @category services
 */
export class Token extends Context.Tag("@assay/core/Token")<
  Token,
  {
    readonly of: (address: Address) => Effect.Effect<Reading<TokenProfile>, ChainError>
  }
>() {}
