/** @internal */

import type { Hex } from "../../domain/Hex.js"
import type * as Slices from "../../runtime/Slices.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import * as Selectors from "../bytecode/Selectors.js"
import * as Argument from "../expression/Argument.js"
import { type Expression, isNumber, type Pool, unmasked } from "../expression/Expression.js"
import * as PathFacts from "../expression/PathFacts.js"
import { makeTracer, offsetOf, type Tracer } from "../expression/ValueSource.js"
import * as CodeModel from "../interpreter/CodeModel.js"
import * as PathTree from "../interpreter/PathTree.js"
import type { Block, Event, Trace } from "../interpreter/Trace.js"
import type { TimelockPattern } from "./TimelockPattern.js"

/** The event that the published timelocks emit for a scheduled call, with its name first. */
export const announcement: { readonly [kind in TimelockPattern["kind"]]: Hex } = {
  openzeppelin: Selectors.topic("CallScheduled(bytes32,uint256,address,uint256,bytes,bytes32,uint256)"),
  compound: Selectors.topic("QueueTransaction(bytes32,address,uint256,string,bytes,uint256)")
}

/**
 * Whether functions call nobody before a plan of what they do was found and its time has come, on any path that runs each
 * loop once at the most. How the plan is named is not looked at, but that no argument does it alone. False where not every
 * such path was followed. In slices, as all that follow here.
 */
export const everyCallIsPlanned = (
  model: CodeModel.CodeModel,
  selectors: ReadonlyArray<Hex>,
  pattern: Pick<TimelockPattern, "kind" | "plans">
): Slices.Slices<boolean> => every(selectors, (selector) => isPlanned(model, selector, pattern))

/**
 * Whether functions plan nothing for a time before the delay is over, on any path that runs each loop once at the most:
 * whoever calls them, and whatever it is that they plan. False where not every such path was followed.
 */
export const everyPlanWaits = (
  model: CodeModel.CodeModel,
  selectors: ReadonlyArray<Hex>,
  pattern: Pick<TimelockPattern, "kind" | "plans" | "delay">
): Slices.Slices<boolean> => every(selectors, (selector) => isPatient(model, selector, pattern))

/**
 * Whether functions emit the event of the published timelock for everything that they schedule, with the id under which
 * it is stored, on each path that runs each loop at most once. A reader of the events then knows every scheduled call.
 * A batch has one event for each call, and an empty batch none. False where not every such path was followed.
 */
export const everyPlanIsTold = (
  model: CodeModel.CodeModel,
  selectors: ReadonlyArray<Hex>,
  pattern: Pick<TimelockPattern, "kind" | "plans">
): Slices.Slices<boolean> => every(selectors, (selector) => isTold(model, selector, pattern))

/**
 * Whether functions of Compound's timelock do nothing that was planned for a date that is longer than `grace` seconds ago,
 * on any path that runs each loop once at the most. False where not every such path was followed.
 */
export const everyPlanExpires = (
  model: CodeModel.CodeModel,
  selectors: ReadonlyArray<Hex>,
  grace: number
): Slices.Slices<boolean> => every(selectors, (selector) => expires(model, selector, grace))

function* every(
  selectors: ReadonlyArray<Hex>,
  holds: (selector: Hex) => Slices.Slices<boolean>
): Slices.Slices<boolean> {
  for (const selector of selectors) if (!(yield* holds(selector))) return false
  return true
}

function* isPlanned(
  model: CodeModel.CodeModel,
  selector: Hex,
  { kind, plans }: Pick<TimelockPattern, "kind" | "plans">
): Slices.Slices<boolean> {
  const { locator, pool, trace } = yield* model.paths(selector, CodeModel.bounds.timelock)
  const tracer = makeTracer(locator, maxParts)
  const events = eventsOf(trace)
  const entries = events.flatMap((event) =>
    event.kind === "load" &&
    (tracer.locate(event.slot) ?? []).some(
      ({ id, keys: [key] }) => id === plans && key !== undefined && tracer.origin(key).kind === "unknown"
    )
      ? [event.result]
      : []
  )
  const isDue = (facts: PathFacts.PathFacts): boolean =>
    entries.some(
      (entry) => isKept(pool, entry, facts) && hasCome(pool, kind === "compound" ? dateOf(pool) : entry, facts)
    )
  const planned = events.every(
    (event) => event.kind !== "call" || event.opcode === Opcodes.STATICCALL || isDue(event.facts)
  )
  return trace.complete && planned && !tracer.exhausted()
}

function* isPatient(
  model: CodeModel.CodeModel,
  selector: Hex,
  { delay, kind, plans }: Pick<TimelockPattern, "kind" | "plans" | "delay">
): Slices.Slices<boolean> {
  const { locator, pool, trace } = yield* model.paths(selector, CodeModel.bounds.timelock)
  const tracer = makeTracer(locator, maxParts)
  const events = eventsOf(trace)
  const delays = events.flatMap((event) =>
    event.kind === "load" && tracer.locate(event.slot)?.every(({ id }) => id === delay.slot) === true
      ? [partOf(pool, event.result, delay.mask)]
      : []
  )
  const now = pool.nullary(Opcodes.TIMESTAMP)
  const waits = (planned: Expression, facts: PathFacts.PathFacts): boolean => {
    if (kind === "compound")
      return delays.some((time) => isNotBelow(pool, dateOf(pool), pool.binary(Opcodes.ADD, now, time), facts))
    const [wait] = planned.op === Opcodes.ADD ? planned.args.filter((part) => part !== now) : []
    return (
      wait !== undefined &&
      planned === pool.binary(Opcodes.ADD, now, wait) &&
      delays.some((time) => isNotBelow(pool, wait, time, facts)) &&
      isExact(pool, now, wait, facts)
    )
  }
  const patient = events.every(
    (event) => event.kind !== "store" || !mayBeIn(tracer, event.slot, plans) || waits(event.value, event.facts)
  )
  return trace.complete && patient && !tracer.exhausted()
}

function* isTold(
  model: CodeModel.CodeModel,
  selector: Hex,
  { kind, plans }: Pick<TimelockPattern, "kind" | "plans">
): Slices.Slices<boolean> {
  const tree = yield* model.paths(selector, CodeModel.bounds.timelock)
  const { locator, pool, trace } = tree
  const tracer = makeTracer(locator, maxParts)
  const isToldOn = (path: ReadonlyArray<Block>, key: Expression | undefined): boolean =>
    key !== undefined &&
    path.some(({ events }) =>
      events.some(
        (event) =>
          event.kind === "log" &&
          isNumber(event.topics[0], BigInt(announcement[kind])) &&
          event.topics[1] === unmasked(key)
      )
    )
  const told = trace.blocks.every((end) => {
    if (!end.succeeds || end.successors.length > 0) return true
    const path = PathTree.pathTo(tree, end.index).flatMap((index) => trace.blocks[index] ?? [])
    return path.every(({ events }) =>
      events.every(
        (event) =>
          event.kind !== "store" ||
          !mayBeIn(tracer, event.slot, plans) ||
          (tracer.locate(event.slot) ?? []).some(({ keys: [key] }) => isToldOn(path, key)) ||
          plansNothing(pool, path)
      )
    )
  })
  return trace.complete && told && !tracer.exhausted()
}

function* expires(model: CodeModel.CodeModel, selector: Hex, grace: number): Slices.Slices<boolean> {
  const { pool, trace } = yield* model.paths(selector, CodeModel.bounds.timelock)
  const now = pool.nullary(Opcodes.TIMESTAMP)
  const last = pool.binary(Opcodes.ADD, dateOf(pool), pool.constant(BigInt(grace)))
  const fresh = eventsOf(trace).every(
    (event) => event.kind !== "call" || event.opcode === Opcodes.STATICCALL || isNotBelow(pool, last, now, event.facts)
  )
  return trace.complete && fresh
}

/** Whether the list of contracts to be called, the first argument, is known to be empty on a path. */
const plansNothing = (pool: Pool, path: ReadonlyArray<Block>): boolean => {
  const first = pool.constant(4n)
  const list = pool.binary(Opcodes.ADD, first, pool.unary(Opcodes.CALLDATALOAD, first))
  const length = pool.unary(Opcodes.CALLDATALOAD, list)
  const facts = path.reduce<PathFacts.PathFacts>(
    (known, { events }, place) =>
      events.reduce((now, event) => {
        const next = path[place + 1]?.index
        return event.kind !== "branch" || next === undefined || event.taken === event.passed
          ? now
          : PathFacts.assume(pool, now, event.condition, next === event.taken)
      }, known),
    PathFacts.none
  )
  return (
    PathFacts.decide(length, facts) === false ||
    PathFacts.decide(pool.binary(Opcodes.LT, pool.constant(0n), length), facts) === false
  )
}

const eventsOf = ({ blocks }: Trace): ReadonlyArray<Event> =>
  blocks.flatMap((block) => (block.succeeds ? block.events : []))

/** Whether a slot may be one of a variable's; an unknown slot may be any. */
const mayBeIn = (tracer: Tracer, slot: Expression, variable: string): boolean =>
  tracer.locate(slot)?.some(({ id }) => id === variable) ?? true

const partOf = (pool: Pool, word: Expression, mask: Hex): Expression => {
  const offset = offsetOf(BigInt(mask))
  return pool.binary(
    Opcodes.AND,
    pool.binary(Opcodes.SHR, pool.constant(BigInt(8 * offset)), word),
    pool.constant(BigInt(mask) >> BigInt(8 * offset))
  )
}

/** The execution time of a call in Compound's timelock is an argument: storage only says that it is queued. */
const dateOf = (pool: Pool): Expression => Argument.at(pool, 4)

const isNotBelow = (pool: Pool, one: Expression, other: Expression, facts: PathFacts.PathFacts): boolean =>
  PathFacts.decide(pool.binary(Opcodes.LT, one, other), facts) === false

/** Whether a sum is checked not to wrap, as compilers and libraries do. */
const isExact = (pool: Pool, one: Expression, other: Expression, facts: PathFacts.PathFacts): boolean => {
  const sum = pool.binary(Opcodes.ADD, one, other)
  const most = (part: Expression) => pool.unary(Opcodes.NOT, part)
  return (
    other.bits < 255 ||
    isNotBelow(pool, sum, one, facts) ||
    isNotBelow(pool, sum, other, facts) ||
    isNotBelow(pool, most(one), other, facts) ||
    isNotBelow(pool, most(other), one, facts)
  )
}

/** Whether an entry is known to hold a scheduled call: a time above 1 (1 means executed), or a set bit. */
const isKept = (pool: Pool, entry: Expression, facts: PathFacts.PathFacts): boolean =>
  PathFacts.decide(entry, facts) === true ||
  PathFacts.decide(pool.binary(Opcodes.EQ, pool.constant(0n), entry), facts) === false ||
  PathFacts.decide(pool.binary(Opcodes.LT, pool.constant(1n), entry), facts) === true ||
  PathFacts.decide(pool.binary(Opcodes.AND, entry, pool.constant(0xffn)), facts) === true

const hasCome = (pool: Pool, time: Expression, facts: PathFacts.PathFacts): boolean =>
  isNotBelow(pool, pool.nullary(Opcodes.TIMESTAMP), time, facts)

const maxParts = 200_000
