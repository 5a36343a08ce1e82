import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Hex } from "viem"
import * as Source from "./Source.js"

/** The creation codes of the contracts of a source, by name. */
export type Compiled = Readonly<Record<string, Hex>>

const require = createRequire(import.meta.url)
const folder = fileURLToPath(new URL("../../../node_modules/.cache/adversary/", import.meta.url))

const settings = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: "cancun",
  metadata: { bytecodeHash: "none", appendCBOR: true },
  outputSelection: { "*": { "*": ["evm.bytecode.object"] } }
}

const keyOf = (text: string): string =>
  createHash("sha256")
    .update(JSON.stringify([require("solc/package.json").version, settings, Source.preamble, text]))
    .digest("hex")

const cached = (text: string): Compiled | undefined => {
  try {
    return JSON.parse(readFileSync(join(folder, `${keyOf(text)}.json`), "utf8"))
  } catch {
    return undefined
  }
}

const keep = (text: string, compiled: Compiled): void => {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${keyOf(text)}.json`)
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

/** Compiles what is not cached, all of it at once; the same contracts as text give the same as they did before. */
export const compile = (texts: ReadonlyArray<string>): ReadonlyArray<Compiled> => {
  const known = new Map(texts.map((text) => [text, cached(text)]))
  const missing = [...known].flatMap(([text, compiled]) => (compiled === undefined ? [text] : []))
  if (missing.length > 0) {
    const sources = Object.fromEntries(missing.map((text, i) => [`${i}.sol`, { content: Source.preamble + text }]))
    const output: Output = JSON.parse(
      require("solc").compile(JSON.stringify({ language: "Solidity", sources, settings }))
    )
    const errors = (output.errors ?? []).filter(({ severity }) => severity === "error")
    if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"))
    for (const [i, text] of missing.entries()) {
      const contracts = Object.entries(output.contracts[`${i}.sol`] ?? {})
      const compiled = Object.fromEntries(
        contracts.flatMap(([name, { evm }]) =>
          evm.bytecode.object === "" ? [] : [[name, `0x${evm.bytecode.object}` as const]]
        )
      )
      keep(text, compiled)
      known.set(text, compiled)
    }
  }
  return texts.map((text) => known.get(text) as Compiled)
}
