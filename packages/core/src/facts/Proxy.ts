import { Context, type Effect } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import type { Reading } from "../chain/Reading.js"
import type { Address } from "../domain/Address.js"
import type { ProxyStructure } from "../domain/facts/ProxyStructure.js"

/**
 * How a contract hands its calls on, and who may change where to.
 *
 * @since 0.1.0
 * @category services
 */
export class Proxy extends Context.Tag("@assay/core/Proxy")<
  Proxy,
  {
    readonly of: (address: Address) => Effect.Effect<Reading<ProxyStructure>, ChainError>
  }
>() {}
