// Compiles contracts/*.sol into contracts/compiled.json. `--check` compares instead of writing; `--stale` compiles only
// where the key in contracts/compiled.key.json is another one: it covers all that decides the bytes.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import * as CompiledKey from "../../../scripts/CompiledKey.mjs"

const require = createRequire(import.meta.url)
const folder = new URL("../contracts/", import.meta.url)
const output = new URL("compiled.json", folder)

const keyFile = new URL("compiled.key.json", folder)

const names = readdirSync(fileURLToPath(folder))
  .filter((name) => name.endsWith(".sol"))
  .sort()

const settings = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: "cancun",
  // The metadata hash covers the text of every import: without it a patch release of OpenZeppelin keeps the bytes.
  metadata: { bytecodeHash: "none", appendCBOR: true },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } }
}

/** The key of the compiler, its settings, the contracts and the files that they import. */
const keyOf = (imports) =>
  CompiledKey.of({
    settings: [require("solc/package.json").version, settings, names],
    sources: names.map((name) => new URL(name, folder)),
    imports,
    require
  })

/** Whether compiled.json was made from what is there now. */
export const isCurrent = () => CompiledKey.fits(keyFile, keyOf)

const imports = new Set()

/** @returns {string} the text of contracts/compiled.json that the sources compile to. */
const compile = () => {
  const solc = require("solc")
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(names.map((name) => [name, { content: readFileSync(new URL(name, folder), "utf8") }])),
    settings
  }
  const read = (path) => {
    imports.add(path)
    try {
      return { contents: readFileSync(require.resolve(path), "utf8") }
    } catch (error) {
      return { error: String(error) }
    }
  }
  const result = JSON.parse(solc.compile(JSON.stringify(input), { import: read }))
  const errors = (result.errors ?? []).filter((error) => error.severity === "error")
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join("\n"))
  const contracts = names
    .flatMap((name) => Object.entries(result.contracts[name] ?? {}))
    .filter(([, contract]) => contract.evm.bytecode.object !== "")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, contract]) => [
      name,
      {
        abi: contract.abi,
        bytecode: `0x${contract.evm.bytecode.object}`,
        deployedBytecode: `0x${contract.evm.deployedBytecode.object}`
      }
    ])
  // One contract a line keeps a change readable.
  const lines = contracts.map(([name, contract]) => `  ${JSON.stringify(name)}: ${JSON.stringify(contract)}`)
  return `{\n${lines.join(",\n")}\n}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !(process.argv.includes("--stale") && isCurrent())) {
  const text = compile()
  if (!process.argv.includes("--check")) {
    const sorted = [...imports].sort()
    writeFileSync(output, text)
    writeFileSync(keyFile, `${JSON.stringify({ key: keyOf(sorted), imports: sorted }, null, 2)}\n`)
  } else if (text !== readFileSync(output, "utf8")) {
    console.error("contracts/compiled.json is not what contracts/*.sol compile to: run `npm run generate`")
    process.exitCode = 1
  }
}
