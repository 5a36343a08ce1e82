import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Check from "../src/checks/Check.js"
import * as Checks from "../src/checks/Checks.js"

const source = fileURLToPath(new URL("../src/", import.meta.url))
const tests = fileURLToPath(new URL("./", import.meta.url))

const modulesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(`${source}${folder}`, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => `${folder}/${path.slice(0, -".ts".length).replaceAll("\\", "/")}`)
    .sort()

const load = (module: string): Promise<object> => import(/* @vite-ignore */ `${source}${module}.ts`)

const isCheck = (value: unknown): value is Check.Any =>
  typeof value === "object" && value !== null && "claim" in value && "run" in value

const checksOf = async (module: string): Promise<ReadonlyArray<Check.Any>> =>
  Object.values(await load(module)).filter(isCheck)

const isClass = (value: unknown): boolean =>
  typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value))

/** Tags, schemas, errors and constants say what there is; functions and layers do something. */
const hasBehaviour = async (module: string): Promise<boolean> =>
  Object.values(await load(module)).some(
    (value) =>
      (typeof value === "function" && !isClass(value)) ||
      (typeof value === "object" && value !== null && "pipe" in value && !("ast" in value))
  )

/** The tests of a folder: several modules that only make sense together may share one of them. */
const testsOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(`${tests}${folder}`, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => readFileSync(`${tests}${folder}/${path}`, "utf8"))

/** What a test elsewhere covers: every back end runs the same suite, and so does the memory's. */
const coveredBy: { readonly [module: string]: string } = {
  "changes/EvidenceChanges": "changes/Changes",
  "changes/ReportDocument": "changes/Changes",
  "changes/RiskChanges": "changes/Changes",
  "checks/token/powers/PowerClaim": "checks/token/powers/Capabilities",
  "checks/token/powers/PowerDecision": "checks/token/powers/Capabilities",
  "storage/EventStore": "storage/Storage",
  "storage/ExecutionStore": "storage/Storage",
  "storage/KeyStore": "storage/Storage",
  "storage/ExecutionRecords": "storage/Storage",
  "storage/KeyRecords": "storage/Storage",
  "storage/Invitation": "storage/Storage",
  "storage/MemoryEventStore": "storage/Storage",
  "storage/MemoryExecutionStore": "storage/Storage",
  "storage/MemoryWatchStore": "storage/Storage",
  "storage/WatchRecords": "storage/Storage",
  "storage/NewestFirst": "storage/Storage",
  "storage/QuotaStore": "storage/Storage",
  "storage/WatchStore": "storage/Storage",
  "report/ControlMermaid": "report/ControlDiagram",
  "report/page/ControlDrawing": "report/ControlDiagram",
  "report/page/Accounts": "report/Rendering",
  "report/page/Changed": "report/Rendering",
  "report/page/Bars": "report/Rendering",
  "report/page/Footnotes": "report/Rendering",
  "report/page/Mark": "report/Rendering",
  "report/page/Market": "report/Rendering",
  "report/page/Markup": "report/Rendering",
  "report/page/ScoreLine": "report/WatchHtml",
  "report/page/ScoreScale": "report/Rendering",
  "report/Doubt": "report/Report",
  "report/Exit": "report/Report",
  "report/Findings": "report/Report",
  "report/Fit": "report/Report",
  "report/Headline": "report/Report",
  "report/Layout": "report/Rendering",
  "report/Power": "report/Report",
  "report/ReportHtml": "report/Rendering",
  "report/ReportMarkdown": "report/Rendering",
  "report/ReportText": "report/Rendering",
  "report/Reasons": "report/Report",
  "report/Reassurances": "report/Report",
  "report/Sentence": "report/Report",
  "summary/model/Wire": "summary/model/ModelSummarizer",
  "checks/opinion/Opinion": "checks/opinion/SecondOpinion",
  "checks/wallet/Permissions": "checks/wallet/AllowanceUnlimited",
  "checks/token/trade/Tradeable": "checks/token/trade/TradeChecks",
  "checks/token/liquidity/PoolLocks": "checks/token/liquidity/LiquidityLocked",
  "quota/SlidingWindow": "quota/RateLimit",
  "quota/TokenBucket": "quota/RateLimit",
  "executions/AnalysisRun": "executions/Executions",
  "executions/CheckRun": "executions/Check",
  "executions/ExecutionError": "executions/Executions",
  "storage/Heartbeat": "executions/Executions",
  "storage/LeaseToken": "executions/Executions",
  "executions/Lookup": "executions/Executions",
  "executions/MeteredRun": "executions/Executions",
  "storage/Patience": "executions/Executions",
  "executions/Reaper": "executions/Executions",
  "executions/Unwritten": "executions/Leftovers",
  "storage/Processes": "executions/Leftovers",
  "executions/ResultDocument": "executions/Executions",
  "executions/SecondReading": "executions/Check",
  "executions/Wait": "executions/Executions"
}

/** Those of every chain, and those that need a source which is optional. */
const registry: ReadonlyArray<Check.Any> = [
  ...Checks.all,
  ...Checks.verifiedSource,
  ...Checks.signatureNames,
  ...Checks.secondOpinion
]

const checkModules = modulesIn("checks").filter((module) => module.split("/").length >= 3)

describe("checks", () => {
  it("are one a file, all of them in the registry", async () => {
    const registered = new Set<Check.Any>(registry)
    const wrong: Array<string> = []
    let found = 0
    for (const module of checkModules) {
      const checks = await checksOf(module)
      found += checks.length
      if (checks.length > 1) wrong.push(`${module} has ${checks.length}`)
      for (const check of checks) if (!registered.has(check)) wrong.push(`${check.id} is not in Checks.ts`)
    }
    assert.deepStrictEqual(wrong, [])
    assert.strictEqual(found, registry.length)
    assert.isAbove(found, 0)
  })

  it("have ids that are words, unique, and a code each", () => {
    const ids = registry.map((check) => check.id)
    for (const id of ids) assert.match(id, /^[a-z-]+\.[a-z0-9-]+$/)
    assert.strictEqual(new Set(ids).size, ids.length)
    const codes = registry.map((check) => check.code)
    assert.strictEqual(new Set(codes).size, codes.length)
  })

  it("give rules that can be served: a claim, a version from 1 and a JSON Schema of the value", () => {
    for (const check of registry) {
      const rule = Check.rule(check)
      assert.isAtLeast(rule.version, 1)
      assert.isNotEmpty(rule.claim)
      assert.isNotEmpty(rule.targets)
      assert.isNotEmpty(JSON.stringify(rule.value_type))
    }
  })
})

describe("test/ mirrors src/", () => {
  for (const folder of ["checks", "risk", "changes", "summary", "report", "storage", "keys", "quota", "executions"])
    it(`${folder}: every module that does something has its test`, async () => {
      const texts = testsOf(folder)
      const missing: Array<string> = []
      for (const module of modulesIn(folder)) {
        const isTested =
          existsSync(`${tests}${coveredBy[module] ?? module}.test.ts`) ||
          texts.some((text) => text.includes(`src/${module}.js"`))
        if (!isTested && (checkModules.includes(module) || (await hasBehaviour(module)))) missing.push(module)
      }
      assert.deepStrictEqual(missing, [])
    })
})

describe("the README of a room", () => {
  const modules = ["evm", "facts", "report"].flatMap(modulesIn)
  const roomOf = (module: string): string => module.slice(0, module.lastIndexOf("/"))

  it.each([...new Set(modules.map(roomOf))])("%s: lists each of its modules, and no other", (room) => {
    const listed = readFileSync(`${source}${room}/README.md`, "utf8").match(/(?<=^\| `)\w+\.ts(?=` \|)/gm) ?? []
    const there = modules.filter((module) => roomOf(module) === room).map((module) => `${module.split("/").at(-1)}.ts`)
    assert.deepStrictEqual([...listed].sort(), there)
  })
})
