import { Context, type Effect, type Option, type Scope } from "effect"
import type { ChainError } from "./ChainError.js"
import type { ChainState } from "./ChainState.js"
import type { Chain } from "./Chains.js"

/**
 * The way to a chain's state: long-lived connections, from which each analysis takes one pinned view.
 *
 * @since 0.1.0
 * @category services
 */
export class ChainAccess extends Context.Tag("@assay/core/ChainAccess")<
  ChainAccess,
  {
    /**
     * Pins a block (the newest where none is given) and gives a view of it that may send at most `maxCalls` JSON-RPC
     * calls. Closing the scope aborts what is under way.
     */
    readonly pin: (options: {
      readonly chain: Chain
      readonly block: Option.Option<number>
      readonly maxCalls: number
    }) => Effect.Effect<ChainState["Type"], ChainError, Scope.Scope>
  }
>() {}
