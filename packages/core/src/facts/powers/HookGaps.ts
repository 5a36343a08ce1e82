/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import * as Address from "../../domain/Address.js"
import type * as Controller from "../../domain/Controller.js"
import * as TokenPowers from "../../evm/powers/TokenPowers.js"
import * as FixedAnswer from "../../evm/powers/transfer/FixedAnswer.js"
import type { TransferHook } from "../../evm/powers/transfer/TransferHook.js"
import * as Together from "../../runtime/Together.js"
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
 * Contracts that transfers call. Those that are `changeable` may refuse a transfer or change its amount by a setting:
 * their code was not read, can be replaced, or may answer differently for the same arguments. Those that are `unset`
 * are none yet: the variable that names them is zero.
 */
export interface Hooks {
  readonly changeable: ReadonlySet<TransferHook>
  readonly unset: ReadonlySet<TransferHook>
}

/** Reads the contracts that transfers call. */
export const read = (
  { address, functions, state }: Sources,
  hooks: ReadonlyArray<TransferHook>
): Effect.Effect<Hooks, ChainError> => {
  const contractOf = ({ target }: TransferHook): Effect.Effect<Option.Option<Address.Address>, ChainError> => {
    if (target.kind === "constant") return Effect.succeedSome(Address.fromWord(Getter.word(target.value)))
    if (target.kind !== "storage" || !PresentFlow.isVariable(target.slot)) return Effect.succeedNone
    return Option.match(StoredVariable.slotOf(target.slot), {
      onNone: () => Effect.succeedNone,
      onSome: (slot) => Effect.map(state.storage(address, slot), ({ value }) => Getter.addressOfWord(value))
    })
  }

  const look = (hook: TransferHook) =>
    Effect.gen(function* () {
      const contract = yield* contractOf(hook)
      return {
        hook,
        unset: Option.contains(contract, Address.zero),
        fixed: Option.isSome(contract) && (yield* isFixed(hook, contract.value))
      }
    })

  const isFixed = (hook: TransferHook, contract: Address.Address): Effect.Effect<boolean, ChainError> =>
    Effect.gen(function* () {
      if (hook.asked === undefined) return false
      // Nobody deploys code to the zero address.
      if (contract === Address.zero) return true
      const { value: code } = yield* functions.of(contract)
      const [logic, ...others] = code.logics
      return (
        logic !== undefined &&
        others.length === 0 &&
        code.resolved &&
        code.fixed &&
        FixedAnswer.is(logic.flow, logic.reach, hook.asked)
      )
    })

  return Effect.map(Together.forEach(hooks, look), (read) => ({
    changeable: new Set(read.flatMap(({ fixed, hook }) => (fixed ? [] : [hook]))),
    unset: new Set(read.flatMap(({ hook, unset }) => (unset ? [hook] : [])))
  }))
}

/**
 * The gap of a power because of such contracts, or of those that an account can still replace by one of the functions
 * in `held`.
 */
export const of = (
  hooks: ReadonlyArray<TransferHook>,
  { changeable, unset }: Hooks,
  held: ReadonlyArray<Power.HeldLever>
): ((power: TokenPowers.Power) => ReadonlyArray<PowerGap.PowerGap>) => {
  const open = hooks.filter(
    (hook) =>
      changeable.has(hook) ||
      held.some((lever) => !Power.isOver(lever) && hook.setters.some(({ selector }) => selector === lever.selector))
  )
  /** Who names the contract that a transfer calls; none where there is one already, or not all who name it are known. */
  const namersOf = (hook: TransferHook): Option.Option<ReadonlyArray<Controller.Controller>> => {
    const setters = hook.setters.map(({ selector }) => held.filter((lever) => lever.selector === selector))
    const isKnown =
      unset.has(hook) &&
      setters.length > 0 &&
      setters.every((levers) => levers.length > 0 && levers.every(({ privileged, shut }) => privileged && shut))
    return isKnown ? Option.some(setters.flat().flatMap(Power.living)) : Option.none()
  }
  return (power) => {
    const able = open.filter(({ takes }) => (power === "seize" ? takes : stopping.has(power)))
    const by = Option.all(able.map(namersOf))
    return able.length === 0 ? [] : [PowerGap.ofHooks(able, Option.getOrNull(Option.map(by, (lists) => lists.flat())))]
  }
}

const stopping: ReadonlySet<TokenPowers.Power> = new Set(TokenPowers.stopping)
