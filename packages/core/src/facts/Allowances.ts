import { Context, type Effect } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import type { Reading } from "../chain/Reading.js"
import type { Address } from "../domain/Address.js"
import type { AllowanceSet } from "../domain/facts/Allowance.js"

/**
 * What a wallet lets others move.
 *
 * @since 0.1.0
 * @category services
 */
export class Allowances extends Context.Tag("@assay/core/Allowances")<
  Allowances,
  {
    readonly of: (wallet: Address) => Effect.Effect<Reading<AllowanceSet>, ChainError>
  }
>() {}
