import type * as Address from "@assay/core/domain/Address"
import type * as Analysis from "@assay/core/domain/Analysis"
import type * as DecisionPolicy from "@assay/core/domain/DecisionPolicy"
import type * as Target from "@assay/core/domain/Target"
import * as Report from "@assay/core/report/Report"
import * as ReportMarkdown from "@assay/core/report/ReportMarkdown"
import * as ReportText from "@assay/core/report/ReportText"
import * as FileSystem from "@effect/platform/FileSystem"
import { Effect, Either, identity, Option } from "effect"
import * as AddressList from "./AddressList.js"
import * as Browser from "./Browser.js"
import * as Endpoints from "./Endpoints.js"
import * as ExitCode from "./ExitCode.js"
import * as Lines from "./Lines.js"
import * as Progress from "./Progress.js"
import { Refusal } from "./Refusal.js"
import { Shell } from "./Shell.js"
import * as Targets from "./Targets.js"
import * as VerdictTable from "./VerdictTable.js"

/** The arguments of `assay analyze`. The address `-` stands for a list on standard input. */
export interface Request extends Endpoints.Wanted {
  readonly addresses: ReadonlyArray<string>
  readonly kind: Option.Option<Target.TargetKind>
  readonly block: Option.Option<number>
  readonly format: "text" | "json" | "markdown" | "html"
  readonly full: boolean
  readonly open: boolean
  readonly blockFrom: Option.Option<DecisionPolicy.DecidedLevel>
  readonly reviewFrom: Option.Option<DecisionPolicy.DecidedLevel>
  readonly output: Option.Option<string>
  readonly failAt: ExitCode.FailLevel
  readonly progress: boolean
}

/**
 * Analyses the addresses one after the other, and writes what was found of each, and of several a table of all at the end.
 * One that fails is a line on standard error, as is a line of a list without an address, and the others go on.
 */
export const run = (request: Request) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    if (request.full && request.format === "html")
      return yield* new Refusal({ detail: "--full goes with --format text, json or markdown" })
    if (request.open && request.format !== "html")
      return yield* new Refusal({ detail: "--open goes with --format html" })
    const entries = yield* entriesOf(request.addresses)
    const mistakes = entries.flatMap(({ address, place }) =>
      Either.isLeft(address) ? [`${place}: ${address.left}`] : []
    )
    for (const mistake of mistakes) yield* shell.writeError(`assay: ${mistake}\n`)
    // No address is left that an endpoint is needed for.
    if (mistakes.length === entries.length) return failed
    const endpoints = yield* Endpoints.find(request)
    const progress = request.progress ? Progress.make(shell) : Progress.silent
    const { chain } = endpoints
    const policy = {
      block_from: Option.getOrUndefined(request.blockFrom),
      review_from: Option.getOrUndefined(request.reviewFrom)
    }
    const isColoured = shell.terminal.output.hasColours && Option.isNone(request.output)
    const outputs: Array<string> = []
    const analyzed = (address: Address.Address, index: number) =>
      Effect.flatMap(
        Effect.either(
          progress.during({ address, index, count: entries.length }, Targets.analyze({ ...request, address, chain }))
        ),
        Either.match({
          onLeft: ({ detail }) => Effect.as(shell.writeError(`assay: ${detail}\n`), unread(detail)),
          onRight: (analysis) =>
            Effect.gen(function* () {
              const oddity = Targets.oddity(analysis, request.kind)
              if (Option.isSome(oddity)) yield* shell.writeError(`assay: ${oddity.value}\n`)
              const text = yield* render(analysis, { ...request, policy, isColoured })
              if (request.open) yield* Browser.open(text)
              else if (Option.isNone(request.output)) yield* shell.write(text)
              if (Option.isSome(request.output)) outputs.push(text)
              return of(analysis, request.failAt)
            })
        })
      )
    const all = yield* Effect.forEach(entries, ({ address, label, place }, index) =>
      Effect.map(
        Either.match(address, {
          onLeft: (detail) => Effect.succeed(unread(detail)),
          onRight: (valid) => analyzed(valid, index)
        }),
        (one) => ({
          ...one,
          name: Either.getOrElse(address, () => place),
          label
        })
      )
    ).pipe(Effect.provide(Endpoints.layer(endpoints, progress)))
    if (Option.isSome(request.output) && outputs.length > 0) {
      const files = yield* FileSystem.FileSystem
      yield* Effect.mapError(
        files.writeFileString(request.output.value, outputs.join("")),
        () => new Refusal({ detail: "the file of --output cannot be written; check its folder and its permissions" })
      )
    }
    // On standard output it goes with reports for people only: what a program reads stays as it is.
    const isForPeople = request.format === "text" && Option.isNone(request.output)
    if (all.length > 1) yield* (isForPeople ? shell.write : shell.writeError)(VerdictTable.make(all))
    return ExitCode.gravest(all.map(({ code }) => code))
  })

interface Outcome extends Pick<VerdictTable.Row, "level" | "score" | "text"> {
  readonly code: ExitCode.ExitCode
}

const failed: ExitCode.ExitCode = 1

const unread = (detail: string): Outcome => ({ level: "-", score: null, text: detail, code: failed })

const of = (analysis: Analysis.Analysis, failAt: ExitCode.FailLevel): Outcome => {
  const { headline, verdict } = Report.make(analysis)
  const { level, score } = verdict
  return { level, score, text: headline.text.replace(/^[a-z]+ risk: /i, ""), code: codeOf(analysis, failAt) }
}

// Without a risk nothing was decided.
const codeOf = ({ facts }: Analysis.Analysis, failAt: ExitCode.FailLevel): ExitCode.ExitCode =>
  facts.risk === null ? 3 : ExitCode.ofRisk(facts.risk, failAt)

/** A JSON document is one line, so that those of several addresses are JSON Lines. */
const render = (
  analysis: Analysis.Analysis,
  options: Pick<Request, "format" | "full"> & {
    readonly isColoured: boolean
    readonly policy: DecisionPolicy.Chosen
  }
): Effect.Effect<string> => {
  const report = Report.make(analysis, { policy: options.policy })
  switch (options.format) {
    case "json":
      return Effect.succeed(`${JSON.stringify(options.full ? analysis : Report.compact(report))}\n`)
    case "html":
      return Effect.map(
        Effect.promise(() => import("@assay/core/report/ReportHtml")),
        (ReportHtml) => ReportHtml.make(report, { analysis })
      )
    case "markdown":
      return Effect.succeed(
        `${ReportMarkdown.make(report, { analysis }).trimEnd()}\n${options.full ? itemsOf(analysis, "- ", ReportMarkdown.escape) : ""}\n`
      )
    case "text":
      return Effect.succeed(
        `${(options.isColoured ? ReportText.coloured : ReportText.plain)(report).trimEnd()}\n${options.full ? itemsOf(analysis, "", identity) : ""}\n`
      )
  }
}

/** Each item on a line. The details hold names from the chain; nothing in them may steer a terminal or a page. */
const itemsOf = ({ evidence }: Analysis.Analysis, bullet: string, escape: (text: string) => string): string =>
  `${evidence.map(({ detail, id, state }) => `\n${bullet}${state} ${id}: ${escape(Lines.visible(detail))}`).join("")}\n`

const entriesOf = (given: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const entries = yield* Effect.forEach(
      given,
      (text): Effect.Effect<ReadonlyArray<AddressList.Entry>, Refusal> =>
        text === "-"
          ? Effect.map(shell.input, AddressList.parse)
          : Effect.map(Targets.parse(text), (address) => [{ place: "", label: "", address: Either.right(address) }])
    )
    if (entries.flat().length === 0)
      return yield* new Refusal({ detail: "no address; give 0x and 40 hex digits, or - for a list on standard input" })
    return entries.flat()
  })
