/** @internal */

import { Array as Arrays, Effect, Option } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import type { ChainState } from "../chain/ChainState.js"
import * as Together from "../chain/Together.js"
import type { Address } from "../domain/Address.js"
import type { Hex } from "../domain/Hex.js"
import * as Overlap from "../evm/Overlap.js"
import type * as StorageFlow from "../evm/StorageFlow.js"
import * as SupplyCap from "../evm/SupplyCap.js"
import * as TokenBooks from "../evm/TokenBooks.js"
import * as TokenPowers from "../evm/TokenPowers.js"
import type { Flows } from "./Flows.js"
import type { Logic } from "./Functions.js"
import * as Getter from "./Getter.js"
import * as StoredVariable from "./StoredVariable.js"

/**
 * Whether a lever does nothing any more: what it could do once was done, as by an initialiser that was used, or what it
 * sets lets transfers through for good, as by a function that opens trading, or there is as much of the token as it may ever
 * make.
 *
 * @since 0.1.0
 * @category constructors
 */
export const isSpent = (
  state: ChainState["Type"],
  flows: Flows["Type"],
  token: Address,
  logic: Logic,
  lever: TokenPowers.Lever
): Effect.Effect<boolean, ChainError> =>
  Effect.map(
    Together.all([
      isReleased(state, token, lever),
      isUsedUp(state, flows, token, logic, lever),
      isCapped(state, flows, token, logic, lever)
    ]),
    ([released, used, capped]) => released || used || capped
  )

/**
 * Whether a function does nothing any more, whoever calls it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const isUsed = (
  state: ChainState["Type"],
  flows: Flows["Type"],
  address: Address,
  logic: Logic,
  selector: Hex
): Effect.Effect<boolean, ChainError> => isUsedUp(state, flows, address, logic, { selector, writes: [] })

const isReleased = (
  state: ChainState["Type"],
  token: Address,
  lever: TokenPowers.Lever
): Effect.Effect<boolean, ChainError> => {
  const { variable, writes } = lever
  // A lever that sets another variable as well may stop transfers by that one.
  const isOfOne = writes.every(
    ({ mask, slot }) => slot === variable?.slot && (BigInt(mask) & ~BigInt(Overlap.maskOf(variable.field))) === 0n
  )
  return variable === undefined || writes.length === 0 || !isOfOne
    ? Effect.succeed(false)
    : Option.match(StoredVariable.slotOf(variable.slot), {
        onNone: () => Effect.succeed(false),
        onSome: (slot) => Effect.map(state.storage(token, slot), ({ value }) => TokenPowers.isReleased(lever, value))
      })
}

/** Whether a lever only makes tokens, and the supply is what it may be at most, with nothing that ever lowers it. */
const isCapped = (
  state: ChainState["Type"],
  flows: Flows["Type"],
  token: Address,
  { code, flow }: Logic,
  { selector, writes }: TokenPowers.Lever
): Effect.Effect<boolean, ChainError> =>
  Effect.gen(function* () {
    const books = TokenBooks.of(flow)
    const isMaking =
      writes.length > 0 &&
      writes.every(({ mask, slot }) => Overlap.isOneOf([...books.supply, ...books.balances], slot, mask))
    if (!isMaking || selector === "fallback" || !SupplyCap.isPossible(flow, books, selector)) return false
    const cap = yield* flows.cap(code, flow, books, selector)
    if (cap === undefined) return false
    const held = (location: string): Effect.Effect<Option.Option<bigint>, ChainError> =>
      Option.match(StoredVariable.slotOf(location), {
        onNone: () => Effect.succeedNone,
        onSome: (slot) => Effect.map(state.storage(token, slot), ({ value }) => Option.some(BigInt(value)))
      })
    const supply = yield* held(cap.supply)
    const reached = yield* Effect.forEach(cap.limits, (limit) =>
      Effect.map(
        limit.kind === "constant"
          ? Effect.succeedSome(BigInt(limit.value))
          : Effect.map(
              held(limit.slot),
              Option.map((word) => Overlap.partOf(word, limit.field))
            ),
        (most) => Option.exists(Option.all([supply, most]), ([now, at]) => (limit.strict ? now + 1n >= at : now >= at))
      )
    )
    return reached.some((one) => one)
  })

/** A variable that says that a lever was used counts only where no other function can make it work again. */
const isUsedUp = (
  state: ChainState["Type"],
  flows: Flows["Type"],
  token: Address,
  { code, flow }: Logic,
  lever: Pick<TokenPowers.Lever, "selector" | "writes">
): Effect.Effect<boolean, ChainError> => {
  const { selector, writes } = lever
  if (selector === "fallback") return Effect.succeed(false)
  /** What latches may hold; nothing where that cannot be told, or is too much. */
  const worldsIn = (latches: ReadonlyArray<Latch>): Effect.Effect<ReadonlyArray<World>, ChainError> =>
    Effect.gen(function* () {
      const places = Arrays.dedupe(latches.map((latch) => latch.slot))
      const slots = places.flatMap((place) => Option.toArray(StoredVariable.slotOf(place)))
      const settable = settableTo(flow, selector, latches)
      if (places.length === 0 || slots.length < places.length || Option.isNone(settable)) return []
      const words = yield* Together.forEach(slots, (slot) =>
        Effect.map(state.storage(token, slot), ({ value }) => [slot, value] as const)
      )
      const worlds = worldsOf(new Map<Hex, Hex>(words), settable.value)
      return worlds.length > worldsAtMost ? [] : worlds
    })
  const doesNothingIn = (world: World): Effect.Effect<boolean> =>
    Effect.map(
      flows.at(code, selector, world),
      (now) =>
        now.complete &&
        (writes.length > 0 || now.calls.length === 0) &&
        !now.writes.some(
          (write) =>
            writes.length === 0 ||
            writes.some((other) => other.slot === write.slot && Overlap.overlap(other.mask, write.mask))
        )
    )
  return Effect.flatMap(Together.forEach([latchesOf(flow, selector), endingsOf(flow, lever)], worldsIn), (each) =>
    Effect.exists(
      each.filter((worlds) => worlds.length > 0),
      (worlds) => Effect.every(worlds, doesNothingIn)
    )
  )
}

interface Latch {
  readonly slot: string
  readonly mask: bigint
}

/**
 * The variables that a function asks before it goes on, and sets itself: to something fixed, or where it asks whether
 * there is anything yet, or how much. What it looks at for no more than to write over it, as it does with texts, is none.
 */
const latchesOf = (flow: StorageFlow.StorageFlow, selector: Hex): ReadonlyArray<Latch> => {
  const candidate = flow.functions.find((entry) => entry.selector === selector)
  if (candidate === undefined) return []
  return candidate.gates.flatMap((gate) =>
    gate.reads.flatMap(({ field, keys, slot }) => {
      const own = candidate.writes.filter(
        (write) => write.slot === slot && Overlap.overlap(write.mask, Overlap.maskOf(field))
      )
      const isFixed = own.every(({ change, mask }) => Option.isSome(constantsOf(change, BigInt(mask))))
      const isLimit =
        gate.compares && gate.about.includes("argument") && own.every(({ change }) => change.kind === "set")
      return keys.length === 0 && own.length > 0 && (isFixed || isLimit || gate.requires !== undefined)
        ? [{ slot, mask: BigInt(Overlap.maskOf(field)) }]
        : []
    })
  )
}

/**
 * The variables that a function asks for one value alone and that only other functions set, to nothing but what is fixed, as
 * where one of them finishes minting. What else is in their words has to stay as well, but for the account that the caller
 * is compared with: who that is opens nothing.
 */
const endingsOf = (
  flow: StorageFlow.StorageFlow,
  { selector, writes }: Pick<TokenPowers.Lever, "selector" | "writes">
): ReadonlyArray<Latch> => {
  const candidate = flow.functions.find((entry) => entry.selector === selector)
  if (candidate === undefined || !flow.completeness.complete) return []
  const guarding = writes.flatMap(({ guards }) =>
    guards.flatMap((guard) =>
      guard.kind === "slot" ? [{ slot: guard.slot, mask: BigInt(Overlap.maskOf(guard.field)) }] : []
    )
  )
  return candidate.gates
    .flatMap(({ reads, requires }) => (requires === undefined ? [] : reads.filter(({ keys }) => keys.length === 0)))
    .map(({ field, slot }) => ({ slot, mask: BigInt(Overlap.maskOf(field)) }))
    .filter(({ mask, slot }) => {
      const own = mask | guarding.reduce((all, guard) => (guard.slot === slot ? all | guard.mask : all), 0n)
      const changes = flow.functions.flatMap((entry) => entry.writes.filter((write) => write.slot === slot))
      return (
        changes.every((write) => (BigInt(write.mask) & ~own) === 0n) &&
        changes.every(
          ({ change, mask: written }) =>
            (BigInt(written) & mask) === 0n || Option.isSome(constantsOf(change, BigInt(written)))
        ) &&
        !candidate.writes.some((write) => write.slot === slot)
      )
    })
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

/** What may be stored, by slot. */
type World = ReadonlyMap<Hex, Hex>

/** What the latches may hold: what they do now, and whatever other functions can make of it. */
const worldsOf = (now: World, settings: ReadonlyArray<Setting>): ReadonlyArray<World> =>
  settings.reduce<ReadonlyArray<World>>(
    (worlds, { mask, slot, values }) =>
      worlds.length > worldsAtMost
        ? worlds
        : worlds.flatMap((world) => [
            world,
            ...Option.toArray(StoredVariable.slotOf(slot)).flatMap((place) =>
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
