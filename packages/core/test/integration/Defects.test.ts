import { Effect, Layer, Logger, ManagedRuntime, Metric, Option } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"
import * as Analyzer from "../../src/analysis/Analyzer.js"
import * as FactSet from "../../src/analysis/FactSet.js"
import * as ChainAccess from "../../src/chain/ChainAccess.js"
import * as Address from "../../src/domain/Address.js"
import type { Analysis } from "../../src/domain/Analysis.js"
import { checkId, type Evidence } from "../../src/domain/Evidence.js"
import * as FaultLaw from "../../src/testing/FaultLaw.js"
import * as Injected from "./Injected.js"
import * as World from "./World.js"

const logged: Array<{ readonly [name: string]: unknown }> = []

const engine = ManagedRuntime.make(
  Analyzer.layer(Injected.checks).pipe(
    Layer.provide(Layer.provide(ChainAccess.layerTransport({ retryDelay: 0 }), World.tape)),
    Layer.merge(
      Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ annotations }) => {
          logged.push(Object.fromEntries(annotations))
        })
      )
    )
  )
)

/** Each with whether this tier runs it. */
const targets = [
  ["plain", true],
  ["approver", Tier.landing],
  ["safeOwned", Tier.all],
  ["honeypot", Tier.all],
  ["diamond", Tier.all]
] as const

/** The items that are not the same, by id. */
const changed = (whole: Analysis, disturbed: Analysis): ReadonlyArray<readonly [string, Evidence | undefined]> => {
  const items = (analysis: Analysis) => new Map(analysis.evidence.map((item) => [item.id, item]))
  const [before, after] = [items(whole), items(disturbed)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((id) => JSON.stringify(before.get(id)) !== JSON.stringify(after.get(id)))
    .map((id) => [id, after.get(id)] as const)
}

const metric = Effect.map(Metric.snapshot, (pairs) =>
  pairs
    .filter(({ metricKey }) => metricKey.name === "assay_internal_errors_total")
    .map(({ metricState }) => ("count" in metricState ? Number(metricState.count) : 0))
    .reduce((sum, count) => sum + count, 0)
)

/** What a defect did that none may do. */
const breaches = (
  name: string,
  whole: Analysis,
  disturbed: Analysis,
  mayLose: (check: string) => boolean
): ReadonlyArray<string> => {
  const found = FaultLaw.violations(whole, disturbed).map((breach) => breach)
  const differing = changed(whole, disturbed)
  for (const [id, item] of differing) {
    const check = checkId(id)
    if (!mayLose(check)) found.push(`${id} changed, and its check does not read what failed`)
    // The items of a check that failed as a whole are one, without a subject.
    const now = item ?? disturbed.evidence.find((other) => other.id === check)
    if (now?.reason !== "internal_error")
      found.push(`${id} is ${now?.state ?? "absent"}, ${now?.reason ?? "no reason"}`)
    else if (!now.detail.endsWith("report it with the execution id")) found.push(`${id} says "${now.detail}"`)
  }
  const [before, after] = [whole.facts.risk, disturbed.facts.risk]
  if (before === null || after === null) found.push("there is no score")
  else {
    if (after.range.worst > before.range.worst)
      found.push(`worst rose from ${before.range.worst} to ${after.range.worst}`)
    if (after.range.best < before.range.best) found.push(`best fell from ${before.range.best} to ${after.range.best}`)
  }
  if (differing.length > 0 && disturbed.status !== "partial") found.push(`the result is ${disturbed.status}`)
  return found.map((breach) => `${name}: ${breach}`)
}

describe("a defect in a fact or a check", () => {
  let world: World.World
  beforeAll(async () => {
    world = await World.start()
  })

  for (const [target, runs] of targets)
    it.runIf(runs)(
      Tier.title(runs, `costs only the claims of ${target} that met it, is logged once, and fails no analysis`),
      async () => {
        const { address, kind } = world.sandbox.targets[target]
        const analysed = async (failing: Option.Option<string>) => {
          Injected.throwIn(failing)
          logged.length = 0
          const before = await engine.runPromise(metric)
          const analysis = await engine.runPromise(
            Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
              Effect.locally(
                analyzer.analyze({ kind, address: Address.checksum(address), chain: world.chain }),
                FactSet.seam,
                Injected.seam
              )
            )
          )
          return { analysis, logs: [...logged], counted: (await engine.runPromise(metric)) - before }
        }
        const { analysis: whole } = await analysed(Option.none())
        const met = Injected.run()
        const checks = new Set<string>(Injected.checks.map(({ id }) => id))
        const run = met.filter((name) => checks.has(name))
        const broken: Array<string> = []
        const lines: Array<string> = []
        for (const name of Draw.portion(met)) {
          const { analysis: disturbed, counted, logs } = await analysed(Option.some(name))
          const [fact = name] = name.split(".")
          const mayLose = checks.has(name)
            ? (check: string) => check === name
            : (check: string) => Injected.declared(check).has(fact)
          broken.push(...breaches(name, whole, disturbed, mayLose))
          const lost = new Set(
            disturbed.evidence.flatMap(({ id, reason }) => (reason === "internal_error" ? [checkId(id)] : []))
          )
          lines.push(`${target} ${name}: ${lost.size} of ${run.filter(mayLose).length}: ${[...lost].join(" ")}`)
          // What a failed one would have met is not always the first of several calls.
          const subjects = new Set(logs.map(({ name: part, of }) => `${part} ${of}`))
          if (logs.length !== subjects.size) broken.push(`${name}: logged ${logs.length} times of ${subjects.size}`)
          if (counted !== logs.length) broken.push(`${name}: counted ${counted} of ${logs.length}`)
          if (lost.size > 0 && logs.length === 0) broken.push(`${name}: not logged`)
          for (const log of logs)
            if (log.name !== name || log.block !== whole.block.number || log.block_hash !== whole.block.hash || !log.of)
              broken.push(`${name}: logged ${JSON.stringify(log)}`)
        }
        Injected.throwIn(Option.none())
        // To see which claims a fact carries.
        if (process.env.ASSAY_PRINT !== undefined) console.log(lines.join("\n"))
        assert.deepStrictEqual(broken, [])
        assert.isAbove(run.length, 5)
        assert.isAbove(met.length - run.length, 5)
      },
      900_000
    )
})
