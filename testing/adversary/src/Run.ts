import * as Compiler from "./Compiler.js"
import type { Composition } from "./Composition.js"
import * as Ground from "./Ground.js"
import type { Product } from "./Product.js"
import * as Trial from "./Trial.js"

/** How many tokens are compiled at once. */
const batch = 20

/** How many tokens share a chain: a chain keeps what was taken back. */
const tokensPerChain = 100

/** A composition that could not be tried, twice. */
export interface Failure {
  readonly composition: Composition
  readonly error: string
}

/** What was tried, and what could not be. */
export interface Tried {
  readonly trials: ReadonlyArray<Trial.Trial>
  readonly failures: ReadonlyArray<Failure>
}

/** A chain that is replaced when it is old, or when something went wrong on it. */
export interface Chains {
  readonly on: <A>(deed: (ground: Ground.Ground) => Promise<A>) => Promise<A>
  readonly stop: () => Promise<void>
}

/** Starts no chain before one is needed. */
export const chains = (): Chains => {
  let ground: Ground.Ground | undefined
  let uses = 0
  const stop = async (): Promise<void> => {
    const old = ground
    ground = undefined
    await old?.stop()
  }
  return {
    on: async (deed) => {
      if (uses++ % tokensPerChain === 0) await stop()
      ground ??= await Ground.start()
      try {
        return await deed(ground)
      } catch (error) {
        await stop()
        throw error
      }
    },
    stop
  }
}

/** Tries compositions one after another. What fails is tried again once, on a new chain. */
export const run = async (
  chain: Chains,
  product: Product,
  compositions: ReadonlyArray<Composition>,
  onTrial: (trial: Trial.Trial, ms: number) => void = () => {}
): Promise<Tried> => {
  const trials: Array<Trial.Trial> = []
  const failures: Array<Failure> = []
  for (const [i, composition] of compositions.entries()) {
    if (i % batch === 0) Compiler.compile(compositions.slice(i, i + batch).map(Trial.inputOf))
    const started = performance.now()
    const attempt = () => chain.on((ground) => Trial.run(ground, product, composition))
    try {
      const trial = await attempt().catch(attempt)
      trials.push(trial)
      onTrial(trial, performance.now() - started)
    } catch (error) {
      failures.push({ composition, error: String(error) })
    }
  }
  return { trials, failures }
}

/** What the composition without parts reads as; the measure of all twins. */
export const isSound = ({ said: { twin }, truth }: Trial.Trial): boolean =>
  twin.level === "minimal" &&
  twin.score === 98 &&
  twin.coverage === 1 &&
  truth.twin.isControlled &&
  truth.twin.rows.length === 0
