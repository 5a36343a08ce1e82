/** @internal */

import { Array as Arrays, Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/ChainState.js"
import * as Together from "../../chain/Together.js"
import type * as Address from "../../domain/Address.js"
import type * as Controller from "../../domain/Controller.js"
import type * as TokenPowers from "../../evm/powers/TokenPowers.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import { type Guard, placeOf } from "../../evm/summary/conditions/Guard.js"
import type * as StorageFlow from "../../evm/summary/StorageFlow.js"
import type * as TokenBooks from "../../evm/token/TokenBooks.js"
import * as VariableWriter from "../../evm/token/VariableWriter.js"
import type { CodeReadings } from "../code/CodeReadings.js"
import * as Forwarders from "../code/Forwarders.js"
import type { LogicContract } from "../code/LogicContract.js"
import * as SpentOneShots from "../code/SpentOneShots.js"
import * as StoredVariable from "../code/StoredVariable.js"
import type { Control } from "../control/Control.js"
import * as TradePlaces from "../venue/TradePlaces.js"
import * as Power from "./Power.js"
import type { PowersInCode } from "./PowersInCode.js"

/**
 * A token, all code that answers for it, and the facts that say who can call its functions.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sources {
  readonly state: ChainState["Type"]
  readonly control: Control["Type"]
  readonly flows: CodeReadings["Type"]
  readonly address: Address.Address
  readonly logics: ReadonlyArray<LogicContract>
}

/**
 * The accounts that can use a function now; none if the function is used up, if its power belongs to trades alone, or if it
 * only passes on what a dead forwarder names.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = (
  sources: Sources,
  { logic, token }: PowersInCode,
  lever: TokenPowers.Lever
): Effect.Effect<Option.Option<Power.HeldLever>, ChainError> =>
  Effect.gen(function* () {
    const paths = pathsOf(lever, token)
    const isForwarded = lever.forwards === true
    const [isSpent, namings, passed] = yield* Together.all([
      SpentOneShots.isSpent(sources, logic, lever),
      Together.forEach(isForwarded ? lever.guards : [], (guard) => namingBy(sources, guard)),
      Together.forEach(guardsOf(lever, paths), (guard) =>
        Effect.map(passing(sources, guard, new Set()), (found) => ({ guard, ...found }))
      )
    ])
    const controllers = callers(paths, passed)
    if (isSpent || isOfTrades(sources, lever, controllers) || (isForwarded && controllers.every(Power.isDead)))
      return Option.none()
    return Option.some({
      ...lever,
      certain: lever.certain || (isForwarded && namings.every((naming) => naming === "anybody")),
      logic: logic.address,
      controllers,
      shut: paths.every(({ guards, shut }) => shut && guards.length > 0) && !passed.some(({ open }) => open)
    })
  })

/**
 * The account that a guard names, by a constant or a variable; none if it names no single account.
 *
 * @since 0.1.0
 * @category constructors
 */
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

/** One way through a function to its effect: the guards on it, and whether every caller passes one of them. */
interface Path {
  readonly guards: ReadonlyArray<Guard>
  readonly shut: boolean
}

const pathsOf = (lever: TokenPowers.Lever, token: TokenBooks.TokenBooks): ReadonlyArray<Path> =>
  lever.writes.length === 0
    ? [{ guards: lever.guards, shut: lever.guards.length > 0 && lever.guards.every((guard) => guard.always) }]
    : lever.writes.map(
        (write) =>
          // A caller with an allowance is let through as intended. The power is with callers that need none.
          write.skips.find(({ slot }) => token.allowances.some((variable) => variable.slot === slot)) ?? write
      )

/**
 * The guards of a function and of its ways, each once: those of a way are read where no allowance is required, and may be
 * others than those of the whole, or the same with another `always`.
 */
const guardsOf = (lever: TokenPowers.Lever, paths: ReadonlyArray<Path>): ReadonlyArray<Guard> =>
  Arrays.dedupeWith([...lever.guards, ...paths.flatMap(({ guards }) => guards)], (a, b) => placeOf(a) === placeOf(b))

/** The accounts that pass a guard. `open`: any account may be able to become one that passes. */
interface Passing {
  readonly controllers: ReadonlyArray<Controller.Controller>
  readonly open: boolean
}

const nobody: Passing = { controllers: [], open: false }

/**
 * Who passes a guard now. If nobody does, who can be put into its variable again: a renounced owner can come back. `seen`
 * are the variables that were followed before.
 */
const passing = (sources: Sources, guard: Guard, seen: ReadonlySet<string>): Effect.Effect<Passing, ChainError> =>
  Effect.gen(function* () {
    const { value: now } = yield* sources.control.passing(sources.address, guard)
    if (!Power.isDead(now) || guard.kind !== "slot" || seen.has(guard.slot)) return { controllers: [now], open: false }
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
): Effect.Effect<Passing, ChainError> =>
  Effect.gen(function* () {
    const required = write.guards.filter((guard) => guard.always && namesAccount(guard))
    if (required.some((guard) => guard.kind === "slot" && seen.has(guard.slot))) return nobody
    if (yield* SpentOneShots.isSpent(sources, logic, { ...unguarded, selector, writes: [write] })) return nobody
    if (required.length === 0) return { controllers: [], open: true }
    const passed = yield* Together.forEach(required, (guard) => passing(sources, guard, seen))
    // All guards have to be passed.
    if (passed.some(({ controllers, open }) => controllers.every(Power.isDead) && !open)) return nobody
    return {
      controllers: passed.flatMap(({ controllers }) => controllers.filter((one) => !Power.isDead(one))),
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

/**
 * The callers that reach the effect on at least one path. A path is closed if nobody passes one of the guards that always
 * hold on it. On an open path every account counts that passes one guard, though several may have to be passed.
 */
const callers = (
  paths: ReadonlyArray<Path>,
  passed: ReadonlyArray<Passing & { readonly guard: Guard }>
): ReadonlyArray<Controller.Controller> => {
  const byPlace = Arrays.groupBy(passed, ({ guard }) => placeOf(guard))
  const living = paths.flatMap(({ guards }) => {
    const known = guards.flatMap((guard) =>
      (byPlace[placeOf(guard)] ?? []).map(({ controllers }) => ({ always: guard.always, controllers }))
    )
    const isClosed = known.some(({ always, controllers }) => always && controllers.every(Power.isDead))
    return isClosed ? [] : known.flatMap(({ controllers }) => controllers.filter((one) => !Power.isDead(one)))
  })
  const all = living.length > 0 ? living : passed.flatMap(({ controllers }) => controllers.filter(Power.isDead))
  return Arrays.dedupeWith(all, (a, b) => a.kind === b.kind && a.address === b.address)
}

/** Whether a function sets what it sets by the time of trades, and only exchanges can call it. */
const isOfTrades = (
  { address, state }: Sources,
  lever: TokenPowers.Lever,
  controllers: ReadonlyArray<Controller.Controller>
): boolean => {
  if (!VariableWriter.isDated(lever)) return false
  const exchanges = TradePlaces.of(state.chain.addressBook, address)
  return controllers.every((controller) => controller.address !== null && exchanges.has(controller.address))
}

/** Whom the account that passes a guard may name as the sender. */
const namingBy = ({ address, state }: Sources, guard: Guard): Effect.Effect<Forwarders.Naming, ChainError> =>
  Effect.flatMap(
    accountOf(state, address, guard),
    Option.match({
      onNone: () => Effect.succeed("unknown" as const),
      onSome: (account) => Forwarders.naming(state, account)
    })
  )
