/** @internal */

import { Opcodes } from "../../bytecode/Opcodes.js"
import { type Expression, Kind, type Pool, unmasked } from "../../expression/Expression.js"
import { type Field, loadedField, type Tracer } from "../../expression/ValueSource.js"
import type { StoreEvent, Trace } from "../../interpreter/Trace.js"
import type * as ControlFlowGraph from "../conditions/ControlFlowGraph.js"
import * as FieldWrite from "./FieldWrite.js"

/**
 * The debits of an account in a trace.
 *
 * - `only`: the single formula that is taken off its entries in mappings; none where there are several, or an entry is
 *   set to another value.
 * - `values`: what is taken off its entries in mappings of amounts, or the values that those are set to.
 * - `twice`: those that are taken twice, and `often` those that are taken in a loop.
 * - `together`: for each mapping all those that one call may take off it, on any path.
 */
export interface DebitedAmounts {
  readonly only: Expression | undefined
  readonly values: ReadonlySet<Expression>
  readonly twice: ReadonlySet<Expression>
  readonly often: ReadonlySet<Expression>
  readonly together: ReadonlyArray<ReadonlyArray<Expression>>
}

/** Mappings of which each entry holds what an account has, with the bits of the word that it is in. */
export type Books = ReadonlyMap<string, bigint>

/** The mappings that amounts are added to somewhere in a trace. */
export const booksIn = (pool: Pool, tracer: Tracer, { blocks }: Pick<Trace, "blocks">): Books => {
  const books = new Map<string, bigint>()
  for (const { events, succeeds } of blocks)
    for (const event of events)
      if (event.kind === "store" && succeeds)
        for (const { mask, value } of FieldWrite.partsOf(pool, event))
          if (isAdded(value) && value.args.some((what) => isOf(event, what)))
            for (const { id } of tracer.locate(event.slot) ?? []) books.set(id, (books.get(id) ?? 0n) | mask)
  return books
}

/** What is added to an entry takes nothing, unless it is a number below zero. */
const isAdded = ({ args, op }: Expression): boolean =>
  op === Opcodes.ADD && !args.some(({ bits, op }) => op === Kind.constant && bits === 256)

/** Whether a number is the old value of the slot of a store. */
const isOf = ({ slot }: StoreEvent, what: Expression): boolean => loadedField(what)?.load.args[0] === slot

/**
 * What a write makes of an entry where that may be less: how much less, and, where it says so, what it takes `off`. Of that no
 * more is lost than what the entry's field has room for: `(old - off) & mask` is no less than `old - (off & mask)`.
 */
export const lessIn = (
  pool: Pool,
  event: StoreEvent
): ReadonlyArray<{
  readonly mask: bigint
  readonly value: Expression
  readonly off: Expression | undefined
  readonly lost: Expression
}> =>
  FieldWrite.partsOf(pool, event).flatMap(({ field, mask, value }) => {
    if (isAdded(value)) return []
    const [before, amount] = value.op === Opcodes.SUB ? value.args : []
    // A value taken off one number of a word and written to another one says nothing about the debit.
    const isSame = before !== undefined && isOf(event, before) && isIn(loadedField(before)?.mask, mask)
    const off = isSame ? amount : undefined
    return [
      {
        mask,
        value,
        off,
        lost: off === undefined ? pool.binary(Opcodes.SUB, event.current, value) : cut(pool, off, field)
      }
    ]
  })

/** Whether a number of a word is in the place of another one, which may have more bits. */
const isIn = (mask: bigint | undefined, wider: bigint): boolean =>
  mask !== undefined && (mask & ~wider) === 0n && (mask & -mask) === (wider & -wider)

/** The bits of a number that a field has room for. */
const cut = (pool: Pool, what: Expression, field: Field | undefined): Expression =>
  field === undefined || what.bits <= 8 * field.size
    ? what
    : pool.binary(Opcodes.AND, what, pool.constant((1n << BigInt(8 * field.size)) - 1n))

/** What is taken from accounts in a trace, by account; of `books` everything. */
export const of = (
  pool: Pool,
  tracer: Tracer,
  { blocks }: Pick<Trace, "blocks">,
  graph: Pick<ControlFlowGraph.ControlFlowGraph, "after" | "repeats">,
  books: Books
): ReadonlyMap<Expression, DebitedAmounts> => {
  const only = new Map<Expression, Expression | undefined>()
  const taken: Array<Taking & { readonly id: string; readonly account: Expression }> = []
  for (const block of blocks)
    for (const event of block.events) {
      if (event.kind !== "store" || !block.succeeds) continue
      const { slot } = event
      for (const { lost, mask, off, value } of lessIn(pool, event)) {
        for (const { id, keys } of tracer.locate(slot) ?? []) {
          const account = keys[0] === undefined ? undefined : unmasked(keys[0])
          if (account === undefined || id.endsWith("[k][k]")) continue
          // Other numbers in the word of a balance are no part of the balance.
          const book = books.get(id)
          if (book !== undefined && (book & mask) === 0n) continue
          const other = only.has(account) ? only.get(account) : off
          only.set(account, other === off ? off : undefined)
          if (value.op === Opcodes.SLOAD && value.args[0] === slot) continue
          taken.push({ id, account, slot, block: block.index, value: off ?? value, lost })
        }
      }
    }
  const found = new Map<Expression, DebitedAmounts>()
  for (const [account, one] of only) {
    const own = taken.filter((taking) => taking.account === account && books.has(taking.id))
    const isFollowed = (taking: Taking, i: number): boolean =>
      own.some(
        (next, j) =>
          next.slot === taking.slot &&
          next.value === taking.value &&
          (next.block === taking.block ? j > i : graph.after([taking.block]).has(next.block))
      )
    found.set(account, {
      only: one,
      values: new Set(own.map(({ value }) => value)),
      twice: new Set(own.filter(isFollowed).map(({ value }) => value)),
      often: new Set(own.filter(({ block }) => graph.repeats(block)).map(({ value }) => value)),
      together: [...books.keys()].flatMap((id) =>
        togetherIn(
          own.filter((taking) => taking.id === id),
          graph
        )
      )
    })
  }
  return found
}

/** A write that takes something off an entry, or makes something else of it. */
interface Taking {
  readonly slot: Expression
  readonly block: number
  /** The amount that is taken, or the new value of the entry. */
  readonly value: Expression
  /** How much less there is. */
  readonly lost: Expression
}

/** The largest lists of takings of which each two can be in one call. */
const togetherIn = (
  takings: ReadonlyArray<Taking>,
  graph: Pick<ControlFlowGraph.ControlFlowGraph, "after">
): ReadonlyArray<ReadonlyArray<Expression>> => {
  if (takings.length > maxTogether) return [takings.map(({ lost }) => lost)]
  const reaches = takings.map(({ block }) => graph.after([block]))
  const areTogether = (one: number, other: number): boolean => {
    const [a, b] = [takings[one]?.block ?? 0, takings[other]?.block ?? 0]
    return a === b || reaches[one]?.has(b) === true || reaches[other]?.has(a) === true
  }
  // Each list is a word with a bit for each taking in it.
  let lists: ReadonlyArray<number> = [0]
  for (const i of takings.keys()) {
    const beside = takings.reduce(
      (bits, _, other) => (other < i && areTogether(i, other) ? bits | (1 << other) : bits),
      0
    )
    const all = [...new Set([...lists, ...lists.map((list) => (list & beside) | (1 << i))])]
    lists = all.filter((list) => !all.some((other) => other !== list && (list & other) === list))
    if (lists.length > maxLists) return [takings.map(({ lost }) => lost)]
  }
  return lists.map((list) => takings.flatMap(({ lost }, i) => ((list & (1 << i)) === 0 ? [] : [lost])))
}

/** The most debits of one call that are tracked. */
const maxTogether = 32
const maxLists = 64
