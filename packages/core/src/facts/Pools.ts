import { Context, type Effect } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import type { Reading } from "../chain/Reading.js"
import type { Address } from "../domain/Address.js"
import type { Pool } from "../domain/facts/Pool.js"

/**
 * The pools of a token on the exchanges that the chain's address book knows, deepest first. Empty means that each was
 * asked and has none; `covered` is false where the address book knows no exchange for this chain.
 *
 * @since 0.1.0
 * @category services
 */
export class Pools extends Context.Tag("@assay/core/Pools")<
  Pools,
  {
    readonly covered: boolean
    readonly of: (token: Address) => Effect.Effect<Reading<ReadonlyArray<Pool>>, ChainError>
  }
>() {}
