/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import * as BlockUse from "../../chain/state/BlockUse.js"
import type { Hex } from "../../domain/Hex.js"
import * as SupplyCap from "../../evm/powers/mint/SupplyCap.js"
import * as TokenPowers from "../../evm/powers/TokenPowers.js"
import type { Opening } from "../../evm/powers/transfer/TransferCondition.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import { mayLower } from "../../evm/summary/conditions/FunctionFlow.js"
import type * as StorageFlow from "../../evm/summary/StorageFlow.js"
import * as TokenBooks from "../../evm/token/TokenBooks.js"
import * as TokenModel from "../../evm/token/TokenModel.js"
import * as Together from "../../runtime/Together.js"
import type { LogicContract } from "./LogicContract.js"
import * as OneShotGuards from "./OneShotGuards.js"
import * as StoredVariable from "./StoredVariable.js"

/**
 * Whether a lever no longer has an effect: it works once and was used, like an initialiser; what it sets lets transfers
 * through for good, like a function that opens trading; no condition reads what it sets any more; or the supply has
 * reached its cap.
 */
export const isSpent = (
  contract: OneShotGuards.Contract,
  logic: LogicContract,
  lever: TokenPowers.Lever
): Effect.Effect<boolean, ChainError> =>
  Effect.map(
    Together.all([
      isReleased(contract, logic, lever),
      isOpened(contract, logic, lever),
      isUsedUp(contract, logic, lever),
      isCapped(contract, logic, lever)
    ]),
    (each) => each.some((spent) => spent)
  )

/** Whether a function no longer has an effect for any caller. */
export const isUsed = (
  contract: OneShotGuards.Contract,
  logic: LogicContract,
  selector: StorageFlow.FunctionFlow["selector"]
): Effect.Effect<boolean, ChainError> => isUsedUp(contract, logic, { selector, writes: [] })

const isReleased = (
  contract: OneShotGuards.Contract,
  { code }: LogicContract,
  lever: TokenPowers.Lever
): Effect.Effect<boolean, ChainError> => {
  const { variable, writes } = lever
  // A lever that sets another variable as well may stop transfers by that one.
  const isOfOne = writes.every(
    ({ mask, slot }) => slot === variable?.slot && (BigInt(mask) & ~BigInt(FieldMask.maskOf(variable.field))) === 0n
  )
  if (variable === undefined || writes.length === 0 || !isOfOne) return Effect.succeed(false)
  // In this code, whoever shuts it again has a lever of his own.
  const all = [...writes, ...writtenElsewhere(contract.logics, code, variable)]
  return Effect.map(
    heldAt(contract, variable.slot),
    Option.exists((word) => TokenPowers.isReleased({ ...lever, writes: all }, word))
  )
}

/** Whether one of the variables that let everybody through for good does. */
const isOpened = (
  contract: OneShotGuards.Contract,
  { code }: LogicContract,
  { until = [] }: TokenPowers.Lever
): Effect.Effect<boolean, ChainError> => {
  const isOpen = ({ by, field, slot }: Opening): Effect.Effect<boolean, ChainError> =>
    Effect.map(
      heldAt(contract, slot),
      Option.exists((word) => {
        const held = FieldMask.partOf(BigInt(word), field)
        return by === "value" ? held !== 0n : BlockUse.hasReached(contract.state.block, "time", held + 1n)
      })
    )
  return Effect.map(
    Together.forEach(
      // What another code may shut again is not open for good.
      until.filter((one) => one.by !== "untold" && writtenElsewhere(contract.logics, code, one).length === 0),
      isOpen
    ),
    (each) => each.some((open) => open)
  )
}

/** The word at a storage location; none where the location has no one slot. */
const heldAt = (
  { address, state }: OneShotGuards.Contract,
  location: string
): Effect.Effect<Option.Option<Hex>, ChainError> =>
  Option.match(StoredVariable.slotOf(location), {
    onNone: () => Effect.succeedNone,
    onSome: (slot) => Effect.map(state.storage(address, slot), ({ value }) => Option.some(value))
  })

/** What the other codes of a contract write into a variable. */
const writtenElsewhere = (
  logics: ReadonlyArray<LogicContract>,
  code: Hex,
  variable: FieldMask.Place
): ReadonlyArray<StorageFlow.Write> =>
  logics
    .filter((other) => other.code !== code)
    .flatMap(({ flow }) => flow.functions.flatMap(({ writes }) => writes))
    .filter((write) => FieldMask.isWritten(write, variable))

/** Whether a lever only makes tokens, and the supply is what it may be at most, with nothing that ever lowers it. */
const isCapped = (
  contract: OneShotGuards.Contract,
  { code, flow }: LogicContract,
  { selector, writes }: TokenPowers.Lever
): Effect.Effect<boolean, ChainError> =>
  Effect.gen(function* () {
    const books = TokenBooks.of(flow)
    const isMaking =
      writes.length > 0 &&
      writes.every(({ mask, slot }) => FieldMask.isOneOf([...books.supply, ...books.balances], slot, mask))
    if (!isMaking || selector === "fallback" || !SupplyCap.isPossible(flow, books, selector)) return false
    const cap = yield* contract.flows.read(code, (model) => SupplyCap.of(TokenModel.of(model, flow, books), selector))
    if (cap === undefined) return false
    const elsewhere = (variable: FieldMask.Place) => writtenElsewhere(contract.logics, code, variable)
    if (elsewhere({ slot: cap.supply, field: undefined }).some(({ change }) => mayLower(change))) return false
    const limits = cap.limits.filter((limit) => limit.kind === "constant" || elsewhere(limit).length === 0)
    const held = (location: string) => Effect.map(heldAt(contract, location), Option.map(BigInt))
    const supply = yield* held(cap.supply)
    const reached = yield* Effect.forEach(limits, (limit) =>
      Effect.map(
        limit.kind === "constant"
          ? Effect.succeedSome(BigInt(limit.value))
          : Effect.map(
              held(limit.slot),
              Option.map((word) => FieldMask.partOf(word, limit.field))
            ),
        (most) => Option.exists(Option.all([supply, most]), ([now, at]) => (limit.strict ? now + 1n >= at : now >= at))
      )
    )
    return reached.some((one) => one)
  })

/**
 * What a function does with each set of values that its latches can have from now on; none where it has no latches or
 * the values are unknown.
 */
export const fromNowOn = (
  contract: OneShotGuards.Contract,
  logic: LogicContract,
  selector: Hex
): Effect.Effect<ReadonlyArray<StorageFlow.FunctionFlow>, ChainError> =>
  Effect.flatMap(OneShotGuards.worlds(contract, logic, selector, OneShotGuards.of(logic.flow, selector)), (worlds) =>
    Effect.forEach(worlds, (world) => contract.flows.at(logic.code, selector, world))
  )

/** A variable that says that a lever was used counts only where no other function can make it work again. */
const isUsedUp = (
  contract: OneShotGuards.Contract,
  logic: LogicContract,
  { selector, writes }: Pick<TokenPowers.Lever, "selector" | "writes">
): Effect.Effect<boolean, ChainError> => {
  const doesNothingIn = (world: OneShotGuards.World): Effect.Effect<boolean> =>
    Effect.map(
      contract.flows.at(logic.code, selector, world),
      (now) =>
        now.complete &&
        (writes.length > 0 || now.calls.length === 0) &&
        !now.writes.some(
          (write) =>
            writes.length === 0 ||
            writes.some((other) => other.slot === write.slot && FieldMask.overlap(other.mask, write.mask))
        )
    )
  return Effect.flatMap(
    Together.forEach(
      [OneShotGuards.of(logic.flow, selector), OneShotGuards.endings(logic.flow, { selector, writes })],
      (latches) => OneShotGuards.worlds(contract, logic, selector, latches)
    ),
    (each) =>
      Effect.exists(
        each.filter((worlds) => worlds.length > 0),
        (worlds) => Effect.every(worlds, doesNothingIn)
      )
  )
}
