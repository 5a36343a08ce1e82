import type { Hex } from "../domain/Hex.js"
import type { Conservation } from "./Conservation.js"
import type { Guard } from "./Guard.js"
import { type Field, fieldOf, type Origin, unique } from "./Origin.js"
import type { Condition, Loaded, Requirement, Side } from "./Requirement.js"
import * as Selectors from "./Selectors.js"
import {
  type Change,
  type FunctionFlow,
  functionAt,
  type Gap,
  type StorageFlow,
  type Variable,
  type Write
} from "./StorageFlow.js"

/**
 * The variables of an ERC-20 token, by what its standard getters answer with.
 *
 * `supply` is what totalSupply() answers, `balances` and `allowances` are the mappings that balanceOf() and allowance()
 * ask with their arguments, `scalings` is what balanceOf() computes with besides (an index or rate, in rebasing tokens).
 * `external` says that one of them asks another contract, so that the books are kept elsewhere.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenFlow {
  readonly supply: ReadonlyArray<Variable>
  readonly balances: ReadonlyArray<Variable>
  readonly allowances: ReadonlyArray<Variable>
  readonly scalings: ReadonlyArray<Variable>
  readonly external: boolean
}

/**
 * Finds the variables of a token; all lists are empty for code that has no such getters.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = (flow: StorageFlow): TokenFlow => {
  const ofSupply = functionOf(flow, Selectors.functions.totalSupply)
  const ofBalance = functionOf(flow, Selectors.functions.balanceOf)
  const ofAllowance = functionOf(flow, Selectors.functions.allowance)
  const balances = variablesOf(ofBalance, (keys) => asks(keys, 1))
  return {
    supply: variablesOf(ofSupply, () => true).filter((variable) => !isOneOf(balances, variable.slot, variable.mask)),
    balances,
    allowances: variablesOf(ofAllowance, (keys) => asks(keys, 2)),
    scalings: variablesOf(ofBalance, (keys) => !asks(keys, 1)),
    external: [ofSupply, ofBalance].some((getter) =>
      getter?.calls.some((call) => call.kind !== "delegatecall" || call.target.some((target) => target.kind !== "self"))
    )
  }
}

const functionOf = (flow: StorageFlow, selector: Hex): FunctionFlow | undefined =>
  flow.functions.find((candidate) => candidate.selector === selector)

/** What a getter answers with; what it only looks at on the way (is the account excluded?) is not part of it. */
const variablesOf = (
  getter: FunctionFlow | undefined,
  accept: (keys: ReadonlyArray<Origin>) => boolean
): ReadonlyArray<Variable> => {
  if (getter === undefined) return []
  const accepted = new Set(getter.reads.filter((read) => accept(read.keys)).map((read) => read.slot))
  // Where the answer itself could not be read, everything that was looked at may be in it.
  const answered =
    getter.returns ?? (getter.calls.length > 0 ? [] : [...accepted].map((slot) => ({ slot, mask: wholeWord })))
  return answered.filter((variable) => accepted.has(variable.slot))
}

const wholeWord: Hex = `0x${"f".repeat(64)}`

/** Whether bits of a slot are among those of some variables. */
const isOneOf = (variables: ReadonlyArray<Variable>, slot: string, mask: Hex): boolean =>
  variables.some((variable) => variable.slot === slot && (BigInt(variable.mask) & BigInt(mask)) !== 0n)

/**
 * Whether a write is one to the balances of a token.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isOfBalances = ({ balances }: TokenFlow, { mask, slot }: Pick<Write, "mask" | "slot">): boolean =>
  isOneOf(balances, slot, mask)

const asks = (keys: ReadonlyArray<Origin>, count: number): boolean =>
  new Set(
    keys.flatMap((key) => (key.kind === "argument" && key.index !== undefined && key.index < count ? [key.index] : []))
  ).size === count

/**
 * The functions every ERC-20 token has, in which balances and allowances are expected to move.
 *
 * @see https://eips.ethereum.org/EIPS/eip-20
 * @since 0.1.0
 * @category models
 */
export const standardSelectors: ReadonlySet<string> = new Set<string>([
  Selectors.functions.transfer,
  Selectors.functions.transferFrom,
  Selectors.functions.approve,
  Selectors.functions.increaseAllowance,
  Selectors.functions.decreaseAllowance,
  Selectors.functions.permit
])

const transferSelectors: ReadonlySet<string> = new Set<string>([
  Selectors.functions.transfer,
  Selectors.functions.transferFrom
])

/**
 * A function that can make more tokens.
 *
 * `certain`: it raises the supply, or a balance without taking as much off another one, by an amount that does not come
 * from the token's own books. Otherwise it writes one of them in a way that may raise it.
 *
 * @since 0.1.0
 * @category models
 */
export interface MintWriter {
  readonly selector: Hex | "fallback"
  readonly certain: boolean
  readonly writes: ReadonlyArray<Write>
  readonly amount: ReadonlyArray<Origin>
  readonly guards: ReadonlyArray<Guard>
  /** Somebody appointed has to call it, as `guards` say; otherwise anybody may who meets its other conditions. */
  readonly privileged: boolean
  /** Nothing is asked of whoever calls it, nothing is paid, and the caller says how much. */
  readonly free: boolean
  /** Variables that it both asks and sets, as functions do that work once (initializers); what they hold decides. */
  readonly latches: ReadonlyArray<Latch>
}

/**
 * A variable that a function asks before it goes on and sets itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface Latch {
  readonly slot: string
  readonly field: Field | undefined
}

/**
 * The functions besides transfers that can make more tokens. Burning is told from minting by the direction of the
 * arithmetic, never by a name.
 *
 * @since 0.1.0
 * @category combinators
 */
export const mintWriters = (flow: StorageFlow, token: TokenFlow = of(flow)): ReadonlyArray<MintWriter> =>
  flow.functions.flatMap((candidate): ReadonlyArray<MintWriter> => {
    if (transferSelectors.has(candidate.selector)) return []
    // With two books (reflection tokens) an account may be debited in one and another credited in the other.
    const moves =
      token.balances.length > 1 &&
      candidate.writes.some(
        (write) => write.change.kind === "decrease" && isOneOf(token.balances, write.slot, write.mask)
      )
    const graded = candidate.writes.map((write) => {
      const grade = gradeOfMint(write, token)
      return [write, grade === "certain" && moves ? "possible" : grade] as const
    })
    const certain = graded.filter(([, grade]) => grade === "certain").map(([write]) => write)
    const writes =
      certain.length > 0 ? certain : graded.filter(([, grade]) => grade === "possible").map(([write]) => write)
    if (writes.length === 0) return []
    const guards = privilegesOf(flow, token, writes)
    const amount = unique(writes.flatMap((write) => write.change.amount))
    return [
      {
        selector: candidate.selector,
        certain: certain.length > 0,
        writes,
        amount,
        guards,
        privileged: guards.length > 0,
        free:
          guards.length === 0 &&
          isFree(candidate, token) &&
          amount.some((origin) => origin.kind === "argument") &&
          !amount.some((origin) => origin.kind === "value"),
        latches: latchesOf(candidate, token)
      }
    ]
  })

/**
 * A variable by which a function that makes tokens for whoever pays works out how many, and a function by which somebody
 * appointed says what it is: at the price of nothing he makes any number himself.
 *
 * @since 0.1.0
 * @category models
 */
export interface MintPrice {
  readonly slot: string
  readonly field: Field | undefined
  readonly setter: Setter
}

/**
 * The prices at which tokens are made.
 *
 * @since 0.1.0
 * @category combinators
 */
export const mintPrices = (flow: StorageFlow, token: TokenFlow = of(flow)): ReadonlyArray<MintPrice> =>
  unique(
    mintWriters(flow, token)
      .filter((writer) => writer.certain && !writer.privileged)
      .flatMap(({ writes }) => writes)
      .filter(({ change }) => change.amount.some((origin) => origin.kind === "value"))
      .flatMap(({ change }) => change.sources)
      .filter((source) => !source.slot.includes("[") && !isOneOf(booksOf(token), source.slot, source.mask))
  ).flatMap(({ mask, slot }) => {
    const field = fieldOf(BigInt(mask))
    return settersOf(flow, token, slot, field)
      .filter(({ privileged, writes }) => privileged && writes.some(isChosen))
      .map((setter): MintPrice => ({ slot, field, setter }))
  })

const isChosen = ({ change, lasts }: Write): boolean =>
  lasts && change.kind === "set" && change.amount.some((origin) => origin.kind === "argument")

const booksOf = (token: TokenFlow): ReadonlyArray<Variable> => [
  ...token.supply,
  ...token.balances,
  ...token.allowances,
  ...token.scalings
]

/**
 * The conditions about the caller of some writes that are about who was appointed. Where they are ways to be let through,
 * all of them have to be.
 */
const privilegesOf = (flow: StorageFlow, token: TokenFlow, writes: ReadonlyArray<Write>): ReadonlyArray<Guard> =>
  unique(writes.flatMap((write) => privilegesAt(flow, token, write)))

/**
 * The conditions about the caller of a write or call that are about who was appointed; none where it can be reached past
 * them.
 *
 * @since 0.1.0
 * @category combinators
 */
export const privilegesAt = (
  flow: StorageFlow,
  token: TokenFlow,
  { guards, shut }: Pick<Write, "guards" | "shut">
): ReadonlyArray<Guard> => {
  const appointed = guards.filter((guard) => isPrivilege(flow, token, guard))
  const always = appointed.filter((guard) => guard.always)
  if (always.length > 0) return always
  return shut && appointed.length === guards.length ? appointed : []
}

/**
 * Whether a writer can no longer make tokens while some variables hold what they hold: `storage` gives words by slot,
 * both of 32 bytes. Read the slots of `latches` and `guards` for it; a used initializer and a renounced owner show here.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isSpent = (code: Hex, token: TokenFlow, writer: MintWriter, storage: ReadonlyMap<Hex, Hex>): boolean => {
  if (writer.selector === "fallback") return false
  const now = functionAt(code, writer.selector, storage)
  return now.complete && now.writes.every((write) => gradeOfMint(write, token) === "none")
}

const latchesOf = (candidate: FunctionFlow, token: TokenFlow): ReadonlyArray<Latch> => {
  const books = [...token.supply, ...token.balances, ...token.allowances]
  return unique(
    candidate.gates.flatMap((gate) =>
      gate.reads.flatMap(({ slot, keys, field }) =>
        keys.length === 0 &&
        !isOneOf(books, slot, maskOf(field)) &&
        candidate.writes.some((write) => isWritten(write, { slot, field }) && isConstant(write.change))
          ? [{ slot, field }]
          : []
      )
    )
  )
}

const isConstant = (change: Change): boolean =>
  (change.kind === "set" || change.kind === "raise") &&
  change.amount.length > 0 &&
  change.amount.every((origin) => origin.kind === "constant")

/**
 * Whether a condition about the caller is about who was appointed, rather than about what the caller did (staked, bought):
 * an address in a variable or in the code, or an entry of a list in which one account can enter another.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isPrivilege = (flow: StorageFlow, token: TokenFlow, guard: Guard): boolean =>
  isAppointment(flow, token, guard, new Set())

const isAppointment = (flow: StorageFlow, token: TokenFlow, guard: Guard, seen: ReadonlySet<string>): boolean => {
  if (guard.kind === "constant" || guard.kind === "unknown") return true
  const { slot } = guard
  if (!slot.includes("[")) return true
  if ([...token.balances, ...token.allowances].some((variable) => variable.slot === slot)) return false
  const entering = flow.functions.flatMap((candidate) =>
    candidate.writes.filter(
      (write) => write.slot === slot && !["clear", "keep", "decrease"].includes(write.change.kind)
    )
  )
  // Whoever is on a list that nobody can be put on was put there when the contract was made.
  if (entering.length === 0) return true
  // Owners in an array are put there by owners.
  if (!slot.includes("[k]")) return entering.every((write) => write.shut)
  const entered = new Set([...seen, slot])
  return entering.some(
    (write) =>
      write.keys.some((key) => key.kind === "argument" || key.kind === "unknown") &&
      !write.keys.some((key) => key.kind === "caller") &&
      write.guards.some((other) =>
        // A list whose members enter others is one of roles; who owns an entry hands on what is his own.
        (other.kind === "entry" || other.kind === "slot") && entered.has(other.slot)
          ? guard.kind === "entry" && other.kind === "entry" && other.slot === slot
          : isAppointment(flow, token, other, entered)
      )
  )
}

/** Whether a write sets what balanceOf() multiplies or divides with as the caller says, and all balances with it. */
const isRescaling = ({ change, mask, slot }: Write, token: TokenFlow): boolean =>
  !slot.includes("[") &&
  isOneOf(token.scalings, slot, mask) &&
  change.kind === "set" &&
  change.amount.some((origin) => origin.kind === "argument")

const gradeOfMint = (write: Write, token: TokenFlow): "certain" | "possible" | "none" => {
  if (isOneOf(token.scalings, write.slot, write.mask))
    return isRescaling(write, token) ? "certain" : write.change.kind === "keep" ? "none" : "possible"
  const isBalance = isOneOf(token.balances, write.slot, write.mask)
  if (!isBalance && !isOneOf(token.supply, write.slot, write.mask)) return "none"
  const { kind, amount, matched, sources } = write.change
  switch (kind) {
    case "increase":
      return isBalance && matched ? "none" : "certain"
    case "set":
      // What is computed from the token's own books (a reflection rate, another balance) need not be more than before; but
      // what all accounts have together is more than what one has.
      return amount.some((origin) => origin.kind !== "storage") ||
        (isBalance &&
          !matched &&
          amount.length > 0 &&
          sources.every((source) => isOneOf(token.supply, source.slot, source.mask)))
        ? "certain"
        : "possible"
    case "raise":
      return "certain"
    case "unknown":
      return "possible"
    case "decrease":
    case "clear":
    case "keep":
      return "none"
  }
}

/**
 * What a code says about making more tokens, whoever may be allowed to.
 *
 * - `found`: `writers` can, or a transfer itself does (`transferCreates`).
 * - `none`: nothing can, shown over all paths of all functions. `unknown`: `reasons` stand against either.
 *
 * @since 0.1.0
 * @category models
 */
export interface MintFinding {
  readonly state: "found" | "none" | "unknown"
  readonly writers: ReadonlyArray<MintWriter>
  readonly transferCreates: boolean
  readonly reasons: ReadonlyArray<Gap | "no_balances" | "external_books" | "uncertain_writer" | "uncertain_transfer">
}

/**
 * Puts together what the functions besides the standard ones do ({@link mintWriters}) with what transfers do.
 *
 * @since 0.1.0
 * @category combinators
 */
export const mintFinding = (flow: StorageFlow, token: TokenFlow, transfers: Conservation): MintFinding => {
  const writers = mintWriters(flow, token)
  const transferCreates = transfers === "creates"
  const reasons = [
    ...flow.completeness.gaps,
    ...(token.balances.length === 0 ? (["no_balances"] as const) : []),
    ...(token.external ? (["external_books"] as const) : []),
    ...(writers.length > 0 ? (["uncertain_writer"] as const) : []),
    ...(transfers === "unknown" ? (["uncertain_transfer"] as const) : [])
  ]
  if (transferCreates || writers.some((writer) => writer.certain))
    return { state: "found", writers, transferCreates, reasons: [] }
  return { state: reasons.length === 0 ? "none" : "unknown", writers, transferCreates, reasons }
}

/**
 * A variable that decides whether a transfer goes through or how much of it arrives, and who can change it.
 *
 * - `flag`: one switch for everybody. `list`: an answer about the sender, the receiver or the caller.
 * - `limit`: a number that the amount or a balance is compared with, or a delay between transfers. `time`: a moment.
 * - `rate`: a number that goes into what the receiver gets.
 *
 * `passes` says what lets through: that it is zero or that it is not; undefined where neither does by itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransferGate {
  readonly kind: "flag" | "list" | "limit" | "time" | "rate"
  readonly slot: string
  readonly field: Field | undefined
  readonly passes: "zero" | "nonzero" | undefined
  readonly setters: ReadonlyArray<Setter>
}

/**
 * A function that writes a variable, and the conditions about its caller.
 *
 * @since 0.1.0
 * @category models
 */
export interface Setter {
  readonly selector: Hex | "fallback"
  readonly writes: ReadonlyArray<Write>
  readonly guards: ReadonlyArray<Guard>
  /** Somebody appointed has to call it, as `guards` say. */
  readonly privileged: boolean
  /** Nothing is asked of whoever calls it, and nothing is paid. */
  readonly free: boolean
}

/**
 * The variables besides balances, allowances and supply on which transfer() or transferFrom() may revert or end without
 * having moved anything, or which lower what arrives, with the functions that write them; those that nothing writes cannot
 * change and are left out.
 *
 * @since 0.1.0
 * @category combinators
 */
export const transferGates = (flow: StorageFlow, token: TokenFlow = of(flow)): ReadonlyArray<TransferGate> => {
  const gates = new Map<string, TransferGate>()
  const add = (kind: TransferGate["kind"], { field, slot }: Variables, passes: TransferGate["passes"]): void => {
    const key = JSON.stringify([kind, slot, field, passes])
    if (gates.has(key)) return
    const setters = settersOf(flow, token, slot, field)
    if (setters.length > 0) gates.set(key, { kind, slot, field, passes, setters })
  }
  for (const transfer of transfers) {
    const candidate = functionOf(flow, transfer.selector)
    for (const requirement of candidate?.requirements ?? [])
      for (const decisive of decisivesOf(requirement, transfer, token))
        if (candidate === undefined || !isLock(candidate, decisive.read))
          add(decisive.kind, decisive.read, decisive.passes)
    for (const write of candidate?.writes ?? [])
      for (const source of ratesIn(write, transfer, token))
        add("rate", { slot: source.slot, field: fieldOf(BigInt(source.mask)) }, "zero")
  }
  return [...gates.values()]
}

/**
 * Whether a transfer calls another contract, which may stop it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const callsOthers = (flow: StorageFlow): boolean =>
  transfers.some(({ selector }) =>
    functionOf(flow, selector)?.calls.some(
      ({ target }) =>
        target.length === 0 ||
        target.some(
          (origin) => origin.kind !== "self" && !(origin.kind === "constant" && BigInt(origin.value) < 0x400n)
        )
    )
  )

/** Whether a function turns a variable on and off again, so that it is not entered twice. */
const isLock = ({ writes }: FunctionFlow, { field, slot }: Variables): boolean => {
  const own = writes.filter((write) => write.keys.length === 0 && isWritten(write, { slot, field }))
  return (
    own.length > 1 && own.every(({ change }) => isConstant(change) || change.kind === "clear" || change.kind === "keep")
  )
}

type Variables = Pick<Loaded, "slot" | "field">

/** Where the parties and the amount stand in the arguments of a transfer. */
interface Transfer {
  readonly selector: Hex
  readonly sender: Origin
  readonly receiver: number
  readonly amount: number
}

const transfers: ReadonlyArray<Transfer> = [
  { selector: Selectors.functions.transfer, sender: { kind: "caller" }, receiver: 0, amount: 1 },
  { selector: Selectors.functions.transferFrom, sender: { kind: "argument", index: 0 }, receiver: 1, amount: 2 }
]

interface Decisive {
  readonly kind: "flag" | "list" | "limit" | "time"
  readonly read: Loaded
  readonly passes: TransferGate["passes"]
}

/**
 * What a variable is to a condition: besides the above, an account that the sender or receiver is compared with, or a
 * number of an account's own that the amount or the time is compared with.
 */
interface Role extends Omit<Decisive, "kind"> {
  readonly role: Decisive["kind"] | "identity" | "lock"
}

/** The variables that decide whether a requirement of a transfer is met, rather than whom it spares or when it is asked. */
const decisivesOf = ({ anyOf }: Requirement, transfer: Transfer, token: TokenFlow): ReadonlyArray<Decisive> => {
  const found = anyOf.flatMap((condition) => rolesOf(condition, transfer, token))
  const as = (role: Role["role"], kind: Decisive["kind"]): ReadonlyArray<Decisive> =>
    found.flatMap((one) => (one.role === role ? [{ kind, read: one.read, passes: one.passes }] : []))
  const switches = [...as("flag", "flag"), ...as("time", "time")]
  const lists = as("list", "list")
  // How much, or how long, is asked; the rest says of whom and whether at all.
  if (anyOf.some((condition) => isMeasure(condition, transfer, token)))
    return [
      ...as("limit", "limit"),
      ...as("lock", "list"),
      ...switches.filter(({ passes }) => passes === "zero").map((one): Decisive => ({ ...one, kind: "limit" }))
    ]
  const members = lists.filter(({ passes }) => passes === "nonzero")
  // A list beside a switch says whom the switch spares, unless it says whom to stop while the switch is on.
  if (switches.length > 0)
    return members.length > 0 || lists.length === 0 || switches.some(({ passes }) => passes !== "zero")
      ? switches
      : lists
  if (lists.length > 0) return members.length > 0 ? members : lists
  return as("identity", "list")
}

/** What the variables of one condition are to it. */
const rolesOf = (condition: Condition, transfer: Transfer, token: TokenFlow): ReadonlyArray<Role> => {
  const { left, right, test, holds } = condition
  const of = (side: Side): ReadonlyArray<Loaded> => side.reads.filter((read) => !isBook(token, read))
  const sides = [
    [left, right],
    [right, left]
  ] as const
  if (test === "below")
    return sides.flatMap(([side, other]) => {
      const own = of(side)
      if (own.length === 0 || isAmount(side, transfer)) return []
      const constant = constantOf(other)
      if (constant !== undefined) {
        const [read] = own
        // Compilers ask that much of an enumeration wherever it is read.
        if (read === undefined || own.length > 1 || (side === right && !holds && read.field?.size === 1)) return []
        const isBelow = side === left ? 0n < constant : constant < 0n
        return answersOf(read, isBelow === holds ? "zero" : "nonzero", transfer)
      }
      const timed = isTime(side) || isTime(other)
      if (!timed && !isAmount(other, transfer) && !isBalance(other, token)) return []
      const ofParties = own.filter((read) => isOfParty(read, transfer))
      const common = own.filter((read) => read.keys.length === 0)
      // A moment or an amount of an account's own, such as a lock.
      const kept = ofParties.map((read): Role => ({ role: "lock", read, passes: "zero" }))
      const role = timed && ofParties.length === 0 && !of(other).some((read) => read.keys.length > 0) ? "time" : "limit"
      return [...kept, ...common.map((read): Role => ({ role, read, passes: undefined }))]
    })
  return sides.flatMap(([side, other]): ReadonlyArray<Role> => {
    const own = of(side)
    const [read] = own
    if (read === undefined || own.length > 1 || isAmount(side, transfer) || isTime(other)) return []
    const constant = constantOf(other)
    if (constant === undefined) {
      // An account is compared with the sender or receiver: who is not it is turned away, or who is.
      return other.reads.length === 0 &&
        other.about.some((origin) => isParty(origin, transfer)) &&
        read.keys.length === 0
        ? [{ role: "identity", read, passes: holds ? "nonzero" : "zero" }]
        : []
    }
    return answersOf(read, (constant === 0n) === holds ? "zero" : "nonzero", transfer)
  })
}

/** What a variable is that is asked yes or no. */
const answersOf = (read: Loaded, passes: "zero" | "nonzero", transfer: Transfer): ReadonlyArray<Role> => {
  // That there is an address at all is asked of one that is used; it is no switch.
  if (read.keys.length === 0)
    return read.field?.size === 20 && passes === "nonzero" ? [] : [{ role: "flag", read, passes }]
  return isOfParty(read, transfer) ? [{ role: "list", read, passes }] : []
}

const constantOf = ({ about, reads }: Side): bigint | undefined => {
  const [value] = about
  return reads.length === 0 && about.length === 1 && value?.kind === "constant" ? BigInt(value.value) : undefined
}

/** Whether a condition is about how much or how long, whatever it is compared with. */
const isMeasure = ({ left, right, test }: Condition, transfer: Transfer, token: TokenFlow): boolean =>
  test === "below" &&
  ([left, right].some((side) => isAmount(side, transfer) || isBalance(side, token)) ||
    ([left, right].some(isTime) && [left, right].some(({ reads }) => reads.some((read) => isOfParty(read, transfer)))))

const isBook = (token: TokenFlow, { field, slot }: Variables): boolean =>
  isOneOf([...token.supply, ...token.balances, ...token.allowances, ...token.scalings], slot, maskOf(field))

const isAmount = (side: Side, transfer: Transfer): boolean =>
  side.about.some((origin) => origin.kind === "argument" && origin.index === transfer.amount)

const isBalance = (side: Side, token: TokenFlow): boolean =>
  side.reads.some((read) => isOneOf(token.balances, read.slot, maskOf(read.field)))

const isTime = (side: Side): boolean => side.about.some((origin) => origin.kind === "time")

const isParty = (origin: Origin, transfer: Transfer): boolean =>
  origin.kind === "caller" || (origin.kind === "argument" && origin.index !== transfer.amount)

const isOfParty = (read: Loaded, transfer: Transfer): boolean =>
  read.keys.some((key) => isParty(key, transfer) || key.kind === "unknown")

/** The variables that lower, by how much the amount is multiplied with them, what a transfer's receiver gets. */
const ratesIn = (write: Write, transfer: Transfer, token: TokenFlow): ReadonlyArray<Variable> => {
  const isReceived =
    isOneOf(token.balances, write.slot, write.mask) &&
    write.keys.some((key) => key.kind === "argument" && key.index === transfer.receiver)
  if (
    !isReceived ||
    !write.change.amount.some((origin) => origin.kind === "argument" && origin.index === transfer.amount)
  )
    return []
  return write.change.sources.filter(
    (source) =>
      !isOneOf([...token.supply, ...token.balances, ...token.allowances, ...token.scalings], source.slot, source.mask)
  )
}

const maskOf = (field: Field | undefined): Hex =>
  field === undefined
    ? wholeWord
    : `0x${(((1n << BigInt(8 * field.size)) - 1n) << BigInt(8 * field.offset)).toString(16)}`

/**
 * The functions besides {@link standardSelectors} that write a variable (or a part of its word).
 *
 * @since 0.1.0
 * @category combinators
 */
export const settersOf = (
  flow: StorageFlow,
  token: TokenFlow,
  slot: string,
  field: Field | undefined
): ReadonlyArray<Setter> =>
  flow.functions.flatMap((candidate): ReadonlyArray<Setter> => {
    if (standardSelectors.has(candidate.selector)) return []
    const writes = candidate.writes.filter((write) => isWritten(write, { slot, field }))
    if (writes.length === 0) return []
    const guards = privilegesOf(flow, token, writes)
    return [
      {
        selector: candidate.selector,
        writes,
        guards,
        privileged: guards.length > 0,
        free: guards.length === 0 && isFree(candidate, token)
      }
    ]
  })

/** Whether anybody may call a function at any time, without having or paying anything. */
const isFree = ({ calls, gates, writes }: FunctionFlow, token: TokenFlow): boolean =>
  calls.length === 0 &&
  writes.every(({ guards }) => guards.length === 0) &&
  gates.every(
    ({ about, compares, computes, reads }) =>
      !about.includes("caller") &&
      !about.includes("unknown") &&
      // That nothing is paid may be asked, that enough is paid may not.
      !(about.includes("value") && (compares || computes || reads.length > 0)) &&
      reads.every((read) => isBook(token, read) || !read.keys.some((key) => key.kind === "caller"))
  )

/**
 * Whether a write may change a variable, or the entries of a mapping.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isWritten = ({ mask, slot }: Write, variable: Variables): boolean =>
  slot === variable.slot && (BigInt(mask) & BigInt(maskOf(variable.field))) !== 0n

/**
 * A function that can take tokens from an account that neither calls it nor gave the caller an allowance.
 *
 * @since 0.1.0
 * @category models
 */
export interface Seizure {
  readonly selector: Hex | "fallback"
  /** `balance`: it lowers or overwrites a balance; `allowance`: it writes an allowance; `bypass`: it spends without asking for one. */
  readonly kind: "balance" | "allowance" | "bypass"
  /** Otherwise it may only put what an account has from one book into another, or take it from an account that is kept in a variable. */
  readonly certain: boolean
  readonly writes: ReadonlyArray<Write>
  readonly guards: ReadonlyArray<Guard>
  /** Somebody appointed has to call it, as `guards` say. */
  readonly privileged: boolean
  /** Nothing is asked of whoever calls it, and nothing is paid. */
  readonly free: boolean
}

/**
 * The functions that can take tokens from others.
 *
 * @since 0.1.0
 * @category combinators
 */
export const seizures = (flow: StorageFlow, token: TokenFlow = of(flow)): ReadonlyArray<Seizure> =>
  flow.functions.flatMap((candidate): ReadonlyArray<Seizure> => {
    // The account is somebody the caller names; what the token or its owner holds themselves is theirs.
    const ofOthers = ({ keys: [account], own }: Write): boolean =>
      !own && (account?.kind === "argument" || account?.kind === "unknown")
    const isAsked = ({ asks }: Write): boolean =>
      asks.some((slot) => token.allowances.some((variable) => variable.slot === slot))
    const found = (
      kind: Seizure["kind"],
      writes: ReadonlyArray<Write>,
      isCertain: (write: Write) => boolean = () => true
    ): ReadonlyArray<Seizure> =>
      [true, false].flatMap((certain): ReadonlyArray<Seizure> => {
        const graded = writes.filter((write) => isCertain(write) === certain)
        if (graded.length === 0) return []
        const guards = unique(graded.flatMap((write) => privilegesAt(flow, token, unaskedWay(write, token))))
        const free = guards.length === 0 && isFree(candidate, token)
        return [
          { selector: candidate.selector, kind, certain, writes: graded, guards, privileged: guards.length > 0, free }
        ]
      })
    const lowering = candidate.writes.filter(
      (write) =>
        isOneOf(token.balances, write.slot, write.mask) &&
        !isAsked(write) &&
        !["increase", "keep"].includes(write.change.kind)
    )
    const taking = lowering.filter(ofOthers)
    const rescaling = candidate.writes.filter((write) => isRescaling(write, token))
    const appointable = lowering.filter((write) => isOfAppointable(flow, token, write))
    const granting = candidate.writes.filter(
      (write) =>
        isOneOf(token.allowances, write.slot, write.mask) &&
        ofOthers(write) &&
        !isAsked(write) &&
        ["increase", "set", "unknown"].includes(write.change.kind)
    )
    if (candidate.selector === Selectors.functions.transferFrom)
      return token.allowances.length === 0 ? [] : found("bypass", taking)
    // Whom a transfer takes from is told by what it does to the sum of balances.
    return candidate.selector === Selectors.functions.transfer
      ? []
      : [
          ...found(
            "balance",
            taking,
            (write) => !isBetweenBooks(candidate, token, write) || isReadmission(flow, token, candidate, write)
          ),
          ...found("balance", rescaling),
          ...found("balance", appointable, () => false),
          ...found("allowance", granting)
        ]
  })

/**
 * Whether a write may be part of putting what an account has from one book into another: it makes one of several empty, or
 * sets it to something that is worked out from what storage holds, or adds to another book of the account.
 */
const isBetweenBooks = (candidate: FunctionFlow, token: TokenFlow, write: Write): boolean =>
  token.balances.length > 1 &&
  (write.change.amount.every((origin) => origin.kind === "storage") ||
    candidate.writes.some(
      (other) =>
        other.slot !== write.slot &&
        isOneOf(token.balances, other.slot, other.mask) &&
        JSON.stringify(other.keys[0]) === JSON.stringify(write.keys[0]) &&
        (other.change.kind === "increase" || other.change.kind === "set")
    ))

/**
 * Whether a write is part of letting an account back into a book of shares, out of which it stood on a list that balanceOf()
 * asks: its entry in the other book is emptied, and its shares are those of the day it was left out. As transfers lower
 * what all shares are out of, a share has become worth more since, and the shares that come back make all others worth
 * less: whoever bought while the account was out loses a part of what he paid for, to an account that he did not choose.
 */
const isReadmission = (flow: StorageFlow, token: TokenFlow, candidate: FunctionFlow, write: Write): boolean => {
  const ofSameAccount = ({ keys: [account] }: Write): boolean =>
    JSON.stringify(account) === JSON.stringify(write.keys[0])
  const asked = functionOf(flow, Selectors.functions.balanceOf)?.reads ?? []
  return (
    write.change.kind === "clear" &&
    !candidate.writes.some(
      (other) => other.slot !== write.slot && isOneOf(token.balances, other.slot, other.mask) && ofSameAccount(other)
    ) &&
    candidate.writes.some(
      (other) =>
        (other.change.kind === "clear" || other.change.kind === "keep") &&
        ofSameAccount(other) &&
        !isOneOf(token.balances, other.slot, other.mask) &&
        asked.some((read) => read.slot === other.slot && asks(read.keys, 1))
    ) &&
    token.scalings.some(
      (scaling) =>
        !scaling.slot.includes("[") &&
        flow.functions.some(
          ({ selector, writes }) =>
            transferSelectors.has(selector) &&
            writes.some(({ change, mask, slot }) => change.kind === "decrease" && isOneOf([scaling], slot, mask))
        )
    )
  )
}

/** Whether the account of an entry stands in a variable into which somebody else than that account can put any other. */
const isOfAppointable = (flow: StorageFlow, token: TokenFlow, { keys: [account], own }: Write): boolean =>
  !own &&
  account?.kind === "storage" &&
  !account.slot.includes("[") &&
  flow.functions.some((candidate) =>
    candidate.writes.some(
      (write) =>
        write.slot === account.slot &&
        write.change.amount.some((origin) => origin.kind === "argument") &&
        privilegesAt(flow, token, write).some((guard) => guard.kind !== "slot" || guard.slot !== account.slot)
    )
  )

/** The conditions about the caller on the ways to a write on which no allowance is asked for. */
const unaskedWay = (write: Write, token: TokenFlow): Pick<Write, "guards" | "shut"> =>
  write.skips.find(({ slot }) => token.allowances.some((variable) => variable.slot === slot)) ?? write
