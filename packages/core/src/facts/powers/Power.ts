/** @internal */

import { Array as Arrays } from "effect"
import type * as Address from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import type * as TokenPowers from "../../evm/powers/TokenPowers.js"
import type * as PowerGap from "./PowerGap.js"

/**
 * One power over the holders of a token. The shape is the same for what the code says (`Lever`) and for what accounts can do
 * now (`HeldLever`).
 *
 * - `levers`: the functions that use the power, or may use it.
 * - `isOfTransfers`: transfers use the power themselves, without a call of another function.
 * - `gaps`: why there may be other functions; empty if all code was found and followed to its end.
 */
export interface Power<out L extends TokenPowers.Lever> {
  readonly levers: ReadonlyArray<L>
  readonly isOfTransfers: boolean
  readonly gaps: ReadonlyArray<PowerGap.PowerGap>
}

/**
 * A function that uses a power, in the code at `logic`, and the accounts that can call it. `controllers` is `dead` alone if
 * nobody can, and empty if the function does not check its caller. `shut` means that no other account can pass its guards.
 */
export interface HeldLever extends TokenPowers.Lever {
  readonly logic: Address.Address
  readonly controllers: ReadonlyArray<Controller.Controller>
  readonly shut: boolean
}

/**
 * A power as accounts hold it now: functions that are used up are left out, the proven ones come first. `fixed` means that
 * the code cannot be replaced. `isRead`: getters show it, not code.
 */
export interface HeldPower extends Power<HeldLever> {
  readonly fixed: boolean
  readonly isRead?: true
}

/** The functions that certainly use the power and that only a privileged account can call. */
export const proven = ({ levers }: HeldPower): ReadonlyArray<HeldLever> => levers.filter(isProven)

/** The other functions, which may use the power. */
export const possible = ({ levers }: HeldPower): ReadonlyArray<HeldLever> => levers.filter((lever) => !isProven(lever))

/**
 * The selectors of functions that may use the power, that other accounts may be able to call, or of which no caller is known,
 * and `transfer` if transfers use the power themselves. A function that nobody can call any more uses no power.
 */
export const doubts = ({ isOfTransfers, levers }: HeldPower): ReadonlyArray<string> => {
  const doubtful = levers.filter(
    (lever) => !isOver(lever) && (!isProven(lever) || !lever.shut || lever.controllers.length === 0)
  )
  return [...Arrays.dedupe(doubtful.map(({ selector }) => selector)).sort(), ...(isOfTransfers ? ["transfer"] : [])]
}

/** The accounts that can call a function. */
export const living = ({ controllers }: HeldLever): ReadonlyArray<Controller.Controller> =>
  controllers.filter((controller) => !Controller.isDead(controller))

/** Whether nobody can call a function any more. An owner that could not be read is not nobody. */
export const isOver = ({ controllers, shut }: HeldLever): boolean =>
  shut && controllers.length > 0 && controllers.every(Controller.isDead)

/** Whether a function certainly uses its power and only a privileged account can call it. */
export const isProven = ({ certain, privileged }: TokenPowers.Lever): boolean => certain && privileged
