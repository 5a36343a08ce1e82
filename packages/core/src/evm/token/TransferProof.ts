/** @internal */

import * as AddressBook from "../../data/AddressBook.js"
import * as Quantity from "../../domain/Quantity.js"
import * as Slices from "../../runtime/Slices.js"
import * as Bytecode from "../bytecode/Bytecode.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import * as Selectors from "../bytecode/Selectors.js"
import * as Circumstance from "../expression/Circumstance.js"
import {
  type Expression,
  isNumber,
  Kind,
  type Load,
  maxWord,
  type Pool,
  unmasked,
  unnegated
} from "../expression/Expression.js"
import * as Linear from "../expression/Linear.js"
import * as Walk from "../expression/Walk.js"
import * as WellFormedCall from "../expression/WellFormedCall.js"
import * as Asked from "../interpreter/Asked.js"
import type { CodeModel } from "../interpreter/CodeModel.js"
import type { PathTree } from "../interpreter/PathTree.js"
import * as StorageEpochs from "../interpreter/StorageEpochs.js"
import { type Block, onlyWord, type StoreEvent } from "../interpreter/Trace.js"
import * as PathCost from "./PathCost.js"

/**
 * Whether the code of a token proves that transfers depend on nothing but balances, allowances and arguments.
 *
 * - `free`: proven, for every caller, block and state. Any account can move any part of its balance to any other account
 *   (not the zero address, itself or the token), and what it has approved can be moved for it: exactly the amount is
 *   debited and credited, `approve` sets the allowance, and `balanceOf` reads the balance that transfers change. It holds
 *   while sender and receiver together have less than `below`; above that, arithmetic reverts or wraps.
 * - `free_undelegated`: the same for senders and receivers without a delegate: their entries in `mapping` (an id of
 *   `StorageLocation`), which `delegates(address)` answers, are zero. Transfers leave that mapping alone. What is done with the
 *   votes of a delegate is not followed: their checkpoints can revert on what a constructor has set.
 * - `free_listed`: the same for senders and receivers on a list: their entries in `mapping` are not zero. Nobody else
 *   can take part: each successful transfer has checked both entries, in the same way, and leaves that mapping alone.
 *   So a receiver can send to every other possible receiver, as long as the list stays as it is.
 * - `gated`: on some path a transfer is refused, or moves another amount, for a reason that is none of these. Nothing says
 *   that such a path can be reached, so this is no sign of a trap.
 * - `inconclusive`: the code was not followed to its end, or does what is not followed here.
 */
export type TransferProof =
  | { readonly state: "free"; readonly below: Quantity.Quantity }
  | { readonly state: "free_undelegated"; readonly below: Quantity.Quantity; readonly mapping: string }
  | {
      readonly state: "free_listed"
      readonly below: Quantity.Quantity
      readonly mapping: string
      readonly balances: string
    }
  | { readonly state: "gated"; readonly gates: ReadonlyArray<Gate> }
  | { readonly state: "inconclusive"; readonly reason: Reason }

/**
 * What a transfer depends on.
 *
 * - `variable`, `list`: a storage variable, or an entry that an account selects, at `slot` (an id of `StorageLocation`)
 * - `caller`: who calls, compared with an account
 * - `environment`: the block or the transaction; `account`: the code or the native balance of an account
 * - `amount`: a limit on the amount; `balance`: a balance or allowance that is large enough
 * - `fee`: another amount than the one sent is debited or credited, or another account is
 * - `answer`: it returns something else than true
 * - `always`: it is refused without a condition
 */
export interface Gate {
  readonly kind:
    | "variable"
    | "list"
    | "caller"
    | "environment"
    | "account"
    | "amount"
    | "balance"
    | "fee"
    | "answer"
    | "always"
  readonly slot: string | null
}

/**
 * Why nothing is proven:
 *
 * - `not_evm`: it is no bytecode of the EVM, or none
 * - `replaceable`: the code can run other code in its place, or be destroyed
 * - `too_many_paths`: not every path was followed
 * - `no_balances`: `balanceOf` is not just the entry of a mapping
 * - `no_allowances`: `approve` does not just set an entry of a mapping
 * - `external_call`: another contract is called or created
 * - `write_location`: it was not determined where something is written
 * - `cost`: the gas of a transfer is not bounded, or its instructions may be unknown to the chain
 */
export type Reason =
  | "not_evm"
  | "replaceable"
  | "too_many_paths"
  | "no_balances"
  | "no_allowances"
  | "external_call"
  | "write_location"
  | "cost"

/**
 * Reads the transfers of a code path by path, in slices.
 *
 * Each path ends in one of three ways: it fails a check that the call was assumed to pass (a sufficient balance, an
 * address that is not zero); it does exactly what a transfer should; or it is a gate. Without gates, every call within
 * the assumptions succeeds, whatever else the code reads on its way.
 */
export function* inSlices(model: CodeModel): Slices.Slices<TransferProof> {
  const { bytecode } = model
  if (bytecode.bytes.length === 0 || Bytecode.isForeign(bytecode)) return inconclusive("not_evm")
  const reach = Bytecode.reach(bytecode)
  const isReplaceable = replacing.some(
    (opcode) => reach.reached.has(opcode) || (!reach.complete && reach.possible.has(opcode))
  )
  if (isReplaceable) return inconclusive("replaceable")
  const getter = yield* model.paths(functions.balanceOf)
  const balances = balancesOf(getter)
  if (typeof balances === "string") return inconclusive(balances)
  const approval = yield* model.paths(functions.approve)
  const allowances = allowancesOf(approval)
  if (allowances === undefined) return inconclusive(approval.trace.complete ? "no_allowances" : "too_many_paths")
  const known = PathCost.newInstructionsOf(bytecode, getter)
  const moves: ReadonlyArray<Move> = [
    [approval, approvalRoles],
    [yield* model.paths(functions.transfer), transferRoles],
    [yield* model.paths(functions.transferFrom), transferFromRoles]
  ]
  const found = yield* proofOf(model, moves, known, { balances, allowances })
  if (found.state === "free") return found
  const listed = yield* listedProof(model, moves, known, { balances, allowances }, found)
  if (listed !== undefined) return listed
  const told = yield* model.paths(functions.delegates)
  const delegates = delegatesOf(told)
  const [mapping, ...others] = delegates === undefined ? [] : (told.locator.resolve(delegates.slot) ?? [])
  if (mapping === undefined || others.length > 0) return found
  // Nobody's balance is assumed to be nothing.
  const books = [getter.locator.resolve(balances.slot), approval.locator.resolve(allowances.slot)]
  if (books.some((book) => book === undefined || book.some(({ id }) => id === mapping.id))) return found
  const undelegated = yield* proofOf(model, moves, known, { balances, allowances, delegates })
  return undelegated.state === "free"
    ? { state: "free_undelegated", below: undelegated.below, mapping: mapping.id }
    : found
}

/** The paths of a function, and what a call of it is assumed to have. */
type Move = readonly [PathTree, (tree: PathTree, entries: Entries) => Roles | undefined]

/** The entries of accounts. */
interface Entries {
  readonly balances: Template
  readonly allowances: Template
  /** Those that are assumed to be zero for sender and receiver. */
  readonly delegates?: Template | undefined
  /** Those that are assumed not to be zero for sender and receiver. */
  readonly list?: Template | undefined
}

type Plain = Extract<TransferProof, { readonly state: "free" | "gated" | "inconclusive" }>

/** The proof for accounts on a list, where one list is the only gate. */
function* listedProof(
  model: CodeModel,
  moves: ReadonlyArray<Move>,
  known: ReadonlySet<number>,
  entries: Entries,
  found: Plain
): Slices.Slices<TransferProof | undefined> {
  if (found.state !== "gated") return undefined
  const [{ kind, slot: mapping } = noGate, ...others] = found.gates
  if (kind !== "list" || mapping === null || others.length > 0) return undefined
  const tree = yield* model.paths(functions.transfer)
  const list = listOf(tree, mapping)
  const [book, ...more] = tree.locator.resolve(entries.balances.slot) ?? []
  if (list === undefined || book === undefined || more.length > 0 || book.id === mapping) return undefined
  const proof = yield* proofOf(model, moves, known, { ...entries, list })
  return proof.state === "free" ? { state: "free_listed", below: proof.below, mapping, balances: book.id } : undefined
}

const noGate: Gate = { kind: "always", slot: null }

/** The sender's entry in a mapping that a transfer checks, with no other key. */
const listOf = ({ locator, pool, trace }: PathTree, mapping: string): Template | undefined => {
  const call = WellFormedCall.make(pool, { words: 2, addresses: [0] }, tagOf)
  const sender = pool.nullary(Opcodes.CALLER)
  for (const block of trace.blocks) {
    const branch = Asked.branchOf(block)
    if (branch === undefined) continue
    for (const part of Walk.parts([branch.condition], { into: Walk.held, most: maxParts })) {
      if (part.op !== Opcodes.SLOAD) continue
      const [place, ...others] = locator.resolve(part.args[0]) ?? []
      const slot = call.of(part.args[0])
      if (place?.id !== mapping || others.length > 0 || !includes(slot, sender)) continue
      const template = { slot, accounts: [sender] }
      // What depends on anything else cannot be carried over.
      if (entryOf(pool, template, sender) !== undefined) return template
    }
  }
  return undefined
}

function* proofOf(
  model: CodeModel,
  moves: ReadonlyArray<Move>,
  known: ReadonlySet<number>,
  entries: Entries
): Slices.Slices<Plain> {
  const parts: Array<Part> = []
  for (const [tree, roles] of moves) parts.push(yield* partOf(model, tree, roles(tree, entries), known))
  const gates = parts.flatMap((part) => part.gates)
  // An entry that is checked in two ways counts as two lists.
  if (new Set(parts.flatMap((part) => [...part.forms])).size > 1) gates.push({ kind: "list", slot: null })
  if (gates.length > 0) return { state: "gated", gates: unique(gates).slice(0, maxGates) }
  const [reason] = parts.flatMap((part) => part.reasons)
  if (reason !== undefined) return { state: "inconclusive", reason }
  const below = parts.reduce((least, part) => (part.below < least ? part.below : least), maxWord + 1n)
  return { state: "free", below: Quantity.make(below) }
}

const { functions } = Selectors

const inconclusive = (reason: Reason): TransferProof => ({ state: "inconclusive", reason })

const replacing: ReadonlyArray<number> = [Opcodes.DELEGATECALL, Opcodes.CALLCODE, Opcodes.SELFDESTRUCT]

const maxGates = 16

const unique = (gates: ReadonlyArray<Gate>): ReadonlyArray<Gate> => [
  ...new Map(gates.map((gate) => [`${gate.kind} ${gate.slot}`, gate])).values()
]

/** The slot formula of an entry with names in place of its accounts. */
interface Template {
  readonly slot: Expression
  readonly accounts: ReadonlyArray<Expression>
}

const entryOf = (pool: Pool, { accounts, slot }: Template, ...others: ReadonlyArray<Expression>) =>
  WellFormedCall.transplant(
    pool,
    slot,
    new Map(accounts.flatMap((account, i) => (others[i] === undefined ? [] : [[account, others[i]] as const])))
  )

/** The delegate of an account, where `delegates` answers it on every path, for every account, and does nothing else. */
const delegatesOf = (tree: PathTree): Template | undefined => {
  const found = answeredBy(tree, (word) => unmasked(word))
  return typeof found === "string" ? undefined : found
}

/** The balance of an account, where `balanceOf` answers it on every path, for every account, and does nothing else. */
const balancesOf = (tree: PathTree): Template | "no_balances" | "too_many_paths" => answeredBy(tree, (word) => word)

/** The entry of an account that a getter answers, as it is or as `bare` leaves it. */
const answeredBy = (
  tree: PathTree,
  bare: (word: Expression) => Expression
): Template | "no_balances" | "too_many_paths" => {
  const { parents, pool, trace } = tree
  if (!trace.complete) return "too_many_paths"
  const call = WellFormedCall.make(pool, { words: 1, addresses: [0] }, tagOf)
  const account = call.account(0)
  const excluded: Array<boolean> = []
  let slot: Expression | undefined
  for (const block of trace.blocks) {
    const parent = parents.get(block.index)
    const [asked, ...more] = parent === undefined ? [] : Asked.on(trace.blocks[parent], block.index)
    const isOut = asked !== undefined && isImpossible(call, asked, [account])
    excluded[block.index] = (parent !== undefined && excluded[parent] === true) || isOut
    if (more.length > 0) return "no_balances"
    if (excluded[block.index] === true) continue
    for (const missed of Asked.missedIn(block)) if (!isImpossible(call, missed, [account])) return "no_balances"
    if (block.events.some(({ kind }) => !harmless.has(kind))) return "no_balances"
    if (block.successors.length > 0) continue
    const answer = block.events.findLast((event) => event.kind === "return")
    const word = answer === undefined ? undefined : onlyWord(answer)
    const read = word === undefined ? undefined : bare(call.of(word))
    if (block.end !== "success" || read?.op !== Opcodes.SLOAD || !isAtEntry(read)) return "no_balances"
    if (slot !== undefined && slot !== read.args[0]) return "no_balances"
    slot = read.args[0]
  }
  if (slot === undefined || entryOf(pool, { slot, accounts: [account] }, account) === undefined) return "no_balances"
  return includes(slot, account) ? { slot, accounts: [account] } : "no_balances"
}

/** What a getter may do. */
const harmless: ReadonlySet<string> = new Set(["branch", "load", "return", "look"])

const includes = (what: Expression, part: Expression): boolean => {
  for (const one of Walk.parts([what], { most: maxParts })) if (one === part) return true
  return false
}

const maxParts = 200

/** The allowance that the owner gives a spender: the only entry that `approve` writes. */
const allowancesOf = ({ pool, trace }: PathTree): Template | undefined => {
  if (!trace.complete) return undefined
  const call = WellFormedCall.make(pool, { words: 2, addresses: [0] }, tagOf)
  const slots = new Set(
    trace.blocks.flatMap(({ events, succeeds }) =>
      succeeds ? events.flatMap((event) => (event.kind === "store" ? [call.of(event.slot)] : [])) : []
    )
  )
  const [slot] = slots
  if (slot === undefined || slots.size > 1) return undefined
  const accounts = [pool.nullary(Opcodes.CALLER), call.account(0)]
  const template = { slot, accounts }
  const isWhole = accounts.every((account) => includes(slot, account))
  return isWhole && entryOf(pool, template, ...accounts) !== undefined ? template : undefined
}

/** What a call of one function is assumed to have, and what it has to do. */
interface Roles {
  readonly call: WellFormedCall.WellFormedCall
  readonly amount: Expression
  /** The accounts, none of which is zero. */
  readonly accounts: ReadonlyArray<Expression>
  /** Accounts that are different from each other. */
  readonly apart: ReadonlyArray<readonly [Expression, Expression]>
  /** Slots that hold at least the amount when the call begins. */
  readonly enough: ReadonlyArray<Expression>
  /** What is credited, debited and set to the amount, by slot; `optional` ones may also stay as they are. */
  readonly credit: Expression | undefined
  readonly debit: Expression | undefined
  readonly optional: Expression | undefined
  readonly set: Expression | undefined
  /** An entry of a mapping that is not written otherwise. */
  readonly kept: Expression | undefined
  /** Slots that hold nothing when the call begins, and are not written. */
  readonly empty: ReadonlyArray<Expression>
  /** Slots that are not zero when the call begins, and are not written; each has to be checked. */
  readonly listed: ReadonlyArray<Expression>
}

const transferRoles = (tree: PathTree, { allowances, balances, delegates, list }: Entries): Roles | undefined => {
  const { pool } = tree
  const call = WellFormedCall.make(pool, { words: 2, addresses: [0] }, tagOf)
  const [from, to] = [pool.nullary(Opcodes.CALLER), call.account(0)]
  const [debit, credit] = [entryOf(pool, balances, from), entryOf(pool, balances, to)]
  const [empty, listed] = [entriesOf(pool, delegates, from, to), entriesOf(pool, list, from, to)]
  if (debit === undefined || credit === undefined || empty === undefined || listed === undefined) return undefined
  const kept = entryOf(pool, allowances, from, to)
  const amount = argument(pool, 1)
  return movement(pool, call, { from, to, amount, debit, credit, optional: undefined, kept, empty, listed })
}

const transferFromRoles = (tree: PathTree, { allowances, balances, delegates, list }: Entries): Roles | undefined => {
  const { pool } = tree
  const call = WellFormedCall.make(pool, { words: 3, addresses: [0, 1] }, tagOf)
  const [from, to] = [call.account(0), call.account(1)]
  const [debit, credit] = [entryOf(pool, balances, from), entryOf(pool, balances, to)]
  const optional = entryOf(pool, allowances, from, pool.nullary(Opcodes.CALLER))
  const [empty, listed] = [entriesOf(pool, delegates, from, to), entriesOf(pool, list, from, to)]
  if (debit === undefined || credit === undefined || optional === undefined) return undefined
  if (empty === undefined || listed === undefined) return undefined
  const amount = argument(pool, 2)
  return movement(pool, call, { from, to, amount, debit, credit, optional, kept: optional, empty, listed })
}

/** The entries of both accounts that something is assumed of; undefined where they are not known. */
const entriesOf = (
  pool: Pool,
  template: Template | undefined,
  from: Expression,
  to: Expression
): ReadonlyArray<Expression> | undefined => {
  if (template === undefined) return []
  const [one, other] = [entryOf(pool, template, from), entryOf(pool, template, to)]
  return one === undefined || other === undefined ? undefined : [one, other]
}

const movement = (
  pool: Pool,
  call: WellFormedCall.WellFormedCall,
  {
    amount,
    credit,
    debit,
    empty,
    from,
    kept,
    listed,
    optional,
    to
  }: Pick<Roles, "amount" | "optional" | "kept" | "empty" | "listed"> & {
    readonly from: Expression
    readonly to: Expression
    readonly debit: Expression
    readonly credit: Expression
  }
): Roles => {
  const self = pool.nullary(Opcodes.ADDRESS)
  return {
    call,
    amount,
    accounts: [from, to],
    apart: [
      [from, to],
      [to, self],
      [from, self]
    ],
    enough: optional === undefined ? [debit] : [debit, optional],
    credit,
    debit,
    optional,
    set: undefined,
    kept,
    empty,
    listed
  }
}

const approvalRoles = (tree: PathTree, { allowances }: Entries): Roles | undefined => {
  const { pool } = tree
  const call = WellFormedCall.make(pool, { words: 2, addresses: [0] }, tagOf)
  const [owner, spender] = [pool.nullary(Opcodes.CALLER), call.account(0)]
  return {
    call,
    amount: argument(pool, 1),
    accounts: [owner, spender],
    // Permit2 spends by signatures, and some tokens let nobody limit it.
    apart: [
      [owner, spender],
      [spender, pool.constant(BigInt(AddressBook.permit2))]
    ],
    enough: [],
    credit: undefined,
    debit: undefined,
    optional: undefined,
    set: entryOf(pool, allowances, owner, spender),
    kept: undefined,
    empty: [],
    listed: []
  }
}

const argument = (pool: Pool, index: number): Expression =>
  pool.node(Opcodes.CALLDATALOAD, [pool.constant(BigInt(4 + 32 * index))])

/** Whether a well-formed call of accounts that are not zero never gets an answer. */
const isImpossible = (
  call: WellFormedCall.WellFormedCall,
  { condition, holds }: Asked.Asked,
  accounts: ReadonlyArray<Expression>
): boolean => {
  const { asked, same } = unnegated(call.of(condition))
  const isTrue = same === holds
  if (asked.op === Kind.constant) return (asked.value !== 0n) !== isTrue
  return !isTrue && accounts.includes(asked)
}

/**
 * The epoch of a load, and its storage region: the same slot can be hashed in two ways, and a store by one does not
 * show in loads by the other.
 */
const tagOf = ({ args: [slot], tag }: Load): string => `${tag}|${StorageEpochs.regionOf(slot) ?? "?"}`

const momentOf = ({ tag }: Expression): readonly [epoch: string, region: string] => {
  const end = tag.indexOf("|")
  return [tag.slice(0, end), tag.slice(end + 1)]
}

const isAtEntry = (what: Expression): boolean => momentOf(what)[0] === StorageEpochs.atEntry.epoch

/** What one function adds to the proof. */
interface Part {
  readonly gates: ReadonlyArray<Gate>
  readonly reasons: ReadonlyArray<Reason>
  readonly below: bigint
  /** The ways in which entries of the list are checked: by the bits that are read. */
  readonly forms: ReadonlySet<string>
}

/** What of a transfer was done. */
interface Done {
  readonly debited: boolean
  readonly credited: boolean
  readonly spent: boolean
}

/** A path up to the end of a block. */
interface Path extends Done {
  /** No call within the assumptions takes it: it fails a check that they all pass. */
  readonly excluded: boolean
  /** The entries of the list that it has checked and that are not zero. */
  readonly listed: ReadonlySet<Expression>
  /** It has checked an entry of the list that is zero. */
  readonly unlisted: boolean
  readonly forms: ReadonlySet<string>
  /** Only calls of accounts that together have this much take it. */
  readonly unless: bigint | undefined
  readonly set: boolean
  readonly wrong: boolean
  /** It has checked that the sender has the amount. */
  readonly covered: boolean
  /** What was done after each store, by the beginning of the epoch that it began. */
  readonly moments: ReadonlyArray<Done & { readonly epoch: string }>
  /** The regions that balances and allowances were stored in. */
  readonly regions: ReadonlySet<string>
  readonly reasons: ReadonlyArray<Reason>
  readonly gas: number
}

const start: Path = {
  excluded: false,
  listed: new Set(),
  unlisted: false,
  forms: new Set(),
  unless: undefined,
  debited: false,
  credited: false,
  spent: false,
  set: false,
  wrong: false,
  covered: false,
  moments: [],
  regions: new Set(),
  reasons: [],
  gas: 0
}

function* partOf(
  { bytecode }: CodeModel,
  tree: PathTree,
  roles: Roles | undefined,
  known: ReadonlySet<number>
): Slices.Slices<Part> {
  const { parents, trace } = tree
  if (roles === undefined) return { gates: [], reasons: ["no_balances"], below: maxWord + 1n, forms: new Set() }
  const gates: Array<Gate> = []
  const reasons = new Set<Reason>(trace.complete ? [] : ["too_many_paths"])
  const paths: Array<Path> = []
  const forms = new Set<string>()
  let below = maxWord + 1n
  const own = new Set(
    [roles.debit, roles.credit, roles.kept, roles.set, ...roles.empty, ...roles.listed].flatMap((slot) =>
      slot === undefined ? [] : (tree.locator.resolve(slot) ?? []).map(({ id }) => id)
    )
  )
  const end = (path: Path, last: Asked.Asked | undefined, gate: Gate | undefined): void => {
    if (path.excluded || path.unlisted) return
    if (path.unless !== undefined) {
      if (path.unless < below) below = path.unless
      return
    }
    // Unknown effects on the way may be the reason for the condition.
    for (const reason of path.reasons) reasons.add(reason)
    if (path.reasons.length > 0) return
    for (const found of gate === undefined ? gatesIn(tree, roles, last) : [gate]) gates.push(found)
  }
  const lastAsked: Array<Asked.Asked | undefined> = []
  const work = Slices.makeWork()
  for (const block of trace.blocks) {
    if (work.isDue(5)) yield undefined
    const parent = parents.get(block.index)
    const [asked] = parent === undefined ? [] : Asked.on(trace.blocks[parent], block.index)
    const before = parent === undefined ? start : (paths[parent] ?? start)
    lastAsked[block.index] = asked ?? (parent === undefined ? undefined : lastAsked[parent])
    const entered = asked === undefined ? before : afterAsking(before, tree, roles, asked)
    const path = afterBlock(entered, tree, block, roles, own)
    const { gas, isBounded } = PathCost.ofBlock(bytecode, block, known)
    const reached: Path = {
      ...path,
      gas: path.gas + gas,
      reasons: isBounded ? path.reasons : [...path.reasons, "cost"]
    }
    paths[block.index] = reached
    for (const form of reached.forms) forms.add(form)
    for (const missed of Asked.missedIn(block)) end(afterAsking(reached, tree, roles, missed), missed, undefined)
    if (block.successors.length > 0 || Asked.branchOf(block) !== undefined) continue
    if (block.end === "open") {
      if (!reached.excluded) reasons.add("too_many_paths")
    } else if (block.end === "failure") end(reached, lastAsked[block.index], undefined)
    else if (reached.excluded) {
      // A transfer of nothing, or to itself, may succeed, but not change what others have.
      if (reached.wrong) gates.push({ kind: "fee", slot: null })
      for (const reason of reached.reasons) if (reason !== "cost") reasons.add(reason)
    } else if (roles.listed.some((slot) => !reached.listed.has(slot))) {
      // A party's entry is zero, or was not checked.
      gates.push({ kind: "list", slot: null })
    } else {
      for (const reason of reached.reasons) reasons.add(reason)
      if (reached.gas > mostGas) reasons.add("cost")
      const answer = answerOf(roles, block)
      if (!isDone(reached, roles)) end(reached, undefined, { kind: "fee", slot: null })
      else if (answer === "other") end(reached, undefined, { kind: "answer", slot: null })
      else if (answer === "unknown") reasons.add("external_call")
    }
  }
  return { gates, reasons: [...reasons], below, forms }
}

/** What transfers of all kinds take is a tenth of this, and blocks have ten times as much and more. */
const mostGas = 1_000_000

const isDone = ({ covered, credited, debited, set, wrong }: Path, { credit, debit, set: toSet }: Roles): boolean =>
  !wrong &&
  credited === (credit !== undefined) &&
  debited === (debit !== undefined) &&
  (covered || debit === undefined) &&
  set === (toSet !== undefined)

/** What a path says where it ends: nothing, which callers of old tokens accept, or one word. */
const answerOf = ({ call }: Roles, block: Block): "done" | "other" | "unknown" => {
  const answer = block.events.findLast((event) => event.kind === "return")
  if (answer === undefined || isNumber(answer.length, 0n)) return "done"
  const word = onlyWord(answer)
  const said = word === undefined ? undefined : call.of(word)
  if (said === undefined) return "unknown"
  return isNumber(said, 1n) ? "done" : "other"
}

/** The values of later loads of balances and allowances, after the changes that a transfer makes. */
const settled = (
  path: Path,
  { pool }: PathTree,
  { amount, call, credit, debit, empty, optional }: Roles,
  what: Expression
) =>
  WellFormedCall.settle(pool, call.of(what), (load) => {
    const [slot] = load.args
    if (empty.includes(slot)) return isAtEntry(load) ? pool.constant(0n) : undefined
    if (slot !== credit && slot !== debit && slot !== optional) return undefined
    const [epoch, region] = momentOf(load)
    if (
      path.wrong ||
      path.reasons.length > 0 ||
      [...path.regions].some((other) => other !== region && !isApart(other, region))
    )
      return undefined
    const done =
      epoch === StorageEpochs.atEntry.epoch ? nothing : path.moments.find((moment) => epoch.startsWith(moment.epoch))
    if (done === undefined) return undefined
    const entry = pool.node(Opcodes.SLOAD, [slot], entryTag)
    if (slot === credit) return done.credited ? pool.binary(Opcodes.ADD, entry, amount) : entry
    return (slot === debit ? done.debited : done.spent) ? pool.binary(Opcodes.SUB, entry, amount) : entry
  })

const nothing: Done = { debited: false, credited: false, spent: false }

const entryTag = `${StorageEpochs.atEntry.epoch}|`

/** Whether two regions are those of variables that are hashed as words, of which each slot has one region. */
const isApart = (one: string, other: string): boolean => isOfWords(one) && isOfWords(other)

const isOfWords = (region: string): boolean => /^[0-9a-f]+(\[k\])+$/.test(region)

const afterAsking = (path: Path, tree: PathTree, roles: Roles, { condition, holds }: Asked.Asked): Path => {
  if (path.excluded) return path
  const { asked, same } = unnegated(settled(path, tree, roles, condition))
  const isTrue = same === holds
  const entry = unmasked(asked)
  if (entry.op === Opcodes.SLOAD && isAtEntry(entry) && roles.listed.includes(entry.args[0])) {
    const [, mask] = asked.args
    const form = asked !== entry && mask?.op === Kind.constant ? `${mask.value}` : "whole"
    const forms = new Set([...path.forms, form])
    return isTrue
      ? { ...path, forms, listed: new Set([...path.listed, entry.args[0]]) }
      : { ...path, forms, unlisted: true }
  }
  const covered = path.covered || isCover(roles, asked, isTrue)
  const refusal = refusalIn(roles, asked, isTrue)
  if (refusal === undefined) return covered === path.covered ? path : { ...path, covered }
  if (refusal === "never") return { ...path, excluded: true }
  return { ...path, covered, unless: path.unless === undefined || refusal > path.unless ? refusal : path.unless }
}

/** Whether an answer says that the sender has the amount. */
const isCover = ({ amount, debit }: Roles, asked: Expression, isTrue: boolean): boolean => {
  const [a, b] = asked.args
  if (asked.op !== Opcodes.LT || a === undefined || b === undefined) return false
  const isHeld = (what: Expression): boolean => what.op === Opcodes.SLOAD && isAtEntry(what) && what.args[0] === debit
  return isTrue ? a === amount && isHeld(b) : isHeld(a) && (b === amount || isDifference(b, a, amount))
}

/**
 * Why a call within the assumptions does not get this answer: it never does, or only where sender and receiver together
 * have as much as a number. None where it may.
 */
const refusalIn = (roles: Roles, asked: Expression, isTrue: boolean): "never" | bigint | undefined => {
  const { accounts, amount, apart, credit, enough } = roles
  if (asked.op === Kind.constant) return (asked.value !== 0n) === isTrue ? undefined : "never"
  const isEnough = (what: Expression): boolean =>
    what.op === Opcodes.SLOAD && isAtEntry(what) && enough.includes(what.args[0])
  if (!isTrue && (accounts.includes(asked) || asked === amount || isEnough(asked))) return "never"
  const [a, b] = asked.args
  if (a === undefined || b === undefined) return undefined
  const isPair = apart.some(([one, other]) => (a === one && b === other) || (a === other && b === one))
  if (isPair && isTrue === (asked.op === Opcodes.EQ) && equating.has(asked.op)) return "never"
  const isReceived = (what: Expression): boolean =>
    what.op === Opcodes.SLOAD && isAtEntry(what) && what.args[0] === credit
  const isTotal = (what: Expression): boolean =>
    what.op === Opcodes.ADD &&
    ((what.args[0] === amount && isReceived(what.args[1])) || (what.args[1] === amount && isReceived(what.args[0])))
  const isBounded = (what: Expression): boolean => what === amount || isReceived(what) || isTotal(what)
  switch (asked.op) {
    case Opcodes.LT:
      if (isTrue) {
        // x < amount, or x - amount wraps
        if (isEnough(a) && (b === amount || isDifference(b, a, amount))) return "never"
        // sum < part, or ~x < y: the sum wraps
        if (isTotal(a) && (b === amount || isReceived(b))) return maxWord + 1n
        if (a.op === Opcodes.NOT && isSumOf(a.args[0], b, amount, isReceived)) return maxWord + 1n
        if (a.op === Kind.constant && isBounded(b)) return a.value + 1n
      } else {
        // Adding more than nothing gives no more: the sum wraps.
        if (isReceived(a) && isTotal(b)) return maxWord + 1n
        if (b.op === Kind.constant && isBounded(a)) return b.value
      }
      return undefined
    case Opcodes.SHR:
      // Upper bits that a smaller type does not have.
      return isTrue && a.op === Kind.constant && isBounded(b) && a.value < 256n ? 1n << a.value : undefined
    case Opcodes.EQ: {
      if (isTrue) return undefined
      if (Linear.isSame(a, b)) return "never"
      const [whole, part] = isBounded(a) ? [a, b] : [b, a]
      const mask = part.op === Opcodes.AND && part.args[0] === whole ? part.args[1] : undefined
      return isBounded(whole) && mask?.op === Kind.constant && isLowMask(mask.value) ? mask.value + 1n : undefined
    }
    default:
      return undefined
  }
}

const equating: ReadonlySet<number> = new Set([Opcodes.EQ, Opcodes.SUB, Opcodes.XOR])

const isLowMask = (mask: bigint): boolean => (mask & (mask + 1n)) === 0n

const isDifference = (what: Expression, whole: Expression, part: Expression): boolean =>
  what.op === Opcodes.SUB && what.args[0] === whole && what.args[1] === part

const isSumOf = (
  one: Expression | undefined,
  other: Expression,
  amount: Expression,
  isReceived: (what: Expression) => boolean
): boolean => one !== undefined && ((one === amount && isReceived(other)) || (other === amount && isReceived(one)))

const afterBlock = (path: Path, tree: PathTree, block: Block, roles: Roles, own: ReadonlySet<string>): Path => {
  let after = path
  const note = (reason: Reason): void => {
    if (!after.reasons.includes(reason)) after = { ...after, reasons: [...after.reasons, reason] }
  }
  for (const event of block.events) {
    switch (event.kind) {
      case "call":
      case "create":
      case "told":
        note("external_call")
        break
      case "destroy":
        note("replaceable")
        break
      case "expand":
        note("cost")
        break
      case "store": {
        const next = afterStore(after, tree, event, roles, own)
        if (next === "write_location") note(next)
        else {
          const { credited, debited, spent } = next
          const moment = { epoch: `${block.index}:${event.offset}:`, credited, debited, spent }
          after = { ...next, moments: [...next.moments, moment] }
        }
        break
      }
      default:
    }
  }
  return after
}

const afterStore = (
  path: Path,
  tree: PathTree,
  event: StoreEvent,
  roles: Roles,
  own: ReadonlySet<string>
): Path | "write_location" => {
  const { amount, call, credit, debit, optional, set } = roles
  const slot = call.of(event.slot)
  const [value, current] = [event.value, event.current].map((what) => settled(path, tree, roles, what)) as [
    Expression,
    Expression
  ]
  const isOwn = slot === debit || slot === credit || slot === optional || slot === set
  const region = StorageEpochs.regionOf(event.slot) ?? "?"
  const stored: Path = isOwn ? { ...path, regions: new Set([...path.regions, region]) } : path
  if (slot === debit && !path.debited && isDifference(value, current, amount)) return { ...stored, debited: true }
  // What is added to is read at this moment, so that a transfer to oneself makes nothing out of nothing.
  const isOfNow = isSum(call.of(event.value), call.of(event.current), amount)
  if (slot === credit && !path.credited && isOfNow && isSum(value, current, amount))
    return { ...stored, credited: true }
  if (slot === optional) {
    if (value === current) return stored
    if (!path.spent && isDifference(value, current, amount)) return { ...stored, spent: true }
    return { ...stored, wrong: true }
  }
  if (slot === set && !path.set && value === amount) return { ...stored, set: true }
  const locations = tree.locator.resolve(event.slot)
  if (locations === undefined || !locations.every((location) => tree.locator.isBounded(location, event.facts)))
    return "write_location"
  return isOwn || locations.some(({ id }) => own.has(id)) ? { ...stored, wrong: true } : path
}

const isSum = (what: Expression, one: Expression, other: Expression): boolean =>
  what.op === Opcodes.ADD &&
  ((what.args[0] === one && what.args[1] === other) || (what.args[0] === other && what.args[1] === one))

/** What the condition depends on that ends a path. */
const gatesIn = ({ locator }: PathTree, roles: Roles, last: Asked.Asked | undefined): ReadonlyArray<Gate> => {
  if (last === undefined) return [{ kind: "always", slot: null }]
  const gates: Array<Gate> = []
  const add = (kind: Gate["kind"], slot: string | null = null): void => {
    gates.push({ kind, slot })
  }
  for (const part of Walk.parts([last.condition], { into: Walk.held, most: maxParts })) {
    if (part.op === Opcodes.SLOAD) {
      const slot = roles.call.of(part.args[0])
      const locations = locator.resolve(part.args[0])
      if (slot === roles.debit || slot === roles.credit || slot === roles.optional || slot === roles.set) add("balance")
      else if (locations === undefined) add("variable")
      else for (const { id, keys } of locations) add(keys.length > 0 ? "list" : "variable", id)
    } else if (part.op === Opcodes.CALLER) add("caller")
    else if (part.op === Kind.unknown) add(part.detail.kind === "party" ? "account" : "environment")
    else if (Circumstance.ofOpcode.has(part.op) || clocks.has(part.op) || part.op === Opcodes.ORIGIN) add("environment")
  }
  return gates.length > 0 ? gates : [{ kind: "amount", slot: null }]
}

const clocks: ReadonlySet<number> = new Set([Opcodes.TIMESTAMP, Opcodes.NUMBER, Opcodes.CHAINID])
