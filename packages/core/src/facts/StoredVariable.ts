/** @internal */

import { Option } from "effect"
import * as Address from "../domain/Address.js"
import type { Hex } from "../domain/Hex.js"
import type { Field } from "../evm/Origin.js"
import * as Getter from "./Getter.js"

/**
 * The slot behind a storage location that is no entry of a mapping or array: a root, and the members added to it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const slotOf = (location: string): Option.Option<Hex> =>
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

/**
 * The account in a field of a slot's word; at its low end where there is none.
 *
 * @since 0.1.0
 * @category combinators
 */
export const accountIn = (word: Hex, field: Field | undefined): Address.Address =>
  Address.fromWord(Getter.word((BigInt(word) >> BigInt(8 * (field?.offset ?? 0))) & addressMask))

/**
 * The bits of an address at the low end of a word.
 *
 * @since 0.1.0
 * @category constructors
 */
export const addressMask = (1n << 160n) - 1n
