/** @internal */

import type { Lever, Power } from "../../evm/powers/TokenPowers.js"
import type { TransferGate } from "../../evm/powers/transfer/TransferGate.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import type { Condition, Loaded, Side } from "../../evm/summary/conditions/Precondition.js"
import type { StorageFlow, Write } from "../../evm/summary/StorageFlow.js"
import * as Erc20 from "../../evm/token/Erc20.js"
import type * as TokenBooks from "../../evm/token/TokenBooks.js"
import * as VariableWriter from "../../evm/token/VariableWriter.js"

/**
 * The functions that enter accounts in a list which only some transfers check: those to one address, or by all accounts
 * but one, as in a token that only listed accounts can sell. A list that a switch, a limit or another list bypasses
 * does not count: it is then an exemption, and stops nobody.
 *
 * Nothing here is certain, since the code does not show which kind of transfers those are.
 */
export const ofPartialLists = (flow: StorageFlow, token: TokenBooks.TokenBooks): ReadonlyArray<Lever> => {
  const books = new Set([...token.balances, ...token.allowances].map(({ slot }) => slot))
  const transfers = flow.functions.filter(({ selector }) => Erc20.transferSelectors.has(selector))
  const lists = transfers.flatMap(({ requirements }) =>
    requirements.flatMap(({ anyOf }) => {
      const entries = anyOf.flatMap((condition) => entryOf(condition))
      const others = anyOf.filter((condition) => entryOf(condition).length === 0)
      return others.length > 0 && others.every((condition) => isAboutPlace(condition, others)) ? entries : []
    })
  )
  return lists
    .filter(({ slot }) => !books.has(slot))
    .flatMap(({ field, slot }) =>
      VariableWriter.of(flow, token, slot, field).flatMap(
        ({ guards, privileged, selector, writes }): ReadonlyArray<Lever> => {
          const entering = writes.filter(({ keys }) => keys.some((key) => key.kind === "argument"))
          const variable = { slot, field, passes: "nonzero" as const }
          return privileged && entering.length > 0
            ? [{ selector, certain: false, privileged, guards, variable, writes: entering }]
            : []
        }
      )
    )
}

const isZero = ({ about, reads }: Side): boolean =>
  reads.length === 0 && about.length === 1 && about[0]?.kind === "constant" && BigInt(about[0].value) === 0n

/** The reads of a condition that requires one entry of a list of accounts not to be zero. */
const entryOf = ({ holds, left, right, test }: Condition): ReadonlyArray<Loaded> => {
  if (test !== "equal" || holds) return []
  const [asked, ...others] = [left, right].filter((side) => !isZero(side))
  const reads = others.length === 0 ? (asked?.reads ?? []) : []
  return reads.length === 1 ? reads.filter(({ keys }) => keys.some(isAccount)) : []
}

const isAccount = ({ kind }: Loaded["keys"][number]): boolean => kind === "argument" || kind === "caller"

/**
 * Whether a condition compares an account of the transfer with a stored or constant one, or tests whether one is set.
 */
const isAboutPlace = ({ left, right, test }: Condition, others: ReadonlyArray<Condition>): boolean => {
  if (test !== "equal") return false
  const isMoving = (side: Side): boolean =>
    side.reads.length === 0 && side.about.length === 1 && side.about.every(isAccount)
  const isFixed = (side: Side): boolean =>
    side.reads.every(({ keys }) => keys.length === 0) &&
    side.about.every(({ kind }) => kind === "constant" || kind === "storage" || kind === "self")
  if ((isMoving(left) && isFixed(right)) || (isMoving(right) && isFixed(left))) return true
  const [kept] = [left, right].filter((side) => side.reads.length === 1)
  const slot = kept?.reads[0]?.slot
  return (
    (isZero(left) || isZero(right)) &&
    slot !== undefined &&
    others.some(
      (other) =>
        [other.left, other.right].some(isMoving) &&
        [other.left, other.right].some(({ reads }) => reads.some((read) => read.slot === slot))
    )
  )
}

/** The functions that set a number of a power together with others in the same word, as small fees are kept. */
export const ofPackedNumbers = (gates: ReadonlyArray<TransferGate>, power: Power): ReadonlyArray<Lever> =>
  gates
    .filter(({ kind }) => numberOf[kind] === power)
    .flatMap(({ field, passes, setters, slot }) =>
      setters.flatMap(({ guards, privileged, selector, writes }): ReadonlyArray<Lever> => {
        const setting = writes.filter((write) => write.lasts && isPacked(write, field))
        const variable = { slot, field, passes }
        return privileged && setting.length > 0
          ? [{ selector, certain: true, privileged, guards, variable, writes: setting }]
          : []
      })
    )

const numberOf: { readonly [kind in TransferGate["kind"]]?: Power } = {
  rate: "tax",
  limit: "limit",
  time: "pause"
}

/** Whether a write sets a field of a word to an argument, rather than to a value computed from the old one. */
const isPacked = ({ change, slot }: Write, field: Loaded["field"]): boolean => {
  if (change.kind !== "unknown" || field === undefined) return false
  return (
    change.amount.some(({ kind }) => kind === "argument") &&
    change.sources.every((source) => source.slot !== slot || !FieldMask.overlap(source.mask, FieldMask.maskOf(field)))
  )
}
