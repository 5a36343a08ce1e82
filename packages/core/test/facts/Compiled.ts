import type { Hex } from "../../src/domain/Hex.js"
import * as Fixture from "../Fixture.js"

/**
 * Runtime code by contract name of a file in `contracts/`. Immutable variables and addresses of linked libraries are what
 * `filled` is, where it is given.
 */
export const compile = (file: string): ((name: string, filled?: Hex) => Hex) => {
  const compiled = Fixture.read("facts/contracts", file, "optimised")
  return (name, filled) => {
    const address = (filled ?? "0x").slice(2).toLowerCase().padStart(40, "0")
    return `0x${compiled(name)
      .code.replace(/__\$.{34}\$__/g, address)
      // PUSH32 0, which solc writes for an immutable variable and for nothing else.
      .replace(new RegExp(`7f${"0".repeat(64)}`, "g"), `7f${address.padStart(64, "0")}`)}`
  }
}
