import { Array as Arrays, Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import { ChainState } from "../chain/ChainState.js"
import type * as Reading from "../chain/Reading.js"
import * as AddressBook from "../data/AddressBook.js"
import * as Address from "../domain/Address.js"
import type * as Controller from "../domain/Controller.js"
import type { Hex } from "../domain/Hex.js"
import type { Guard } from "../evm/Guard.js"
import type { Field } from "../evm/Origin.js"
import * as Selectors from "../evm/Selectors.js"
import * as Slots from "../evm/Slots.js"
import type * as StorageFlow from "../evm/StorageFlow.js"
import * as TokenFlow from "../evm/TokenFlow.js"
import * as TokenPowers from "../evm/TokenPowers.js"
import { Control } from "./Control.js"
import { Flows } from "./Flows.js"
import { Functions, type Logic, type ResolvedCode } from "./Functions.js"
import * as FurtherLevers from "./FurtherLevers.js"
import * as Getter from "./Getter.js"
import * as Memo from "./Memo.js"
import { Proxy } from "./Proxy.js"

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
 * that use the power themselves. Functions that were used up are in none. `followed` says that there are no more: all code
 * that answers for the token was found and followed to its end, and it keeps its own books. `fixed` says that nobody can
 * put other code in its place.
 *
 * @since 0.1.0
 * @category models
 */
export interface HeldPower {
  readonly levers: ReadonlyArray<HeldLever>
  readonly possible: ReadonlyArray<HeldLever>
  readonly doubts: ReadonlyArray<string>
  readonly followed: boolean
  readonly fixed: boolean
}

/**
 * @since 0.1.0
 * @category models
 */
export type HeldPowers = { readonly [power in TokenPowers.Power]: HeldPower }

/**
 * What a token's code lets somebody do, before it is known who. Levers of one function are one.
 *
 * @since 0.1.0
 * @category models
 */
export interface CodedPowers {
  readonly logic: Logic
  readonly token: TokenFlow.TokenFlow
  readonly levers: { readonly [power in TokenPowers.Power]: ReadonlyArray<TokenPowers.Lever> }
  /** The powers of which there are no other levers than these in this code. */
  readonly followed: ReadonlyArray<TokenPowers.Power>
  readonly findings: TokenPowers.TokenPowers
}

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
    readonly inCode: (token: Address.Address) => Effect.Effect<ReadonlyArray<CodedPowers>, ChainError>
    /** Whether a lever of that code was used up, as an initialiser that works once. */
    readonly isSpent: (
      token: Address.Address,
      logic: Logic,
      lever: TokenPowers.Lever
    ) => Effect.Effect<boolean, ChainError>
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
  const flows = yield* Flows
  const proxy = yield* Proxy

  const inCode = yield* Memo.make(
    (token: Address.Address) => token,
    (token): Effect.Effect<ReadonlyArray<CodedPowers>, ChainError> =>
      Effect.flatMap(functions.of(token), ({ value }) =>
        Effect.forEach(
          value.logics,
          (logic) => Effect.map(flows.powers(logic.code), (findings) => coded(value, logic, findings)),
          { concurrency: "unbounded" }
        )
      )
  )

  /** The account in a guard's variable; none where the guard names no one account. */
  const accountOf = (
    token: Address.Address,
    guard: Guard
  ): Effect.Effect<Option.Option<Address.Address>, ChainError> =>
    guard.kind === "constant"
      ? Effect.succeedSome(guard.address)
      : guard.kind === "slot"
        ? Option.match(placeOf(guard.slot), {
            onNone: () => Effect.succeedNone,
            onSome: (slot) =>
              Effect.map(state.storage(token, slot), ({ value }) =>
                Option.some(addressIn(value, guard.field?.offset ?? 0))
              )
          })
        : Effect.succeedNone

  const named = (token: Address.Address, guards: ReadonlyArray<Guard>) =>
    Effect.map(
      Effect.forEach(guards, (guard) => accountOf(token, guard), { concurrency: "unbounded" }),
      (found) => Arrays.dedupe(found.flatMap(Option.toArray))
    )

  /**
   * What the code could do once and can do no more, as an initialiser that was used. A variable that says so counts only
   * where no other function can give it a value with which this one works again.
   */
  const isSpent = Effect.fn("Powers.isSpent")(function* (
    token: Address.Address,
    { code, flow }: Logic,
    lever: TokenPowers.Lever
  ) {
    const { selector } = lever
    if (selector === "fallback") return false
    const latches = latchesOf(flow, selector)
    const places = Arrays.dedupe(latches.map((latch) => latch.slot))
    const slots = places.flatMap((place) => Option.toArray(placeOf(place)))
    if (places.length === 0 || slots.length < places.length) return false
    const settable = settableTo(flow, selector, latches)
    if (Option.isNone(settable)) return false
    const words = yield* Effect.forEach(
      slots,
      (slot) => Effect.map(state.storage(token, slot), ({ value }) => [slot, value] as const),
      { concurrency: "unbounded" }
    )
    const worlds = worldsOf(new Map<Hex, Hex>(words), settable.value)
    if (worlds.length > worldsAtMost) return false
    return yield* Effect.every(worlds, (world) =>
      Effect.map(
        flows.at(code, selector, world),
        (now) =>
          now.complete &&
          !now.writes.some(
            (write) =>
              lever.writes.length === 0 ||
              lever.writes.some((other) => other.slot === write.slot && overlap(other.mask, write.mask))
          )
      )
    )
  })

  /**
   * Who passes a guard, now or after somebody was put back into its variable; `open` where a function may put somebody
   * there of which it is not known who may call it.
   */
  const passing = (
    token: Address.Address,
    logics: ReadonlyArray<Logic>,
    guard: Guard,
    seen: ReadonlySet<string>
  ): Effect.Effect<Passing, ChainError> =>
    Effect.gen(function* () {
      const { value: now } = yield* control.passing(token, guard)
      if (now.kind !== "dead" || guard.kind !== "slot" || seen.has(guard.slot))
        return { controllers: [now], open: false }
      const entered = new Set([...seen, guard.slot])
      const back = yield* Effect.forEach(
        logics.flatMap((logic) => resurrecting(logic, guard).map((write) => ({ logic, ...write }))),
        ({ logic, selector, write }): Effect.Effect<Passing, ChainError> =>
          Effect.gen(function* () {
            const asked = write.guards.filter((other) => other.always && isOfAccount(other))
            if (asked.some((other) => other.kind === "slot" && entered.has(other.slot))) return nobody
            if (yield* isSpent(token, logic, { ...unguarded, selector, writes: [write] })) return nobody
            if (asked.length === 0) return { controllers: [], open: true }
            const passed = yield* Effect.forEach(asked, (other) => passing(token, logics, other, entered), {
              concurrency: "unbounded"
            })
            // All of them have to be passed.
            return passed.some(({ controllers, open }) => controllers.every(isDead) && !open)
              ? nobody
              : {
                  controllers: passed.flatMap(({ controllers }) => controllers.filter((one) => !isDead(one))),
                  open: passed.some(({ open }) => open)
                }
          }),
        { concurrency: "unbounded" }
      )
      const living = back.flatMap(({ controllers }) => controllers)
      return { controllers: living.length === 0 ? [now] : living, open: back.some(({ open }) => open) }
    })

  const held = Effect.fn("Powers.held")(function* (
    token: Address.Address,
    logics: ReadonlyArray<Logic>,
    { logic, token: variables }: CodedPowers,
    lever: TokenPowers.Lever
  ) {
    const ways = waysOf(lever, variables)
    const [spent, holders] = yield* Effect.all(
      [
        isSpent(token, logic, lever),
        Effect.forEach(
          // Not every condition about the caller is about who was appointed; these are.
          lever.guards,
          (guard) => Effect.map(passing(token, logics, guard, new Set()), (passed) => ({ guard, ...passed })),
          { concurrency: "unbounded" }
        )
      ],
      { concurrency: "unbounded" }
    )
    return spent
      ? []
      : [
          {
            ...lever,
            logic: logic.address,
            controllers: whoMay(ways, holders),
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
    const [{ observation, value: code }, parts, fixed] = yield* Effect.all(
      [
        functions.of(token),
        inCode(token),
        staying(token),
        // The slot that most initialisers keep their use in, asked for before it is known that there is one.
        Effect.ignore(state.storage(token, Slots.initializable))
      ],
      { concurrency: "unbounded" }
    )
    const ofPower = (power: TokenPowers.Power) =>
      Effect.map(
        Effect.forEach(
          parts.flatMap((part) => part.levers[power].map((lever) => ({ part, lever }))),
          ({ lever, part }) => held(token, code.logics, part, lever),
          { concurrency: "unbounded" }
        ),
        (found): HeldPower => {
          const all = found.flat()
          const levers = all.filter((lever) => lever.certain && lever.privileged)
          const possible = all.filter((lever) => !levers.includes(lever))
          const doubtful = [...possible, ...levers.filter((lever) => !lever.shut)]
          const transfers = parts.some(({ findings }) => isOfTransfers(findings[power]))
          return {
            levers,
            possible,
            doubts: [
              ...Arrays.dedupe(doubtful.map(({ selector }) => selector)).sort(),
              ...(transfers ? ["transfer"] : [])
            ],
            followed:
              code.resolved &&
              Option.isSome(fixed) &&
              parts.length > 0 &&
              parts.every((part) => part.followed.includes(power)),
            fixed: Option.contains(fixed, true)
          }
        }
      )
    const value: HeldPowers = yield* Effect.all(
      {
        mint: ofPower("mint"),
        pause: ofPower("pause"),
        blacklist: ofPower("blacklist"),
        whitelist: ofPower("whitelist"),
        limit: ofPower("limit"),
        tax: ofPower("tax"),
        seize: ofPower("seize"),
        bypass: ofPower("bypass")
      },
      { concurrency: "unbounded" }
    )
    return { value, observation }
  })

  return Powers.of({ of: yield* Memo.make((token: Address.Address) => token, read), inCode, isSpent, named })
})

/**
 * Reads the slots that a token's functions compare their caller with, and those that say that they were used up.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Powers, never, ChainState | Control | Flows | Functions | Proxy> = Layer.scoped(
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

const coded = (code: ResolvedCode, logic: Logic, findings: TokenPowers.TokenPowers): CodedPowers => {
  const token = TokenFlow.of(logic.flow)
  const levers = (power: TokenPowers.Power): ReadonlyArray<TokenPowers.Lever> => {
    const found = merged(findings[power].levers.filter((lever) => !(power === "bypass" && isPermit2(lever))))
    const further = [
      ...(power === "whitelist" ? FurtherLevers.ofPartialLists(logic.flow, token) : []),
      ...FurtherLevers.ofPackedNumbers(logic.flow, token, power)
    ].filter((lever) => !found.some((other) => other.selector === lever.selector))
    return [...found, ...merged(further)]
  }
  return {
    logic,
    token,
    findings,
    followed: TokenPowers.powers.filter((power) => isFollowed({ logic, token, findings }, power, code)),
    levers: {
      mint: levers("mint"),
      pause: levers("pause"),
      blacklist: levers("blacklist"),
      whitelist: levers("whitelist"),
      limit: levers("limit"),
      tax: levers("tax"),
      seize: levers("seize"),
      bypass: levers("bypass")
    }
  }
}

/** Permit2 moves nothing without its holder's signature, so that letting it through is no power of anybody's. */
const isPermit2 = ({ guards, selector }: TokenPowers.Lever): boolean =>
  selector === Selectors.functions.transferFrom &&
  guards.length > 0 &&
  guards.every((guard) => guard.kind === "constant" && guard.address === AddressBook.permit2)

const merged = (levers: ReadonlyArray<TokenPowers.Lever>): ReadonlyArray<TokenPowers.Lever> => {
  const found = new Map<string, TokenPowers.Lever>()
  for (const lever of levers) {
    // What is certain of one variable is not of the other.
    const key = `${lever.selector} ${lever.certain} ${lever.privileged}`
    const same = found.get(key)
    found.set(
      key,
      same === undefined
        ? lever
        : {
            ...same,
            guards: unique([...same.guards, ...lever.guards]),
            writes: unique([...same.writes, ...lever.writes])
          }
    )
  }
  return [...found.values()]
}

const unique = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values()
]

const isOfTransfers = ({ levers, state }: TokenPowers.PowerFinding): boolean =>
  state === "found" && !levers.some((lever) => lever.certain)

/** Whether a power has no other levers than those that were found; one that is found hides what is missing elsewhere. */
const isFollowed = (
  { findings, logic, token }: Pick<CodedPowers, "findings" | "logic" | "token">,
  power: TokenPowers.Power,
  { fixed }: ResolvedCode
): boolean => {
  const { completeness, delegations } = logic.flow
  // Whoever replaces the code may have the new one run at once, which is no more than replacing it.
  const isUpgrade = !fixed && delegations.every((one) => one.target.kind === "self" || one.selectors.every(isUpgrading))
  const isSeen = (reason: string): boolean => reason === "delegatecall" && isUpgrade
  return (
    completeness.gaps.every(isSeen) &&
    token.balances.length > 0 &&
    !token.external &&
    findings[power].reasons.every((reason) => reason === "uncertain_lever" || isSeen(reason))
  )
}

const isUpgrading = (selector: string): boolean =>
  selector === Selectors.functions.upgradeToAndCall || selector === Selectors.functions.upgradeTo

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

const waysOf = (lever: TokenPowers.Lever, token: TokenFlow.TokenFlow): ReadonlyArray<Way> =>
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
  { flow }: Logic,
  guard: Guard & { readonly kind: "slot" }
): ReadonlyArray<{ readonly selector: Hex | "fallback"; readonly write: StorageFlow.Write }> =>
  flow.functions.flatMap(({ selector, writes }) =>
    writes
      .filter(
        ({ change, mask, slot }) =>
          slot === guard.slot &&
          overlap(mask, maskOf(guard.field)) &&
          change.kind !== "clear" &&
          change.kind !== "keep" &&
          !(change.kind === "set" && change.amount.length > 0 && change.amount.every(isZero))
      )
      .map((write) => ({ selector, write }))
  )

const isZero = (origin: StorageFlow.Change["amount"][number]): boolean =>
  origin.kind === "constant" && BigInt(origin.value) === 0n

interface Latch {
  readonly slot: string
  readonly mask: bigint
}

/**
 * The variables that a function asks before it goes on, and sets itself: to something fixed, or where it asks whether
 * there is anything yet. What it looks at for no more than to write over it, as it does with texts, is none.
 */
const latchesOf = (flow: StorageFlow.StorageFlow, selector: Hex): ReadonlyArray<Latch> => {
  const candidate = flow.functions.find((entry) => entry.selector === selector)
  if (candidate === undefined) return []
  return candidate.gates.flatMap((gate) =>
    gate.reads.flatMap(({ field, keys, slot }) => {
      const own = candidate.writes.filter((write) => write.slot === slot && overlap(write.mask, maskOf(field)))
      const isFixed = own.every(({ change, mask }) => Option.isSome(constantsOf(change, BigInt(mask))))
      return keys.length === 0 && own.length > 0 && (isFixed || gate.requires !== undefined)
        ? [{ slot, mask: BigInt(maskOf(field)) }]
        : []
    })
  )
}

/** The bits of a latch that other functions write, and what they put there. */
interface Setting {
  readonly slot: string
  readonly mask: bigint
  readonly values: ReadonlySet<bigint>
}

/** The values that other functions can give to latches; none where they can give them any. */
const settableTo = (
  flow: StorageFlow.StorageFlow,
  selector: Hex,
  latches: ReadonlyArray<Latch>
): Option.Option<ReadonlyArray<Setting>> => {
  const settings: Array<Setting> = []
  for (const entry of flow.functions) {
    if (entry.selector === selector) continue
    for (const { change, mask, slot } of entry.writes) {
      const wide = BigInt(mask)
      if (!latches.some((latch) => latch.slot === slot && (latch.mask & wide) !== 0n)) continue
      const values = constantsOf(change, wide)
      if (Option.isNone(values)) return Option.none()
      const others = settings.filter((setting) => setting.slot === slot && (setting.mask & wide) !== 0n)
      if (others.some((setting) => setting.mask !== wide)) return Option.none()
      settings.splice(0, settings.length, ...settings.filter((setting) => !others.includes(setting)), {
        slot,
        mask: wide,
        values: new Set([
          ...others.flatMap((setting) => [...setting.values]),
          ...values.value.map((value) => value & wide)
        ])
      })
    }
  }
  return Option.some(settings)
}

/** What the latches may hold: what they do now, and whatever other functions can make of it. */
const worldsOf = (now: ReadonlyMap<Hex, Hex>, settings: ReadonlyArray<Setting>): ReadonlyArray<ReadonlyMap<Hex, Hex>> =>
  settings.reduce<ReadonlyArray<ReadonlyMap<Hex, Hex>>>(
    (worlds, { mask, slot, values }) =>
      worlds.length > worldsAtMost
        ? worlds
        : worlds.flatMap((world) => [
            world,
            ...Option.toArray(placeOf(slot)).flatMap((place) =>
              [...values]
                .map((bits) => Getter.word((BigInt(world.get(place) ?? "0x0") & ~mask) | bits))
                .filter((word) => word !== world.get(place))
                .map((word) => new Map(world).set(place, word))
            )
          ]),
    [now]
  )

/** Each costs one more look at a function. */
const worldsAtMost = 12

/** The constants that a write puts under its mask, where they stand in the word. */
const constantsOf = ({ amount, kind }: StorageFlow.Change, mask: bigint): Option.Option<ReadonlyArray<bigint>> => {
  const isPart = mask !== (1n << 256n) - 1n
  switch (kind) {
    case "clear":
      return Option.some([0n])
    case "keep":
      return Option.some(isPart ? [0n] : [])
    case "raise":
      return isPart ? Option.some([mask]) : Option.none()
    case "set":
      return amount.length === 0
        ? Option.none()
        : Option.all(
            amount.map((origin) => (origin.kind === "constant" ? Option.some(BigInt(origin.value)) : Option.none()))
          )
    default:
      return Option.none()
  }
}

const overlap = (a: Hex, b: Hex): boolean => (BigInt(a) & BigInt(b)) !== 0n

const maskOf = (field: Field | undefined): Hex =>
  Getter.word(
    field === undefined ? (1n << 256n) - 1n : ((1n << BigInt(8 * field.size)) - 1n) << BigInt(8 * field.offset)
  )

const addressIn = (word: Hex, offset: number): Address.Address =>
  Address.fromWord(Getter.word((BigInt(word) >> BigInt(8 * offset)) & ((1n << 160n) - 1n)))

/** The slot behind a storage location that is no entry of a mapping or array: a root, and the members added to it. */
const placeOf = (location: string): Option.Option<Hex> =>
  /^0x[0-9a-f]+(\+[0-9a-f]+)*$/.test(location)
    ? Option.some(
        Getter.word(
          location
            .slice(2)
            .split("+")
            .reduce((sum, part) => sum + BigInt(`0x${part}`), 0n)
        )
      )
    : Option.none()
