/** @internal */

import * as Erc20 from "./Erc20.js"
import { type Expression, fold, Kind, maxWord, unmasked } from "./Expression.js"
import { Opcodes } from "./Opcodes.js"
import { type LoadedField, loadedField } from "./Origin.js"
import type { Place } from "./Overlap.js"
import type { PathTree } from "./PathTree.js"
import type * as Slices from "./Slices.js"
import * as TokenBooks from "./TokenBooks.js"
import type { BranchEvent, StoreEvent } from "./Trace.js"

/**
 * A variable that decides which transfers a tax is taken from whose rate is written into the code: a switch, a list of those
 * who are taxed, an account (a pool) that the sender or receiver is compared with, or a bound of the amount or of the time.
 * The tax is more than a tenth of what the transfers lose that it decides nothing of; below that the worst that it can do
 * is a fee that is usual.
 *
 * A list that spares accounts a tax which all others pay is none of these: at worst nobody is spared.
 *
 * @since 0.1.0
 * @category models
 */
export interface Levy extends Place {
  readonly kind: "flag" | "list"
  /** What it holds where nothing is taken, for a switch or an entry of a list. */
  readonly passes: "zero" | "nonzero" | undefined
}

/**
 * Reads them off the paths of transfers, in slices.
 *
 * @since 0.1.0
 * @category constructors
 */
export function* of(token: TokenBooks.TokenBooks, trees: ReadonlyArray<PathTree>): Slices.Slices<ReadonlyArray<Levy>> {
  const [balances] = token.balances
  if (balances === undefined || token.balances.length > 1) return []
  const found = new Map<string, Levy>()
  for (const tree of trees) {
    const transfer = Erc20.transfers.find(({ selector }) => selector === tree.selector)
    if (transfer !== undefined)
      for (const levy of ofTree(tree, transfer, token, balances.slot)) found.set(keyOf(levy), levy)
    yield undefined
  }
  return [...found.values()]
}

const keyOf = ({ field, kind, slot }: Place & Pick<Levy, "kind">): string => JSON.stringify([kind, slot, field])

/**
 * The part of an amount, in basis points, from which on it matters who is taxed.
 *
 * @since 0.1.0
 * @category models
 */
export const usual = 1_000

/**
 * A question that a path asked of a variable, and whether the answer was other than what nobody has set; of a bound that all
 * accounts have in common, or of an account's own, whether it is true.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answer extends Place {
  readonly kind: "flag" | "list" | "account" | "bound" | "own bound"
  readonly isSet: boolean
}

interface Answers {
  readonly answer: Answer
  readonly before: Answers | undefined
}

/** What a path did until a block ended: what the receiver was given, none where that depends on more than the amount. */
interface Progress {
  readonly given: bigint | undefined
  readonly isGiving: boolean
  readonly answers: Answers | undefined
}

/**
 * Reads the conditions on the paths of a transfer as questions of variables.
 *
 * @since 0.1.0
 * @category constructors
 */
export const answersIn = (
  { locator }: Pick<PathTree, "locator">,
  transfer: Erc20.Transfer,
  token: TokenBooks.TokenBooks
): ((condition: Expression, holds: boolean) => Answer | undefined) => {
  const isParty = (what: Expression): boolean => {
    const bare = unmasked(what)
    return bare.op === Opcodes.CALLER || (isArgument(bare) && !isArgument(bare, transfer.amount))
  }
  const locate = (load: Expression) => {
    const [location, ...others] = locator.resolve(load.args[0] as Expression) ?? []
    return others.length > 0 ? undefined : location
  }
  return (condition, holds) => {
    const asked = askedIn(condition, holds)
    const location = asked === undefined ? undefined : locate(asked.load)
    if (asked === undefined || location === undefined || location.indices.length > 0) return undefined
    const place = { slot: location.id, field: asked.field }
    if (TokenBooks.isBook(token, place)) return undefined
    if (asked.isBound) {
      if (location.keys.length === 0) return { ...place, kind: "bound", isSet: asked.isSet }
      return location.keys.some(isParty) ? { ...place, kind: "own bound", isSet: asked.isSet } : undefined
    }
    if (asked.other !== undefined)
      return isParty(asked.other) && location.keys.length === 0
        ? { ...place, kind: "account", isSet: asked.isSet }
        : undefined
    if (location.keys.length === 0) return { ...place, kind: "flag", isSet: asked.isSet }
    return location.keys.some(isParty) ? { ...place, kind: "list", isSet: asked.isSet } : undefined
  }
}

const ofTree = (
  tree: PathTree,
  transfer: Erc20.Transfer,
  token: TokenBooks.TokenBooks,
  balances: string
): ReadonlyArray<Levy> => {
  const { locator, parents, trace } = tree
  const answerOf = answersIn(tree, transfer, token)
  const givenBy = (event: StoreEvent): bigint | undefined | "nothing" => {
    const locations = locator.resolve(event.slot) ?? []
    const isReceiver = ({ id, keys }: (typeof locations)[number]): boolean =>
      id === balances && keys.some((key) => isArgument(unmasked(key), transfer.receiver))
    return locations.some(isReceiver) ? addedBy(event, transfer.amount) : "nothing"
  }

  const progress: Array<Progress> = []
  const paths: Array<Path> = []
  for (const block of trace.blocks) {
    const parent = parents.get(block.index)
    let { answers, given, isGiving } = (parent === undefined ? undefined : progress[parent]) ?? atStart
    const branch = trace.blocks[parent ?? -1]?.events.find((event): event is BranchEvent => event.kind === "branch")
    if (branch !== undefined && branch.taken !== branch.passed) {
      const answer = answerOf(branch.condition, branch.taken === block.index)
      if (answer !== undefined) answers = { answer, before: answers }
    }
    for (const event of block.events) {
      const added = event.kind === "store" ? givenBy(event) : "nothing"
      if (added === "nothing") continue
      isGiving = true
      given = added === undefined || given === undefined ? undefined : given + added
    }
    progress[block.index] = { given, isGiving, answers }
    if (block.end !== "success" || block.successors.size > 0 || !isGiving || given === undefined) continue
    const tax = given >= sample ? 0 : Number(((sample - given) * 10_000n) / sample)
    paths.push({ tax, answers: listed(answers) })
  }
  return levies(paths)
}

const atStart: Progress = { given: 0n, isGiving: false, answers: undefined }

const listed = (last: Answers | undefined): ReadonlyArray<Answer> => {
  const found: Array<Answer> = []
  for (let at = last; at !== undefined; at = at.before) found.push(at.answer)
  return found
}

interface Path {
  readonly tax: number
  readonly answers: ReadonlyArray<Answer>
}

const levies = (paths: ReadonlyArray<Path>): ReadonlyArray<Levy> => {
  if (paths.every(({ tax }) => tax <= usual)) return []
  const asked = new Map(paths.flatMap(({ answers }) => answers.map((answer) => [placeOf(answer), answer] as const)))
  return [...asked].flatMap(([key, { field, kind, slot }]): ReadonlyArray<Levy> => {
    const most = (accept: (path: Path) => boolean): number =>
      paths.reduce((highest, path) => (accept(path) ? Math.max(highest, path.tax) : highest), 0)
    const isSaid =
      (isSet: boolean) =>
      ({ answers }: Path): boolean =>
        answers.some((answer) => answer.isSet === isSet && placeOf(answer) === key)
    const [isOn, isOff] = [isSaid(true), isSaid(false)]
    if (kind === "bound" || kind === "own bound")
      return Math.abs(most(isOn) - most(isOff)) > usual
        ? [{ kind: kind === "bound" ? "flag" : "list", slot, field, passes: undefined }]
        : []
    // What is not on any list pays what all pay; who is may be asked for the sender and for the receiver, one of them is enough.
    const unset = most((path) => !isOn(path))
    const set = most(kind === "flag" ? (path) => !isOff(path) : isOn)
    if (set - unset > usual)
      return [{ kind: kind === "flag" ? "flag" : "list", slot, field, passes: kind === "account" ? undefined : "zero" }]
    return kind === "flag" && unset - set > usual ? [{ kind, slot, field, passes: "nonzero" }] : []
  })
}

const placeOf = ({ field, kind, slot }: Omit<Answer, "isSet">): string => JSON.stringify([kind, slot, field])

/**
 * Any amount does that is larger than the parts it is divided into and that no usual factor makes wrap.
 *
 * @since 0.1.0
 * @category models
 */
export const sample = 10n ** 30n

/** What a store adds to what was there, were the amount of the transfer the sample. */
const addedBy = ({ current, value }: StoreEvent, amount: number): bigint | undefined => {
  let isOld = false
  let sum = 0n
  const pending = [value]
  for (let what = pending.pop(); what !== undefined; what = pending.pop()) {
    if (what === current && !isOld) isOld = true
    else if (what.op === Opcodes.ADD) pending.push(...what.args)
    else {
      const part = valueOf(what, amount, 0)
      if (part === undefined) return undefined
      sum = (sum + part) & maxWord
    }
  }
  return isOld ? sum : undefined
}

const valueOf = (what: Expression, amount: number, depth: number): bigint | undefined => {
  if (what.op === Kind.constant) return what.value
  if (isArgument(what, amount)) return sample
  const [left, right] = what.args
  if (left === undefined || right === undefined || depth > 24) return undefined
  if (!scaling.has(what.op)) return undefined
  const a = valueOf(left, amount, depth + 1)
  const b = a === undefined ? undefined : valueOf(right, amount, depth + 1)
  return a === undefined || b === undefined ? undefined : fold(what.op, a, b)
}

// What a comparison answers for the sample it need not answer for other amounts.
const scaling: ReadonlySet<number> = new Set([
  Opcodes.ADD,
  Opcodes.SUB,
  Opcodes.MUL,
  Opcodes.DIV,
  Opcodes.MOD,
  Opcodes.AND,
  Opcodes.SHR,
  Opcodes.SHL
])

/**
 * Whether a formula is an argument of the call, or the one of some number.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isArgument = ({ args: [at], op }: Expression, index?: number): boolean =>
  op === Opcodes.CALLDATALOAD &&
  (index === undefined || (at?.op === Kind.constant && at.value === BigInt(4 + 32 * index)))

interface Asked extends Pick<LoadedField, "load" | "field"> {
  readonly other: Expression | undefined
  readonly isBound?: true
  readonly isSet: boolean
}

/** The variable that a condition asks yes or no, or compares with `other`, and whether it is the former or equal. */
const askedIn = (condition: Expression, holds: boolean): Asked | undefined => {
  const [a, b] = condition.args
  if (condition.op === Opcodes.ISZERO && a !== undefined) return askedIn(a, !holds)
  const asked = loadedField(condition)
  if (asked !== undefined) return { load: asked.load, field: asked.field, other: undefined, isSet: holds }
  if (a === undefined || b === undefined) return undefined
  const isEqual = condition.op === Opcodes.EQ ? holds : !holds
  switch (condition.op) {
    case Opcodes.EQ:
    case Opcodes.SUB:
    case Opcodes.XOR: {
      for (const [side, other] of [
        [a, b],
        [b, a]
      ] as const) {
        const loaded = loadedField(side)
        if (loaded === undefined) continue
        const { field, load } = loaded
        if (other.op !== Kind.constant) return { load, field, other, isSet: isEqual }
        return { load, field, other: undefined, isSet: other.value === 0n ? !isEqual : isEqual }
      }
      return undefined
    }
    case Opcodes.LT: {
      const [left, right] = [loadedField(a), loadedField(b)]
      const only = left === undefined ? right : right === undefined ? left : undefined
      if (only === undefined) return undefined
      const { field, load } = only
      if (a.op === Kind.constant) return { load, field, other: undefined, isSet: holds }
      if (b.op === Kind.constant) return { load, field, other: undefined, isSet: !holds }
      // A bound of the amount or of the time.
      return { load, field, other: undefined, isBound: true, isSet: holds }
    }
    default:
      return undefined
  }
}
