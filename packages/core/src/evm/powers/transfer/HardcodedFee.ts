/** @internal */

import * as Slices from "../../../runtime/Slices.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Argument from "../../expression/Argument.js"
import { type Expression, fold, innerOf, Kind, type Load, maxWord, unmasked } from "../../expression/Expression.js"
import * as SampledForm from "../../expression/SampledForm.js"
import { type LoadedField, loadedField } from "../../expression/ValueSource.js"
import type { Variable } from "../../expression/Variable.js"
import type { PathTree } from "../../interpreter/PathTree.js"
import type { BranchEvent, StoreEvent } from "../../interpreter/Trace.js"
import type { Place } from "../../summary/conditions/FieldMask.js"
import * as Erc20 from "../../token/Erc20.js"
import * as KeptNumber from "../../token/KeptNumber.js"
import * as TokenBooks from "../../token/TokenBooks.js"
import type { TokenModel } from "../../token/TokenModel.js"

/**
 * A variable that decides which transfers pay a tax with a hard-coded rate: a switch, a list of taxed accounts, an
 * account (a pool) that the sender or receiver is compared with, or a bound of the amount or of the time. It takes more
 * than a tenth above what other transfers pay; less is a usual fee at worst.
 *
 * A list of exemptions counts too: while a pool is exempt, nobody pays who trades there, and the exemption can end.
 */
export interface HardcodedFee extends Place {
  readonly kind: "flag" | "list"
  /** Its value where nothing is taken. An entry that exempts an account is not zero. */
  readonly passes: "zero" | "nonzero" | undefined
  /** False where it is only one part of a condition with unknown other parts, or where the rate is unknown. */
  readonly decisive: boolean
}

/**
 * The variables that decide the fee. `untold` says that something else may decide it too: another contract's answer, an
 * unknown slot, or balances and supply of the token.
 */
export interface Levies {
  readonly levies: ReadonlyArray<HardcodedFee>
  readonly untold: boolean
}

/** Reads them off the paths of transfers, in slices, once of a model. */
export const of = Slices.oncePer(read)

function* read(model: TokenModel): Slices.Slices<Levies> {
  const { token } = model
  const trees = yield* model.sums()
  const [balances] = token.balances
  if (balances === undefined || token.balances.length > 1) return { levies: [], untold: false }
  const found = new Map<string, HardcodedFee>()
  let untold = false
  for (const tree of trees) {
    const transfer = Erc20.transferOf(tree.selector)
    if (transfer !== undefined) {
      const own = yield* ofTree(tree, transfer, token, balances)
      untold ||= own.untold
      for (const levy of own.levies) if (levy.decisive || !found.has(keyOf(levy))) found.set(keyOf(levy), levy)
    }
    yield undefined
  }
  const levies = [...found.values()]
  const isDecided = (one: HardcodedFee): boolean =>
    levies.some(
      (levy) => levy.decisive && levy.slot === one.slot && JSON.stringify(levy.field) === JSON.stringify(one.field)
    )
  return { levies: levies.filter((levy) => levy.decisive || !isDecided(levy)), untold }
}

const keyOf = ({ field, kind, slot }: Place & Pick<HardcodedFee, "kind">): string => JSON.stringify([kind, slot, field])

/** The part of an amount, in basis points, from which on it matters who is taxed. */
export const usual = 1_000

/**
 * A condition on a variable that a path passed, and whether the variable had another value than its default. For a
 * bound, common to all accounts or of one account: whether it holds.
 */
export interface Answer extends Place {
  readonly kind: "flag" | "list" | "account" | "bound" | "own bound"
  readonly isSet: boolean
}

/** The conditions of a path, latest first; without an answer where the variable is unknown. */
interface Questions {
  readonly condition: Expression
  readonly holds: boolean
  readonly answer: Answer | undefined
  readonly before: Questions | undefined
}

/**
 * What a path did until a block ended: what the receiver was given, or where that depends on more than the amount, on what it
 * does.
 */
interface Progress {
  readonly given: bigint | undefined
  readonly left: ReadonlyArray<string>
  readonly isGiving: boolean
  readonly questions: Questions | undefined
}

/** Reads the conditions on the paths of a transfer as questions of variables. */
export const answersIn = (
  { locator }: Pick<PathTree, "locator">,
  transfer: Erc20.Transfer,
  token: TokenBooks.TokenBooks
): ((condition: Expression, holds: boolean) => Answer | undefined) => {
  const isParty = (what: Expression): boolean => {
    const bare = unmasked(what)
    return (
      bare.op === Opcodes.CALLER ||
      bare.op === Opcodes.ORIGIN ||
      (Argument.is(bare) && !Argument.isAt(bare, transfer.amount))
    )
  }
  const locate = (load: Load) => {
    const [location, ...others] = locator.resolve(load.args[0]) ?? []
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

function* ofTree(
  tree: PathTree,
  transfer: Erc20.Transfer,
  token: TokenBooks.TokenBooks,
  balances: Variable
): Slices.Slices<Levies> {
  const work = Slices.makeWork()
  const { locator, parents, pool, trace } = tree
  const answerOf = answersIn(tree, transfer, token)
  const formOf = SampledForm.makeReader(locator)
  const book = BigInt(balances.mask)
  const addedBy = makeReader(transfer.amount, scalingsIn(tree, token), book)
  const isGiven = ({ slot }: StoreEvent): boolean =>
    (locator.resolve(slot) ?? []).some(
      ({ id, keys }) => id === balances.slot && keys.some((key) => Argument.isAt(unmasked(key), transfer.receiver))
    )

  const progress: Array<Progress> = []
  const paths: Array<Path> = []
  for (const block of trace.blocks) {
    if (work.isDue(1)) yield undefined
    const parent = parents.get(block.index)
    let { given, isGiving, left, questions } = (parent === undefined ? undefined : progress[parent]) ?? atStart
    const branch = trace.blocks[parent ?? -1]?.events.find((event): event is BranchEvent => event.kind === "branch")
    if (branch !== undefined && branch.taken !== branch.passed) {
      const { condition, taken } = branch
      const holds = taken === block.index
      questions = { condition, holds, answer: answerOf(condition, holds), before: questions }
    }
    for (const event of block.events) {
      if (event.kind !== "store" || !isGiven(event)) continue
      const number = KeptNumber.of(pool, event, book)
      if (number === undefined) continue
      const added = addedBy(event.slot, number, !isGiving)
      isGiving = true
      if (added === undefined) left = [...left, formOf(number.after)]
      given = added === undefined || given === undefined ? undefined : (given + added) & maxWord
    }
    progress[block.index] = { given, left, isGiving, questions }
    if (block.end !== "success" || block.successors.length > 0 || !isGiving) continue
    paths.push({ given, left: left.join(), questions: listed(questions) })
  }
  yield undefined
  // What is more than any sum of amounts is a difference below nothing, with which transfers revert.
  const told = paths.flatMap(({ given }) => (given === undefined || given >> 255n === 1n ? [] : [given]))
  // Balances in shares are credited in shares, and no credit exceeds the total.
  const all = token.scalings.length === 0 ? sample : told.reduce((most, one) => (one > most ? one : most), 0n)
  return leviesOf(paths, all, (condition) => asideOf(tree, transfer, token, condition))
}

const atStart: Progress = { given: 0n, left: [], isGiving: false, questions: undefined }

/** Whether something is read that all balances are multiplied or divided with. */
const scalingsIn =
  ({ locator }: Pick<PathTree, "locator">, token: TokenBooks.TokenBooks) =>
  (load: Load): boolean => {
    if (token.scalings.length === 0) return false
    const [location, ...others] = locator.resolve(load.args[0]) ?? []
    return (
      location !== undefined &&
      others.length === 0 &&
      [...token.scalings, ...token.supply].some(({ slot }) => slot === location.id)
    )
  }

const listed = (last: Questions | undefined): ReadonlyArray<Omit<Questions, "before">> => {
  const found: Array<Questions> = []
  for (let at = last; at !== undefined; at = at.before) found.push(at)
  return found
}

/** A path on which the receiver is given something: how much, unless only what goes into that is known. */
interface Path {
  readonly given: bigint | undefined
  readonly left: string
  readonly questions: ReadonlyArray<Omit<Questions, "before">>
}

/** What decides a question that is none of one variable. */
interface Aside {
  readonly places: ReadonlyArray<Place & { readonly isOfParty: boolean }>
  readonly untold: boolean
}

const leviesOf = (paths: ReadonlyArray<Path>, all: bigint, asideOf: (condition: Expression) => Aside): Levies => {
  const taxOf = ({ given }: Path): number | undefined =>
    given === undefined ? undefined : given >= all ? 0 : Number(((all - given) * 10_000n) / all)
  const taxes = new Map(paths.map((path) => [path, taxOf(path)]))
  if (paths.every((path) => (taxes.get(path) ?? 10_000) <= usual)) return { levies: [], untold: false }
  const most = (some: ReadonlyArray<Path>): number =>
    some.reduce((highest, path) => Math.max(highest, taxes.get(path) ?? 0), 0)
  /**
   * Whether some paths may take more than others; always where the amount depends on a value that only these paths
   * read.
   */
  const isMore = (some: ReadonlyArray<Path>, others: ReadonlyArray<Path>): boolean => {
    if (some.length === 0 || others.length === 0) return false
    const usualOf = new Set(others.map(({ left }) => left))
    const highest = some.some((path) => taxes.get(path) === undefined && !usualOf.has(path.left)) ? 10_000 : most(some)
    return highest - most(others) > usual
  }
  const found: Array<HardcodedFee> = []
  const asked = new Map(
    paths.flatMap(({ questions }) =>
      questions.flatMap(({ answer }) => (answer === undefined ? [] : [[placeOf(answer), answer] as const]))
    )
  )
  const isSaid =
    (key: string, isSet: boolean) =>
    ({ questions }: Path): boolean =>
      questions.some(({ answer }) => answer !== undefined && answer.isSet === isSet && placeOf(answer) === key)
  const nameOf = ({ field, kind, slot }: Answer): Pick<HardcodedFee, "kind" | keyof Place> => ({
    kind: kind === "flag" || kind === "bound" ? "flag" : "list",
    slot,
    field
  })
  for (const [key, answer] of asked) {
    const { kind } = answer
    const [isOn, isOff] = [isSaid(key, true), isSaid(key, false)]
    const [on, off] = [paths.filter(isOn), paths.filter(isOff)]
    const name = nameOf(answer)
    if (kind === "bound" || kind === "own bound") {
      if (Math.abs(most(on) - most(off)) > usual) found.push({ ...name, passes: undefined, decisive: true })
      else if (isMore(on, off) || isMore(off, on)) found.push({ ...name, passes: undefined, decisive: false })
      continue
    }
    // A list may be checked for the sender and for the receiver; one hit is enough.
    const unset = paths.filter((path) => !isOn(path))
    const set = kind === "flag" ? paths.filter((path) => !isOff(path)) : on
    const passes = kind === "account" ? undefined : "zero"
    if (most(set) - most(unset) > usual) found.push({ ...name, passes, decisive: true })
    else if (set.length > 0 && most(unset) - most(set) > usual)
      found.push({ ...name, passes: "nonzero", decisive: true })
    else if (isMore(set, unset)) found.push({ ...name, passes, decisive: false })
    else if (isMore(kind === "flag" ? off : unset, kind === "flag" ? on : set))
      found.push({ ...name, passes: "nonzero", decisive: false })
  }
  // Several variables together may take more than each alone.
  const isTold = ({ field, slot }: Place): boolean =>
    found.some((levy) => levy.slot === slot && JSON.stringify(levy.field) === JSON.stringify(field))
  const others = paths.filter(({ questions }) =>
    questions.every(({ answer }) => answer === undefined || !answer.isSet || !isTold(answer))
  )
  const least = others.reduce((lowest, path) => Math.min(lowest, taxes.get(path) ?? lowest), 10_000)
  if (most(others) - least > usual)
    for (const [key, answer] of asked) {
      const [on, off] = [others.filter(isSaid(key, true)), others.filter(isSaid(key, false))]
      if (!isTold(answer) && most(on) !== most(off))
        found.push({ ...nameOf(answer), passes: undefined, decisive: false })
    }
  let untold = false
  const unanswered = new Map<Expression, readonly [holding: Array<Path>, failing: Array<Path>]>()
  for (const path of paths)
    for (const { answer, condition, holds } of path.questions) {
      if (answer !== undefined) continue
      const sides = unanswered.get(condition) ?? ([[], []] as const)
      unanswered.set(condition, sides)
      sides[holds ? 0 : 1].push(path)
    }
  for (const [condition, [holding, failing]] of unanswered) {
    if (!isMore(holding, failing) && !isMore(failing, holding)) continue
    const aside = asideOf(condition)
    untold ||= aside.untold
    for (const { field, isOfParty, slot } of aside.places)
      found.push({ kind: isOfParty ? "list" : "flag", slot, field, passes: undefined, decisive: false })
  }
  return { levies: found, untold }
}

/** All that is read for a question, and which entries of what; that one of the parties has code or ether is up to it. */
const asideOf = (
  { locator }: Pick<PathTree, "locator">,
  transfer: Erc20.Transfer,
  token: TokenBooks.TokenBooks,
  condition: Expression
): Aside => {
  const places: Array<Aside["places"][number]> = []
  let untold = false
  const isParty = (what: Expression): boolean => {
    const bare = unmasked(what)
    return (
      bare.op === Opcodes.CALLER ||
      bare.op === Opcodes.ORIGIN ||
      (Argument.is(bare) && !Argument.isAt(bare, transfer.amount))
    )
  }
  const seen = new Set([condition])
  for (const what of seen) {
    if (seen.size > maxParts) return { places, untold: true }
    const loaded = loadedField(what)
    if (loaded === undefined) {
      if (what.op === Kind.unknown && what.detail.kind !== "party") untold = true
      for (const part of innerOf(what)) seen.add(part)
      continue
    }
    const slot = loaded.load.args[0]
    const locations = locator.resolve(slot)
    if (locations === undefined) untold = true
    for (const { id, keys } of locations ?? []) {
      const place = { slot: id, field: loaded.field }
      if (!TokenBooks.isBook(token, place)) places.push({ ...place, isOfParty: keys.some(isParty) })
      // Balances of other accounts and the supply change with the actions of others.
      else if (!keys.some(isParty)) untold = true
    }
    seen.add(slot)
  }
  return { places, untold }
}

const maxParts = 256

const placeOf = ({ field, kind, slot }: Omit<Answer, "isSet">): string => JSON.stringify([kind, slot, field])

/** Any amount does that is larger than the parts it is divided into and that no usual factor makes wrap. */
export const sample = 10n ** 30n

/**
 * Computes what a store adds to the old value if the amount of the transfer is the sample. A decrease is a negative
 * number as a word.
 */
const makeReader = (
  amount: number,
  isScaling: (load: Load) => boolean,
  book: bigint
): ((slot: Expression, number: KeptNumber.KeptNumber, isFirst: boolean) => bigint | undefined) => {
  // Shared parts are evaluated once.
  const values = new Map<Expression, bigint | undefined>()
  const valueOf = (formula: Expression): bigint | undefined => {
    for (const part of partsOf(formula, scaling)?.reverse() ?? [])
      if (!values.has(part)) values.set(part, sampledIn(part, values, amount, isScaling))
    return values.get(formula)
  }
  return (slot, { after, before }, isFirst) => {
    const parts = partsOf(after, summing)
    if (parts === undefined) return undefined
    let olds = 0n
    let sum = 0n
    // How often something is added, less how often it is taken off.
    const times = new Map([[after, 1n]])
    const add = (what: Expression, often: bigint): void => {
      times.set(what, ((times.get(what) ?? 0n) + often) & maxWord)
    }
    for (const what of parts) {
      const often = times.get(what) ?? 0n
      if (often === 0n) continue
      // The old value is often loaded before another write.
      const isCurrent = what === before || (isFirst && KeptNumber.isAt(what, slot, book))
      if (isCurrent) olds = (olds + often) & maxWord
      else if (what.op === Opcodes.ADD || what.op === Opcodes.SUB) {
        add(what.args[0], often)
        add(what.args[1], what.op === Opcodes.ADD ? often : -often)
      } else {
        const part = valueOf(what)
        if (part === undefined) return undefined
        sum = (sum + often * part) & maxWord
      }
    }
    return olds === 1n ? sum : undefined
  }
}

/** What goes into a formula by some operations, whatever is made of something before that, unless that is too much. */
const partsOf = (formula: Expression, operations: ReadonlySet<number>): Array<Expression> | undefined => {
  const seen = new Set([formula])
  for (const { args, op } of seen) {
    if (seen.size > maxParts) return undefined
    if (operations.has(op)) for (const part of args) seen.add(part)
  }
  return [...seen].sort((one, other) => other.id - one.id)
}

const sampledIn = (
  what: Expression,
  values: ReadonlyMap<Expression, bigint | undefined>,
  amount: number,
  isScaling: (load: Load) => boolean
): bigint | undefined => {
  if (what.op === Kind.constant) return what.value
  if (Argument.isAt(what, amount)) return sample
  // Any number does that shares are worth: it goes into what all are given.
  if (what.op === Opcodes.SLOAD) return isScaling(what) ? sample : undefined
  if (!scaling.has(what.op)) return undefined
  const [a, b] = what.args.map((part) => values.get(part))
  return a === undefined || b === undefined ? undefined : fold(what.op, a, b)
}

const summing: ReadonlySet<number> = new Set([Opcodes.ADD, Opcodes.SUB])

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

interface Asked extends Pick<LoadedField, "load" | "field"> {
  readonly other: Expression | undefined
  readonly isBound?: true
  readonly isSet: boolean
}

/** The variable that a condition tests for zero or compares with `other`, and whether it is not zero or equal. */
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
