/** @internal */

import type * as Slices from "../../../runtime/Slices.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Selectors from "../../bytecode/Selectors.js"
import * as Argument from "../../expression/Argument.js"
import { type Expression, Kind } from "../../expression/Expression.js"
import * as PathFacts from "../../expression/PathFacts.js"
import { loadedField } from "../../expression/ValueSource.js"
import type * as PathTree from "../../interpreter/PathTree.js"
import { type Event, onlyWord } from "../../interpreter/Trace.js"
import * as FieldMask from "../../summary/conditions/FieldMask.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Erc20 from "../../token/Erc20.js"
import * as TokenBooks from "../../token/TokenBooks.js"
import type { TokenModel } from "../../token/TokenModel.js"
import * as VariableWriter from "../../token/VariableWriter.js"
import type { TransferGate } from "./TransferGate.js"

/**
 * A variable that transfers depend on through balanceOf(): for one of its values an account's balance reads as zero, so
 * the account has nothing to send. `decisive` says that on every path on which a transfer moves something, the variable
 * has the other value.
 */
export type IndirectTransferCondition = TransferGate

/**
 * The variables that balanceOf() looks at on the way to its answer, and transfers with it, in slices. Of
 * transfers no path is followed where there are several books.
 */
export function* of(model: TokenModel): Slices.Slices<ReadonlyArray<IndirectTransferCondition>> {
  const { code, flow, token } = model
  const slots = slotsLookedAt(flow, token)
  if (slots.size === 0) return []
  const tree = yield* code.paths(Selectors.functions.balanceOf)
  const found = hidingIn(tree, slots)
  if (found.length === 0) return []
  const paths = yield* model.sums()
  const isFollowed = paths.length > 0 && paths.every(({ trace }) => trace.complete)
  yield undefined
  const walks = paths.map((path) => ({ path, ways: waysIn(path) }))
  return found.flatMap((hiding): ReadonlyArray<IndirectTransferCondition> => {
    const { field, kind, passes, slot } = hiding
    const { hidden, setters } = VariableWriter.reaching(flow, token, hiding)
    const asked = walks.flatMap(({ path, ways }) => effectsOf(path, ways, token, hiding))
    if (setters.length === 0 || (isFollowed && asked.length === 0)) return []
    return [{ kind, slot, field, passes, setters, decisive: asked.includes("stops") && !hidden }]
  })
}

/**
 * Whether a transfer makes a call to the token itself, with an answer that may depend on a setting or fail; in slices.
 */
export function* isAskedFromOutside({ flow, sums, token }: TokenModel): Slices.Slices<boolean> {
  const isAsking = Erc20.transfers.some(({ selector }) =>
    Erc20.functionOf(flow, selector)?.calls.some(({ target }) => target.some(({ kind }) => kind === "self"))
  )
  if (!isAsking) return false
  const paths = yield* sums()
  const asked = paths.flatMap(({ trace }) =>
    trace.blocks.flatMap(({ events }) =>
      events.flatMap((event) =>
        event.kind === "call" && event.target.op === Opcodes.ADDRESS ? [event.input?.[0]] : []
      )
    )
  )
  return (
    asked.length === 0 ||
    paths.some(({ trace }) => !trace.complete) ||
    asked.some((name) => {
      const selector = name?.op === Kind.constant ? name.value >> 224n : undefined
      const candidate = flow.functions.find((one) => one.selector !== "fallback" && BigInt(one.selector) === selector)
      return (
        candidate === undefined ||
        candidate.calls.length > 0 ||
        candidate.reads.some(
          ({ slot }) => !TokenBooks.isBook(token, { slot, field: undefined }) && isSet(flow, token, slot)
        )
      )
    })
  )
}

const isSet = (flow: StorageFlow, token: TokenBooks.TokenBooks, slot: string): boolean =>
  VariableWriter.reaching(flow, token, { slot, field: undefined }).setters.length > 0

/** What balanceOf() and a transfer both read that is no part of the answer and that some function sets. */
const slotsLookedAt = (flow: StorageFlow, token: TokenBooks.TokenBooks): ReadonlySet<string> => {
  const getter = Erc20.functionOf(flow, Selectors.functions.balanceOf)
  const moved = new Set(
    Erc20.transfers.flatMap(({ selector }) => (Erc20.functionOf(flow, selector)?.reads ?? []).map(({ slot }) => slot))
  )
  return new Set(
    (getter?.reads ?? []).flatMap(({ slot }) =>
      moved.has(slot) && !token.balances.some((book) => book.slot === slot) && isSet(flow, token, slot) ? [slot] : []
    )
  )
}

/** A variable, or the entries of a mapping, with which balanceOf() answers with nothing. */
type Hiding = Omit<TransferGate, "setters" | "decisive">

/** Where a path ends, and what holds on it. */
interface Way {
  readonly end: "success" | "failure" | "open"
  readonly facts: PathFacts.PathFacts
  readonly events: ReadonlyArray<Event>
}

const waysIn = ({ parents, pool, trace }: PathTree.PathTree): ReadonlyArray<Way> => {
  const known = new Map<number, Omit<Way, "end">>()
  const ways: Array<Way> = []
  // Blocks come after their predecessors.
  for (const block of trace.blocks) {
    const parent = parents.get(block.index)
    const before = parent === undefined ? undefined : known.get(parent)
    const last = parent === undefined ? undefined : trace.blocks[parent]?.events.at(-1)
    const facts = before?.facts ?? PathFacts.none
    const own = {
      facts:
        last?.kind === "branch" ? PathFacts.assume(pool, facts, last.condition, last.taken === block.index) : facts,
      events: [...(before?.events ?? []), ...block.events]
    }
    known.set(block.index, own)
    if (block.successors.length === 0) ways.push({ ...own, end: block.end })
  }
  return ways
}

const hidingIn = (tree: PathTree.PathTree, slots: ReadonlySet<string>): ReadonlyArray<Hiding> => {
  if (!tree.trace.complete) return []
  const ways = waysIn(tree).filter(({ end }) => end === "success")
  const answers = ways.map(({ events }) => {
    const last = events.findLast((event) => event.kind === "return")
    return last === undefined ? undefined : onlyWord(last)
  })
  const found = new Map<string, Hiding>()
  for (const condition of conditionsOn(ways, tree)) {
    const asked = askedIn(tree, condition, slots)
    if (asked === undefined) continue
    for (const holds of [true, false]) {
      const [same, other] = [holds, !holds].map((truth) =>
        answers.filter((_, i) => PathFacts.decide(condition, ways[i]?.facts ?? PathFacts.none) === truth)
      )
      if (same === undefined || same.length === 0 || !same.every(isNothing) || other?.every(isNothing) !== false)
        continue
      const isTimed = condition.args.some(({ op }) => op === Opcodes.TIMESTAMP || op === Opcodes.NUMBER)
      const isAnswer = loadedField(condition) !== undefined
      const hiding: Hiding = {
        slot: asked.slot,
        field: asked.field,
        kind: isTimed ? "time" : asked.slot.includes("[") ? "list" : "flag",
        passes: isAnswer ? (holds ? "zero" : "nonzero") : undefined
      }
      found.set(JSON.stringify(hiding), hiding)
    }
  }
  return [...found.values()]
}

const isNothing = (word: Expression | undefined): boolean => word?.op === Kind.constant && word.value === 0n

const conditionsOn = (ways: ReadonlyArray<Way>, { pool }: PathTree.PathTree): ReadonlyArray<Expression> =>
  [...new Set(ways.flatMap(({ facts }) => facts.map((fact) => fact >> 1)))].map((id) => pool.get(id))

/** The one of some variables that a condition reads. */
const askedIn = (
  { locator }: PathTree.PathTree,
  condition: Expression,
  slots: ReadonlySet<string>
): FieldMask.Place | undefined => {
  const loaded = [condition, ...condition.args].flatMap((part) => loadedField(part) ?? [])
  const [first] = loaded
  const [location, ...others] = first === undefined ? [] : (locator.resolve(first.load.args[0]) ?? [])
  return location !== undefined && others.length === 0 && slots.has(location.id)
    ? { slot: location.id, field: first?.field }
    : undefined
}

/**
 * The effect of each condition of a transfer on such a variable. It `stops` the transfer where nothing moves on any
 * path with the value that hides the balance; paths without the condition may still move something.
 */
const effectsOf = (
  tree: PathTree.PathTree,
  ways: ReadonlyArray<Way>,
  token: TokenBooks.TokenBooks,
  { field, passes, slot }: Hiding
): ReadonlyArray<"stops" | "may stop"> => {
  const transfer = Erc20.transferOf(tree.selector)
  if (transfer === undefined) return []
  const { locator, pool } = tree
  const amount = Argument.at(pool, transfer.amount)
  const isBook = (place: Expression): boolean =>
    locator.resolve(place)?.some(({ id }) => token.balances.some((book) => book.slot === id)) ?? true
  const moving = ways.filter(
    ({ end, events, facts }) =>
      end !== "failure" &&
      PathFacts.decide(amount, facts) !== false &&
      events.some((event) => event.kind === "store" && isBook(event.slot))
  )
  return conditionsOn(ways, tree).flatMap((condition) => {
    const asked = askedIn(tree, condition, new Set([slot]))
    if (asked === undefined || !FieldMask.overlap(FieldMask.maskOf(asked.field), FieldMask.maskOf(field))) return []
    const truths = new Set(moving.map(({ facts }) => PathFacts.decide(condition, facts)))
    const isMet = [true, false].some(
      (truth) =>
        truths.has(truth) &&
        !truths.has(!truth) &&
        (loadedField(condition) === undefined || passes === undefined || truth === (passes === "nonzero"))
    )
    return [isMet ? "stops" : "may stop"]
  })
}
