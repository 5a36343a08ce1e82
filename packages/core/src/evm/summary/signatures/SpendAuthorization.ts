/** @internal */

import type { Address } from "../../../domain/Address.js"
import type * as Slices from "../../../runtime/Slices.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Argument from "../../expression/Argument.js"
import { addressBits, type Expression, type Pool, unmasked } from "../../expression/Expression.js"
import type { Tracer } from "../../expression/ValueSource.js"
import * as Signer from "../../interpreter/Signer.js"
import type { Trace } from "../../interpreter/Trace.js"
import type * as ControlFlowGraph from "../conditions/ControlFlowGraph.js"
import type { Skip, Write } from "../conditions/FunctionFlow.js"
import type * as Guard from "../conditions/Guard.js"
import * as Approval from "./Approval.js"
import * as DebitedAmounts from "./DebitedAmounts.js"
import * as SignatureValidity from "./SignatureValidity.js"
import * as SignedHash from "./SignedHash.js"

/** How the paths through a write check the consent of the account that owns the entry. */
export type SpendAuthorization = Pick<Write, "asks" | "factors" | "skips" | "own">

/**
 * Makes, in slices, a reader of the allowance-like mappings that the paths through a block check. A path on which the
 * caller is the account itself (the mapping key), or the account has signed, needs none and counts as checked. A signer
 * agrees only to the signed data: `named`, the amounts and receivers, have to be part of it as far as the call names
 * them.
 */
export function* makeReader(
  pool: Pool,
  tracer: Tracer,
  trace: Trace,
  graph: ControlFlowGraph.ControlFlowGraph,
  guards: Guard.Guards,
  checkers: ReadonlyArray<Address>,
  work: Slices.Work
): Slices.Slices<
  (index: number, keys: ReadonlyArray<Expression>, named: ReadonlyArray<Expression>) => SpendAuthorization
> {
  // The sides of branches on which an entry of a mapping is sufficient, by account.
  const questions = new Map<string, Map<Expression, Set<number>>>()
  // Those on which it was found to be enough for a part of what is taken.
  const parts = new Map<string, Map<Expression, Set<number>>>()
  // What the amount that it was found to be enough for is multiplied with.
  const multiplied = new Map<string, Map<Expression, Set<string>>>()
  // Those on which an account is the caller or has agreed, with the answers that show it.
  const vouched = new Map<Expression, Array<readonly [answers: ReadonlyArray<Expression>, step: number]>>()
  const add = <K, V>(map: Map<K, Set<V>>, key: K, value: V): void => {
    const known = map.get(key)
    if (known === undefined) map.set(key, new Set([value]))
    else known.add(value)
  }
  const caller = pool.nullary(Opcodes.CALLER)
  const signers = Signer.of(trace)
  const vouchers = SignatureValidity.vouchersOf(trace, signers, checkers)
  const vouchedBy = SignatureValidity.makeReader(pool, signers, vouchers)
  const isAgreed = SignedHash.makeReader(trace, signers, vouchers)
  const isAccount = (what: Expression): boolean => what === caller || Signer.is(signers, what)
  // An allowance to the token itself, as for a flash loan, allows what its code does.
  const isSpender = (what: Expression): boolean => isAccount(unmasked(what)) || what.op === Opcodes.ADDRESS
  const taken = DebitedAmounts.of(pool, tracer, trace, graph, DebitedAmounts.booksIn(pool, tracer, trace))
  for (const block of trace.blocks) {
    for (const event of block.events) {
      if (event.kind !== "branch" || !block.succeeds) continue
      if (work.isDue(2)) yield undefined
      for (const slot of tracer.slots(event.condition))
        if (slot.endsWith("[k][k]") && !questions.has(slot)) questions.set(slot, new Map())
      const isAgain = graph.repeats(block.index)
      for (const [holds, next] of [
        [true, event.taken],
        [false, event.passed]
      ] as const) {
        const step = block.index * graph.size + next
        for (const { account, besides, factors, slot } of Approval.of(
          tracer,
          isSpender,
          taken,
          event.condition,
          holds,
          isAgain
        )) {
          const asked = besides === true ? parts : questions
          const ofSlot = asked.get(slot) ?? new Map<Expression, Set<number>>()
          asked.set(slot, ofSlot)
          add(ofSlot, account, step)
          if (factors === undefined) continue
          const known = multiplied.get(slot) ?? new Map<Expression, Set<string>>()
          multiplied.set(slot, known)
          for (const factor of factors) add(known, account, factor)
        }
        for (const [account, answers] of vouchedBy(event.condition, holds, event.facts))
          vouched.set(account, [...(vouched.get(account) ?? []), [answers, step]])
      }
    }
  }
  const nobody: ReadonlySet<number> = new Set()
  const nothing: ReadonlySet<string> = new Set()
  const known = new Map<string, ReadonlySet<number>>()
  /** The sides of branches on which an account was found to be the caller, or to have agreed to what is done with others. */
  const stepsOf = (keys: ReadonlyArray<Expression>): ReadonlySet<number> => {
    const [account, ...others] = keys
    if (account === undefined) return nobody
    const name = keys.map(({ id }) => id).join()
    const before = known.get(name)
    if (before !== undefined) return before
    const steps = new Set<number>()
    for (const [answers, step] of vouched.get(unmasked(account)) ?? [])
      if (answers.every((answer) => isAgreed(answer, others))) steps.add(step)
    known.set(name, steps)
    return steps
  }
  const unasked = new Map<
    string,
    readonly [ReadonlySet<number>, ControlFlowGraph.Reach, ControlFlowGraph.Reach, ControlFlowGraph.Reach]
  >()
  const strangers = new Map<ReadonlySet<number>, ControlFlowGraph.Reach>()
  const isOwn = (steps: ReadonlySet<number>, index: number): boolean => {
    if (steps.size === 0) return false
    const reach = strangers.get(steps) ?? graph.after([0], { steps })
    strangers.set(steps, reach)
    return !reach.has(index)
  }
  const said = new Map<Expression, ReadonlyArray<Expression>>()
  const saidIn = (what: Expression): ReadonlyArray<Expression> => {
    const found = said.get(what) ?? argumentsIn(tracer, what)
    said.set(what, found)
    return found
  }
  return (index, keys, named) => {
    const asks: Array<string> = []
    const skips: Array<Skip> = []
    const factors = new Set<string>()
    const [account, ...inner] = keys
    const others = [...new Set([...inner, ...named.flatMap(saidIn)])]
    const agreed = account === undefined ? [] : [account, ...others]
    const steps = stepsOf(agreed)
    for (const [slot, approvals] of questions) {
      const key = `${slot} ${agreed.map(({ id }) => id).join()}`
      let found = unasked.get(key)
      if (found === undefined) {
        const given = (account === undefined ? undefined : approvals.get(unmasked(account))) ?? nobody
        const without = { steps: new Set([...steps, ...given]) }
        found = [
          without.steps,
          graph.after([0], without),
          graph.before(graph.ends, without),
          graph.after([0], { steps: new Set([...without.steps, ...guards.passing]) })
        ]
        unasked.set(key, found)
      }
      const [answered, before, after, unguarded] = found
      if (!before.has(index) || !after.has(index)) {
        asks.push(slot)
        if (account !== undefined)
          for (const factor of multiplied.get(slot)?.get(unmasked(account)) ?? nothing) factors.add(factor)
        continue
      }
      const part = (account === undefined ? undefined : parts.get(slot)?.get(unmasked(account))) ?? nobody
      const all = { steps: new Set([...answered, ...part]) }
      const isInPart = part.size > 0 && !(graph.after([0], all).has(index) && graph.before(graph.ends, all).has(index))
      skips.push({
        slot,
        guards: guards.within(index, before, answered),
        shut: guards.passing.size > 0 && !unguarded.has(index),
        ...(isInPart ? { besides: true } : {})
      })
    }
    const isOfAccount = account !== undefined && isAccount(account) && (account === caller || isAgreed(account, others))
    return {
      asks,
      skips,
      own: isOfAccount || isOwn(steps, index),
      ...(factors.size > 0 ? { factors: [...factors] } : {})
    }
  }
}

/** The arguments at constant offsets in a formula. */
const argumentsIn = (tracer: Tracer, formula: Expression): ReadonlyArray<Expression> => {
  const parts = [...tracer.parts(formula)]
  // Where in an array something is read says nothing about what it is.
  const places = new Set(
    parts.flatMap((part) =>
      part.op === Opcodes.CALLDATALOAD && !Argument.isPlaced(part)
        ? part.args.flatMap((at) => [...tracer.parts(at)])
        : []
    )
  )
  const named = parts.filter((part) => Argument.isPlaced(unmasked(part)) && !places.has(part))
  const short = named.filter(({ bits }) => bits < addressBits)
  return [
    ...short,
    ...named.filter((part) => Argument.isPlaced(part) && !short.some((other) => unmasked(other) === part))
  ]
}
