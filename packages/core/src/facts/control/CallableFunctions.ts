/** @internal */

import { Effect } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import type { Call } from "../../evm/summary/StorageFlow.js"
import type { Functions } from "../code/Functions.js"

/**
 * Whether an account may call a function of another contract. Only a contract with code that nobody can replace, that was
 * followed to its end and that delegates nothing can be shown not to: none of its calls names this function.
 */
export const includes = (
  facts: {
    readonly state: ChainState["Type"]
    readonly functions: Functions["Type"]
  },
  account: Address,
  selector: Hex
): Effect.Effect<boolean, ChainError> =>
  Effect.gen(function* () {
    const { value: code } = yield* facts.state.code(account)
    if (!Bytecode.isContract(code)) return true
    const { value: found } = yield* facts.functions.of(account)
    const flows = found.logics.map(({ flow }) => flow)
    const isShown =
      found.resolved &&
      found.fixed &&
      flows.length > 0 &&
      flows.every(({ completeness, delegations }) => completeness.gaps.length === 0 && delegations.length === 0)
    return (
      !isShown || flows.some((flow) => flow.functions.some(({ calls }) => calls.some((call) => names(call, selector))))
    )
  })

const names = ({ kind, order }: Call, selector: Hex): boolean => {
  if (kind === "staticcall") return false
  const named = order?.selector ?? order?.named
  return named === undefined ? order?.isUntold === true : named === selector
}
