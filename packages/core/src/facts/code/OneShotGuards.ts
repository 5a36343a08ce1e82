/** @internal */

import { Array as Arrays, Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import type * as TokenPowers from "../../evm/powers/TokenPowers.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import type * as StorageFlow from "../../evm/summary/StorageFlow.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"
import type { CodeReadings } from "./CodeReadings.js"
import type { LogicContract } from "./LogicContract.js"
import * as StoredVariable from "./StoredVariable.js"

/** A contract and all code that answers for it, since one code may reset what another one has used up. */
export interface Contract {
  readonly state: ChainState["Type"]
  readonly flows: CodeReadings["Type"]
  readonly address: Address
  readonly logics: ReadonlyArray<LogicContract>
}

type Selector = StorageFlow.FunctionFlow["selector"]

/** A variable that a function checks, by its bits. */
export interface OneShotGuard {
  readonly slot: string
  readonly mask: bigint
}

/**
 * The variables that a function checks and sets itself: to a constant, or after a test for zero or for a size. A read
 * only for an overwrite, as of a string, does not count.
 */
export const of = (flow: StorageFlow.StorageFlow, selector: Selector): ReadonlyArray<OneShotGuard> => {
  const candidate = flow.functions.find((entry) => entry.selector === selector)
  if (candidate === undefined) return []
  return candidate.gates.flatMap((gate) =>
    gate.reads.flatMap(({ field, keys, slot }) => {
      const own = candidate.writes.filter(
        (write) => write.slot === slot && FieldMask.overlap(write.mask, FieldMask.maskOf(field))
      )
      const isFixed = own.every(({ change, mask }) => Option.isSome(constantsOf(change, BigInt(mask))))
      const isLimit =
        gate.compares && gate.about.includes("argument") && own.every(({ change }) => change.kind === "set")
      return keys.length === 0 && own.length > 0 && (isFixed || isLimit || gate.requires !== undefined)
        ? [{ slot, mask: BigInt(FieldMask.maskOf(field)) }]
        : []
    })
  )
}

/** The function's conditions on its caller. A change of the required caller opens the function to nobody else. */
const guardingOf = (flow: StorageFlow.StorageFlow, selector: Selector): ReadonlyArray<OneShotGuard> =>
  flow.functions
    .filter((entry) => entry.selector === selector)
    .flatMap(({ writes }) =>
      writes.flatMap(({ guards }) =>
        guards.flatMap((guard) =>
          guard.kind === "slot" ? [{ slot: guard.slot, mask: BigInt(FieldMask.maskOf(guard.field)) }] : []
        )
      )
    )

/** Other variables that a function checks in the words of its latches, such as a switch that bypasses a latch. */
const neighboursOf = (
  flow: StorageFlow.StorageFlow,
  selector: Selector,
  places: ReadonlyArray<string>
): ReadonlyArray<OneShotGuard> => {
  const guarding = guardingOf(flow, selector)
  return flow.functions
    .filter((entry) => entry.selector === selector)
    .flatMap(({ gates }) => gates.flatMap(({ reads }) => reads))
    .filter(({ keys, slot }) => keys.length === 0 && places.includes(slot))
    .map(({ field, slot }) => ({ slot, mask: BigInt(FieldMask.maskOf(field)) }))
    .filter(({ mask, slot }) => !guarding.some((guard) => guard.slot === slot && guard.mask === mask))
}

/**
 * The variables that a function requires to have one value and that only other functions set, as where one of them
 * finishes minting. The rest of their words has to stay as well, except the account that the caller is compared with: a
 * change of it opens nothing.
 */
export const endings = (
  flow: StorageFlow.StorageFlow,
  { selector, writes }: Pick<TokenPowers.Lever, "selector" | "writes">
): ReadonlyArray<OneShotGuard> => {
  const candidate = flow.functions.find((entry) => entry.selector === selector)
  if (candidate === undefined || !flow.completeness.complete) return []
  const guarding = writes.flatMap(({ guards }) =>
    guards.flatMap((guard) =>
      guard.kind === "slot" ? [{ slot: guard.slot, mask: BigInt(FieldMask.maskOf(guard.field)) }] : []
    )
  )
  return candidate.gates
    .flatMap(({ reads, requires }) => (requires === undefined ? [] : reads.filter(({ keys }) => keys.length === 0)))
    .map(({ field, slot }) => ({ slot, mask: BigInt(FieldMask.maskOf(field)) }))
    .filter(({ mask, slot }) => {
      const own = mask | guarding.reduce((all, guard) => (guard.slot === slot ? all | guard.mask : all), 0n)
      const changes = flow.functions.flatMap((entry) => entry.writes.filter((write) => write.slot === slot))
      return (
        changes.every((write) => (BigInt(write.mask) & ~own) === 0n) &&
        !candidate.writes.some((write) => write.slot === slot)
      )
    })
}

/** The values that latches may have from now on; none where they are unknown or too many. */
export const worlds = (
  { address, flows, logics, state }: Contract,
  logic: LogicContract,
  selector: Selector,
  latches: ReadonlyArray<OneShotGuard>
): Effect.Effect<ReadonlyArray<World>, ChainError> =>
  Effect.gen(function* () {
    const places = Arrays.dedupe(latches.map((latch) => latch.slot))
    const slots = places.flatMap((place) => Option.toArray(StoredVariable.slotOf(place)))
    if (places.length === 0 || slots.length < places.length) return []
    const asked = [...latches, ...neighboursOf(logic.flow, selector, places)]
    const { settings, untold } = settableBy(logics, logic, selector, asked)
    if (untold.length > untoldAtMost) return []
    const words = yield* Together.forEach(slots, (slot) =>
      Effect.map(state.storage(address, slot), ({ value }) => [slot, value] as const)
    )
    const told = worldsOf(new Map<Hex, Hex>(words), settings)
    if (told.length > worldsAtMost) return []
    const possible = besides(told, logics, [...asked, ...guardingOf(logic.flow, selector)])
    const leaves = (other: Entry, world: World): Effect.Effect<boolean> =>
      Effect.map(
        flows.at(other.code, other.selector, world),
        (now) => now.complete && !now.writes.some(({ mask, slot }) => isOfLatch(asked, slot, BigInt(mask)))
      )
    return (yield* Effect.every(possible, (world) => Effect.every(untold, (other) => leaves(other, world))))
      ? possible
      : []
  })

const isOfLatch = (latches: ReadonlyArray<OneShotGuard>, slot: string, mask: bigint): boolean =>
  latches.some((latch) => latch.slot === slot && (latch.mask & mask) !== 0n)

/** The bits of a latch that functions write, and what they put there. */
interface Setting {
  readonly slot: string
  readonly mask: bigint
  readonly values: ReadonlySet<bigint>
}

/** A function of one of the codes of a contract. */
interface Entry {
  readonly code: Hex
  readonly selector: Selector
}

/**
 * The values that functions give to latches, and the functions with unknown values. A value that the function itself
 * sets only while it runs does not stop later calls.
 */
const settableBy = (
  logics: ReadonlyArray<LogicContract>,
  own: LogicContract,
  asked: Selector,
  latches: ReadonlyArray<OneShotGuard>
): { readonly settings: ReadonlyArray<Setting>; readonly untold: ReadonlyArray<Entry> } => {
  const settings: Array<Setting> = []
  const untold = new Map<string, Entry>()
  for (const { code, flow } of logics)
    for (const { selector, writes } of flow.functions)
      for (const { change, lasts, mask, slot } of writes) {
        const wide = BigInt(mask)
        const isOwn = code === own.code && selector === asked
        if (!isOfLatch(latches, slot, wide) || (isOwn && !lasts)) continue
        const values = constantsOf(change, wide)
        const others = settings.filter((setting) => setting.slot === slot && (setting.mask & wide) !== 0n)
        if (Option.isNone(values) || others.some((setting) => setting.mask !== wide)) {
          untold.set(`${code} ${selector}`, { code, selector })
          continue
        }
        settings.splice(0, settings.length, ...settings.filter((setting) => !others.includes(setting)), {
          slot,
          mask: wide,
          values: new Set([
            ...others.flatMap((setting) => [...setting.values]),
            ...values.value.map((value) => value & wide)
          ])
        })
      }
  return { settings, untold: [...untold.values()] }
}

/** What may be stored, by slot. */
export type World = ReadonlyMap<Hex, Hex>

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

/**
 * The same, once with nothing and once with everything in what else functions write into those words: a branch that is no
 * condition may look at it.
 */
const besides = (
  worlds: ReadonlyArray<World>,
  logics: ReadonlyArray<LogicContract>,
  known: ReadonlyArray<OneShotGuard>
): ReadonlyArray<World> => {
  const writes = logics.flatMap(({ flow }) => flow.functions.flatMap((entry) => entry.writes))
  const others = (place: Hex): bigint => {
    const isHere = (slot: string): boolean => Option.contains(StoredVariable.slotOf(slot), place)
    const written = writes.reduce((all, { mask, slot }) => (isHere(slot) ? all | BigInt(mask) : all), 0n)
    return known.reduce((left, { mask, slot }) => (isHere(slot) ? left & ~mask : left), written)
  }
  const open = new Map([...(worlds[0]?.keys() ?? [])].map((place) => [place, others(place)]))
  const turned = (world: World, turn: (word: bigint, mask: bigint) => bigint): World =>
    new Map([...world].map(([place, word]) => [place, Getter.word(turn(BigInt(word), open.get(place) ?? 0n))]))
  return [...open.values()].every((mask) => mask === 0n)
    ? worlds
    : worlds.flatMap((world) => [
        world,
        turned(world, (word, mask) => word & ~mask),
        turned(world, (word, mask) => word | mask)
      ])
}

/** Each costs one more look at a function. */
const worldsAtMost = 12

/** Each costs a look at a function for every world. */
const untoldAtMost = 4

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
