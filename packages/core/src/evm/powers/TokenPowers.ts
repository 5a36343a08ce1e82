import type { Hex } from "../../domain/Hex.js"
import * as Slices from "../../runtime/Slices.js"
import * as Selectors from "../bytecode/Selectors.js"
import * as CodeModel from "../interpreter/CodeModel.js"
import * as FieldMask from "../summary/conditions/FieldMask.js"
import type { Gap, StorageFlow } from "../summary/StorageFlow.js"
import * as Erc20 from "../token/Erc20.js"
import * as TokenModel from "../token/TokenModel.js"
import * as VariableWriter from "../token/VariableWriter.js"
import * as Service from "./custody/Service.js"
import type { DetectorRule, Doubts, Sign, Subject } from "./rules/DetectorRule.js"
import * as Lever from "./rules/Lever.js"
import { ofEach, type Power } from "./rules/Power.js"
import * as Rules from "./rules/Rules.js"

export type { Lever } from "./rules/Lever.js"
export { ofEach, type Power, powers, stopping } from "./rules/Power.js"

/**
 * What a code shows about one power, whoever may use it.
 *
 * - `found`: a lever that is certain, works more than once, and that a privileged caller, or any caller for free, can
 *   use; or a transfer itself does it. `none`: no lever, over all paths of all functions.
 * - `unknown`: `reasons` stand against either; `levers` may still name uncertain ones, and those that work once:
 *   storage shows whether they were used.
 *
 * @since 0.1.0
 * @category models
 */
export interface PowerFinding {
  readonly state: "found" | "none" | "unknown"
  readonly levers: ReadonlyArray<Lever.Lever>
  readonly reasons: ReadonlyArray<Reason>
}

/**
 * Why a power is neither found nor excluded: a gap of the analysis, balances that were not found or that another
 * contract may keep, another contract that transfers call, a lever that the code leaves in doubt, or transfers that
 * depend on something unknown.
 *
 * @since 0.1.0
 * @category models
 */
export type Reason = Gap | "no_balances" | "external_books" | "external_call" | "uncertain_lever" | "uncertain_transfer"

/**
 * @since 0.1.0
 * @category models
 */
export type TokenPowers = { readonly [power in Power]: PowerFinding }

/**
 * Reads every power out of the runtime code of a token.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = (code: Hex, flow: StorageFlow): TokenPowers => Slices.complete(inSlices(CodeModel.of(code), flow))

/**
 * {@link of}, in slices: runs every rule that applies to the code, drops findings that another rule replaces, and
 * decides each power from the rest.
 *
 * @since 0.1.0
 * @category constructors
 */
export function* inSlices(code: CodeModel.CodeModel, flow: StorageFlow): Slices.Slices<TokenPowers> {
  const model = TokenModel.of(code, flow)
  const service = yield* Service.ofModel(model)
  const subject = subjectOf(flow, service)
  const rules: ReadonlyArray<DetectorRule & { readonly id: Rules.Id }> = Rules.all
  const found = new Map<Rules.Id, ReadonlyArray<Sign>>()
  const transfers: Array<Doubts> = []
  for (const { doubts, find, id, needs } of rules) {
    if (!needs.includes(subject)) continue
    if (find !== undefined) found.set(id, yield* find(model))
    if (doubts !== undefined) transfers.push(yield* doubts(model))
    yield undefined
  }
  const signs = Rules.withoutYielding(found)
  const gaps = gapsOf(model, service)
  return ofEach((power) =>
    weigh(
      signs.filter((sign) => sign.power === power),
      transfers.flatMap((doubts) => doubts[power] ?? []),
      gaps
    )
  )
}

/** What has transfer() and no balanceOf() is something else than a token, and stops nobody's tokens. */
const subjectOf = (flow: StorageFlow, service: Service.Service | undefined): Subject =>
  service !== undefined
    ? "service"
    : Erc20.functionOf(flow, Selectors.functions.balanceOf) === undefined
      ? "neither"
      : "token"

/** Gaps that prevent the answer `none`. */
const gapsOf = (
  { flow, token }: TokenModel.TokenModel,
  service: Service.Service | undefined
): ReadonlyArray<Reason> => [
  ...flow.completeness.gaps,
  ...(token.balances.length === 0 && (service?.isDealtWith !== true || token.external)
    ? (["no_balances"] as const)
    : []),
  ...(token.external ? (["external_books"] as const) : [])
]

/** Of two levers of one function on one variable the certain one counts. */
const weigh = (
  signs: ReadonlyArray<Sign>,
  transfers: ReadonlyArray<NonNullable<Doubts[Power]>>,
  gaps: ReadonlyArray<Reason>
): PowerFinding => {
  const all = signs.flatMap(({ levers, mayBeSpent }) => levers.map((lever) => ({ lever, mayBeSpent })))
  const counting = all.filter(
    ({ lever }) => lever.certain || !all.some((other) => other.lever.certain && Lever.isSame(other.lever, lever))
  )
  const levers = counting.map(({ lever }) => lever)
  const isSettled = counting.some(({ lever, mayBeSpent }) => lever.certain && mayBeSpent?.(lever) !== true)
  if (isSettled || transfers.includes("does")) return { state: "found", levers, reasons: [] }
  const reasons: ReadonlyArray<Reason> = [
    ...gaps,
    ...(levers.length > 0 ? (["uncertain_lever"] as const) : []),
    ...(transfers.includes("may") ? (["uncertain_transfer"] as const) : []),
    ...(transfers.includes("asks") ? (["external_call"] as const) : [])
  ]
  return { state: reasons.length === 0 ? "none" : "unknown", levers, reasons }
}

/**
 * Whether a lever can stop nothing any more: its variable lets transfers through by what its slot holds (`word`), and the
 * lever can set it to nothing else, as a function that opens trading.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isReleased = ({ variable, writes }: Lever.Lever, word: Hex): boolean => {
  if (variable?.passes === undefined) return false
  const { field, passes } = variable
  return (
    (FieldMask.partOf(BigInt(word), field) === 0n) === (passes === "zero") &&
    writes.every(({ change }) =>
      passes === "zero" ? change.kind === "clear" || change.kind === "keep" : VariableWriter.isPutting({ change })
    )
  )
}
