import type * as Analysis from "@assay/core/domain/Analysis"
import type * as Target from "@assay/core/domain/Target"
import * as Report from "@assay/core/report/Report"
import * as ReportHtml from "@assay/core/report/ReportHtml"
import * as ReportMarkdown from "@assay/core/report/ReportMarkdown"
import * as ReportText from "@assay/core/report/ReportText"
import * as FileSystem from "@effect/platform/FileSystem"
import { Effect, Either, identity, Option } from "effect"
import * as Endpoints from "./Endpoints.js"
import * as ExitCode from "./ExitCode.js"
import * as Lines from "./Lines.js"
import * as Progress from "./Progress.js"
import { Refusal } from "./Refusal.js"
import { Shell } from "./Shell.js"
import * as Targets from "./Targets.js"

/**
 * What `assay analyze` is asked for. The address `-` stands for a list on standard input.
 *
 * @since 0.1.0
 * @category models
 */
export interface Request extends Endpoints.Wanted {
  readonly addresses: ReadonlyArray<string>
  readonly kind: Option.Option<Target.TargetKind>
  readonly block: Option.Option<number>
  readonly format: "text" | "json" | "markdown" | "html"
  readonly full: boolean
  readonly output: Option.Option<string>
  readonly failAt: ExitCode.FailLevel
  readonly progress: boolean
}

/**
 * Analyses the addresses one after the other, and writes what was found of each. One that fails is a line on standard
 * error, and the others go on.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run = (request: Request) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    if (request.full && request.format === "html")
      return yield* new Refusal({ detail: "--full goes with --format text, json or markdown" })
    const addresses = yield* addressesOf(request.addresses)
    const endpoints = yield* Endpoints.find(request)
    const progress = request.progress && shell.isTerminal.errors ? Progress.line(shell) : Progress.silent
    const { chain } = endpoints
    const isColoured =
      shell.isTerminal.output && Option.isNone(request.output) && (shell.settings.NO_COLOR ?? "") === ""
    const outputs: Array<string> = []
    const codes = yield* Effect.forEach(addresses, (address) =>
      Effect.flatMap(
        Effect.either(progress.during(address, Targets.analyze({ ...request, address, chain }))),
        (found): Effect.Effect<ExitCode.ExitCode> => {
          if (Either.isLeft(found)) return Effect.as(shell.writeError(`assay: ${found.left.detail}\n`), 1)
          const text = render(found.right, { ...request, isColoured })
          const code = codeOf(found.right, request.failAt)
          if (Option.isNone(request.output)) return Effect.as(shell.write(text), code)
          outputs.push(text)
          return Effect.succeed(code)
        }
      )
    ).pipe(Effect.provide(Endpoints.layer(endpoints, progress)))
    if (Option.isSome(request.output) && outputs.length > 0) {
      const files = yield* FileSystem.FileSystem
      yield* Effect.mapError(
        files.writeFileString(request.output.value, outputs.join("")),
        () => new Refusal({ detail: "the file of --output cannot be written; check its folder and its permissions" })
      )
    }
    return ExitCode.gravest(codes)
  })

// Without a risk nothing was decided.
const codeOf = ({ facts }: Analysis.Analysis, failAt: ExitCode.FailLevel): ExitCode.ExitCode =>
  facts.risk === null ? 3 : ExitCode.ofRisk(facts.risk, failAt)

/** A JSON document is one line, so that those of several addresses are JSON Lines. */
const render = (
  analysis: Analysis.Analysis,
  options: Pick<Request, "format" | "full"> & { readonly isColoured: boolean }
): string => {
  const report = Report.make(analysis)
  switch (options.format) {
    case "json":
      return `${JSON.stringify(options.full ? analysis : Report.compact(report))}\n`
    case "html":
      return ReportHtml.make(report)
    case "markdown":
      return `${ReportMarkdown.make(report).trimEnd()}\n${options.full ? itemsOf(analysis, "- ", ReportMarkdown.escape) : ""}\n`
    case "text":
      return `${(options.isColoured ? ReportText.coloured : ReportText.plain)(report).trimEnd()}\n${options.full ? itemsOf(analysis, "", identity) : ""}\n`
  }
}

/** Each item on a line. The details hold names from the chain; nothing in them may steer a terminal or a page. */
const itemsOf = ({ evidence }: Analysis.Analysis, bullet: string, escape: (text: string) => string): string =>
  `${evidence.map(({ detail, id, state }) => `\n${bullet}${state} ${id}: ${escape(Lines.visible(detail))}`).join("")}\n`

const addressesOf = (given: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const texts: Array<string> = []
    for (const text of given)
      texts.push(...(text === "-" ? (yield* shell.input).split(/\s+/).filter((word) => word !== "") : [text]))
    const option = texts.find((text) => text.startsWith("-"))
    if (option !== undefined)
      return yield* new Refusal({
        detail: `there is no option ${JSON.stringify(option)}, or it is there twice or without its value; assay analyze --help lists them`
      })
    if (texts.length === 0)
      return yield* new Refusal({ detail: "no address; give 0x and 40 hex digits, or - for a list on standard input" })
    return yield* Effect.forEach(texts, Targets.parse)
  })
