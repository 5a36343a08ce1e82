/** @internal */

import { Option } from "effect"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import type { Field } from "../../evm/expression/ValueSource.js"
import * as Getter from "../Getter.js"

/**
 * The slot behind a storage location that is no entry of an array: a root, the members added to it, and of nested
 * mappings the entries under `keys`, one for each level.
 */
export const slotOf = (location: string, keys: ReadonlyArray<Hex> = []): Option.Option<Hex> => {
  const parts = /^(0x[0-9a-f]+)((?:\[k\]|\+[0-9a-f]+)*)$/.exec(location)
  if (parts === null) return Option.none()
  const left = [...keys]
  let slot = Getter.word(parts[1] as Hex)
  for (const [step] of (parts[2] ?? "").matchAll(/\[k\]|\+[0-9a-f]+/g)) {
    if (step !== "[k]") slot = Slots.plus(slot, BigInt(`0x${step.slice(1)}`))
    else {
      const key = left.shift()
      if (key === undefined) return Option.none()
      slot = Slots.mapping(key, slot)
    }
  }
  return left.length === 0 ? Option.some(slot) : Option.none()
}

/** The account in a field of a slot's word; at its low end where there is none. */
export const accountIn = (word: Hex, field: Field | undefined): Address.Address =>
  Address.fromWord(Getter.word((BigInt(word) >> BigInt(8 * (field?.offset ?? 0))) & addressMask))

/**
 * The part of a word that an address is in, given the bits that are read: the low end of a whole word, or as many as an
 * address has; none of others.
 */
export const addressFieldOf = (mask: Hex): Option.Option<Field> =>
  Option.fromNullable(
    Array.from({ length: 13 }, (_, offset) => ({ offset, size: 20 })).find(
      ({ offset }) =>
        BigInt(mask) === addressMask << BigInt(8 * offset) || (offset === 0 && BigInt(mask) === (1n << 256n) - 1n)
    )
  )

/** The bits of an address at the low end of a word. */
export const addressMask = (1n << 160n) - 1n
