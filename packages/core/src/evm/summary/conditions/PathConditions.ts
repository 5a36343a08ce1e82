/** @internal */

import type * as Slices from "../../../runtime/Slices.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import { type Expression, Kind, unnegated } from "../../expression/Expression.js"
import { loadedField, makeFieldReader, type Tracer, type ValueSource } from "../../expression/ValueSource.js"
import type { Block, BranchEvent } from "../../interpreter/Trace.js"
import type * as ControlFlowGraph from "./ControlFlowGraph.js"
import type { Gate } from "./FunctionFlow.js"
import type * as Precondition from "./Precondition.js"

/** Gathers the gates of one function, and passes the requirements of each to a collector. */
export interface PathConditions {
  /** Notes a branch of which only one side succeeds, or only one writes. */
  readonly meet: (block: Block, event: BranchEvent) => void
  /** Looks for ways around the gates (`a || b`): they are part of the requirement. */
  readonly lookAround: (work: Slices.Work) => Slices.Slices<void>
  readonly all: () => ReadonlyArray<Gate>
}

/** Reads a condition as a gate; none where it is about nothing that gates cover. */
export type GateReader = (condition: Expression, required: boolean) => KeyedGate | undefined

interface KeyedGate {
  /** Its JSON. */
  readonly key: string
  readonly gate: Gate
}

/** Starts without gates. Where the purpose of the call `isDone` before a block, later writes are no condition. */
export const make = (
  blocks: ReadonlyArray<Block>,
  graph: ControlFlowGraph.ControlFlowGraph,
  gateOf: GateReader,
  requirements: Precondition.Collector,
  isDone: (block: number) => boolean
): PathConditions => {
  const gates = new Map<string, Gate>()
  /** Whether it has to be taken. */
  const deciding = new Map<number, boolean>()
  const writing = graph.before(
    blocks.flatMap((block) =>
      block.succeeds && block.events.some((event) => event.kind === "store") ? [block.index] : []
    )
  )
  const add = (condition: Expression, required: boolean): void => {
    const found = gateOf(condition, required)
    if (found !== undefined) gates.set(found.key, found.gate)
  }
  return {
    meet: (block, event) => {
      const sides = [event.taken, event.passed].map((index) => blocks[index]?.succeeds ?? false)
      const [taken, passed] = sides[0] === sides[1] ? [writing.has(event.taken), writing.has(event.passed)] : sides
      if (taken === passed || (sides[0] === sides[1] && isDone(block.index))) return
      deciding.set(block.index, taken === true)
      requirements.require(block.index, event.condition, taken === true)
      add(event.condition, taken === true)
    },
    lookAround: function* (work) {
      const branches = blocks.flatMap(({ events, index }) => {
        const event = events.find((candidate) => candidate.kind === "branch")
        return event?.kind === "branch" ? [{ index, event }] : []
      })
      const known = new Map<number, Precondition.Ways>()
      const waysRound = function* (block: number): Slices.Slices<Precondition.Ways> {
        const before = known.get(block)
        if (before !== undefined) return before
        if (known.size >= maxBranches) return "untold"
        // A loop returns to its start without a new alternative.
        known.set(block, straight)
        if (work.isDue(graph.size / 64)) yield undefined
        const around = graph.before(graph.ends, { blocks: new Set([block]) })
        if (!around.has(0)) return straight
        const ways: Array<Precondition.Way> = []
        let isTold = true
        for (const { event, index } of branches) {
          if (!around.has(index)) continue
          const isTaken = around.has(event.taken)
          const [away, to] = isTaken ? [event.taken, event.passed] : [event.passed, event.taken]
          if (!around.has(away) || around.has(to) || blocks[to]?.succeeds !== true) continue
          // A path that ends without a write does not serve the purpose of the call.
          const isFutile = deciding.get(index) === !isTaken
          if (!isFutile) add(event.condition, isTaken)
          const step = isFutile ? [] : [{ condition: event.condition, holds: isTaken }]
          const further = yield* waysRound(index)
          if (further === "untold") isTold = false
          else for (const way of further) ways.push([...step, ...way])
        }
        const found = !isTold || ways.length > maxWays ? "untold" : ways.length === 0 ? straight : ways
        known.set(block, found)
        return found
      }
      for (const block of deciding.keys()) requirements.excuse(block, yield* waysRound(block))
    },
    all: () => [...gates.values()]
  }
}

/** Branches that are looked at, of one function. */
const maxBranches = 256

/** Ways to one of them. */
const maxWays = 256

/** Nothing leads around it. */
const straight: Precondition.Ways = [[]]

/** Reads conditions, each once a side. */
export const makeReader = (tracer: Tracer): GateReader => {
  const gates = [new Map<Expression, KeyedGate | undefined>(), new Map<Expression, KeyedGate | undefined>()] as const
  return (condition, required) => {
    const known = gates[required ? 1 : 0]
    if (known.has(condition)) return known.get(condition)
    const gate = read(tracer, condition, required)
    const found = gate.reads.length > 0 || gate.about.length > 0 ? { key: JSON.stringify(gate), gate } : undefined
    known.set(condition, found)
    return found
  }
}

const read = (tracer: Tracer, condition: Expression, required: boolean): Gate => {
  const reads = new Map<string, Gate["reads"][number]>()
  const about = new Set<ValueSource["kind"]>()
  const fieldOf = makeFieldReader()
  let compares = false
  let computes = false
  for (const part of tracer.parts(condition)) {
    if (part.op === Opcodes.LT || part.op === Opcodes.SLT) compares = true
    if (part.op === Opcodes.MUL || part.op === Opcodes.DIV) computes = true
    const loaded = fieldOf(part)
    if (loaded !== undefined) {
      for (const { id, keys } of tracer.locate(loaded.load.args[0]) ?? []) {
        const read = { slot: id, keys: keys.map((key) => tracer.origin(key)), field: loaded.field }
        reads.set(JSON.stringify(read), read)
      }
    } else if (
      part.op === Opcodes.CALLDATALOAD ||
      (part.args.length === 0 && part.op !== Kind.constant && part.op !== Kind.merge)
    ) {
      if (part.op !== Opcodes.CALLDATASIZE) about.add(tracer.origin(part).kind)
    }
  }
  const { asked, same } = unnegated(condition)
  const requires = loadedField(asked) === undefined ? undefined : required === same ? "nonzero" : "zero"
  return { reads: [...reads.values()], about: [...about].sort(), compares, computes, requires }
}
