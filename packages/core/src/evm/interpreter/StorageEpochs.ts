/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind } from "../expression/Expression.js"
import { isHashLike } from "../expression/WrittenHashes.js"

/**
 * When each region of storage was last written, by the place of the write: `epochs` by region; a missing region has `epoch`.
 */
export interface StorageEpochs {
  epochs: ReadonlyMap<string, string>
  epoch: string
}

const noEpochs: ReadonlyMap<string, string> = new Map()

/** The moment before anything is written. */
export const atEntry: Readonly<StorageEpochs> = { epochs: noEpochs, epoch: "0" }

/**
 * The part of storage a slot lies in: a variable, a mapping, an array. Parts do not overlap, for keccak-256 does not
 * collide. None for a slot that may be anywhere.
 */
export const regionOf = (slot: Expression): string | undefined => regionWithin(slot, 0)

const regionWithin = (slot: Expression, depth: number): string | undefined => {
  if (depth > maxDepth) return undefined
  // A number that may be a hash may be the place of a mapping's entry.
  if (slot.op === Kind.constant) return isHashLike(slot.value) ? undefined : slot.value.toString(16)
  if (slot.op === Opcodes.KECCAK256 && slot.detail === "words") {
    const [first, second] = slot.args
    if (second === undefined) {
      const inner = regionWithin(first, depth + 1)
      return inner === undefined ? undefined : `${inner}[]`
    }
    const inner = regionWithin(second, depth + 1) ?? regionWithin(first, depth + 1)
    return inner === undefined ? undefined : `${inner}[k]`
  }
  if (slot.op === Opcodes.KECCAK256) return `#${slot.tag}`
  if (slot.op === Opcodes.ADD) {
    const [a, b] = slot.args
    return a.op === Kind.constant
      ? regionWithin(b, depth + 1)
      : (regionWithin(a, depth + 1) ?? (b.op === Kind.constant ? undefined : regionWithin(b, depth + 1)))
  }
  return undefined
}

/** Parts of a formula that may be there twice are looked at again. Nobody nests mappings as deep. */
const maxDepth = 10

/** Whether a region holds what it held when the call began. */
export const isUnwritten = (state: StorageEpochs, region: string | undefined): boolean =>
  ((region !== undefined && state.epochs.get(region)) || state.epoch) === atEntry.epoch

/** Notes a write to a region of storage (none: to anywhere). */
export const touch = (state: StorageEpochs, region: string | undefined, epoch: string): void => {
  if (region === undefined) {
    state.epochs = noEpochs
    state.epoch = epoch
  } else state.epochs = new Map(state.epochs).set(region, epoch)
}

/** A text that two states share where they have the same epochs. */
export const epochsKey = (state: StorageEpochs): string =>
  `${state.epoch};${[...state.epochs].map(([region, epoch]) => `${region}=${epoch}`).join(";")}`

/**
 * The epochs where paths meet: a region that was not written at the same place on all of them is written where they meet.
 */
export const merge = (states: ReadonlyArray<StorageEpochs>, place: string): StorageEpochs => {
  const [first] = states as readonly [StorageEpochs]
  const epochs = new Map<string, string>()
  for (const state of states) {
    for (const region of state.epochs.keys()) {
      if (epochs.has(region)) continue
      const some = first.epochs.get(region) ?? first.epoch
      epochs.set(
        region,
        states.every((other) => (other.epochs.get(region) ?? other.epoch) === some) ? some : `${place}~${region}`
      )
    }
  }
  return {
    epochs,
    epoch: states.every((state) => state.epoch === first.epoch) ? first.epoch : `${place}~`
  }
}
