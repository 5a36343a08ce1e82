import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Hex } from "viem"
import type { Composition } from "./Composition.js"
import * as Source from "./Source.js"

/** The creation codes of the contracts of a source, by name. */
export type Compiled = Readonly<Record<string, Hex>>

const require = createRequire(import.meta.url)
const folder = fileURLToPath(new URL("../../../node_modules/.cache/adversary/", import.meta.url))

/** What is compiled, and how. */
export interface Input {
  readonly text: string
  readonly build: Composition["build"]
}

const settingsOf = (build: Composition["build"]) => ({
  optimizer: { enabled: build !== "unoptimized", runs: 200 },
  viaIR: build === "ir",
  evmVersion: "cancun",
  metadata: { bytecodeHash: "none", appendCBOR: true },
  outputSelection: { "*": { "*": ["evm.bytecode.object"] } }
})

const keyOf = ({ build, text }: Input): string =>
  createHash("sha256")
    .update(JSON.stringify([require("solc/package.json").version, settingsOf(build), Source.preamble, text]))
    .digest("hex")

const cached = (key: string): Compiled | undefined => {
  try {
    return JSON.parse(readFileSync(join(folder, `${key}.json`), "utf8"))
  } catch {
    return undefined
  }
}

const keep = (key: string, compiled: Compiled): void => {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${key}.json`)
  // Two machines may compile the same at once.
  const unfinished = `${path}.${process.pid}`
  writeFileSync(unfinished, JSON.stringify(compiled))
  renameSync(unfinished, path)
}

interface Output {
  readonly errors?: ReadonlyArray<{ readonly severity: string; readonly formattedMessage: string }>
  readonly contracts: Readonly<
    Record<string, Readonly<Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>>>
  >
}

/** Compiles what is not cached, all of a build at once. */
export const compile = (inputs: ReadonlyArray<Input>): ReadonlyArray<Compiled> => {
  const keys = inputs.map(keyOf)
  const known = new Map(keys.map((key) => [key, cached(key)]))
  const missing = inputs.flatMap((input, i) => {
    const key = keys[i] as string
    return known.get(key) === undefined ? [{ ...input, key }] : []
  })
  for (const build of new Set(missing.map((input) => input.build))) {
    const together = missing.filter((input) => input.build === build)
    const sources = Object.fromEntries(together.map(({ text }, i) => [`${i}.sol`, { content: Source.preamble + text }]))
    const output: Output = JSON.parse(
      require("solc").compile(JSON.stringify({ language: "Solidity", sources, settings: settingsOf(build) }))
    )
    const errors = (output.errors ?? []).filter(({ severity }) => severity === "error")
    if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"))
    for (const [i, { key }] of together.entries()) {
      const contracts = Object.entries(output.contracts[`${i}.sol`] ?? {})
      const compiled = Object.fromEntries(
        contracts.flatMap(([name, { evm }]) =>
          evm.bytecode.object === "" ? [] : [[name, `0x${evm.bytecode.object}` as const]]
        )
      )
      keep(key, compiled)
      known.set(key, compiled)
    }
  }
  return keys.map((key) => known.get(key) as Compiled)
}
