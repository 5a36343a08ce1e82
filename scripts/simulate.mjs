/*
 * Lets seeded worlds go by (testing/worlds/src/Simulation.ts): the real program, with a simulated clock, chain,
 * stores, endpoints and people, where everything goes wrong that may. Prints every seed that broke a promise, what broke
 * and what happened last; ends with 1 where there is one.
 *
 *   npm run simulate -- [--seeds 100] [--from 1] [--days 30] [--part 1/2]
 *   npm run simulate -- --seed 1234 [--days 30] [--lines 500]
 *
 * A seed is the same world again, as long as the code, the days and the version of Effect are the same: its hash shows it.
 * A part takes every n-th seed, so that several processes can share the work.
 */
import { parseArgs } from "node:util"
import { Simulation } from "@assay/worlds"

// The stacks of errors that are part of the world cost a third of the time, and nobody reads them.
Error.stackTraceLimit = 0

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string", default: "100" },
    from: { type: "string", default: "1" },
    days: { type: "string", default: "30" },
    lines: { type: "string", default: "100" },
    part: { type: "string", default: "1/1" }
  }
})

const number = (name) => {
  const value = Number(values[name])
  if (Number.isFinite(value) && value > 0) return value
  console.error(`--${name} must be a number above 0`)
  process.exit(2)
}

const [part, parts] = values.part.split("/").map(Number)
const seeds =
  values.seed === undefined
    ? Array.from({ length: number("seeds") }, (_, index) => number("from") + index).filter(
        (seed) => seed % parts === part % parts
      )
    : [number("seed")]

const startedAt = performance.now()
const sum = {}
let broken = 0
for (const seed of seeds) {
  const outcome = Simulation.run({ seed, days: number("days"), lines: number("lines") })
  for (const [what, count] of Object.entries(outcome.counts)) sum[what] = (sum[what] ?? 0) + count
  const isBroken = outcome.breach._tag === "Some"
  if (isBroken) broken++
  if (isBroken || seeds.length === 1) {
    console.log(outcome.trace.join("\n"))
    const { detail, law } = isBroken ? outcome.breach.value : { law: "kept", detail: "every promise" }
    console.log(`seed ${seed}, ${values.days} days, hash ${outcome.hash}: ${law}: ${detail}`)
  }
}
const seconds = (performance.now() - startedAt) / 1000
console.log(
  Object.entries(sum)
    .map(([what, count]) => `${count} ${what}`)
    .join(", ")
)
console.log(
  `${seeds.length} seeds of ${values.days} days in ${seconds.toFixed(1)} s (${(seeds.length / seconds).toFixed(2)} a second), ${broken} broke a promise`
)
process.exit(broken === 0 ? 0 : 1)
