import * as Checks from "@assay/core/checks/Checks"
import type * as ChangeReport from "@assay/core/domain/ChangeReport"
import type * as Target from "@assay/core/domain/Target"
import * as AnalysisChanges from "@assay/core/executions/AnalysisChanges"
import type * as FileSystem from "@effect/platform/FileSystem"
import { Effect, Either, Option } from "effect"
import * as Endpoints from "./Endpoints.js"
import * as ExitCode from "./ExitCode.js"
import * as KeptResult from "./KeptResult.js"
import * as Lines from "./Lines.js"
import * as Progress from "./Progress.js"
import { Refusal } from "./Refusal.js"
import type * as ResultFile from "./ResultFile.js"
import { Shell } from "./Shell.js"
import * as Targets from "./Targets.js"

/** The arguments of `assay diff`: two results, or an address at two blocks. */
export interface Request extends Endpoints.Wanted {
  readonly operands: ReadonlyArray<string>
  readonly blocks: ReadonlyArray<string>
  readonly kind: Option.Option<Target.TargetKind>
  readonly database: Option.Option<string>
  readonly failAt: ExitCode.ChangeLevel
  readonly json: boolean
  readonly html: boolean
}

/**
 * Says what changed from one result to the other. Ends with 2 where a change is of `failAt` or graver, 3 where none is but
 * something could not be compared, else 0.
 */
export const run = (request: Request) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    if (request.json && request.html) return yield* new Refusal({ detail: "--html does not go with --json" })
    const [base, head] = yield* sidesOf(request)
    const compared = yield* Effect.either(AnalysisChanges.between({ base, head, rules }))
    if (Either.isLeft(compared)) {
      yield* shell.writeError(`assay: the results cannot be compared: ${compared.left.detail}\n`)
      return incomparable
    }
    const report = compared.right
    yield* Effect.flatMap(
      request.html
        ? pageOf(report, base, head)
        : Effect.succeed(request.json ? `${JSON.stringify(documentOf(report, base, head))}\n` : textOf(report, head)),
      shell.write
    )
    return ExitCode.ofChanges(report, request.failAt)
  })

const incomparable: ExitCode.ExitCode = 3

const rules = [...Checks.all, ...Checks.optional].map(Checks.rule)

type Sides = readonly [base: ResultFile.Kept, head: ResultFile.Kept]

const sidesOf = (request: Request): Effect.Effect<Sides, Refusal, Shell | FileSystem.FileSystem> => {
  const [first, second, ...more] = request.operands
  const [from, to, ...others] = request.blocks
  if (first === undefined || more.length > 0) return new Refusal({ detail: usage })
  if (second !== undefined)
    return from === undefined
      ? Effect.all([KeptResult.find(first, request.database), KeptResult.find(second, request.database)])
      : new Refusal({ detail: "--block goes with an address, not with two results" })
  if (from === undefined || to === undefined || others.length > 0) return new Refusal({ detail: usage })
  return Effect.gen(function* () {
    const address = yield* Targets.parse(first)
    const isNumber = (text: string) => /^\d{1,15}$/.test(text)
    if (!isNumber(from) || !isNumber(to)) return yield* new Refusal({ detail: "--block takes the number of a block" })
    const endpoints = yield* Endpoints.find(request)
    const at = (block: string) =>
      Effect.map(
        Targets.analyze({ address, chain: endpoints.chain, kind: request.kind, block: Option.some(Number(block)) }),
        (analysis): ResultFile.Kept => ({ analysis, executionId: Option.none() })
      )
    return yield* Effect.provide(Effect.all([at(from), at(to)]), Endpoints.layer(endpoints, Progress.silent))
  })
}

const usage =
  "give two results (files, or ids of executions in the database), or an address with --block twice: the earlier block and the later one"

// An analysis without an execution has no id, so none is shown.
const documentOf = (report: ChangeReport.ChangeReport, base: ResultFile.Kept, head: ResultFile.Kept) => ({
  ...report,
  base: sideOf(base),
  head: sideOf(head)
})

const sideOf = ({ analysis, executionId }: ResultFile.Kept) => ({
  execution_id: Option.getOrNull(executionId),
  target: analysis.target,
  block: analysis.block,
  ruleset_version: analysis.ruleset_version,
  content_hash: analysis.content_hash
})

/** Both results as one page, with what changed on top. */
const pageOf = (changes: ChangeReport.ChangeReport, before: ResultFile.Kept, { analysis }: ResultFile.Kept) =>
  Effect.map(
    Effect.promise(() => Promise.all([import("@assay/core/report/Report"), import("@assay/core/report/ReportHtml")])),
    ([Report, ReportHtml]) =>
      ReportHtml.make(Report.make(analysis, { changes }), { analysis, before: before.analysis, changes })
  )

const textOf = (report: ChangeReport.ChangeReport, { analysis: { target } }: ResultFile.Kept): string =>
  [
    Lines.wrap(
      `${target.address}, ${report.base === null ? "" : `block ${report.base.block.number} to `}block ${report.head.block.number} of ${target.chain.name} (${target.chain.id})`
    ),
    ...Lines.ofReport(report)
  ].join("")
