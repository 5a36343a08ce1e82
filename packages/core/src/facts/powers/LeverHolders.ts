/** @internal */

import { Array as Arrays, Effect, Option } from "effect"
import * as ChainBook from "../../chain/ChainBook.js"
import type { ChainError } from "../../chain/ChainError.js"
import type * as Address from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import type * as TokenPowers from "../../evm/powers/TokenPowers.js"
import { type Guard, placeOf } from "../../evm/summary/conditions/Guard.js"
import type * as TokenBooks from "../../evm/token/TokenBooks.js"
import * as VariableWriter from "../../evm/token/VariableWriter.js"
import * as Together from "../../runtime/Together.js"
import * as Forwarders from "../code/Forwarders.js"
import * as SpentOneShots from "../code/SpentOneShots.js"
import * as GuardHolders from "../control/GuardHolders.js"
import * as TradePlaces from "../venue/TradePlaces.js"
import type * as Power from "./Power.js"
import type { PowersInCode } from "./PowersInCode.js"

/**
 * The accounts that can use a function now; none if the function is used up, if its power belongs to trades alone, or if it
 * only passes on what a dead forwarder names.
 */
export const of = (
  sources: GuardHolders.Sources,
  { logic, token }: PowersInCode,
  lever: TokenPowers.Lever
): Effect.Effect<Option.Option<Power.HeldLever>, ChainError> =>
  Effect.gen(function* () {
    const paths = pathsOf(lever, token)
    const isForwarded = lever.forwards === true
    const [isSpent, isEmptied, namings, passed] = yield* Together.all([
      SpentOneShots.isSpent(sources, logic, lever),
      isOfEmptied(sources, paths),
      Together.forEach(isForwarded ? lever.guards : [], (guard) => namingBy(sources, guard)),
      Together.forEach(guardsOf(lever, paths), (guard) =>
        Effect.map(GuardHolders.of(sources, guard, lever.selector), (found) => ({ guard, ...found }))
      )
    ])
    const controllers = callers(paths, passed)
    const book = yield* ChainBook.of(sources.state.chain.addressBook)
    if (
      isSpent ||
      isOfTrades(book, sources.address, lever, controllers) ||
      (isForwarded && controllers.every(Controller.isDead))
    )
      return Option.none()
    return Option.some({
      ...lever,
      certain: (lever.certain && !isEmptied) || (isForwarded && namings.every((naming) => naming === "anybody")),
      logic: logic.address,
      controllers,
      shut: paths.every(({ guards, shut }) => shut && guards.length > 0) && !passed.some(({ open }) => open)
    })
  })

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

/** Whether every path of a function requires a role without a known member. */
const isOfEmptied = (
  { address, control }: GuardHolders.Sources,
  paths: ReadonlyArray<Path>
): Effect.Effect<boolean, ChainError> =>
  Together.forEach(paths, ({ guards }) =>
    Effect.map(
      Together.forEach(
        guards.filter(({ always }) => always),
        (guard) => control.isEmptied(address, guard)
      ),
      (each) => each.some((isEmptied) => isEmptied)
    )
  ).pipe(Effect.map((each) => each.length > 0 && each.every((isEmptied) => isEmptied)))

/**
 * The guards of a function and of its paths, each once. Those of a path without an allowance check may differ from
 * those of the function, or have another `always`.
 */
const guardsOf = (lever: TokenPowers.Lever, paths: ReadonlyArray<Path>): ReadonlyArray<Guard> =>
  Arrays.dedupeWith([...lever.guards, ...paths.flatMap(({ guards }) => guards)], (a, b) => placeOf(a) === placeOf(b))

/**
 * The callers that reach the effect on at least one path. A path is closed if nobody passes one of the guards that always
 * hold on it. On an open path every account counts that passes one guard, though several may have to be passed.
 */
const callers = (
  paths: ReadonlyArray<Path>,
  passed: ReadonlyArray<GuardHolders.GuardHolders & { readonly guard: Guard }>
): ReadonlyArray<Controller.Controller> => {
  const byPlace = Arrays.groupBy(passed, ({ guard }) => placeOf(guard))
  const living = paths.flatMap(({ guards }) => {
    const known = guards.flatMap((guard) =>
      (byPlace[placeOf(guard)] ?? []).map(({ controllers }) => ({ always: guard.always, controllers }))
    )
    const isClosed = known.some(({ always, controllers }) => always && controllers.every(Controller.isDead))
    return isClosed ? [] : known.flatMap(({ controllers }) => controllers.filter((one) => !Controller.isDead(one)))
  })
  const all = living.length > 0 ? living : passed.flatMap(({ controllers }) => controllers.filter(Controller.isDead))
  return Arrays.dedupeWith(all, (a, b) => a.kind === b.kind && a.address === b.address)
}

/** Whether a function sets what it sets by the time of trades, and only exchanges can call it. */
const isOfTrades = (
  book: ChainBook.ChainBook,
  address: Address.Address,
  lever: TokenPowers.Lever,
  controllers: ReadonlyArray<Controller.Controller>
): boolean => {
  if (!VariableWriter.isDated(lever)) return false
  const exchanges = TradePlaces.of(book, address)
  return controllers.every((controller) => controller.address !== null && exchanges.has(controller.address))
}

/** The senders that an account behind a guard may name. */
const namingBy = (
  { address, state }: GuardHolders.Sources,
  guard: Guard
): Effect.Effect<Forwarders.Naming, ChainError> =>
  Effect.flatMap(
    GuardHolders.accountOf(state, address, guard),
    Option.match({
      onNone: () => Effect.succeed("unknown" as const),
      onSome: (account) => Forwarders.naming(state, account)
    })
  )
