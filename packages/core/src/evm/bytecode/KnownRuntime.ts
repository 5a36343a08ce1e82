/** @internal */

import { Option } from "effect"
import * as OxBytes from "ox/Bytes"
import * as Hash from "ox/Hash"
import * as KnownContracts from "../../data/KnownContracts.js"
import type { Hex } from "../../domain/Hex.js"
import * as Metadata from "./Metadata.js"

/**
 * The published build that a runtime code is, but for the compiler's record behind it and what a deployment fills in.
 */
export const identify = (code: Hex): Option.Option<KnownContracts.KnownContract> => {
  if (code.length % 2 === 1) return Option.none()
  const bytes = OxBytes.fromHex(code)
  const size =
    bytes.length - Option.match(Metadata.decodeBytes(bytes), { onNone: () => 0, onSome: (found) => found.size })
  return Option.fromNullable(
    KnownContracts.contracts.find((known) => {
      if (known.size !== size) return false
      const open = bytes.slice(0, size)
      for (const [offset, length] of known.holes) open.fill(0, offset, offset + length)
      return Hash.keccak256(open, { as: "Hex" }) === known.hash
    })
  )
}
