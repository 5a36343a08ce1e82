/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import type * as Reading from "../../chain/state/Reading.js"
import type { Address } from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as TimelockPattern from "../../evm/patterns/TimelockPattern.js"
import * as Together from "../../runtime/Together.js"
import type { Functions } from "../code/Functions.js"
import * as Getter from "../Getter.js"
import type { Principals } from "./Principals.js"

/** The facts that say whether a contract acts after a vote or a delay. */
export interface Sources {
  readonly state: ChainState["Type"]
  readonly functions: Functions["Type"]
  readonly principals: Principals["Type"]
  readonly classify: (account: Address) => Effect.Effect<Reading.Reading<Controller.Controller>, ChainError>
}

/**
 * Who decides what a contract does that acts after a vote or a delay: the governor itself for its voters, or whoever can
 * make a timelock act. None for any other contract. It reads two getters of a governor, and nothing of a contract with
 * neither in its code.
 */
export const of = (
  { classify, functions, principals, state }: Sources,
  address: Address
): Effect.Effect<Option.Option<Reading.Reading<Controller.Controller>>, ChainError> =>
  Effect.gen(function* () {
    const { value: code } = yield* functions.of(address)
    const selectors = new Set(code.logics.flatMap(({ flow }) => flow.functions.map(({ selector }) => selector)))
    if (voting.every((getter) => selectors.has(getter))) {
      const periods = yield* Together.forEach(voting, (getter) => Getter.read(state, address, getter, Getter.uint))
      const [delay] = periods
      if (delay !== undefined && periods.every(({ value }) => Option.isSome(value)))
        return Option.some({ value: Controller.make("governor", { address }), observation: delay.observation })
    }
    if (code.logics.every(({ flow }) => Option.isNone(TimelockPattern.of(flow)))) return Option.none()
    const { kind } = yield* principals.of(address)
    return kind === "timelock" ? Option.some(yield* classify(address)) : Option.none()
  })

// https://docs.openzeppelin.com/contracts/5.x/api/governance#IGovernor
const voting = [Selectors.functions.votingDelay, Selectors.functions.votingPeriod]
