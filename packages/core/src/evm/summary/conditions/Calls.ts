/** @internal */

import * as OxHex from "ox/Hex"
import type { Hex } from "../../../domain/Hex.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import { type Expression, Kind, unmasked } from "../../expression/Expression.js"
import { loadedField, offsetOf, type Tracer, unique, type ValueSource } from "../../expression/ValueSource.js"
import type { CallEvent, Trace } from "../../interpreter/Trace.js"
import type * as ControlFlowGraph from "./ControlFlowGraph.js"
import type { Call, Order } from "./FunctionFlow.js"
import type * as Guard from "./Guard.js"

/** Reads the calls of other contracts in a trace: the target, the guards, and the input. */
export const makeReader = (
  tracer: Tracer,
  trace: Trace,
  graph: ControlFlowGraph.ControlFlowGraph,
  guards: Guard.Guards
): ((block: number, event: CallEvent) => Call) => {
  const comparedAt = comparisonsIn(tracer, trace, graph)
  return (block, event) => ({
    kind: kinds[event.opcode] ?? "call",
    target: isOfForeignCode(event) ? codeOrigins(tracer, event.target) : tracer.origins(event.target),
    ...(isOfForeignCode(event) && isPacked(event.target) ? { isPacked: true as const } : {}),
    ...(isOfForeignCode(event) ? { offset: event.offset } : {}),
    guards: guards.at(block, event.facts),
    shut: guards.isShut(block, event.facts),
    order: event.opcode === Opcodes.CALL ? orderOf(tracer, event, comparedAt(block, event)) : undefined,
    question: event.opcode === Opcodes.STATICCALL ? selectorIn(event) : undefined
  })
}

const kinds: Readonly<Record<number, Call["kind"]>> = {
  [Opcodes.CALL]: "call",
  [Opcodes.CALLCODE]: "callcode",
  [Opcodes.DELEGATECALL]: "delegatecall",
  [Opcodes.STATICCALL]: "staticcall"
}

const isOfForeignCode = ({ opcode }: CallEvent): boolean =>
  opcode === Opcodes.DELEGATECALL || opcode === Opcodes.CALLCODE

/**
 * The source of delegated code. A variable names the code only where it is the address itself, not where the address is
 * computed from it.
 */
const codeOrigins = (tracer: Tracer, target: Expression): ReadonlyArray<ValueSource> =>
  isAddressItself(target, isWhole)
    ? tracer.origins(target)
    : unique(
        tracer
          .origins(target)
          .map((origin): ValueSource => (origin.kind === "storage" || origin.kind === "constant" ? untold : origin))
      )

/** Whether an address is a constant or stands in a word of storage where `isThere` says so. */
const isAddressItself = (target: Expression, isThere: (mask: bigint) => boolean, depth = 0): boolean => {
  const bare = target.op === Kind.merge ? target : unmasked(target)
  if (bare.op === Kind.merge)
    return depth < 8 && [...bare.alternatives].every((way) => isAddressItself(way, isThere, depth + 1))
  const loaded = loadedField(target)
  return target.op === Kind.constant || (loaded !== undefined && isThere(loaded.mask))
}

const isPacked = (target: Expression): boolean => isAddressItself(target, isWhole) && !isAddressItself(target, isLow)

const isLow = (mask: bigint): boolean => (mask & addressMask) === addressMask

/** A whole address, wherever in the word. */
const isWhole = (mask: bigint): boolean => isLow(mask >> BigInt(8 * offsetOf(mask)))

const addressMask = (1n << 160n) - 1n

const untold: ValueSource = { kind: "unknown" }

/**
 * Finds what the target of a call was compared with before. A loop over a list of exempt accounts may run zero times,
 * so a path past the loop may have no comparison.
 */
const comparisonsIn = (
  tracer: Tracer,
  trace: Trace,
  graph: ControlFlowGraph.ControlFlowGraph
): ((index: number, event: CallEvent) => ReadonlyArray<ValueSource> | undefined) => {
  const found = new Map<
    Expression,
    { readonly with: ReadonlyArray<ValueSource>; readonly round: ControlFlowGraph.Reach }
  >()
  return (index, event) => {
    const target = unmasked(event.target)
    if (target.op !== Opcodes.CALLDATALOAD) return undefined
    let known = found.get(target)
    if (known === undefined) {
      const asking = trace.blocks.flatMap((block) => {
        if (!block.succeeds) return []
        const others = block.events.flatMap((each) =>
          each.kind === "branch" ? comparedWith(tracer, each.condition, target) : []
        )
        return others.length === 0 ? [] : [{ index: block.index, others }]
      })
      // So many comparisons are no short list of exemptions; their result is unknown.
      if (asking.length > maxComparisons) {
        known = { with: [{ kind: "unknown" }], round: nowhere }
        found.set(target, known)
        return known.with
      }
      const turns = asking.flatMap((each) => {
        const [before, after] = [graph.before([each.index]), graph.after([each.index])]
        return trace.blocks.filter((block) => before.has(block.index) && after.has(block.index))
      })
      const blocks = new Set([...asking, ...turns].map((block) => block.index))
      known = { with: unique(asking.flatMap(({ others }) => others)), round: graph.after([0], { blocks }) }
      found.set(target, known)
    }
    return known.with.length === 0 || known.round.has(index) ? undefined : known.with
  }
}

const maxComparisons = 16

const nowhere: ControlFlowGraph.Reach = { has: () => false }

const comparedWith = (tracer: Tracer, condition: Expression, target: Expression): ReadonlyArray<ValueSource> => {
  const found: Array<ValueSource> = []
  for (const part of tracer.parts(condition)) {
    const [a, b] = part.args
    if (part.op === Opcodes.SLOAD) {
      for (const { id, keys } of tracer.locate(a as Expression) ?? [])
        if (keys.some((key) => unmasked(key) === target)) found.push({ kind: "storage", slot: id })
    } else if (
      (part.op === Opcodes.EQ || part.op === Opcodes.SUB || part.op === Opcodes.XOR) &&
      a !== undefined &&
      b !== undefined
    ) {
      const other = unmasked(a) === target ? b : unmasked(b) === target ? a : undefined
      // Checks for a valid or non-zero address are not comparisons with another account.
      const isOther = other !== undefined && unmasked(other) !== target
      if (isOther && !(other.op === Kind.constant && other.value === 0n)) found.push(...tracer.origins(other))
    }
  }
  return found
}

/** The function that a call names. */
export const nameOf = ({ input: [name] = [] }: CallEvent): bigint | undefined => {
  // abi.encodeWithSelector() writes the selector before the existing words.
  const named = name?.op === Opcodes.OR ? name.args.find((part) => part.op === Kind.constant) : name
  return named?.op === Kind.constant ? named.value >> 224n : undefined
}

const selectorIn = (event: CallEvent): Hex | undefined => {
  const selector = nameOf(event)
  return selector === undefined || selector === 0n ? undefined : OxHex.fromNumber(selector, { size: 4 })
}

/** The function in front of arguments that are unknown. */
const namedIn = ({ asked }: CallEvent): { readonly named?: Hex } =>
  asked === undefined || asked.selector === 0n ? {} : { named: OxHex.fromNumber(asked.selector, { size: 4 }) }

const orderOf = (tracer: Tracer, event: CallEvent, compared: ReadonlyArray<ValueSource> | undefined): Order => {
  const { input: [, ...words] = [], value } = event
  const sent = value?.op === Kind.constant && value.value === 0n ? undefined : value
  const selector = selectorIn(event)
  return {
    selector,
    ...(selector === undefined && event.input?.length !== 0 ? { isUntold: true as const, ...namedIn(event) } : {}),
    input: words.slice(0, 3).map((word) => tracer.origins(word)),
    value: sent === undefined ? undefined : tracer.origins(sent),
    compared
  }
}
