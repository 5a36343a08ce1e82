import { Context, Effect, Either, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/ChainState.js"
import * as Reading from "../../chain/Reading.js"
import * as Together from "../../chain/Together.js"
import type * as Address from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import * as DelegatecallTarget from "../../evm/patterns/DelegatecallTarget.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import type { Guard } from "../../evm/summary/conditions/Guard.js"
import type { FunctionFlow, Variable, Write } from "../../evm/summary/StorageFlow.js"
import * as Code from "../code/Code.js"
import { Functions, type LogicContract } from "../code/Functions.js"
import * as PresentFlow from "../code/PresentFlow.js"
import * as StoredVariable from "../code/StoredVariable.js"
import * as Getter from "../Getter.js"
import * as OncePerKey from "../OncePerKey.js"
import { Control } from "./Control.js"

/**
 * A way to become the owner, or to make somebody the owner, that the present owner has no say in: the function, and who
 * can go that way.
 *
 * @since 0.1.0
 * @category models
 */
export interface Takeover {
  readonly selector: string
  readonly controller: Controller.Controller
}

/**
 * The owner by the variable that owner() answers with, and the ways past him. `complete` says that there are no other
 * ways: all writes of that variable are known, and who passes the conditions before each.
 *
 * @since 0.1.0
 * @category models
 */
export interface OwnershipState {
  readonly owner: Address.Address
  readonly takeovers: ReadonlyArray<Takeover>
  readonly complete: boolean
}

/**
 * Who can become the owner of a contract without the owner.
 *
 * @see https://eips.ethereum.org/EIPS/eip-173
 * @since 0.1.0
 * @category services
 */
export class Ownership extends Context.Tag("@assay/core/Ownership")<
  Ownership,
  {
    /** None where the contract names no owner, or one that it keeps in no variable. */
    readonly of: (address: Address.Address) => Effect.Effect<Option.Option<Reading.Reading<OwnershipState>>, ChainError>
  }
>() {}

const { functions: known } = Selectors

/** One write of a variable, where it stands in the code. */
interface Place {
  readonly logic: LogicContract
  readonly flow: FunctionFlow
  readonly write: Write
}

/** What a variable can be set to past the owner: by whom, and whether nothing else can set it so. */
interface Ways {
  readonly takeovers: ReadonlyArray<Takeover>
  readonly complete: boolean
}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const control = yield* Control
  const functions = yield* Functions

  /** Whom the contract names as its owner; a lost read counts only where no other one names him. */
  const ownerOf = (address: Address.Address): Effect.Effect<Option.Option<Address.Address>, ChainError> =>
    Effect.flatMap(
      Together.all([
        Effect.either(Getter.read(state, address, known.owner, Getter.address)),
        Effect.either(Getter.read(state, address, known.getOwner, Getter.address)),
        Effect.either(
          Effect.map(state.storage(address, Slots.ownable), (word) => Reading.map(word, Getter.storedAddress))
        )
      ]),
      (reads) =>
        Option.match(
          Option.firstSomeOf(reads.map((read) => Option.flatMap(Either.getRight(read), ({ value }) => value))),
          {
            onNone: () => Effect.map(Either.all(reads), () => Option.none()),
            onSome: Effect.succeedSome
          }
        )
    )

  const read = Effect.fn("Ownership.of")(function* (address: Address.Address) {
    const [named, { observation, value: code }] = yield* Together.all([ownerOf(address), functions.of(address)])
    if (Option.isNone(named)) return Option.none()
    const owner = named.value
    const getters = code.logics.flatMap(({ flow }) =>
      flow.functions.filter(({ selector }) => selector === known.owner || selector === known.getOwner)
    )
    const kept: ReadonlyArray<Variable> =
      getters.length === 0
        ? [{ slot: Slots.ownable, mask: Getter.word(StoredVariable.addressMask) }]
        : getters.flatMap(({ returns }) => returns ?? [])
    const answer = (ways: Ways) => Option.some({ value: { owner, ...ways }, observation })
    // Whom another contract names, it can name another one any time.
    if (getters.some(({ calls, returns }) => returns === undefined || calls.length > 0)) return answer(unclear)
    // An owner who is part of the code stays who he is.
    if (kept.length === 0) return Option.none()
    if (!kept.every(({ slot }) => PresentFlow.isVariable(slot))) return answer(unclear)

    const isOwner = (slot: string, mask: Hex): boolean =>
      kept.some((variable) => PresentFlow.isSame(variable.slot, slot) && (BigInt(variable.mask) & BigInt(mask)) !== 0n)
    const isOwnerGuard = (guard: Guard): boolean =>
      guard.kind === "slot" && isOwner(guard.slot, FieldMask.maskOf(guard.field))
    const isDead = Code.isDead(owner)

    const placesOf = (writes: (write: Write) => boolean): ReadonlyArray<Place> =>
      code.logics.flatMap((logic) =>
        logic.flow.functions.flatMap((flow) => flow.writes.filter(writes).map((write) => ({ logic, flow, write })))
      )
    const isByOwner = ({ write }: Place): boolean => write.guards.some((guard) => guard.always && isOwnerGuard(guard))

    // By the function and the slot it writes: taken to be used up while that is still looked into, which is right for
    // functions that each other's use shuts, and forgotten again where it turns out wrong.
    const spent = new Map<string, boolean>()
    let followed = 0

    /** Whether a function can no longer do a write, and nobody but the owner makes it possible again. */
    const isSpent = (place: Place): Effect.Effect<boolean, ChainError> =>
      Effect.gen(function* () {
        const key = `${place.logic.address} ${place.flow.selector} ${place.write.slot}`
        const found = spent.get(key)
        if (found !== undefined) return found
        if (++followed > followedAtMost) return false
        spent.set(key, true)
        const steady = yield* Effect.filter(PresentFlow.asked(place.flow), (slot) =>
          Effect.map(
            Effect.forEach(
              placesOf((write) => PresentFlow.isSame(write.slot, slot)).filter(
                (other) => other.flow !== place.flow && !isByOwner(other) && isLatch(place.flow, other.write)
              ),
              isSpent
            ),
            (each) => each.every((one) => one)
          )
        )
        const isUsed = !(yield* canWrite(place, yield* left(place, steady)))
        if (!isUsed) spent.clear()
        spent.set(key, isUsed)
        return isUsed
      })

    /** Whether a function may do a write while some variables hold what they hold. */
    const canWrite = (
      { flow, logic, write }: Place,
      slots: ReadonlyArray<string>
    ): Effect.Effect<boolean, ChainError> =>
      Effect.map(
        PresentFlow.read(state, address, logic, flow, slots),
        (present) =>
          !present.complete ||
          present.writes.some(
            (other) => PresentFlow.isSame(other.slot, write.slot) && FieldMask.overlap(other.mask, write.mask)
          )
      )

    /** Those of some variables that a function leaves as they are while they hold what they hold: it may count its calls. */
    const left = (place: Place, slots: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>, ChainError> =>
      Effect.flatMap(PresentFlow.read(state, address, place.logic, place.flow, slots), (present) => {
        const kept = slots.filter(
          (slot) =>
            !present.writes.some(
              (write) => write.lasts && PresentFlow.isSame(write.slot, slot) && isLatch(place.flow, write)
            )
        )
        return kept.length === slots.length ? Effect.succeed(slots) : left(place, kept)
      })

    /** Reads in one level what is looked at one after the other: what functions ask, and what sets that asks. */
    const ahead = (places: ReadonlyArray<Place>) => {
      const askedBy = (some: ReadonlyArray<Place>) => some.flatMap(({ flow }) => PresentFlow.asked(flow))
      const first = askedBy(places)
      const guarding = places.flatMap(({ write: { guards } }) =>
        guards.flatMap((guard) => (guard.kind === "slot" && PresentFlow.isVariable(guard.slot) ? [guard.slot] : []))
      )
      const setting = placesOf(({ slot }) => first.includes(slot) || guarding.includes(slot)).filter(
        (place) => !isByOwner(place)
      )
      const slots = [...new Set([...guarding, ...first, ...askedBy(setting)])]
      return PresentFlow.wordsAt(state, address, slots.slice(0, aheadAtMost))
    }

    /** The ways to set a variable that do not ask the owner. */
    const waysTo = (writes: (write: Write) => boolean, depth: number): Effect.Effect<Ways, ChainError> =>
      Effect.gen(function* () {
        const places = placesOf((write) => writes(write) && names(write)).filter((place) => !isByOwner(place))
        yield* ahead(places)
        const ways: Array<Ways> = []
        for (const place of places) {
          if (yield* isSpent(place)) continue
          // It cannot be done now, and may be once somebody has set what it asks.
          if (!(yield* canWrite(place, PresentFlow.asked(place.flow)))) ways.push(unclear)
          else ways.push(yield* through(place, depth))
        }
        return {
          takeovers: ways.flatMap(({ takeovers }) => takeovers),
          complete: ways.every(({ complete }) => complete)
        }
      })

    /** Who gets to a write past the owner. */
    const through = ({ flow, write }: Place, depth: number): Effect.Effect<Ways, ChainError> =>
      Effect.gen(function* () {
        const { selector } = flow
        const asked = write.guards.filter((guard) => guard.always)
        if (asked.length === 0) {
          const others = write.guards.filter((guard) => !isOwnerGuard(guard))
          if (write.guards.length > 0)
            // One of several ways, of which the owner may be another.
            return yield* Effect.map(
              Effect.forEach(others, (guard) => passing(guard, selector, depth)),
              (ways) => ({
                takeovers: ways.flatMap(({ takeovers }) => takeovers),
                complete: write.shut && ways.every(({ complete }) => complete)
              })
            )
          // What another contract or a signature says can be about the caller. So can a path that was not followed.
          return !flow.complete || flow.gates.some(({ about }) => about.includes("unknown")) || flow.calls.length > 0
            ? unclear
            : { takeovers: [{ selector, controller: Controller.make("eoa") }], complete: true }
        }
        const ways = yield* Effect.forEach(asked, (guard) => passing(guard, selector, depth))
        // Who is let through has to pass all of them, and the fewest do by the strictest.
        return (
          ways.find(({ complete, takeovers }) => complete && takeovers.length === 0) ??
          ways.find(({ complete }) => complete) ??
          ways[0] ??
          unclear
        )
      })

    const passing = (guard: Guard, selector: string, depth: number): Effect.Effect<Ways, ChainError> =>
      Effect.gen(function* () {
        const alive = (controller: Controller.Controller): Ways =>
          controller.kind === "dead"
            ? nobody
            : controller.kind === "unknown"
              ? unclear
              : { takeovers: [{ selector, controller }], complete: true }
        if (guard.kind === "unknown") return unclear
        // Who is on a list is not told by the code; that nobody but the owner has any power is.
        if (guard.kind === "entry") {
          const { value: graph } = yield* control.of(address)
          return ControlGraph.decidingGaps(graph).length === 0 &&
            graph.edges.every(
              ({ from, to }) =>
                to !== address ||
                from === owner ||
                graph.nodes.some((node) => node.address === from && node.kind === "dead")
            )
            ? nobody
            : unclear
        }
        if (guard.kind !== "slot") return alive((yield* control.passing(address, guard)).value)
        if (!PresentFlow.isVariable(guard.slot) || depth >= depthAtMost) return unclear
        const isHere = (other: Write): boolean =>
          PresentFlow.isSame(other.slot, guard.slot) && FieldMask.overlap(other.mask, FieldMask.maskOf(guard.field))
        const setters = placesOf((other) => isHere(other) && names(other))
        const [{ value: holder }, others] = yield* Together.all([
          control.passing(address, guard),
          waysTo(isHere, depth + 1)
        ])
        // A variable that the owner fills with somebody else's address is how ownership is handed over; one that keeps
        // his own, or that he never fills, is how it is taken back.
        const isHandover = setters.some(isByOwner) && !setters.some(keepsOwner)
        const own = isHandover && !isDead ? nobody : alive(holder)
        const kept =
          !isDead && setters.some((setter) => isByOwner(setter) && keepsOwner(setter))
            ? [{ selector, controller: (yield* control.classify(owner)).value }]
            : []
        return {
          takeovers: [...own.takeovers, ...kept, ...others.takeovers.map((each) => ({ ...each, selector }))],
          complete: own.complete && others.complete
        }
      })

    /** Whether a write puts the owner's own address into another variable. */
    const keepsOwner = ({ flow, write }: Place): boolean =>
      write.change.amount.some(
        (origin) =>
          (origin.kind === "storage" && kept.some(({ slot }) => PresentFlow.isSame(slot, origin.slot))) ||
          (origin.kind === "caller" && flow.writes.some((other) => isOwner(other.slot, other.mask)))
      )

    /** Nothing else sets the owner: a library that only answers does not, and other code runs for the owner alone. */
    const isFollowed = (logic: LogicContract): Effect.Effect<boolean> =>
      Effect.map(functions.linked(logic), (linked) => {
        const { flow } = Option.getOrElse(linked, () => logic)
        return (
          flow.completeness.gaps.every((gap) => gap === "delegatecall") &&
          DelegatecallTarget.of(flow).every(({ guards }) => guards.some((guard) => guard.always && isOwnerGuard(guard)))
        )
      })

    const [ways, isDisowned, isEachFollowed] = yield* Together.all([
      waysTo((write) => isOwner(write.slot, write.mask), 0),
      holdsAnother(state, address, kept, owner),
      Together.forEach(code.logics, isFollowed)
    ])
    const isKnown = isEachFollowed.every((one) => one) && code.resolved
    return answer({ takeovers: ways.takeovers, complete: ways.complete && isKnown && !isDisowned })
  })

  return Ownership.of({ of: yield* OncePerKey.make((address: Address.Address) => address, read) })
})

/**
 * Reads the variables that the functions which set an owner ask, and whose address they hold.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Ownership, never, ChainState | Control | Functions> = Layer.scoped(Ownership, make)

const nobody: Ways = { takeovers: [], complete: true }

const unclear: Ways = { takeovers: [], complete: false }

/** Whether one of the variables that an owner is read from holds somebody else, whom the getter may name at another time. */
const holdsAnother = (
  state: ChainState["Type"],
  address: Address.Address,
  kept: ReadonlyArray<Variable>,
  owner: Address.Address
): Effect.Effect<boolean, ChainError> =>
  Effect.map(
    Together.forEach(kept, ({ mask, slot }) =>
      Option.match(Option.all([StoredVariable.slotOf(slot), StoredVariable.addressFieldOf(mask)]), {
        onNone: () => Effect.succeed(false),
        onSome: ([place, field]) =>
          Effect.map(state.storage(address, place), ({ value }) => {
            const holder = StoredVariable.accountIn(value, field)
            return holder !== owner && !Code.isDead(holder)
          })
      })
    ),
    (each) => each.some((holds) => holds)
  )

/** Variables that keep the guard of another one's setter, and so on. */
const depthAtMost = 3

/** Functions that are followed again with what their variables hold: each takes a few milliseconds. */
const followedAtMost = 24

const aheadAtMost = 32

/** Whether a write can put an account into a variable: what is only cleared names nobody. */
const names = ({ change }: Write): boolean => change.kind !== "clear" && change.kind !== "keep"

/** Whether a write can change what a function asks before it goes on. */
const isLatch = (flow: FunctionFlow, write: Write): boolean =>
  flow.gates.some(({ reads }) =>
    reads.some((read) => read.slot === write.slot && FieldMask.overlap(FieldMask.maskOf(read.field), write.mask))
  )
