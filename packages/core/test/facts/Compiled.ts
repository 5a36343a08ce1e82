import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import type { Hex } from "../../src/domain/Hex.js"

const require = createRequire(import.meta.url)

interface Contract {
  readonly evm: { readonly deployedBytecode: { readonly object: string } }
}

/**
 * Runtime code by contract name of a file in `contracts/`. Immutable variables and addresses of linked libraries are what
 * `filled` is, where it is given.
 */
export const compile = (file: string): ((name: string, filled?: Hex) => Hex) => {
  const solc = require("solc")
  const input = {
    language: "Solidity",
    sources: {
      [file]: { content: readFileSync(fileURLToPath(new URL(`contracts/${file}`, import.meta.url)), "utf8") }
    },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } }
    }
  }
  const output = JSON.parse(
    solc.compile(JSON.stringify(input), {
      import: (path: string) => ({ contents: readFileSync(require.resolve(path), "utf8") })
    })
  )
  const failed = (output.errors ?? []).filter((error: { readonly severity: string }) => error.severity === "error")
  if (failed.length > 0) throw new Error(failed[0].formattedMessage)
  const contracts = new Map<string, Contract>(
    Object.values<Record<string, Contract>>(output.contracts).flatMap((each) => Object.entries(each))
  )
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
