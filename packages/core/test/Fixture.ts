import { readFileSync } from "node:fs"
import type { Abi } from "viem"
// @ts-expect-error: a script without types.
import { isCurrent as isCurrentUntyped } from "../scripts/compileFixtures.mjs"

export type Pipeline = "optimised" | "plain" | "ir" | "paris"

/** A compiled contract: code as hex digits without a prefix, with places for what is linked or set in a constructor. */
export interface Contract {
  /** Selectors as eight hex digits, by signature. */
  readonly selectors: Readonly<Record<string, string>>
  readonly code: string
  /** Of what is deployed only. */
  readonly creation?: string
  readonly abi?: Abi
}

const isCurrent = isCurrentUntyped as (fixture: {
  readonly source: string
  readonly pipeline: Pipeline
  readonly deployed: boolean
  readonly output: string
}) => boolean

const kept = new Map<string, Readonly<Record<string, Contract>>>()

/**
 * The contracts of a Solidity file as they were compiled (scripts/compileFixtures.mjs), by name. Throws where the file
 * was changed since, and where there is no such contract.
 */
export const read = (folder: string, file: string, pipeline: Pipeline): ((name: string) => Contract) => {
  const source = `${folder}/${file}`
  const output = `compiled/${source.replace(/\.sol$/, "")}.${pipeline}.json`
  let contracts = kept.get(output)
  if (contracts === undefined) {
    if (!isCurrent({ source, pipeline, deployed: folder.endsWith("/deployed"), output }))
      throw new Error(`${source} is not what was compiled for ${pipeline}: run \`npm run generate\``)
    contracts = JSON.parse(readFileSync(new URL(output, import.meta.url), "utf8")).contracts as Record<string, Contract>
    kept.set(output, contracts)
  }
  const found = contracts
  return (name) => {
    const contract = found[name]
    if (contract === undefined) throw new Error(`no contract ${name} in ${source}`)
    return contract
  }
}

/** The names and codes of all contracts of a Solidity file that have code without places for libraries. */
export const codes = (
  folder: string,
  file: string,
  pipeline: Pipeline
): ReadonlyArray<readonly [name: string, code: `0x${string}`]> => {
  read(folder, file, pipeline)
  const contracts = kept.get(`compiled/${folder}/${file.replace(/\.sol$/, "")}.${pipeline}.json`) ?? {}
  return Object.entries(contracts).flatMap(([name, { code }]) =>
    /^[0-9a-f]+$/.test(code) ? [[name, `0x${code}` as const] as const] : []
  )
}

/** The same for a file below a folder `deployed`, with contracts that can be put on a chain. */
export const readDeployed = (folder: string, file: string): ((name: string) => Required<Contract>) =>
  read(`${folder}/deployed`, file, "paris") as (name: string) => Required<Contract>
