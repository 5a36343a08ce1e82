import type { Hex } from "../domain/Hex.js"
import type { Conservation } from "./Conservation.js"
import type { Guard } from "./Guard.js"
import { type Field, type Origin, unique } from "./Origin.js"
import * as Selectors from "./Selectors.js"
import {
  type Change,
  type FunctionFlow,
  functionAt,
  type Gap,
  type Gate,
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
 * The functions besides {@link standardSelectors} that can make more tokens. Burning is told from minting by the direction
 * of the arithmetic, never by a name.
 *
 * @since 0.1.0
 * @category combinators
 */
export const mintWriters = (flow: StorageFlow, token: TokenFlow = of(flow)): ReadonlyArray<MintWriter> =>
  flow.functions.flatMap((candidate): ReadonlyArray<MintWriter> => {
    if (standardSelectors.has(candidate.selector)) return []
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
    return [
      {
        selector: candidate.selector,
        certain: certain.length > 0,
        writes,
        amount: unique(writes.flatMap((write) => write.change.amount)),
        guards,
        privileged: guards.length > 0,
        latches: latchesOf(candidate, token)
      }
    ]
  })

/** The conditions about the caller that are about who was appointed. */
const privilegesOf = (flow: StorageFlow, token: TokenFlow, writes: ReadonlyArray<Write>): ReadonlyArray<Guard> =>
  unique(writes.flatMap((write) => write.guards)).filter((guard) => isPrivilege(flow, token, guard))

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
        candidate.writes.some(
          (write) => write.slot === slot && overlaps(write.field, field) && isConstant(write.change)
        )
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
export const isPrivilege = (flow: StorageFlow, token: TokenFlow, guard: Guard): boolean => {
  if (guard.kind !== "entry") return true
  if ([...token.balances, ...token.allowances].some((variable) => variable.slot === guard.slot)) return false
  return flow.functions.some((candidate) =>
    candidate.writes.some(
      (write) =>
        write.slot === guard.slot && write.keys.some((key) => key.kind === "argument") && write.guards.length > 0
    )
  )
}

const gradeOfMint = (write: Write, token: TokenFlow): "certain" | "possible" | "none" => {
  const isBalance = isOneOf(token.balances, write.slot, write.mask)
  if (!isBalance && !isOneOf(token.supply, write.slot, write.mask)) return "none"
  const { kind, amount, matched } = write.change
  switch (kind) {
    case "increase":
      return isBalance && matched ? "none" : "certain"
    case "set":
      // What is computed from the token's own books (a reflection rate, another balance) need not be more than before.
      return amount.some((origin) => origin.kind !== "storage") ? "certain" : "possible"
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
 * A variable that decides whether a transfer goes through, and who can change it.
 *
 * - `flag`: one switch for everybody. `list`: an answer about the sender, the receiver or the caller.
 * - `limit`: a number that the amount or a balance is compared with. `time`: a moment or a delay.
 * - `rate`: a number that something is multiplied with or divided by; too large, it overflows.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransferGate {
  readonly kind: "flag" | "list" | "limit" | "time" | "rate"
  readonly slot: string
  readonly field: Field | undefined
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
}

/**
 * The variables besides balances, allowances and supply on which transfer() or transferFrom() may revert, with the
 * functions that write them; those that nothing writes cannot change and are left out.
 *
 * @since 0.1.0
 * @category combinators
 */
export const transferGates = (flow: StorageFlow, token: TokenFlow = of(flow)): ReadonlyArray<TransferGate> => {
  const books = [...token.supply, ...token.balances, ...token.allowances, ...token.scalings]
  const gates = new Map<string, TransferGate>()
  for (const selector of [Selectors.functions.transfer, Selectors.functions.transferFrom]) {
    for (const gate of functionOf(flow, selector)?.gates ?? []) {
      for (const { slot, keys, field } of gate.reads) {
        if (isOneOf(books, slot, maskOf(field))) continue
        const setters = settersOf(flow, token, slot, field)
        const key = JSON.stringify([slot, field])
        if (setters.length === 0 || gates.has(key)) continue
        gates.set(key, { kind: kindOf(gate, keys), slot, field, setters })
      }
    }
  }
  return [...gates.values()]
}

const maskOf = (field: Field | undefined): Hex =>
  field === undefined
    ? wholeWord
    : `0x${(((1n << BigInt(8 * field.size)) - 1n) << BigInt(8 * field.offset)).toString(16)}`

const kindOf = (gate: Gate, keys: ReadonlyArray<Origin>): TransferGate["kind"] =>
  gate.computes
    ? "rate"
    : gate.compares
      ? gate.about.includes("time")
        ? "time"
        : "limit"
      : keys.length > 0
        ? "list"
        : "flag"

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
    const writes = candidate.writes.filter((write) => write.slot === slot && overlaps(write.field, field))
    if (writes.length === 0) return []
    const guards = privilegesOf(flow, token, writes)
    return [{ selector: candidate.selector, writes, guards, privileged: guards.length > 0 }]
  })

const overlaps = (a: Field | undefined, b: Field | undefined): boolean =>
  a === undefined || b === undefined || (a.offset < b.offset + b.size && b.offset < a.offset + a.size)

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
  readonly guards: ReadonlyArray<Guard>
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
    const ofOthers = (write: Write): boolean => write.keys[0]?.kind === "argument" || write.keys[0]?.kind === "unknown"
    const unasked = (write: Write): boolean =>
      !write.asks.some((slot) => token.allowances.some((variable) => variable.slot === slot))
    const taking = candidate.writes.filter(
      (write) =>
        isOneOf(token.balances, write.slot, write.mask) &&
        ofOthers(write) &&
        unasked(write) &&
        !["increase", "keep"].includes(write.change.kind)
    )
    const granting = candidate.writes.filter(
      (write) =>
        isOneOf(token.allowances, write.slot, write.mask) &&
        ofOthers(write) &&
        unasked(write) &&
        ["increase", "set", "unknown"].includes(write.change.kind)
    )
    const seizure = (kind: Seizure["kind"], writes: ReadonlyArray<Write>): ReadonlyArray<Seizure> =>
      writes.length === 0 ? [] : [{ selector: candidate.selector, kind, guards: privilegesOf(flow, token, writes) }]
    if (candidate.selector === Selectors.functions.transferFrom)
      return token.allowances.length === 0 ? [] : seizure("bypass", taking)
    return standardSelectors.has(candidate.selector)
      ? []
      : [...seizure("balance", taking), ...seizure("allowance", granting)]
  })
