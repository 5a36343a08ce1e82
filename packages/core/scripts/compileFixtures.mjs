/*
 * Compiles the contracts of the tests into test/compiled, one file a source and pipeline. Only what is not there under
 * its key is compiled; `--all` compiles everything.
 *
 * A key covers what decides the bytes: the compiler, its settings, the source and every file that it imports. Tests read
 * these files (test/Fixture.ts) and never start the compiler, which takes ten minutes of CPU for all of them.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import * as CompiledKey from "../../../scripts/CompiledKey.mjs"

const require = createRequire(import.meta.url)
const tests = fileURLToPath(new URL("../test/", import.meta.url))

const optimizer = { enabled: true, runs: 200 }

const pipelines = {
  optimised: { optimizer },
  plain: { optimizer: { enabled: false } },
  ir: { viaIR: true, optimizer },
  // Without PUSH0, as on chains that never took the Shanghai upgrade.
  paris: { optimizer, evmVersion: "paris" }
}

/** Which files are compiled how. What is deployed to a chain needs its creation code and its ABI. */
const groups = [
  { folder: "evm/contracts", pipelines: ["optimised", "plain", "ir"], deployed: false },
  { folder: "facts/contracts", pipelines: ["optimised"], deployed: false },
  { folder: "facts/deployed", pipelines: ["paris"], deployed: true }
]

/** @returns {ReadonlyArray<{ source: string, pipeline: string, deployed: boolean, output: string }>} paths below test/ */
export const fixtures = () =>
  groups.flatMap(({ deployed, folder, pipelines }) =>
    readdirSync(tests + folder)
      .filter((name) => name.endsWith(".sol"))
      .sort()
      .flatMap((name) =>
        pipelines.map((pipeline) => ({
          source: `${folder}/${name}`,
          pipeline,
          deployed,
          output: `compiled/${folder}/${name.slice(0, -".sol".length)}.${pipeline}.json`
        }))
      )
  )

/** The key of a fixture with a source that imports these files. */
const keyOf = ({ deployed, pipeline, source }, imports) =>
  CompiledKey.of({
    settings: [require("solc/package.json").version, pipelines[pipeline], deployed, source],
    sources: [tests + source],
    imports,
    require
  })

/** The text of the file that a fixture is kept in. */
export const compile = (fixture) => {
  const { deployed, pipeline, source } = fixture
  const file = source.slice(source.lastIndexOf("/") + 1)
  const selected = [
    "evm.deployedBytecode.object",
    "evm.methodIdentifiers",
    ...(deployed ? ["evm.bytecode.object", "abi"] : [])
  ]
  const input = {
    language: "Solidity",
    sources: { [file]: { content: readFileSync(tests + source, "utf8") } },
    settings: { ...pipelines[pipeline], outputSelection: { "*": { "*": selected } } }
  }
  const imports = new Set()
  const read = (path) => {
    imports.add(path)
    return { contents: readFileSync(require.resolve(path), "utf8") }
  }
  const { contracts, errors = [] } = JSON.parse(require("solc").compile(JSON.stringify(input), { import: read }))
  const failed = errors.filter(({ severity }) => severity === "error")
  if (failed.length > 0) throw new Error(`${source}: ${failed[0].formattedMessage}`)
  const sorted = [...imports].sort()
  const lines = Object.entries(contracts[file])
    .filter(([, { evm }]) => evm.deployedBytecode.object !== "")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { abi, evm }]) => {
      const contract = {
        selectors: evm.methodIdentifiers,
        code: evm.deployedBytecode.object,
        ...(deployed ? { creation: evm.bytecode.object, abi } : {})
      }
      // One contract a line keeps a change readable.
      return `    ${JSON.stringify(name)}: ${JSON.stringify(contract)}`
    })
  return `{\n  "key": "${keyOf(fixture, sorted)}",\n  "imports": ${JSON.stringify(sorted)},\n  "contracts": {\n${lines.join(",\n")}\n  }\n}\n`
}

/** Whether what is kept was compiled from what is there now. */
export const isCurrent = (fixture) => CompiledKey.fits(tests + fixture.output, (imports) => keyOf(fixture, imports))

/** Files below test/compiled that no source stands behind. */
export const strays = () => {
  const wanted = new Set(fixtures().map(({ output }) => output))
  return readdirSync(`${tests}compiled`, { recursive: true, encoding: "utf8" })
    .map((path) => `compiled/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".json") && !wanted.has(path))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const fixture of fixtures()) {
    if (!process.argv.includes("--all") && isCurrent(fixture)) continue
    console.log(`${fixture.source}, ${fixture.pipeline}`)
    mkdirSync(dirname(tests + fixture.output), { recursive: true })
    writeFileSync(tests + fixture.output, compile(fixture))
  }
  for (const path of strays()) rmSync(tests + path)
}
