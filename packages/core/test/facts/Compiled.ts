import type { Hex } from "../../src/domain/Hex.js"
import { solc } from "../evm/Compiled.js"

interface Contract {
  readonly evm: { readonly deployedBytecode: { readonly object: string } }
}

/**
 * Runtime code by contract name of a file in `contracts/`. Immutable variables and addresses of linked libraries are what
 * `filled` is, where it is given.
 */
export const compile = (file: string): ((name: string, filled?: Hex) => Hex) => {
  const compiled = solc<Contract>(new URL(`contracts/${file}`, import.meta.url), {
    optimizer: { enabled: true, runs: 200 },
    outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } }
  })
  const contracts = new Map(Object.values(compiled).flatMap((each) => Object.entries(each)))
  return (name, filled) => {
    const found = contracts.get(name)
    if (found === undefined) throw new Error(`no contract ${name} in ${file}`)
    const address = (filled ?? "0x").slice(2).toLowerCase().padStart(40, "0")
    const { object } = found.evm.deployedBytecode
    return `0x${object
      .replace(/__\$.{34}\$__/g, address)
      // PUSH32 0, which solc writes for an immutable variable and for nothing else.
      .replace(new RegExp(`7f${"0".repeat(64)}`, "g"), `7f${address.padStart(64, "0")}`)}`
  }
}
