/** @internal */

import * as Slices from "../../../runtime/Slices.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Argument from "../../expression/Argument.js"
import {
  type Expression,
  fold,
  innerOf,
  isNumber,
  isUnknown,
  Kind,
  maxWord,
  unmasked
} from "../../expression/Expression.js"
import { loadedField, makeTracer } from "../../expression/ValueSource.js"
import * as Walk from "../../expression/Walk.js"
import type { FunctionRun } from "../../interpreter/FunctionRun.js"
import type { PathTree } from "../../interpreter/PathTree.js"
import type { Block, BranchEvent, Trace } from "../../interpreter/Trace.js"
import * as Circumstances from "../../summary/conditions/Circumstances.js"
import * as Deciding from "../../summary/conditions/Deciding.js"
import * as FieldMask from "../../summary/conditions/FieldMask.js"
import type { FunctionFlow } from "../../summary/conditions/FunctionFlow.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Erc20 from "../../token/Erc20.js"
import * as KeptNumber from "../../token/KeptNumber.js"
import * as TokenBooks from "../../token/TokenBooks.js"
import type { TokenModel } from "../../token/TokenModel.js"
import * as VariableWriter from "../../token/VariableWriter.js"
import * as HardcodedFee from "./HardcodedFee.js"
import * as TransferCondition from "./TransferCondition.js"
import type * as TransferGate from "./TransferGate.js"

/**
 * A variable that makes a transfer fail or miss its receiver without an explicit requirement: arithmetic with it
 * reverts, the tokens go to another account or to nobody, or a loop runs as often as the variable says. None is
 * decisive, because other effects of the variable are not known.
 *
 * `loses` says that tokens go and do not arrive.
 */
export interface TransferOutcome extends TransferGate.TransferGate {
  readonly loses: boolean
}

/**
 * The outcomes of transfers. `untold` says that some transfers return that they failed, or may, on too many paths to
 * follow, or that the outcome depends on a state that anyone can cause.
 */
export interface TransferOutcomes {
  readonly outcomes: ReadonlyArray<TransferOutcome>
  readonly untold: boolean
}

type Found = Omit<TransferOutcome, "setters" | "decisive">

/** Follows a transfer of a whole balance, in slices, once of a model, as far as its paths were followed. */
export const of = Slices.oncePer(follow)

function* follow(model: TokenModel): Slices.Slices<TransferOutcomes> {
  const { flow, token } = model
  const [trees, runs] = [yield* model.transfers(), yield* model.merged()]
  const found = new Map<string, TransferOutcome>()
  let untold = false
  const work = Slices.makeWork()
  for (const tree of trees) {
    const transfer = Erc20.transferOf(tree.selector)
    const candidate = Erc20.functionOf(flow, tree.selector)
    if (transfer === undefined || candidate === undefined) continue
    const isAsked = askedIn(candidate, token)
    const done = doneIn(tree, transfer, token)
    const answers = answersOf(tree, done)
    const turns = new Map<string, Found>()
    const isOfParties = lookingIn(tree, transfer)
    for (const scene of scenesIn(tree, transfer, isOfParties)) {
      yield undefined
      const reaching = { answers, done, isSought: (condition: Expression) => scene.isSought && isOfParties(condition) }
      const { isSwayed, turns: found } = yield* turnsIn(tree, transfer, model, scene, reaching, work)
      untold ||= isSwayed
      for (const one of found) if (one.loses || !(scene.isOrdinary || isAsked(one))) turns.set(JSON.stringify(one), one)
    }
    const run = tree.trace.complete ? undefined : runs.find(({ selector }) => selector === tree.selector)
    if (run !== undefined) {
      for (const one of yield* loopsIn(run, token, work)) turns.set(JSON.stringify(one), one)
      untold ||= !run.trace.complete || isAnsweredOtherwise(run)
    }
    for (const [name, one] of turns) {
      if (work.isDue(1)) yield undefined
      const setters = VariableWriter.settersOf(flow, token, one)
      if (setters.length > 0) found.set(name, { ...one, setters, decisive: false })
    }
    yield undefined
  }
  return { outcomes: [...found.values()], untold }
}

/**
 * Makes a test of whether a place is part of an explicit requirement. A check for a sufficient balance does not count.
 */
const askedIn = (
  { requirements }: FunctionFlow,
  token: TokenBooks.TokenBooks
): ((place: FieldMask.Place) => boolean) => {
  const asked = new Map<string, bigint>()
  for (const { anyOf } of requirements)
    if (!anyOf.some((condition) => TransferCondition.isOfBalance(condition, token)))
      for (const { left, right } of anyOf)
        for (const { field, slot } of [...left.reads, ...right.reads])
          asked.set(slot, (asked.get(slot) ?? 0n) | BigInt(FieldMask.maskOf(field)))
  return ({ field, slot }) => ((asked.get(slot) ?? 0n) & BigInt(FieldMask.maskOf(field))) !== 0n
}

/** The best that a transfer comes to from a block on: it arrives, it goes elsewhere, or nothing happens. */
type Best = "arrives" | "goes" | "nothing"

const rank: Record<Best, number> = { arrives: 2, goes: 1, nothing: 0 }

/** A condition, and the best outcome of a transfer on either side. */
interface Question {
  readonly condition: Expression
  readonly taken: Best
  readonly passed: Best
}

/**
 * What is known of the parties of a transfer: the sizes of their code, and whether they are `ordinary`, that is neither an
 * account that the code names nor one in a variable. Of those only transfers that go elsewhere are noted.
 */
interface Scene {
  readonly sizes: ReadonlyMap<Expression, bigint>
  readonly isOrdinary: boolean
  /** The receiver is the account that it is compared with, as a pool that is sold to. */
  readonly isSale: boolean
  /** Who calls, and the code, the ether and the answers of the parties, are what it takes for tokens to go elsewhere. */
  readonly isSought: boolean
}

/**
 * A transfer of which nothing is known, one to a contract and one from a contract, as those are that a pool makes; one of an
 * ordinary account to another, and one to a pool; these once more of parties that are looked at, so that no other account
 * hides what becomes of them.
 */
const scenesIn = (
  { trace }: PathTree,
  { receiver, sender }: Erc20.Transfer,
  isOfParties: (condition: Expression) => boolean
): ReadonlyArray<Scene> => {
  const looks = trace.blocks.flatMap(({ events }) =>
    events.flatMap((event) =>
      event.kind === "look" && event.opcode === Opcodes.EXTCODESIZE && event.at !== undefined
        ? [{ at: unmasked(event.at), result: event.result }]
        : []
    )
  )
  const isSender = (at: Expression): boolean =>
    sender === undefined ? at.op === Opcodes.CALLER : Argument.isAt(at, sender)
  const isReceiver = (at: Expression): boolean => Argument.isAt(at, receiver)
  const having = (accept: (at: Expression) => boolean): Scene["sizes"] =>
    new Map(looks.flatMap(({ at, result }) => (accept(at) ? [[result, 1n] as const] : [])))
  const sizesOf = (ofReceiver: bigint): Scene["sizes"] =>
    new Map(
      looks.flatMap(({ at, result }) =>
        isReceiver(at) ? [[result, ofReceiver] as const] : isSender(at) ? [[result, 0n] as const] : []
      )
    )
  const unknown = [
    new Map<Expression, bigint>(),
    ...[having(isReceiver), having(isSender)].filter(({ size }) => size > 0)
  ]
  const ordinary = [
    { sizes: sizesOf(0n), isOrdinary: true, isSale: false },
    { sizes: sizesOf(1n), isOrdinary: true, isSale: true }
  ]
  const isLooking = trace.blocks.some((block) => {
    const condition = branchOf(block)?.condition
    return condition !== undefined && isOfParties(condition)
  })
  return [
    ...unknown.map((sizes) => ({ sizes, isOrdinary: false, isSale: false, isSought: false })),
    ...ordinary.map((scene) => ({ ...scene, isSought: false })),
    ...(isLooking ? ordinary.map((scene) => ({ ...scene, isSought: true })) : [])
  ]
}

/** Makes a test of whether a condition is about who calls for a sender, or a party's code, ether or answer. */
const lookingIn = ({ trace }: PathTree, { receiver, sender }: Erc20.Transfer): ((condition: Expression) => boolean) => {
  const isParty = (what: Expression): boolean => {
    const at = unmasked(what)
    return Argument.isAt(at, receiver) || (sender === undefined ? at.op === Opcodes.CALLER : Argument.isAt(at, sender))
  }
  const events = trace.blocks.flatMap((block) => block.events)
  const calls = events.flatMap((event) => (event.kind === "call" && isParty(event.target) ? [event] : []))
  const looks = new Set([
    ...events.flatMap((event) =>
      event.kind === "look" && event.at !== undefined && isParty(event.at) ? [event.result] : []
    ),
    ...calls.flatMap(({ answers, success }) => [success, ...answers])
  ])
  return (condition) => {
    for (const part of Walk.parts([condition], { into: Walk.held, most: maxLooked }))
      if (
        looks.has(part) ||
        (sender !== undefined && part.op === Opcodes.CALLER) ||
        (calls.length > 0 && isUnknown(part, "answerSize"))
      )
        return true
    return false
  }
}

const maxLooked = 256

const better = (one: Best, other: Best): Best => (rank[one] > rank[other] ? one : other)

/** What a path says where it ends: a word that is one where the transfer was made, or another answer than that. */
type Answer = Expression | "no"

/**
 * What paths that moved something return, if it is not plain success. A caller that reads a failure, such as a pool,
 * reverts. If no path of a token returns success, callers do not rely on its answer, and nothing is returned here.
 */
const answersOf = ({ trace }: PathTree, done: ReadonlyArray<Best>): ReadonlyMap<number, Answer> => {
  const found = new Map<number, Answer>()
  let isBelieved = false
  for (const { end, events, index, successors } of trace.blocks) {
    if (end !== "success" || successors.length > 0 || (done[index] ?? "nothing") === "nothing") continue
    const answers = answersAt({ events })
    if (answers.some((answer) => answer !== "no")) isBelieved = true
    for (const answer of answers) if (answer !== "yes") found.set(index, answer)
  }
  return isBelieved ? found : new Map()
}

/** The possible return values at the end of a path. No return value does not mean failure. */
const answersAt = ({ events }: Pick<Block, "events">): ReadonlyArray<Answer | "yes"> => {
  const last = events.findLast((event) => event.kind === "return")
  const length = last?.length.op === Kind.constant ? last.length.value : 0n
  if (length > 0n && length < 32n) return ["no"]
  const ways = new Set(last?.word === undefined ? [] : [last.word])
  for (const way of ways) if (way.op === Kind.merge) for (const other of way.alternatives) ways.add(other)
  const words = [...ways].filter(({ op }) => op !== Kind.merge)
  return words.length === 0
    ? ["yes"]
    : words.map((word) => (word.op !== Kind.constant ? word : word.value === 1n ? "yes" : "no"))
}

/** What paths come to where they end, and which way they take before. */
interface Reaching {
  readonly answers: ReadonlyMap<number, Answer>
  readonly done: ReadonlyArray<Best>
  /** Whether a condition holds or not as it has to for tokens to go elsewhere. */
  readonly isSought: (condition: Expression) => boolean
}

/** The conditions with a worse outcome on one side than on the other, whatever follows. */
function* turnsIn(
  tree: PathTree,
  transfer: Erc20.Transfer,
  { flow, token }: Pick<TokenModel, "flow" | "token">,
  scene: Scene,
  { answers, done, isSought }: Reaching,
  work: Slices.Work
): Slices.Slices<{ readonly turns: ReadonlyArray<Found>; readonly isSwayed: boolean }> {
  const turns: Array<Found> = []
  let isSwayed = false
  const { blocks } = tree.trace
  const isSwaying = swayingIn(tree, flow, token)
  const answerOf = HardcodedFee.answersIn(tree, transfer, token)
  const valueOf = valuesIn(tree, transfer, token, scene)
  const isMeasured = measuredIn(tree, transfer, token)
  const best: Array<Best> = []
  const open: Array<Question> = []
  for (const block of [...blocks].reverse()) {
    const branch = branchOf(block)
    const ways = waysOn(block, branch, valueOf)
    if (branch !== undefined && ways.length > 1) {
      const [taken, passed] = [branch.taken, branch.passed].map((way) => best[way] ?? "arrives")
      open.push({ condition: branch.condition, taken: taken ?? "arrives", passed: passed ?? "arrives" })
    }
    if (block.successors.length > 0) {
      const outcomes = ways.map((way) => best[way] ?? "arrives")
      best[block.index] =
        branch !== undefined && outcomes.includes("goes") && isSought(branch.condition)
          ? "goes"
          : outcomes.reduce(better, "nothing")
      continue
    }
    const reached = block.end === "open" ? "arrives" : block.end === "failure" ? "nothing" : done[block.index]
    const answer = answers.get(block.index)
    const said = answer === undefined ? 1n : answer === "no" ? 0n : valueOf(answer)
    best[block.index] = said === undefined || said === 1n ? (reached ?? "nothing") : "nothing"
    if (said === undefined && answer !== undefined && answer !== "no")
      open.push({ condition: answer, taken: reached ?? "nothing", passed: "nothing" })
  }
  for (const { condition, ...outcome } of open.reverse()) {
    for (const [low, high, holds] of [
      [outcome.taken, outcome.passed, true],
      [outcome.passed, outcome.taken, false]
    ] as const) {
      if (rank[low] >= rank[high] || high !== "arrives") continue
      const loses = low === "goes"
      isSwayed ||= loses && isSwaying(condition)
      const measured = isMeasured(condition)
      const add = (place: FieldMask.Place, kind: Found["kind"], passes: Found["passes"]): void => {
        turns.push({ ...place, kind, passes, loses })
        if (measured) turns.push({ ...place, kind: "limit", passes, loses })
      }
      const answer = answerOf(condition, holds)
      if (answer === undefined) {
        for (const { field, load } of loadsIn(condition)) {
          if (work.isDue(1)) yield undefined
          for (const { id, keys } of tree.locator.resolve(load.args[0]) ?? []) {
            const place = { slot: id, field }
            const isOfSome = keys.some((key) => ofCall.has(unmasked(key).op))
            if (!TokenBooks.isBook(token, place)) add(place, isOfSome ? "list" : "flag", undefined)
          }
        }
        continue
      }
      const { field, isSet, kind, slot } = answer
      const isOfSome = kind === "list" || kind === "account" || kind === "own bound"
      const passes = kind === "flag" || kind === "list" ? (isSet ? "zero" : "nonzero") : undefined
      // An account that is neither pool nor owner stands for all.
      if (kind === "account" && !isSet) continue
      add({ slot, field }, isOfSome ? "list" : "flag", passes)
    }
  }
  return { turns, isSwayed }
}

/**
 * Whether a condition depends on a balance of the contract or of a constant account, which anyone can raise, or on code
 * that may be deployed later.
 */
const swayingIn = (
  { locator, trace }: PathTree,
  flow: StorageFlow,
  token: TokenBooks.TokenBooks
): ((condition: Expression) => boolean) => {
  const looks = Circumstances.looksAside(trace)
  const tracer = makeTracer(locator, maxTraced)
  return (condition) =>
    [...Deciding.influencesIn(tracer, looks, condition).values()].some((influence) =>
      typeof influence === "string"
        ? influence === "wealth" || influence === "code"
        : influence.some(
            ({ keys, slot }) =>
              keys.every(({ kind }) => kind === "self" || kind === "constant") &&
              // Of an account in the code compilers leave the hash of its entry.
              (keys.length === 0
                ? VariableWriter.isHashed(flow, slot)
                : token.balances.some((book) => book.slot === slot))
          )
    )
}

const maxTraced = 100_000

const branchOf = ({ events }: Block): BranchEvent | undefined =>
  events.find((event): event is BranchEvent => event.kind === "branch" && event.taken !== event.passed)

/** The successors of a block, given the transferred amount. */
const waysOn = (
  block: Block,
  branch: BranchEvent | undefined,
  valueOf: (what: Expression) => bigint | undefined
): ReadonlyArray<number> => {
  const value = branch === undefined ? undefined : valueOf(branch.condition)
  const only = branch === undefined || value === undefined ? undefined : value === 0n ? branch.passed : branch.taken
  return only !== undefined && block.successors.includes(only) ? [only] : block.successors
}

/** The effects up to the end of each block. Blocks come after their predecessors. */
const doneIn = (tree: PathTree, transfer: Erc20.Transfer, token: TokenBooks.TokenBooks): ReadonlyArray<Best> => {
  const done: Array<Best> = []
  for (const block of tree.trace.blocks) {
    const before = tree.parents.get(block.index)
    const [own, inherited] = [doneBy(block, tree, transfer, token), before === undefined ? "nothing" : done[before]]
    done[block.index] = rank[own] > rank[inherited ?? "nothing"] ? own : (inherited ?? "nothing")
  }
  return done
}

/** What a block does: it gives the receiver something, or changes what others have. */
const doneBy = (
  { events }: Block,
  { locator, pool }: PathTree,
  { receiver }: Erc20.Transfer,
  token: TokenBooks.TokenBooks
): Best => {
  const stores = events.flatMap((event) => (event.kind === "store" ? [{ event, at: locator.resolve(event.slot) }] : []))
  if (stores.some(({ at }) => at === undefined)) return "arrives"
  const changed = stores.flatMap(({ at = [], event }) =>
    at.filter(({ id }) =>
      token.balances.some(({ mask, slot }) => slot === id && KeptNumber.of(pool, event, BigInt(mask)) !== undefined)
    )
  )
  if (changed.length === 0) return "nothing"
  return changed.some(({ keys }) => keys.some((key) => Argument.isAt(unmasked(key), receiver))) ? "arrives" : "goes"
}

/** Values of formulas for a transfer of a whole balance with unlimited allowances. Other variables are unknown. */
const valuesIn = (
  { locator }: PathTree,
  { amount, receiver, sender }: Erc20.Transfer,
  token: TokenBooks.TokenBooks,
  { isOrdinary, isSale, sizes }: Scene
): ((what: Expression) => bigint | undefined) => {
  const known = new Map<Expression, bigint | undefined>(sizes)
  const isReceiver = (what: Expression): boolean => Argument.isAt(what, receiver)
  const isSender = (what: Expression): boolean =>
    sender === undefined ? what.op === Opcodes.CALLER : Argument.isAt(what, sender)
  /** Whether an ordinary party is the account that it is compared with. */
  const isSame = (one: Expression, other: Expression): boolean | undefined => {
    if (one.op === Opcodes.ORIGIN && isSender(other)) return true
    const isNamed = other.op === Kind.constant || loadedField(other) !== undefined
    if (!isNamed || isNumber(other, 0n)) return undefined
    return isReceiver(one) ? isSale : isSender(one) || one.op === Opcodes.ORIGIN ? false : undefined
  }
  const compared = ({ args: [a, b], op }: Expression): bigint | undefined => {
    if (!isOrdinary || a === undefined || b === undefined || !comparing.has(op)) return undefined
    const [one, other] = [unmasked(a), unmasked(b)]
    const same = isSame(one, other) ?? isSame(other, one)
    return same === undefined ? undefined : BigInt(same === (op === Opcodes.EQ))
  }
  const isBalance = (what: Expression): boolean => {
    const loaded = loadedField(what)
    const [location, ...others] = loaded === undefined ? [] : (locator.resolve(loaded.load.args[0]) ?? [])
    if (location === undefined || others.length > 0 || token.balances.length > 1) return false
    // The balance of an account that is no party may be anything: anyone can send to it.
    if (location.keys.some(({ op }) => op === Kind.constant || op === Opcodes.ADDRESS)) return false
    return token.balances.some(({ mask, slot }) => slot === location.id && BigInt(mask) === loaded?.mask)
  }
  const compute = (what: Expression, depth: number): bigint | undefined => {
    if (what.op === Kind.constant) return what.value
    if (Argument.is(what)) return Argument.isAt(what, amount) ? HardcodedFee.sample : undefined
    if (isBalance(what)) return HardcodedFee.sample
    if (what.op === Opcodes.SLOAD) return undefined
    const same = compared(what)
    if (same !== undefined) return same
    const [a, b] = what.args
    if (a === undefined || depth > maxDepth) return undefined
    const left = valueOf(a, depth + 1)
    if (what.op === Opcodes.ISZERO) return left === undefined ? undefined : left === 0n ? 1n : 0n
    if (what.op === Opcodes.NOT) return left === undefined ? undefined : maxWord - left
    const right = left === undefined || b === undefined ? undefined : valueOf(b, depth + 1)
    return left === undefined || right === undefined ? undefined : fold(what.op, left, right)
  }
  const valueOf = (what: Expression, depth: number): bigint | undefined => {
    if (known.has(what)) return known.get(what)
    const value = compute(what, depth)
    known.set(what, value)
    return value
  }
  return (what) => valueOf(what, 0)
}

const comparing: ReadonlySet<number> = new Set([Opcodes.EQ, Opcodes.SUB, Opcodes.XOR])

const maxDepth = 24

/** Whether a transfer that says on some way that it was made says something else on another. */
const isAnsweredOtherwise = ({ trace }: FunctionRun): boolean => {
  const answers = new Set<Answer | "yes">()
  for (const block of trace.blocks)
    if (block.end === "success") for (const answer of answersAt(block)) answers.add(answer)
  return answers.size > 1 || [...answers].some((answer) => answer !== "yes" && answer !== "no")
}

/** The variables that say for how long a loop goes on. */
function* loopsIn(
  { locator, trace }: FunctionRun,
  token: TokenBooks.TokenBooks,
  work: Slices.Work
): Slices.Slices<ReadonlyArray<Found>> {
  const found: Array<Found> = []
  for (const block of trace.blocks) {
    const branch = branchOf(block)
    if (branch === undefined) continue
    const places = loadsIn(branch.condition).flatMap(({ field, load }) =>
      (locator.resolve(load.args[0]) ?? []).map(({ id, keys }) => ({ slot: id, field, keys }))
    )
    const bounds = places.filter((place) => !TokenBooks.isBook(token, place) && place.keys.every(isMadeOfCall))
    if (work.isDue(1 + places.length)) yield undefined
    if (bounds.length === 0) continue
    const [goesOn, ends] = [branch.taken, branch.passed].map((way) => leadsTo(trace, way, block.index))
    if (goesOn === ends) continue
    for (const { field, keys, slot } of bounds)
      found.push({ slot, field, kind: keys.length === 0 ? "flag" : "list", passes: undefined, loses: false })
  }
  return found
}

/** What names the parties of a transfer. */
const ofCall: ReadonlySet<number> = new Set([Opcodes.CALLER, Opcodes.ORIGIN, Opcodes.CALLDATALOAD])

/** Whether a key is worked out from the call, as the number of a word that has a bit for each account; rounds of a loop are not. */
const isMadeOfCall = (key: Expression): boolean => {
  let isOfCall = false
  for (const { op } of Walk.parts([key], { most: maxPartsOfKey })) {
    if (op === Kind.merge || op === Kind.unknown) return false
    isOfCall ||= ofCall.has(op)
  }
  return isOfCall
}

const maxPartsOfKey = 64

const leadsTo = ({ blocks }: Trace, from: number, to: number): boolean => {
  const seen = new Set([from])
  for (const index of seen) {
    if (index === to) return true
    for (const next of blocks[index]?.successors ?? []) seen.add(next)
  }
  return false
}

/** Whether a sent amount or a balance is compared with something. */
const measuredIn =
  ({ locator }: Pick<PathTree, "locator">, { amount }: Erc20.Transfer, token: TokenBooks.TokenBooks) =>
  (condition: Expression): boolean => {
    let isOrdered = false
    let isOfAmount = false
    for (const what of Walk.parts([condition], { into: Walk.held })) {
      isOrdered ||= what.op === Opcodes.LT || what.op === Opcodes.SLT
      isOfAmount ||=
        Argument.isAt(what, amount) ||
        (what.op === Opcodes.SLOAD &&
          (locator.resolve(what.args[0]) ?? []).some(({ id }) => token.balances.some(({ slot }) => slot === id)))
    }
    return isOrdered && isOfAmount
  }

/** The loads that are compared in a condition. */
const loadsIn = (condition: Expression): ReadonlyArray<NonNullable<ReturnType<typeof loadedField>>> =>
  [...Walk.parts([condition], { into: (part) => (loadedField(part) === undefined ? innerOf(part) : []) })].flatMap(
    (part) => loadedField(part) ?? []
  )
