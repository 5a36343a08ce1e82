import * as Chains from "@assay/core/chain/Chains"
import type * as AnalysisResult from "@assay/core/domain/AnalysisResult"
import type * as ChangeReport from "@assay/core/domain/ChangeReport"
import type * as Target from "@assay/core/domain/Target"
import * as Storage from "@assay/core/storage/Storage"
import * as LocalWatch from "@assay/core/watches/LocalWatch"
import { Effect, Layer, Option, Schedule } from "effect"
import * as Database from "./Database.js"
import * as Endpoints from "./Endpoints.js"
import * as Execute from "./Execute.js"
import * as ExitCode from "./ExitCode.js"
import * as KindGuess from "./KindGuess.js"
import * as Lines from "./Lines.js"
import * as Progress from "./Progress.js"
import { Refusal } from "./Refusal.js"
import { Shell, untilInterrupted } from "./Shell.js"
import * as Targets from "./Targets.js"

/**
 * The arguments of `assay watch`. `every` is a number of seconds, minutes, hours or days (`30m`); `count` is how many
 * checks are made, without end where none is given.
 */
export interface Request extends Endpoints.Wanted {
  readonly address: string
  readonly every: string
  readonly count: Option.Option<number>
  readonly kind: Option.Option<Target.TargetKind>
  readonly database: Option.Option<string>
  readonly exec: Option.Option<string>
  readonly failAt: ExitCode.ChangeLevel
  readonly json: boolean
}

/**
 * Checks an address again and again and writes what changed. With a database it goes on where an earlier process was; a
 * check that fails is a line on standard error, and the next one is made. Ends with the gravest code of its checks.
 */
export const run = (request: Request) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const address = yield* Targets.parse(request.address)
    const seconds = yield* secondsOf(request.every)
    if (Option.exists(request.count, (count) => count < 1))
      return yield* new Refusal({
        detail: "--count takes 1 or more; leave it out to watch until the process is stopped"
      })
    const endpoints = yield* Endpoints.find(request)
    const database = yield* Effect.transposeMapOption(request.database, (named) => Database.find(Option.some(named)))
    const { chain } = endpoints
    const codes: Array<ExitCode.ExitCode> = []
    yield* Effect.gen(function* () {
      const kind = Option.isSome(request.kind)
        ? request.kind.value
        : yield* KindGuess.make(address, chain, Option.none())
      const watch = yield* Effect.catchTag(
        LocalWatch.open({ address, chain, kind, label, seconds }),
        "WatchLimitReached",
        () => new Refusal({ detail: "this database has 50 local watches; use another --database" })
      )
      const check = watch.check.pipe(
        Effect.catchTag("CheckFailed", ({ message }) => new Refusal({ detail: message })),
        Effect.catchTag("StorageError", Database.refusalOf),
        Effect.tap((result) => shell.write(request.json ? jsonOf(result) : textOf(result))),
        // A person wants to see that something was done. To cron it would be a mail about nothing.
        Effect.tap((result) =>
          shell.terminal.errors.isTerminal && !request.json ? shell.writeError(unchangedOf(result)) : Effect.void
        ),
        Effect.tap((result) => tell(request, result)),
        Effect.map(
          (result): ExitCode.ExitCode =>
            result.change_report === null ? 0 : ExitCode.ofChanges(result.change_report, request.failAt)
        ),
        Effect.catchTag("Refusal", ({ detail }) => Effect.as(shell.writeError(`assay: ${detail}\n`), failed)),
        Effect.tap((code) => Effect.sync(() => codes.push(code)))
      )
      const checks = Effect.repeat(
        check,
        Schedule.intersect(
          Schedule.fixed(`${seconds} seconds`),
          Schedule.recurs(Option.getOrElse(request.count, () => Number.POSITIVE_INFINITY) - 1)
        )
      )
      yield* Option.isSome(request.count) ? checks : untilInterrupted(checks)
    }).pipe(Effect.provide(layer(endpoints, database)), Effect.catchTag("StorageError", Database.refusalOf))
    return ExitCode.gravest(codes)
  })

const layer = (endpoints: Endpoints.Endpoints, database: Option.Option<Database.Kept>) =>
  LocalWatch.layer.pipe(
    Layer.provideMerge(Endpoints.layer(endpoints, Progress.silent)),
    Layer.provideMerge(Chains.layer([endpoints.chain])),
    Layer.provideMerge(Option.match(database, { onNone: () => Storage.layerMemory, onSome: Database.layer }))
  )

const failed: ExitCode.ExitCode = 1

const label = "assay watch"

const tell = (request: Request, result: AnalysisResult.AnalysisResult) =>
  Effect.gen(function* () {
    const report = result.change_report
    if (Option.isNone(request.exec) || report === null || report.status !== "changed") return
    const { settings } = yield* Shell
    yield* Execute.run({
      command: request.exec.value,
      input: jsonOf(result),
      settings,
      variables: {
        ASSAY_CHANGE_ADDRESS: result.address,
        ASSAY_CHANGE_KIND: result.target,
        ASSAY_CHANGE_CHAIN: String(result.chain.id),
        ASSAY_CHANGE_BLOCK: String(report.head.block.number),
        ASSAY_CHANGE_SEVERITY: report.max_severity ?? "info",
        ASSAY_CHANGE_COUNT: String(report.changes.length)
      }
    })
  })

const jsonOf = ({ address, chain, change_report, completed_at, target }: AnalysisResult.AnalysisResult): string =>
  `${JSON.stringify({ target: { kind: target, address, chain }, completed_at, change_report })}\n`

/** Nothing where nothing changed, so that cron sends no mail. */
const textOf = (result: AnalysisResult.AnalysisResult): string => {
  const report = result.change_report
  if (report === null || report.status === "baseline" || report.status === "unchanged") return ""
  return [headOf(result, report), ...Lines.ofReport(report)].join("")
}

/** What a check found that reports no change; nothing of another. */
const unchangedOf = (result: AnalysisResult.AnalysisResult): string => {
  const report = result.change_report
  if (report?.status === "baseline")
    return `${headOf(result, report)}${Lines.wrap("First check: later ones are compared with it.")}`
  return report?.status === "unchanged"
    ? `${headOf(result, report)}${Lines.wrap(`Nothing changed since block ${report.base?.block.number ?? "of the last check"}.`)}`
    : ""
}

const headOf = (result: AnalysisResult.AnalysisResult, report: ChangeReport.ChangeReport): string =>
  Lines.wrap(
    `${result.completed_at}  ${result.address} at block ${report.head.block.number} of ${result.chain.name} (${result.chain.id})`
  )

const units: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3_600, d: 86_400 }

const secondsOf = (text: string): Effect.Effect<number, Refusal> => {
  const [, amount = "", unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const seconds = Number(amount) * (units[unit] ?? 0)
  return seconds >= 1 && seconds <= 2_592_000
    ? Effect.succeed(seconds)
    : new Refusal({
        detail: `--every takes a time such as 30s, 15m, 1h or 1d, at most 30d, not ${JSON.stringify(text)}`
      })
}
