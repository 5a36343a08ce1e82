/** @internal */

import type * as Slices from "../../../runtime/Slices.js"
import type { TokenModel } from "../../token/TokenModel.js"
import type { TransferGate } from "../transfer/TransferGate.js"
import type { Lever } from "./Lever.js"
import type { Power } from "./Power.js"

/**
 * One way in which code uses powers: what a detector finds, as levers of powers.
 *
 * Rules are independent: `Rules.precedence` says which one yields where two find the same.
 */
export interface DetectorRule {
  /** Its name, unique, in the words of what it finds. */
  readonly id: string
  /** The powers that it speaks of. */
  readonly powers: ReadonlyArray<Power>
  /** The kinds of code that the rule runs on. */
  readonly needs: ReadonlyArray<Subject>
  /** The functions by which the powers are used. */
  readonly find?: (model: TokenModel) => Slices.Slices<ReadonlyArray<Sign>>
  /** What transfers do by themselves, or may do as far as the rule could follow them. */
  readonly doubts?: (model: TokenModel) => Slices.Slices<Doubts>
}

/** The kind of a code: a token, a service (anyone can use it, and it has no tokens of its own), or neither. */
export type Subject = "token" | "service" | "neither"

/** The needs of a rule that runs on all code. */
export const anyCode: ReadonlyArray<Subject> = ["token", "service", "neither"]

/** Something that a power lies in, with all levers of it; none where nobody can pull one. */
export interface Sign {
  readonly power: Power
  readonly levers: ReadonlyArray<Lever>
  /** The variable that it is, where it is one. */
  readonly gate?: Pick<TransferGate, "kind" | "slot" | "field">
  /** Whether the code leaves no doubt that the function does it, whoever may call it. */
  readonly certain?: boolean
  /** Whether storage can show that a lever works only once and was used: then the lever does not settle the power. */
  readonly mayBeSpent?: (lever: Lever) => boolean
}

/**
 * Powers that a transfer uses itself, without a call to any other function: it `does`, it `may`, or it `asks` another
 * contract, which may.
 */
export type Doubts = { readonly [power in Power]?: "does" | "may" | "asks" }

/** The same of some powers, where a condition holds. */
export const may = (holds: boolean, powers: ReadonlyArray<Power>): Doubts =>
  holds ? Object.fromEntries(powers.map((power) => [power, "may"] as const)) : {}
