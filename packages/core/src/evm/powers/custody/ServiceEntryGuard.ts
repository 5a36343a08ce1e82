/** @internal */

import type { ValueSource } from "../../expression/ValueSource.js"
import { isWritten, type Place } from "../../summary/conditions/FieldMask.js"
import type { Condition, Loaded, Precondition } from "../../summary/conditions/Precondition.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Access from "../../token/Access.js"
import { isLeftAsFound } from "../../token/ReentrancyLock.js"
import type { TokenBooks } from "../../token/TokenBooks.js"
import * as VariableWriter from "../../token/VariableWriter.js"
import * as TransferCondition from "../transfer/TransferCondition.js"
import type { TransferGate } from "../transfer/TransferGate.js"
import type { ServiceEntry } from "./ServiceEntry.js"

/**
 * A variable that decides whether a {@link ServiceEntry} goes through, as a {@link TransferGate} does for a transfer,
 * and which a privileged caller can change.
 *
 * It is `decisive` where only he decides. A variable that users write too is the state of their own business. A
 * condition on something that is neither a party nor common to all, such as one of several pools, stops only some.
 */
export type ServiceEntryGuard = TransferGate

/** The gates of some dealings. */
export const of = (
  flow: StorageFlow,
  token: TokenBooks,
  dealings: ReadonlyArray<ServiceEntry>
): ReadonlyArray<ServiceEntryGuard> => {
  const gates = new Map<string, ServiceEntryGuard>()
  const add = (
    { kind, passes, read, until }: Found,
    decisive: boolean,
    accept: (setter: VariableWriter.VariableWriter) => boolean = () => true
  ): void => {
    const key = JSON.stringify([kind, read.slot, read.field, passes, until])
    if (gates.has(key)) return
    const { hidden, setters: all } = VariableWriter.reaching(flow, token, read)
    const setters = all.filter((setter) => setter.privileged && accept(setter))
    if (setters.length > 0)
      gates.set(key, {
        kind,
        slot: read.slot,
        field: read.field,
        passes,
        setters,
        decisive: decisive && !hidden && !isWrittenByMany(flow, token, read),
        until
      })
  }
  for (const { amounts, candidate, parties, rates } of dealings) {
    for (const slot of rates)
      add({ kind: "rate", read: { slot, keys: [], field: undefined }, passes: undefined }, false)
    const asked: TransferCondition.Parties = { isParty: isAmong(parties), isAmount: isAmong(amounts) }
    for (const requirement of candidate.requirements) {
      // Another owner changes whom users deal with, and not whether they can.
      for (const found of TransferCondition.of(flow, requirement, asked, token))
        if (found.kind !== "list" || found.read.keys.length > 0)
          add(
            found,
            found.certain && (found.kind !== "limit" || isAlone(requirement, found.read)),
            (setter) => !isLeftAsFound(flow, candidate, requirement, found.read, setter)
          )
      for (const read of ofSome(requirement, asked)) add({ kind: "flag", read, passes: undefined }, false)
    }
  }
  return [...gates.values()]
}

type Found = Pick<TransferGate, "kind" | "passes" | "until"> & { readonly read: Loaded }

const isAmong = (origins: ReadonlyArray<ValueSource>): ((origin: ValueSource) => boolean) => {
  const known = new Set(origins.map((origin) => JSON.stringify(origin)))
  return (origin) => known.has(JSON.stringify(origin))
}

const isWrittenByMany = (flow: StorageFlow, token: TokenBooks, place: Place): boolean =>
  flow.functions.some(({ writes }) =>
    writes.some((write) => isWritten(write, place) && Access.privilegesAt(flow, token, write).length === 0)
  )

/** Whether an amount is compared with nothing else: what goes into a price is no limit. */
const isAlone = ({ anyOf }: Precondition, { slot }: Loaded): boolean =>
  anyOf.some(({ left, right }) => [left, right].some(({ reads }) => reads.length === 1 && reads[0]?.slot === slot))

/** Yes-or-no conditions on something else than a party. */
const ofSome = ({ anyOf }: Precondition, { isParty }: TransferCondition.Parties): ReadonlyArray<Loaded> =>
  anyOf.flatMap((condition) =>
    isOfConstant(condition)
      ? [...condition.left.reads, ...condition.right.reads].filter(
          ({ keys }) => keys.length > 0 && !keys.some((key) => isParty(key) || key.kind === "unknown")
        )
      : []
  )

const isOfConstant = ({ left, right, test }: Condition): boolean =>
  test === "equal" &&
  [left, right].some(
    ({ about, reads }) => reads.length === 0 && about.length > 0 && about.every(({ kind }) => kind === "constant")
  )
