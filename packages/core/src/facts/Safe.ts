import { Context, type Effect, type Option } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import type { Reading } from "../chain/Reading.js"
import type { Address } from "../domain/Address.js"
import type { SafeAccount } from "../domain/facts/SafeAccount.js"

/**
 * The setup of a Safe; none where the account is not one.
 *
 * @see https://docs.safe.global
 * @since 0.1.0
 * @category services
 */
export class Safe extends Context.Tag("@assay/core/Safe")<
  Safe,
  {
    readonly of: (account: Address) => Effect.Effect<Option.Option<Reading<SafeAccount>>, ChainError>
  }
>() {}
