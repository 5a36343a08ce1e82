/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import type * as Address from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import type * as TokenPowers from "../../evm/powers/TokenPowers.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import { type Guard, isUnasked } from "../../evm/summary/conditions/Guard.js"
import type * as StorageFlow from "../../evm/summary/StorageFlow.js"
import * as Together from "../../runtime/Together.js"
import type { CodeReadings } from "../code/CodeReadings.js"
import type { LogicContract } from "../code/LogicContract.js"
import * as Replacers from "../code/Replacers.js"
import * as SpentOneShots from "../code/SpentOneShots.js"
import * as StoredVariable from "../code/StoredVariable.js"
import type { Control } from "./Control.js"

/** A contract, all code that answers for it, and the facts that say who can call its functions. */
export interface Sources {
  readonly state: ChainState["Type"]
  readonly control: Control["Type"]
  readonly flows: CodeReadings["Type"]
  readonly address: Address.Address
  readonly logics: ReadonlyArray<LogicContract>
}

/** The accounts that pass a guard. `open`: any account may be able to become one that passes. */
export interface GuardHolders {
  readonly controllers: ReadonlyArray<Controller.Controller>
  readonly open: boolean
}

/**
 * Who passes a guard of a function now. If nobody does, who can be put into its variable again: a renounced owner can come
 * back. A contract with code that cannot call the function is nobody; what has no selector may be called by any code.
 */
export const of = (
  sources: Sources,
  guard: Guard,
  selector: TokenPowers.Lever["selector"]
): Effect.Effect<GuardHolders, ChainError> => passing(sources, guard, selector, new Set())

/** The account that a guard names, by a constant or a variable; none if it names no single account. */
export const accountOf = (
  state: ChainState["Type"],
  token: Address.Address,
  guard: Guard
): Effect.Effect<Option.Option<Address.Address>, ChainError> => {
  if (guard.kind === "constant") return Effect.succeedSome(guard.address)
  if (guard.kind !== "slot") return Effect.succeedNone
  return Option.match(StoredVariable.slotOf(guard.slot), {
    onNone: () => Effect.succeedNone,
    onSome: (slot) =>
      Effect.map(state.storage(token, slot), ({ value }) => Option.some(StoredVariable.accountIn(value, guard.field)))
  })
}

/**
 * Whether nobody can make a code delegate any more: each DELEGATECALL requires a dead caller that no account can
 * replace. An unread account may be anyone.
 */
export const delegatesForNobody = (sources: Sources, { flow }: LogicContract): Effect.Effect<boolean> => {
  const calls = flow.functions.flatMap((entry) => entry.calls.filter(isDelegation))
  // A write to an unknown slot may change the variable of a guard.
  if (calls.some(isUnasked) || sources.logics.some((logic) => !Replacers.isFollowed(logic.flow)))
    return Effect.succeed(false)
  return Together.forEach(calls, (call) => isForNobody(sources, call)).pipe(
    Effect.map((each) => each.every((isOver) => isOver)),
    Effect.orElseSucceed(() => false)
  )
}

/** Whether no account gets past the guards of a write or call, now or later. */
export const isForNobody = (
  sources: Sources,
  { guards, shut }: Pick<StorageFlow.Call, "guards" | "shut">
): Effect.Effect<boolean, ChainError> => {
  const required = guards.filter(({ always }) => always)
  if (required.length > 0)
    return Effect.map(closedOf(sources, required), (closed) => closed.some((isClosed) => isClosed))
  // One of several alternatives is enough, so each of them has to be closed.
  return shut && guards.length > 0
    ? Effect.map(closedOf(sources, guards), (closed) => closed.every((isClosed) => isClosed))
    : Effect.succeed(false)
}

const nobody: GuardHolders = { controllers: [], open: false }

/** {@link of}; `seen` are the variables that were followed before. */
const passing = (
  sources: Sources,
  guard: Guard,
  selector: TokenPowers.Lever["selector"],
  seen: ReadonlySet<string>
): Effect.Effect<GuardHolders, ChainError> =>
  Effect.gen(function* () {
    const [{ value: admitted }, account] = yield* Together.all([
      sources.control.passing(sources.address, guard),
      accountOf(sources.state, sources.address, guard)
    ])
    const isAble =
      Option.isNone(account) ||
      account.value === sources.address ||
      guard.forwards === true ||
      selector === "fallback" ||
      Controller.isDead(admitted) ||
      (yield* sources.control.mayCall(account.value, selector))
    const now = isAble ? admitted : Controller.make("dead", { address: Option.getOrUndefined(account) })
    if (!Controller.isDead(now) || guard.kind !== "slot" || seen.has(guard.slot))
      return { controllers: [now], open: false }
    const entered = new Set([...seen, guard.slot])
    const back = yield* Together.forEach(appointing(sources.logics, guard), (appointment) =>
      appointedBy(sources, appointment, entered)
    )
    const living = back.flatMap(({ controllers }) => controllers)
    return { controllers: living.length === 0 ? [now] : living, open: back.some(({ open }) => open) }
  })

/** Who can make one write that puts an account into the variable of a guard. */
const appointedBy = (
  sources: Sources,
  { logic, selector, write }: Appointment,
  seen: ReadonlySet<string>
): Effect.Effect<GuardHolders, ChainError> =>
  Effect.gen(function* () {
    const required = write.guards.filter((guard) => guard.always && namesAccount(guard))
    if (required.some((guard) => guard.kind === "slot" && seen.has(guard.slot))) return nobody
    if (yield* SpentOneShots.isSpent(sources, logic, { ...unguarded, selector, writes: [write] })) return nobody
    if (required.length === 0) return { controllers: [], open: true }
    const passed = yield* Together.forEach(required, (guard) => passing(sources, guard, selector, seen))
    // All guards have to be passed.
    if (passed.some(({ controllers, open }) => controllers.every(Controller.isDead) && !open)) return nobody
    return {
      controllers: passed.flatMap(({ controllers }) => controllers.filter((one) => !Controller.isDead(one))),
      open: passed.some(({ open }) => open)
    }
  })

interface Appointment {
  readonly logic: LogicContract
  readonly selector: TokenPowers.Lever["selector"]
  readonly write: StorageFlow.Write
}

/** The writes that may put an account into the variable of a guard. */
const appointing = (
  logics: ReadonlyArray<LogicContract>,
  guard: Guard & { readonly kind: "slot" }
): ReadonlyArray<Appointment> =>
  logics.flatMap((logic) =>
    logic.flow.functions.flatMap(({ selector, writes }) =>
      writes
        .filter(
          ({ change, mask, slot }) =>
            slot === guard.slot &&
            FieldMask.overlap(mask, FieldMask.maskOf(guard.field)) &&
            change.kind !== "clear" &&
            change.kind !== "keep" &&
            !(change.kind === "set" && change.amount.length > 0 && change.amount.every(isZero))
        )
        .map((write) => ({ logic, selector, write }))
    )
  )

const isZero = (origin: StorageFlow.Change["amount"][number]): boolean =>
  origin.kind === "constant" && BigInt(origin.value) === 0n

const namesAccount = (guard: Guard): boolean => guard.kind === "slot" || guard.kind === "constant"

const unguarded: TokenPowers.Lever = {
  selector: "fallback",
  certain: false,
  privileged: false,
  guards: [],
  variable: undefined,
  writes: []
}

const isDelegation = ({ kind, target }: StorageFlow.Call): boolean =>
  (kind === "delegatecall" || kind === "callcode") && !(target.length > 0 && target.every((one) => one.kind === "self"))

/** Which of some guards no account passes, now or later. */
const closedOf = (sources: Sources, guards: ReadonlyArray<Guard>): Effect.Effect<ReadonlyArray<boolean>, ChainError> =>
  Together.forEach(guards, (guard) =>
    namesAccount(guard) && guard.forwards === undefined
      ? Effect.map(
          of(sources, guard, "fallback"),
          ({ controllers, open }) => !open && controllers.length > 0 && controllers.every(Controller.isDead)
        )
      : Effect.succeed(false)
  )
