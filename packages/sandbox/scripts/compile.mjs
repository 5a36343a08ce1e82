// Compiles contracts/*.sol into contracts/compiled.json. `--check` compares instead of writing.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

const require = createRequire(import.meta.url)
const folder = new URL("../contracts/", import.meta.url)
const output = new URL("compiled.json", folder)

/** @returns {string} the text of contracts/compiled.json that the sources compile to. */
const compile = () => {
  const solc = require("solc")
  const names = readdirSync(fileURLToPath(folder))
    .filter((name) => name.endsWith(".sol"))
    .sort()
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(names.map((name) => [name, { content: readFileSync(new URL(name, folder), "utf8") }])),
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: "cancun",
      // The metadata hash covers the text of every import: without it a patch release of OpenZeppelin keeps the bytes.
      metadata: { bytecodeHash: "none", appendCBOR: true },
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } }
    }
  }
  const read = (path) => {
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

const text = compile()
if (!process.argv.includes("--check")) writeFileSync(output, text)
else if (text !== readFileSync(output, "utf8")) {
  console.error("contracts/compiled.json is not what contracts/*.sol compile to: run node scripts/compile.mjs")
  process.exitCode = 1
}
