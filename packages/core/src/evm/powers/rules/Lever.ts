/** @internal */

import type { Hex } from "../../../domain/Hex.js"
import type { Field } from "../../expression/ValueSource.js"
import type { Guard } from "../../summary/conditions/Guard.js"
import type { Write } from "../../summary/StorageFlow.js"
import type { TransferGate } from "../transfer/TransferGate.js"

/**
 * A function by which a power is used. `certain` says that the code leaves no doubt about it, `privileged` that only a
 * privileged caller can use it, as `guards` say. `variable` is the variable that it sets, where there is one, and the
 * value of it that lets transfers through. One that `forwards` acts on the sender that a trusted forwarder names, so
 * the forwarder's code decides who has to agree.
 */
export interface Lever {
  readonly selector: Hex | "fallback"
  readonly certain: boolean
  readonly privileged: boolean
  readonly guards: ReadonlyArray<Guard>
  readonly variable:
    | { readonly slot: string; readonly field: Field | undefined; readonly passes: TransferGate["passes"] }
    | undefined
  readonly writes: ReadonlyArray<Write>
  readonly forwards?: true
  /** It does nothing any more once one of these lets everybody through. */
  readonly until?: TransferGate["until"]
}

/** What a detector found of a function, of which a lever is made. */
export type Way = Pick<Lever, "selector" | "certain" | "guards" | "writes" | "forwards">

/** The lever of a privileged caller. */
export const appointed = ({ certain, forwards, guards, selector, writes }: Way): Lever => ({
  selector,
  guards,
  certain,
  privileged: true,
  variable: undefined,
  writes,
  ...(forwards === undefined ? {} : { forwards })
})

/**
 * A lever of a privileged caller or of any caller. It is certain only where a privileged caller can use it, or any
 * caller for free.
 */
export const of = (way: Way & { readonly privileged: boolean; readonly free: boolean }): Lever => ({
  ...appointed(way),
  certain: way.certain && (way.privileged || way.free),
  privileged: way.privileged
})

/** Whether two are pulled by the same people, by one function, on one variable. */
export const isSame = (a: Lever, b: Lever): boolean =>
  a.selector === b.selector &&
  a.variable !== undefined &&
  a.variable.slot === b.variable?.slot &&
  (a.until === undefined || JSON.stringify(a.until) === JSON.stringify(b.until)) &&
  JSON.stringify([a.variable.field, a.guards]) === JSON.stringify([b.variable.field, b.guards])
