import { Array as Arrays, Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/ChainState.js"
import type * as Reading from "../../chain/Reading.js"
import * as Together from "../../chain/Together.js"
import type * as Address from "../../domain/Address.js"
import type * as Controller from "../../domain/Controller.js"
import type { Hex } from "../../domain/Hex.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import type * as TokenPowers from "../../evm/powers/TokenPowers.js"
import * as Slices from "../../evm/Slices.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import type { Guard } from "../../evm/summary/conditions/Guard.js"
import type * as StorageFlow from "../../evm/summary/StorageFlow.js"
import type * as TokenBooks from "../../evm/token/TokenBooks.js"
import * as VariableWriter from "../../evm/token/VariableWriter.js"
import { CodeReadings } from "../code/CodeReadings.js"
import * as Forwarders from "../code/Forwarders.js"
import { Functions, type LogicContract, type ResolvedCode } from "../code/Functions.js"
import { Proxy } from "../code/Proxy.js"
import * as SpentOneShots from "../code/SpentOneShots.js"
import * as StoredVariable from "../code/StoredVariable.js"
import { Control } from "../control/Control.js"
import * as OncePerKey from "../OncePerKey.js"
import * as TradePlaces from "../venue/TradePlaces.js"
import * as CodedPowers from "./CodedPowers.js"
import * as PowerGap from "./PowerGap.js"

/**
 * A function by which a power over a token is used, in the code at `logic`. `controllers` are those who may call it, each
 * once: nobody (`dead`) alone where all of them are, none where the function asks nobody who he is. It is `shut` where
 * nobody else can go past its conditions.
 *
 * @since 0.1.0
 * @category models
 */
export interface HeldLever extends TokenPowers.Lever {
  readonly logic: Address.Address
  readonly controllers: ReadonlyArray<Controller.Controller>
  readonly shut: boolean
}

/**
 * One power over the holders of a token, by what its code does.
 *
 * `levers` are functions that certainly use it and that only somebody appointed may call, `possible` other functions that
 * may use it, and `doubts` the names of those, of functions that may be called past their conditions, and of transfers
 * that use the power themselves. Functions that were used up are in none. `gaps` are why there may be more;
 * none where all code that answers for the token was found and followed to its end, and it keeps its own books. `fixed` says
 * that nobody can put other code in its place.
 *
 * @since 0.1.0
 * @category models
 */
export interface HeldPower {
  readonly levers: ReadonlyArray<HeldLever>
  readonly possible: ReadonlyArray<HeldLever>
  readonly doubts: ReadonlyArray<string>
  readonly gaps: ReadonlyArray<PowerGap.PowerGap>
  readonly fixed: boolean
}

/**
 * @since 0.1.0
 * @category models
 */
export type HeldPowers = { readonly [power in TokenPowers.Power]: HeldPower }

/**
 * Who can do what to the holders of a token. It finds somebody that `owner()` does not show, by the slots that the code
 * compares its caller with.
 *
 * @since 0.1.0
 * @category services
 */
export class Powers extends Context.Tag("@assay/core/Powers")<
  Powers,
  {
    readonly of: (token: Address.Address) => Effect.Effect<Reading.Reading<HeldPowers>, ChainError>
    /** What the code alone says, a level before it is known who holds it. */
    readonly inCode: (token: Address.Address) => Effect.Effect<ReadonlyArray<CodedPowers.CodedPowers>, ChainError>
    /** The accounts that the guards of a lever name, whether somebody has their key or not. */
    readonly named: (
      token: Address.Address,
      guards: ReadonlyArray<Guard>
    ) => Effect.Effect<ReadonlyArray<Address.Address>, ChainError>
  }
>() {}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const control = yield* Control
  const functions = yield* Functions
  const flows = yield* CodeReadings
  const proxy = yield* Proxy

  const codedIn = (code: ResolvedCode, logic: LogicContract) =>
    Effect.flatMap(flows.powers(logic.code, logic.checkers), (findings) =>
      Slices.run(() => CodedPowers.of(code, logic, findings))
    )

  const inCode = yield* OncePerKey.make(
    (token: Address.Address) => token,
    (token): Effect.Effect<ReadonlyArray<CodedPowers.CodedPowers>, ChainError> =>
      Effect.flatMap(functions.of(token), ({ value }) =>
        Together.forEach(value.logics, (logic) => codedIn(value, logic))
      )
  )

  /** A code with the libraries that it is linked to, which are read beside those who hold its powers. */
  const withLibraries = (code: ResolvedCode, part: CodedPowers.CodedPowers) =>
    Effect.flatMap(
      functions.linked(part.logic),
      Option.match({
        onNone: () => Effect.succeed(part),
        onSome: (logic) => Effect.map(codedIn(code, logic), (linked) => CodedPowers.within(part, linked))
      })
    )

  /** The account in a guard's variable; none where the guard names no one account. */
  const accountOf = (
    token: Address.Address,
    guard: Guard
  ): Effect.Effect<Option.Option<Address.Address>, ChainError> =>
    guard.kind === "constant"
      ? Effect.succeedSome(guard.address)
      : guard.kind === "slot"
        ? Option.match(StoredVariable.slotOf(guard.slot), {
            onNone: () => Effect.succeedNone,
            onSome: (slot) =>
              Effect.map(state.storage(token, slot), ({ value }) =>
                Option.some(StoredVariable.accountIn(value, guard.field))
              )
          })
        : Effect.succeedNone

  const named = (token: Address.Address, guards: ReadonlyArray<Guard>) =>
    Effect.map(
      Together.forEach(guards, (guard) => accountOf(token, guard)),
      (found) => Arrays.dedupe(found.flatMap(Option.toArray))
    )

  const places = (token: Address.Address) => TradePlaces.of(state.chain.addressBook, token)

  const isSpent = (
    address: Address.Address,
    logics: ReadonlyArray<LogicContract>,
    logic: LogicContract,
    lever: TokenPowers.Lever
  ) => SpentOneShots.isSpent({ state, flows, address, logics }, logic, lever)

  /** Whom the account that passes a guard may name as the sender. */
  const namingBy = (token: Address.Address, guard: Guard): Effect.Effect<Forwarders.Naming, ChainError> =>
    Effect.flatMap(
      accountOf(token, guard),
      Option.match({
        onNone: () => Effect.succeed("unknown" as const),
        onSome: (account) => Forwarders.naming(state, account)
      })
    )

  /**
   * Who passes a guard, now or after somebody was put back into its variable; `open` where a function may put somebody
   * there of which it is not known who may call it.
   */
  const passing = (
    token: Address.Address,
    logics: ReadonlyArray<LogicContract>,
    guard: Guard,
    seen: ReadonlySet<string>
  ): Effect.Effect<Passing, ChainError> =>
    Effect.gen(function* () {
      const { value: now } = yield* control.passing(token, guard)
      if (now.kind !== "dead" || guard.kind !== "slot" || seen.has(guard.slot))
        return { controllers: [now], open: false }
      const entered = new Set([...seen, guard.slot])
      const back = yield* Together.forEach(
        logics.flatMap((logic) => resurrecting(logic, guard).map((write) => ({ logic, ...write }))),
        ({ logic, selector, write }): Effect.Effect<Passing, ChainError> =>
          Effect.gen(function* () {
            const asked = write.guards.filter((other) => other.always && isOfAccount(other))
            if (asked.some((other) => other.kind === "slot" && entered.has(other.slot))) return nobody
            if (yield* isSpent(token, logics, logic, { ...unguarded, selector, writes: [write] })) return nobody
            if (asked.length === 0) return { controllers: [], open: true }
            const passed = yield* Together.forEach(asked, (other) => passing(token, logics, other, entered))
            // All of them have to be passed.
            return passed.some(({ controllers, open }) => controllers.every(isDead) && !open)
              ? nobody
              : {
                  controllers: passed.flatMap(({ controllers }) => controllers.filter((one) => !isDead(one))),
                  open: passed.some(({ open }) => open)
                }
          })
      )
      const living = back.flatMap(({ controllers }) => controllers)
      return { controllers: living.length === 0 ? [now] : living, open: back.some(({ open }) => open) }
    })

  const held = Effect.fn("Powers.held")(function* (
    token: Address.Address,
    logics: ReadonlyArray<LogicContract>,
    { logic, token: variables }: CodedPowers.CodedPowers,
    lever: TokenPowers.Lever
  ) {
    const ways = waysOf(lever, variables)
    const [spent, namings, holders] = yield* Together.all([
      isSpent(token, logics, logic, lever),
      Together.forEach(lever.forwards ? lever.guards : [], (guard) => namingBy(token, guard)),
      Together.forEach(
        // Not every condition about the caller is about who was appointed; these are.
        lever.guards,
        (guard) => Effect.map(passing(token, logics, guard, new Set()), (passed) => ({ guard, ...passed }))
      )
    ])
    const controllers = whoMay(ways, holders)
    const isOfTrade =
      VariableWriter.isDated(lever) &&
      controllers.every(({ address }) => address !== null && places(token).has(address))
    const isForwarded = lever.forwards === true
    return spent || isOfTrade || (isForwarded && controllers.every(isDead))
      ? []
      : [
          {
            ...lever,
            certain: lever.certain || (isForwarded && namings.every((one) => one === "anybody")),
            logic: logic.address,
            controllers,
            shut: ways.every((way) => way.shut && way.guards.length > 0) && !holders.some(({ open }) => open)
          }
        ]
  })

  /** Whether the code stays: nobody may replace it. None where it could not be told who may. */
  const staying = Effect.fn("Powers.staying")(function* (token: Address.Address) {
    const { conflicts, upgrade, upgrade_authority: authority } = (yield* proxy.of(token)).value
    if (upgrade === "none") return Option.some(true)
    if ((upgrade !== "admin" && upgrade !== "beacon") || authority === null || conflicts.length > 0)
      return Option.some(false)
    const { value: controller } = yield* control.classify(authority)
    return controller.kind === "unknown" ? Option.none() : Option.some(isDead(controller))
  })

  const read = Effect.fn("Powers.of")(function* (token: Address.Address) {
    const [{ observation, value: code }, parts, fixed] = yield* Together.all([
      functions.of(token),
      inCode(token),
      staying(token),
      // The slot that most initialisers keep their use in, asked for before it is known that there is one.
      Effect.ignore(state.storage(token, Slots.initializable))
    ])
    const heldBy = (power: TokenPowers.Power) =>
      Effect.map(
        Together.forEach(
          parts.flatMap((part, i) => part.levers[power].map((lever) => ({ part, lever, i }))),
          ({ i, lever, part }) =>
            Effect.map(held(token, code.logics, part, lever), (found) => found.map((one) => ({ held: one, lever, i })))
        ),
        (found) => found.flat()
      )
    const [all, linked] = yield* Together.all([
      Together.all(CodedPowers.ofEach(heldBy)),
      Together.forEach(parts, (part) => withLibraries(code, part))
    ])
    const ofPower = (power: TokenPowers.Power): HeldPower => {
      const found = all[power].flatMap(({ held, i, lever }) =>
        linked[i]?.levers[power].includes(lever) === true ? [held] : []
      )
      const levers = found.filter((lever) => lever.certain && lever.privileged)
      const possible = found.filter((lever) => !levers.includes(lever))
      const doubtful = [...possible, ...levers.filter((lever) => !lever.shut)]
      const transfers = parts.some(({ findings }) => CodedPowers.isOfTransfers(findings[power]))
      return {
        levers,
        possible,
        doubts: [...Arrays.dedupe(doubtful.map(({ selector }) => selector)).sort(), ...(transfers ? ["transfer"] : [])],
        gaps: [
          ...(code.resolved && parts.length > 0 ? [] : [PowerGap.make("unresolved")]),
          ...(Option.isSome(fixed) ? [] : [PowerGap.make("unknown_upgrade")]),
          ...linked.flatMap((part) => part.gaps[power])
        ],
        fixed: Option.contains(fixed, true)
      }
    }
    const value = CodedPowers.ofEach(ofPower)
    return { value, observation }
  })

  return Powers.of({ of: yield* OncePerKey.make((token: Address.Address) => token, read), inCode, named })
})

/**
 * Reads the slots that a token's functions compare their caller with, and those that say that they were used up.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Powers, never, ChainState | Control | CodeReadings | Functions | Proxy> = Layer.scoped(
  Powers,
  make
)

/**
 * Whether a lever has somebody who can pull it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const living = ({ controllers }: HeldLever): ReadonlyArray<Controller.Controller> =>
  controllers.filter((controller) => !isDead(controller))

const isDead = ({ kind }: Controller.Controller): boolean => kind === "dead"

const unguarded: TokenPowers.Lever = {
  selector: "fallback",
  certain: false,
  privileged: false,
  guards: [],
  variable: undefined,
  writes: []
}

/** A way to what a lever does, by the conditions about the caller on it; shut where all of it passes one. */
interface Way {
  readonly guards: ReadonlyArray<Guard>
  readonly shut: boolean
}

const waysOf = (lever: TokenPowers.Lever, token: TokenBooks.TokenBooks): ReadonlyArray<Way> =>
  lever.writes.length === 0
    ? [{ guards: lever.guards, shut: lever.guards.length > 0 && lever.guards.every((guard) => guard.always) }]
    : lever.writes.map(
        (write) =>
          // Whoever was allowed to is let through as he should be; the power is with those who need not be.
          write.skips.find(({ slot }) => token.allowances.some((variable) => variable.slot === slot)) ?? write
      )

interface Passing {
  readonly controllers: ReadonlyArray<Controller.Controller>
  readonly open: boolean
}

const nobody: Passing = { controllers: [], open: false }

interface Passed extends Passing {
  readonly guard: Guard
}

/**
 * Who passes the conditions of at least one way. Where one that always holds is passed by nobody, nobody goes that way;
 * otherwise everybody counts whom one of them names, though all of them may have to be passed.
 */
const whoMay = (ways: ReadonlyArray<Way>, passed: ReadonlyArray<Passed>): ReadonlyArray<Controller.Controller> => {
  const of = (guard: Guard) => passed.filter((one) => JSON.stringify(one.guard) === JSON.stringify(guard))
  const found = ways.flatMap(({ guards }) => {
    const known = guards.flatMap(of)
    return known.some(({ controllers, guard }) => guard.always && controllers.every(isDead))
      ? []
      : known.flatMap(({ controllers }) => controllers.filter((controller) => !isDead(controller)))
  })
  const all = found.length > 0 ? found : passed.flatMap(({ controllers }) => controllers.filter(isDead))
  return Arrays.dedupeWith(all, (a, b) => a.kind === b.kind && a.address === b.address)
}

const isOfAccount = (guard: Guard): boolean => guard.kind === "slot" || guard.kind === "constant"

/** The writes that may put another account into the variable of a guard. */
const resurrecting = (
  { flow }: LogicContract,
  guard: Guard & { readonly kind: "slot" }
): ReadonlyArray<{ readonly selector: Hex | "fallback"; readonly write: StorageFlow.Write }> =>
  flow.functions.flatMap(({ selector, writes }) =>
    writes
      .filter(
        ({ change, mask, slot }) =>
          slot === guard.slot &&
          FieldMask.overlap(mask, FieldMask.maskOf(guard.field)) &&
          change.kind !== "clear" &&
          change.kind !== "keep" &&
          !(change.kind === "set" && change.amount.length > 0 && change.amount.every(isZero))
      )
      .map((write) => ({ selector, write }))
  )

const isZero = (origin: StorageFlow.Change["amount"][number]): boolean =>
  origin.kind === "constant" && BigInt(origin.value) === 0n
