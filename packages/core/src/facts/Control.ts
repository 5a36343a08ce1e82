import { Context, type Effect } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import type { Reading } from "../chain/Reading.js"
import type { Address } from "../domain/Address.js"
import type { Controller } from "../domain/Controller.js"
import type { ControlGraph } from "../domain/facts/ControlGraph.js"

/**
 * Who has power over a contract, followed to the accounts that decide.
 *
 * @since 0.1.0
 * @category services
 */
export class Control extends Context.Tag("@assay/core/Control")<
  Control,
  {
    readonly of: (address: Address) => Effect.Effect<Reading<ControlGraph>, ChainError>
    /** What kind of controller one account is, followed to the end; `unknown` where it cannot be told. */
    readonly classify: (account: Address) => Effect.Effect<Reading<Controller>, ChainError>
  }
>() {}
