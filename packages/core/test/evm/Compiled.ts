import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename } from "node:path"

const require = createRequire(import.meta.url)

export type Pipeline = "optimised" | "plain" | "ir"

/** All ways by which solc makes code of the same source. */
export const pipelines: ReadonlyArray<Pipeline> = ["optimised", "plain", "ir"]

const settings: Record<Pipeline, object> = {
  optimised: { optimizer: { enabled: true, runs: 200 } },
  plain: { optimizer: { enabled: false } },
  ir: { viaIR: true, optimizer: { enabled: true, runs: 200 } }
}

/** What solc makes of a file: by the name of each file it is of, and of each contract. */
export const solc = <A>(source: URL, settings: object): Readonly<Record<string, Readonly<Record<string, A>>>> => {
  const sources = { [basename(source.pathname)]: { content: readFileSync(source, "utf8") } }
  const output = JSON.parse(
    require("solc").compile(JSON.stringify({ language: "Solidity", sources, settings }), {
      import: (path: string) => ({ contents: readFileSync(require.resolve(path), "utf8") })
    })
  )
  const failed = (output.errors ?? []).filter((error: { readonly severity: string }) => error.severity === "error")
  if (failed.length > 0) throw new Error(failed[0].formattedMessage)
  return output.contracts
}

interface Output {
  readonly evm: {
    readonly deployedBytecode: { readonly object: string }
    readonly methodIdentifiers: Readonly<Record<string, string>>
  }
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
  file = "Tokens.sol"
): ((name: string) => Contract) => {
  const selected = ["evm.deployedBytecode.object", "evm.methodIdentifiers"]
  const compiled = solc<Output>(new URL(`contracts/${file}`, import.meta.url), {
    ...settings[pipeline],
    outputSelection: { [file]: Object.fromEntries(names.map((name) => [name, selected])) }
  })
  return (name) => {
    const found = compiled[file]?.[name]
    if (found === undefined) throw new Error(`no contract ${name} was compiled`)
    const called = Object.entries(found.evm.methodIdentifiers).map(
      ([signature, selector]) => [signature.split("(")[0] ?? "", `0x${selector}`] as const
    )
    return {
      code: `0x${found.evm.deployedBytecode.object}`,
      selectors: new Map(called),
      names: new Map(called.map(([name, selector]) => [selector, name]))
    }
  }
}

/** Runtime code of an npm artifact; references to libraries that are not linked count as zero. */
export const artifact = (path: string): `0x${string}` => {
  const found = require(path)
  const code = found.deployedBytecode ?? found.evm.deployedBytecode
  const text = (typeof code === "string" ? code : code.object).replace(/__.{38}/g, "0".repeat(40))
  return text.startsWith("0x") ? text : `0x${text}`
}
