/** @internal */

import type { ValueSource } from "../../expression/ValueSource.js"
import { isOneOf, maskOf, type Place } from "../../summary/conditions/FieldMask.js"
import type { Write } from "../../summary/conditions/FunctionFlow.js"
import {
  type Condition,
  isAboutStorage,
  type Loaded,
  type Precondition,
  type Side
} from "../../summary/conditions/Precondition.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as TokenBooks from "../../token/TokenBooks.js"
import * as VariableWriter from "../../token/VariableWriter.js"

/**
 * A variable that decides whether a requirement of a transfer is met, rather than which accounts are exempt from it or
 * when it applies. `passes` is the value that lets transfers through: zero or non-zero; undefined where neither does by
 * itself.
 */
export interface TransferCondition {
  readonly kind: "flag" | "list" | "limit" | "time"
  readonly read: Loaded
  readonly passes: "zero" | "nonzero" | undefined
  /** Whether it decides whatever else there is; who is on a list that a switch spares decides only while that is on. */
  readonly certain: boolean
  /** It decides until one of these is open, and nothing from then on. */
  readonly until?: ReadonlyArray<Opening> | undefined
}

/**
 * A variable that lets everyone through from some time on, and that nobody can close again: once it is not zero
 * (`value`), or once the time in it, in seconds, has come (`moment`). `untold`: the opening value is not known.
 */
export interface Opening extends Place {
  readonly by: "value" | "moment" | "untold"
}

/** The parties and the amount of a movement of tokens or ether, by where the values come from. */
export interface Parties {
  readonly isParty: (origin: ValueSource) => boolean
  readonly isAmount: (origin: ValueSource) => boolean
}

/** The variables by which a requirement of a transfer is met or not. */
export const of = (
  flow: StorageFlow,
  { anyOf, asked }: Precondition,
  parties: Parties,
  token: TokenBooks.TokenBooks
): ReadonlyArray<TransferCondition> => {
  const own = anyOf.slice(0, asked)
  const roles = anyOf.map((condition) => rolesOf(condition, parties, token))
  const isOfAny = (condition: Condition, i: number): boolean =>
    isOfAmount(condition, parties, token) ||
    isOfWait(condition, parties) ||
    roles[i]?.length !== 0 ||
    !isAboutStorage(condition)
  // Where the required part compares other stored values, the rest only says for which accounts it applies.
  if (!own.some(isOfAny)) return []
  const found = roles.flat()
  const as = (role: Role["role"], kind: TransferCondition["kind"]): ReadonlyArray<TransferCondition> =>
    found.flatMap((one) => (one.role === role ? [{ kind, read: one.read, passes: one.passes, certain: true }] : []))
  // How many accounts there are to compare with is no switch.
  const isCount = ({ read }: TransferCondition): boolean =>
    found.some(({ read: { slot }, role }) => role !== "flag" && slot.startsWith(`${read.slot}[]`))
  // Beside a required switch, another one only says whether the requirement applies. It decides nothing while the first
  // is open.
  const reads = new Set(
    roles.slice(0, asked).flatMap((some) => some.flatMap(({ read, role }) => (isSwitch(role) ? [read] : [])))
  )
  const switches = [...as("flag", "flag").filter((one) => !isCount(one)), ...as("time", "time")].map((one) =>
    reads.size === 0 || reads.has(one.read) ? one : uncertain(one)
  )
  // A sufficient balance is required of everyone. Only a locked part of the balance counts.
  if (own.some((condition) => isOfBalance(condition, token))) return as("lock", "list")
  // The requirement is about an amount or a wait. The rest says for which accounts and whether it applies.
  if (anyOf.some((one) => isOfAmount(one, parties, token)) || own.some((one) => isOfWait(one, parties))) {
    // A minimum balance of the contract itself only says when the requirement applies, which may be never.
    const isSet = (read: Loaded): boolean => VariableWriter.reaching(flow, token, read).setters.length > 0
    const isLaterSet = roles
      .slice(0, asked)
      .some((some) => some.some(({ read, role }) => role !== "identity" && isSet(read)))
    const thresholds = new Set(
      isLaterSet
        ? anyOf.flatMap((one, i) => (i >= asked && isOfOwn(one, token) ? (roles[i] ?? []).map(({ read }) => read) : []))
        : []
    )
    return [
      ...as("limit", "limit").map((one) => (thresholds.has(one.read) ? uncertain(one) : one)),
      ...as("lock", "list"),
      ...switches.filter(({ passes }) => passes === "zero").map((one): TransferCondition => ({ ...one, kind: "limit" }))
    ]
  }
  const lists = as("list", "list")
  const members = lists.filter(({ passes }) => passes === "nonzero")
  const strangers = lists.filter(({ passes }) => passes === "zero")
  // That there is no pool yet spares everybody until there is one; from then on the list decides.
  if (switches.length === 0 || (members.length > 0 && switches.every(isAbsence)))
    return [...switches, ...(lists.length > 0 ? decidingOf(members, strangers, found) : as("identity", "list"))]
  const openings = switches
    .filter(({ passes }) => passes !== "zero")
    .map(({ kind, read }) => {
      const { hidden, setters } = VariableWriter.reaching(flow, token, read)
      return { kind, read, hidden, writes: setters.flatMap(({ writes }) => writes) }
    })
  // After a one-time opening, or after its time has come, lists no longer decide.
  const until = found.flatMap(
    ({ opens, read }): ReadonlyArray<Opening> =>
      opens !== undefined && openings.some((one) => one.read === read && isForGood(one))
        ? [{ slot: read.slot, field: read.field, by: opens }]
        : []
  )
  const lasting = (one: TransferCondition): TransferCondition => (until.length === 0 ? one : { ...one, until })
  // A list beside a switch names the accounts to block while the switch is on or closed again, or those exempt from the
  // switch.
  if (strangers.length === 0 || (openings.length > 0 && members.length > 0))
    return [...switches, ...lists.map(uncertain).map(lasting)]
  const isTold =
    until.length > 0 ? until.every(({ by }) => by !== "untold") : openings.every(({ writes }) => writes.length > 0)
  return (isTold ? strangers : strangers.map(uncertain)).map(lasting)
}

const isSwitch = (role: Role["role"]): boolean => role === "flag" || role === "time"

/** Whether nobody can shut again what a switch has opened: it is only ever put on, or noted when that was. */
const isForGood = ({
  hidden,
  kind,
  writes
}: Pick<TransferCondition, "kind"> & { readonly hidden: boolean; readonly writes: ReadonlyArray<Write> }): boolean =>
  !hidden &&
  (kind === "time" || writes.length > 0) &&
  writes.every((write) => VariableWriter.isClock(write) || (kind === "flag" && VariableWriter.isPutting(write)))

/**
 * The lists of two that decide. Where both are checked for the same account, membership of one exempts from the other.
 * For different accounts, the other list may be of blocked accounts or of trading venues.
 */
const decidingOf = (
  members: ReadonlyArray<TransferCondition>,
  strangers: ReadonlyArray<TransferCondition>,
  roles: ReadonlyArray<Role>
): ReadonlyArray<TransferCondition> => {
  const accountsOf = (lists: ReadonlyArray<TransferCondition>): ReadonlySet<string> =>
    new Set(
      roles.flatMap(({ accounts, read }) =>
        lists.some((one) => one.read === read) ? accounts.map((account) => JSON.stringify(account)) : []
      )
    )
  const stopped = accountsOf(strangers)
  const isAlike = (one: TransferCondition): boolean => [...accountsOf([one])].some((account) => stopped.has(account))
  if (!members.some(isAlike)) return [...members, ...strangers]
  return [...strangers, ...members.filter((one) => !isAlike(one)).map(uncertain)]
}

const uncertain = (one: TransferCondition): TransferCondition => ({ ...one, certain: false })

/** Variables that a condition tests directly, rather than as part of a computed value. */
export const askedIn = (condition: Condition, parties: Parties, token: TokenBooks.TokenBooks): ReadonlyArray<Loaded> =>
  rolesOf(condition, parties, token).map(({ read }) => read)

/** Whether a condition compares a balance or allowance with the sent amount or a part of it. */
export const isOfBalance = ({ holds, left, right, test }: Condition, token: TokenBooks.TokenBooks): boolean => {
  const isAlone = ({ about, reads }: Side): boolean =>
    reads.length === 1 &&
    about.length === 1 &&
    reads.every(({ field, slot }) => isOneOf([...token.balances, ...token.allowances], slot, maskOf(field)))
  const isOfSent = ({ about }: Side): boolean => about.some(({ kind }) => kind === "argument")
  return (
    test === "below" &&
    ((isAlone(left) && (right.reads.length === 0 || (!holds && isOfSent(right)))) ||
      (isAlone(right) && left.reads.length === 0))
  )
}

/**
 * What a variable is to a condition: besides what a {@link TransferCondition} is, an account that the sender or receiver is
 * compared with, or a number of an account's own that the amount or the time is compared with.
 */
interface Role extends Omit<TransferCondition, "kind" | "certain" | "until"> {
  readonly role: TransferCondition["kind"] | "identity" | "lock"
  /** The accounts that a list is checked for. */
  readonly accounts: ReadonlyArray<ValueSource>
  /** By what it lets everybody through from some time on. */
  readonly opens?: Opening["by"]
}

/** What the variables of one condition are to it. */
const rolesOf = (condition: Condition, parties: Parties, token: TokenBooks.TokenBooks): ReadonlyArray<Role> => {
  const { left, right, test, holds } = condition
  const loadedOf = (side: Side): ReadonlyArray<Loaded> => side.reads.filter((read) => !TokenBooks.isBook(token, read))
  const sides = [
    [left, right],
    [right, left]
  ] as const
  if (test === "below")
    return sides.flatMap(([side, other]) => {
      const own = loadedOf(side)
      if (own.length === 0) return []
      // A minimum balance after the transfer is a lock of the account.
      if (isAmount(side, parties))
        return isBalance(other, token) && side === right && !holds
          ? (side.added ?? [])
              .filter((read) => isOfParty(read, parties) && !TokenBooks.isBook(token, read))
              .map((read): Role => ({ role: "lock", read, passes: "zero", accounts: [] }))
          : []
      const constant = constantOf(other)
      if (constant !== undefined) {
        const [read] = own
        // Compilers insert this check wherever an enum is read.
        if (read === undefined || own.length > 1 || (side === right && !holds && read.field?.size === 1)) return []
        // So they do whether a number can be counted up.
        if (read.field !== undefined && constant === (1n << BigInt(8 * read.field.size)) - 1n) return []
        const isBelow = side === left ? 0n < constant : constant < 0n
        return answersOf(read, isBelow === holds ? "zero" : "nonzero", "untold", parties)
      }
      const timed = isTime(side) || isTime(other)
      if (!timed && !isAmount(other, parties) && !isBalance(other, token)) return []
      const ofParties = own.filter((read) => isOfParty(read, parties))
      const common = own.filter((read) => read.keys.length === 0)
      // A moment or an amount of an account's own, such as a lock.
      const kept = ofParties.map((read): Role => ({ role: "lock", read, passes: "zero", accounts: [] }))
      const role =
        timed && ofParties.length === 0 && !loadedOf(other).some((read) => read.keys.length > 0) ? "time" : "limit"
      const opens = role === "time" ? comingOf(condition, side, other) : undefined
      return [
        ...kept,
        ...common.map(
          (read): Role => ({ role, read, passes: undefined, accounts: [], ...(opens === undefined ? {} : { opens }) })
        )
      ]
    })
  return sides.flatMap(([side, other]): ReadonlyArray<Role> => {
    const own = loadedOf(side)
    const [read] = own
    if (read === undefined || own.length > 1 || isAmount(side, parties) || isTime(other)) return []
    const constant = constantOf(other)
    if (constant === undefined) {
      // A comparison of an account with the sender or receiver: all others are refused, or only that account is.
      if (other.reads.length > 0 || !other.about.some(parties.isParty) || read.keys.length > 0) return []
      const role = !holds && read.slot.includes("[]") ? "list" : "identity"
      return [{ role, read, passes: holds ? "nonzero" : "zero", accounts: other.about }]
    }
    const by = side.isKept === true && constant === 0n ? "value" : "untold"
    return answersOf(read, (constant === 0n) === holds ? "zero" : "nonzero", by, parties)
  })
}

/** The role of a variable that is tested for zero. */
const answersOf = (
  read: Loaded,
  passes: "zero" | "nonzero",
  by: Opening["by"],
  parties: Parties
): ReadonlyArray<Role> => {
  if (read.keys.length > 0) return isOfParty(read, parties) ? [{ role: "list", read, passes, accounts: read.keys }] : []
  if (passes === "zero") return [{ role: "flag", read, passes, accounts: [] }]
  // A check that an address is set is no switch: it comes before a use of the address.
  return read.field?.size === 20 ? [] : [{ role: "flag", read, passes, accounts: [], opens: by }]
}

/** By what a moment that is kept lets everybody through from then on, or undefined where it does so until then. */
const comingOf = ({ holds, left }: Condition, side: Side, other: Side): Opening["by"] | undefined => {
  if (other.clock === undefined) return "untold"
  if ((side === left) !== holds) return undefined
  // Not every chain counts blocks as its contracts see them.
  return side.isKept === true && other.clock === "timestamp" ? "moment" : "untold"
}

/** Whether an unset address lets transfers through. */
const isAbsence = ({ passes, read }: TransferCondition): boolean => passes === "zero" && read.field?.size === 20

const constantOf = ({ about, reads }: Side): bigint | undefined => {
  const [value] = about
  return reads.length === 0 && about.length === 1 && value?.kind === "constant" ? BigInt(value.value) : undefined
}

/** Whether a condition is about how much, whatever that is compared with. */
const isOfAmount = ({ left, right, test }: Condition, parties: Parties, token: TokenBooks.TokenBooks): boolean =>
  test === "below" && [left, right].some((side) => isAmount(side, parties) || isBalance(side, token))

/** Whether a condition is about how long it is since or until a moment of an account's own. */
const isOfWait = ({ left, right, test }: Condition, parties: Parties): boolean =>
  test === "below" &&
  [left, right].some(isTime) &&
  [left, right].some(({ reads }) => reads.some((read) => isOfParty(read, parties)))

const isAmount = (side: Side, parties: Parties): boolean => side.about.some(parties.isAmount)

const isBalance = (side: Side, token: TokenBooks.TokenBooks): boolean =>
  side.reads.some((read) => isOneOf(token.balances, read.slot, maskOf(read.field)))

/** Whether a condition is about what the contract itself holds, rather than a party of the transfer. */
const isOfOwn = ({ left, right, test }: Condition, token: TokenBooks.TokenBooks): boolean =>
  test === "below" &&
  [left, right].some(
    (side) =>
      isBalance(side, token) &&
      side.reads.every(({ keys }) => keys.length === 1 && keys.every(({ kind }) => kind === "self"))
  )

const isTime = (side: Side): boolean => side.about.some((origin) => origin.kind === "time")

const isOfParty = (read: Loaded, parties: Parties): boolean =>
  read.keys.some((key) => parties.isParty(key) || key.kind === "unknown")
