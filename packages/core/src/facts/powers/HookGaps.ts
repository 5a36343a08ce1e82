/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/ChainState.js"
import * as Together from "../../chain/Together.js"
import * as Address from "../../domain/Address.js"
import type * as TokenPowers from "../../evm/powers/TokenPowers.js"
import * as FixedAnswer from "../../evm/powers/transfer/FixedAnswer.js"
import type { TransferHook } from "../../evm/powers/transfer/TransferHook.js"
import type * as Functions from "../code/Functions.js"
import * as PresentFlow from "../code/PresentFlow.js"
import * as StoredVariable from "../code/StoredVariable.js"
import * as Getter from "../Getter.js"
import * as Power from "./Power.js"
import * as PowerGap from "./PowerGap.js"

/** What is needed to read the contracts that transfers of the token at `address` call. */
export interface Sources {
  readonly functions: Functions.Functions["Type"]
  readonly state: ChainState["Type"]
  readonly address: Address.Address
}

/**
 * The contracts that can refuse a transfer or change its amount by what somebody sets: their code was not read, can be
 * replaced, or does not answer the same for the same arguments at all times.
 *
 * @since 0.1.0
 * @category combinators
 */
export const changeable = (
  { address, functions, state }: Sources,
  hooks: ReadonlyArray<TransferHook>
): Effect.Effect<ReadonlySet<TransferHook>, ChainError> => {
  const contractOf = ({ target }: TransferHook): Effect.Effect<Option.Option<Address.Address>, ChainError> => {
    if (target.kind === "constant") return Effect.succeedSome(Address.fromWord(Getter.word(target.value)))
    if (target.kind !== "storage" || !PresentFlow.isVariable(target.slot)) return Effect.succeedNone
    return Option.match(StoredVariable.slotOf(target.slot), {
      onNone: () => Effect.succeedNone,
      onSome: (slot) => Effect.map(state.storage(address, slot), ({ value }) => Getter.addressOfWord(value))
    })
  }

  const isFixed = (hook: TransferHook): Effect.Effect<boolean, ChainError> =>
    Effect.gen(function* () {
      const contract = yield* contractOf(hook)
      if (Option.isNone(contract) || hook.asked === undefined) return false
      // Nobody deploys code to the zero address.
      if (contract.value === Address.zero) return true
      const { value: code } = yield* functions.of(contract.value)
      const [logic, ...others] = code.logics
      return (
        logic !== undefined &&
        others.length === 0 &&
        code.resolved &&
        code.fixed &&
        FixedAnswer.is(logic.flow, logic.reach, hook.asked)
      )
    })

  return Effect.map(
    Together.forEach(hooks, (hook) => Effect.map(isFixed(hook), (fixed) => ({ hook, fixed }))),
    (read) => new Set(read.flatMap(({ fixed, hook }) => (fixed ? [] : [hook])))
  )
}

/**
 * The gap of a power because of such contracts, or of those that somebody can still replace by one of the functions in
 * `held`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = (
  hooks: ReadonlyArray<TransferHook>,
  changeable: ReadonlySet<TransferHook>,
  held: ReadonlyArray<Power.HeldLever>
): ((power: TokenPowers.Power) => ReadonlyArray<PowerGap.PowerGap>) => {
  const open = hooks.filter(
    (hook) =>
      changeable.has(hook) ||
      held.some((lever) => !Power.isOver(lever) && hook.setters.some(({ selector }) => selector === lever.selector))
  )
  return (power) => {
    const able = open.filter(({ takes }) => (power === "seize" ? takes : stopping.has(power)))
    return able.length === 0 ? [] : [PowerGap.ofHooks(able)]
  }
}

const stopping: ReadonlySet<TokenPowers.Power> = new Set(["pause", "blacklist", "whitelist", "limit"])
