import { Context, type Effect } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import type { Reading } from "../chain/Reading.js"
import type { Address } from "../domain/Address.js"
import type { AccountCode } from "../domain/facts/AccountCode.js"

/**
 * What stands at an address.
 *
 * @since 0.1.0
 * @category services
 */
export class Code extends Context.Tag("@assay/core/Code")<
  Code,
  {
    readonly of: (address: Address) => Effect.Effect<Reading<AccountCode>, ChainError>
  }
>() {}
