/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import type * as Address from "../../domain/Address.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as KnownRuntime from "../../evm/bytecode/KnownRuntime.js"

/**
 * The senders that a trusted forwarder may name: any account, where the forwarder is a key; only the signers of
 * forwarded calls, where its code is a published one. Of other code this is not known.
 *
 * @see https://docs.openzeppelin.com/contracts/5.x/api/metatx
 */
export type Naming = "anybody" | "signers" | "unknown"

/** Reads the code of an account that is trusted to name senders. */
export const naming = (state: ChainState["Type"], account: Address.Address): Effect.Effect<Naming, ChainError> =>
  Effect.map(state.code(account), ({ value }) =>
    Option.exists(KnownRuntime.identify(value), ({ name }) => published.has(name))
      ? "signers"
      : Bytecode.isContract(value)
        ? "unknown"
        : "anybody"
  )

const published: ReadonlySet<string> = new Set(["ERC2771Forwarder", "MinimalForwarder"])
