/*
 * Composes tokens by seed (testing/adversary), has each analysed, then does on a local chain what it can do, and judges
 * what the analysis said. Prints each token of false safety, shrunk to the fewest parts, as Solidity with its transactions,
 * then the summary. Ends with 1 where there is false safety, where the composition without parts does not read 98, minimal
 * and coverage 1, where more than a tenth of the tokens did nothing, or where one could not be tried.
 *
 *   npm run adversary -- [--seeds 100] [--from 1] [--part 1/2] [--shrink 5] [--write FOLDER] [--json FILE] [--product FILE]
 *   npm run adversary -- --again 12,345 [--source]
 *   npm run adversary -- --compose condition=list,lever=owner [--source]
 *
 *   --shrink   how many kinds of false safety are shrunk; each takes up to 24 more analyses
 *   --again    these seeds alone, with what was said, done and seen
 *   --compose  one composition by the parts that are not the first of their dimension; seed=7 sets its numbers
 *   --source   with their Solidity
 *   --write    writes each shrunk token to a file of its own: Solidity, with the verdict and the transactions
 *   --json     writes the summary and every token to a file
 *   --product  judges another product: a module that exports `make` as testing/adversary/src/Product.ts does. Its compiled
 *              file in another checkout of this repository is one: what that engine says
 *
 * A part takes every n-th seed, so that several processes can share the work. Compiled tokens are kept in
 * node_modules/.cache/adversary.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { Composition, Judge, Product, Run, Shrink, Source, Tally, Trial } from "@assay/adversary"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "100" },
    from: { type: "string", default: "1" },
    part: { type: "string", default: "1/1" },
    again: { type: "string" },
    compose: { type: "string" },
    shrink: { type: "string", default: "5" },
    source: { type: "boolean", default: false },
    write: { type: "string" },
    json: { type: "string" },
    product: { type: "string" }
  }
})

const number = (name, text = values[name], least = 1) => {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= least) return value
  console.error(`--${name} must be a whole number from ${least}`)
  process.exit(2)
}
const [part, parts] = values.part.split("/").map((text) => number("part", text))
const again = values.again?.split(",").map((text) => number("again", text.trim(), 0))
const from = number("from", values.from, 0)
/** The composition without parts, but for those that are named. */
const composed = (text) => {
  const parts = text.split(",").map((part) => part.trim().split("="))
  for (const [dimension, part] of parts)
    if (dimension !== "seed" && !Composition.grammar[dimension]?.includes(part)) {
      console.error(`--compose: no part ${dimension}=${part}`)
      process.exit(2)
    }
  const composition = { ...Trial.base, ...Object.fromEntries(parts) }
  const numbered = { ...composition, seed: number("compose", String(composition.seed), 0) }
  if (Composition.fits(numbered)) return numbered
  console.error("--compose: these parts do not go together")
  process.exit(2)
}
const compose = values.compose === undefined ? undefined : composed(values.compose)
const seeds =
  (compose && [compose.seed]) ??
  again ??
  Array.from({ length: number("seeds") }, (_, index) => from + index).filter((seed) => seed % parts === part % parts)
const shrinks = number("shrink", values.shrink, 0)

const product =
  values.product === undefined ? Product.make() : (await import(pathToFileURL(resolve(values.product)).href)).make()
const chain = Run.chains()
const print = (lines) => console.log(lines.join("\n"))
const startedAt = performance.now()

/** Which claims an engineer has to look at. */
const shortly = ({ claims, level, score }) => [
  `  level ${level}, score ${score}`,
  ...claims
    .filter(({ id, state }) => state !== "refuted" || Object.values(Judge.claimsOf).flat().includes(id))
    .map(
      ({ detail, id, severity, state }) => `  ${state.padEnd(9)} ${severity.padEnd(8)} ${id}: ${detail.slice(0, 160)}`
    )
]

const shortOf = ({ claims, level, score }) => {
  const of = (state) => claims.filter((claim) => claim.state === state && claim.severity !== "info").map(({ id }) => id)
  return { level, score, confirmed: of("confirmed"), unknown: of("unknown") }
}
const told = ({ composition, judgement, said, truth }) => {
  print([
    `seed ${composition.seed}: ${judgement.verdict}; ${Composition.partsOf(composition).join(", ")}`,
    ...judgement.reasons.map((reason) => `  ! ${reason}`),
    "trap:",
    ...truth.trap.log.map((line) => `  ${line}`),
    ...shortly(said.trap),
    `twin (${composition.twin}): ${judgement.twin}${truth.twin.rows.map((row) => ` ${row}`).join("")}`,
    ...shortly(said.twin)
  ])
  if (values.source) console.log(Source.preamble + Trial.inputOf(composition).text)
}

if (values.write !== undefined) mkdirSync(values.write, { recursive: true })
let isSound = true
let tried = { trials: [], failures: [] }
const kinds = []
try {
  const base = await chain.on((ground) => Trial.run(ground, product, Trial.base))
  isSound = Run.isSound(base)
  if (!isSound) {
    const { coverage, level, score } = base.said.twin
    console.log(`the composition without parts reads ${score}, ${level}, coverage ${coverage}, not 98, minimal, 1`)
    print(shortly(base.said.twin))
  }
  tried = await Run.run(chain, product, compose ? [compose] : seeds.map(Composition.draw), (trial, ms) => {
    if (again !== undefined || compose !== undefined) told(trial)
    else if (trial.judgement.verdict === "false safety")
      console.log(
        `seed ${trial.composition.seed} (${(ms / 1000).toFixed(1)} s): ${trial.judgement.reasons.map((reason) => reason.split(" (")[0]).join("; ")}: ${Composition.partsOf(trial.composition).join(", ")}`
      )
  })
  for (const { composition, error } of tried.failures)
    console.log(`seed ${composition.seed} could not be tried: ${error.slice(0, 300)}`)

  const has = async (candidate) => {
    const { reasons } = await chain.on((ground) => Trial.falseSafety(ground, product, candidate))
    return reasons.length > 0
  }
  const safe = tried.trials.filter(({ judgement }) => judgement.verdict === "false safety")
  for (const { composition } of safe) {
    const known = kinds.find((kind) => kind.parts.every((name) => Composition.partsOf(composition).includes(name)))
    if (known !== undefined) {
      known.seeds.push(composition.seed)
      continue
    }
    if (kinds.length >= shrinks) continue
    const fewest = await Shrink.shrink(composition, has)
    const { log, reasons, said } = await chain.on((ground) => Trial.falseSafety(ground, product, fewest))
    kinds.push({ parts: Composition.partsOf(fewest), seeds: [composition.seed], reasons, composition: fewest })
    const about = [
      `seed ${composition.seed}, shrunk to: ${Composition.partsOf(fewest).join(", ")}`,
      ...reasons.map((reason) => `  ! ${reason}`),
      ...log.map((line) => `  ${line}`),
      ...shortly(said)
    ]
    const solidity = Source.preamble + Source.write(fewest, "trap").text
    print(["", ...about, solidity])
    if (values.write !== undefined)
      writeFileSync(join(values.write, `${composition.seed}.sol`), `/*\n${about.join("\n")}\n*/\n${solidity}\n`)
  }
} finally {
  await product.stop()
  await chain.stop()
}

const tally = Tally.of(tried.trials)
const seconds = (performance.now() - startedAt) / 1000
print(["", ...Tally.lines(tally), ""])
if (kinds.length > 0)
  print([
    "kinds of false safety:",
    ...kinds.map(({ parts: names, seeds: of }) => `  ${names.join(", ")}: seeds ${of.join(" ")}`)
  ])
console.log(`${seeds.length} seeds in ${seconds.toFixed(0)} s (${(seconds / seeds.length).toFixed(2)} s a token)`)
if (values.json !== undefined)
  writeFileSync(
    values.json,
    `${JSON.stringify(
      {
        seeds: { from, count: seeds.length, part: values.part },
        base: isSound,
        ...tally,
        kinds,
        failures: tried.failures.map(({ composition, error }) => ({ seed: composition.seed, error })),
        tokens: tried.trials.map(({ composition, judgement, said, truth }) => ({
          composition,
          ...judgement,
          rows: truth.trap.rows,
          trapIs: shortOf(said.trap),
          twinIs: { ...shortOf(said.twin), rows: truth.twin.rows }
        }))
      },
      null,
      2
    )}\n`
  )
const isIdle = again === undefined && compose === undefined && tally.noDeed * 10 > tally.tokens
process.exit(isSound && !isIdle && tally.counts.falseSafety === 0 && tried.failures.length === 0 ? 0 : 1)
