import { createRequire } from "node:module"
import { beforeEach, describe } from "vitest"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"
import * as Fixture from "../Fixture.js"

const require = createRequire(import.meta.url)

export type Pipeline = "optimised" | "plain" | "ir"

/** All ways by which solc makes code of the same source. */
export const pipelines: ReadonlyArray<Pipeline> = ["optimised", "plain", "ir"]

/**
 * Tests of what each compiler makes of the same sources. Before landing each is run for one compiler, which its name
 * and the draw decide, so that all of them take turns. A name in `pinned` is run for the compiler where it once broke.
 */
export const describeCompiled = (
  title: string,
  tests: (pipeline: Pipeline) => void,
  options: { readonly of?: ReadonlyArray<Pipeline>; readonly pinned?: Readonly<Record<string, Pipeline>> } = {}
): void => {
  const { of = pipelines, pinned = {} } = options
  for (const pipeline of of)
    describe(`${title}, ${pipeline} code`, () => {
      beforeEach(({ skip, task: { name } }) => {
        skip(!Tier.landing && (pinned[name] ?? of[Draw.placeOf(name, of.length)]) !== pipeline)
      })
      tests(pipeline)
    })
}

/** Runtime code with the selectors of its functions by name, and their names by selector. */
export interface Contract {
  readonly code: `0x${string}`
  readonly selectors: ReadonlyMap<string, `0x${string}`>
  readonly names: ReadonlyMap<string, string>
}

/** Contracts in a file of `contracts` by their name; throws where there is none. */
export const contracts = (pipeline: Pipeline, file = "Tokens.sol"): ((name: string) => Contract) => {
  const compiled = Fixture.read("evm/contracts", file, pipeline)
  return (name) => {
    const found = compiled(name)
    const called = Object.entries(found.selectors).map(
      ([signature, selector]) => [signature.split("(")[0] ?? "", `0x${selector}`] as const
    )
    return {
      code: `0x${found.code}`,
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
