import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

const require = createRequire(import.meta.url)

export type Pipeline = "optimised" | "plain" | "ir"

/** All ways by which solc makes code of the same source. */
export const pipelines: ReadonlyArray<Pipeline> = ["optimised", "plain", "ir"]

const settings: Record<Pipeline, object> = {
  optimised: { optimizer: { enabled: true, runs: 200 } },
  plain: { optimizer: { enabled: false } },
  ir: { viaIR: true, optimizer: { enabled: true, runs: 200 } }
}

/** Runtime code and selectors (by function name) of contracts in a file of `contracts`. */
export const compile = (
  pipeline: Pipeline,
  names: ReadonlyArray<string>,
  file = "Tokens.sol"
): ReadonlyMap<string, { readonly code: `0x${string}`; readonly selectors: ReadonlyMap<string, `0x${string}`> }> => {
  const solc = require("solc")
  const input = {
    language: "Solidity",
    sources: {
      [file]: {
        content: readFileSync(fileURLToPath(new URL(`./contracts/${file}`, import.meta.url)), "utf8")
      }
    },
    settings: {
      ...settings[pipeline],
      outputSelection: {
        [file]: Object.fromEntries(
          names.map((name) => [name, ["evm.deployedBytecode.object", "evm.methodIdentifiers"]])
        )
      }
    }
  }
  const read = (path: string) => ({ contents: readFileSync(require.resolve(path), "utf8") })
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: read }))
  const failed = (output.errors ?? []).filter((error: { severity: string }) => error.severity === "error")
  if (failed.length > 0) throw new Error(failed[0].formattedMessage)
  return new Map(
    names.map((name) => {
      const { evm } = output.contracts[file][name]
      const selectors = Object.entries<string>(evm.methodIdentifiers).map(
        ([signature, selector]): [string, `0x${string}`] => [signature.split("(")[0] ?? "", `0x${selector}`]
      )
      return [name, { code: `0x${evm.deployedBytecode.object}`, selectors: new Map(selectors) }]
    })
  )
}

/** Runtime code with the selectors of its functions by name, and their names by selector. */
export interface Contract {
  readonly code: `0x${string}`
  readonly selectors: ReadonlyMap<string, `0x${string}`>
  readonly names: ReadonlyMap<string, string>
}

/** Contracts in a file of `contracts` by their name; asked for one that was not compiled it throws. */
export const contracts = (
  pipeline: Pipeline,
  names: ReadonlyArray<string>,
  file?: string
): ((name: string) => Contract) => {
  const compiled = compile(pipeline, names, file)
  return (name) => {
    const found = compiled.get(name)
    if (found === undefined) throw new Error(`no contract ${name} was compiled`)
    return { ...found, names: new Map(Array.from(found.selectors, ([called, selector]) => [selector, called])) }
  }
}

/** Runtime code of an npm artifact; references to libraries that are not linked count as zero. */
export const artifact = (path: string): `0x${string}` => {
  const found = require(path)
  const code = found.deployedBytecode ?? found.evm.deployedBytecode
  const text = (typeof code === "string" ? code : code.object).replace(/__.{38}/g, "0".repeat(40))
  return text.startsWith("0x") ? text : `0x${text}`
}
