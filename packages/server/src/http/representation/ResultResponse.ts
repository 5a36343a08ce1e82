import type * as AnalysisResult from "@assay/core/domain/AnalysisResult"
import type * as ChangeReport from "@assay/core/domain/ChangeReport"
import type * as DecisionPolicy from "@assay/core/domain/DecisionPolicy"
import * as ResultView from "@assay/core/domain/ResultView"
import type * as RiskReport from "@assay/core/domain/RiskReport"
import * as Report from "@assay/core/report/Report"
import * as ReportMarkdown from "@assay/core/report/ReportMarkdown"
import * as ReportText from "@assay/core/report/ReportText"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Option } from "effect"
import * as Parameters from "../../api/Parameters.js"
import * as Accept from "./Accept.js"

/** What a request wants of a result by its query. */
export interface Wanted extends DecisionPolicy.Chosen {
  readonly include?: "recipes" | undefined
  readonly view?: "report" | undefined
}

/**
 * The form in which a request wants a result: by its query, and by its Accept header, where only reports are no JSON.
 * An execution that has no report is always sent as JSON.
 */
export const formOf = (
  request: HttpServerRequest.HttpServerRequest,
  result: AnalysisResult.AnalysisResult,
  wanted: Wanted
): string => {
  const { include, view } = wanted
  const type = typeOf(request)
  const plain = include ?? "light"
  if (type === "application/json" && view === undefined) return plain
  return Option.isNone(Report.ofResult(result)) ? plain : `${type}${policyOf(wanted)}`
}

/** Whether a request wants the light form as JSON, for which nothing of a result has to be known. */
export const wantsLight = (request: HttpServerRequest.HttpServerRequest, { include, view }: Wanted): boolean =>
  include === undefined && view === undefined && typeOf(request) === "application/json"

const isReport = (request: HttpServerRequest.HttpServerRequest, { view }: Wanted): boolean =>
  view !== undefined || typeOf(request) !== "application/json"

/** The policy that was sent, as it goes on in a query. */
const policyOf = (wanted: Wanted): string =>
  (["block_from", "review_from"] as const)
    .map((name) => (wanted[name] === undefined ? "" : `&${name}=${wanted[name]}`))
    .join("")

const typeOf = (request: HttpServerRequest.HttpServerRequest): string =>
  Accept.preferred(request.headers.accept, Parameters.resultTypes) ?? "application/json"

/** The light form of a result, which is JSON text already. */
export const ofText = (light: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(light, { contentType: "application/json", headers: { vary: "Accept" } })

/** The result, or its report, as a request wants it. */
export const make = (
  request: HttpServerRequest.HttpServerRequest,
  result: AnalysisResult.AnalysisResult,
  wanted: Wanted
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const write = isReport(request, wanted) ? reports[typeOf(request)] : undefined
  const response = Report.ofResult(result, { policy: wanted }).pipe(
    Option.flatMap((report) => Option.map(Option.fromNullable(write), (write) => write(report, result))),
    Option.map(
      Effect.map(
        HttpServerResponse.setHeader(
          "content-location",
          `/api/v1/executions/${result.execution_id}?view=report${policyOf(wanted)}`
        )
      )
    ),
    Option.getOrElse(() =>
      Effect.succeed(HttpServerResponse.unsafeJson(wanted.include === "recipes" ? result : ResultView.light(result)))
    )
  )
  return Effect.map(response, HttpServerResponse.setHeader("vary", "Accept"))
}

/** What changed between two executions as a page: the report of the later one, with both scores and diagrams. */
export const changePage = (
  head: AnalysisResult.AnalysisResult,
  before: Option.Option<AnalysisResult.AnalysisResult>,
  changes: ChangeReport.ChangeReport
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(
    Effect.promise(() => import("@assay/core/report/ReportHtml")),
    (ReportHtml) =>
      Option.match(Report.ofResult({ ...head, change_report: changes }), {
        onNone: () => HttpServerResponse.unsafeJson(changes),
        onSome: (report) =>
          text(
            ReportHtml.make(report, {
              analysis: Report.analyzed(head),
              before: Option.getOrUndefined(Option.map(before, Report.analyzed)),
              changes
            }),
            "text/html"
          )
      })
  )

const text = (body: string, type: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(body, { contentType: `${type}; charset=utf-8` })

type Writer = (
  report: RiskReport.RiskReport,
  result: AnalysisResult.AnalysisResult
) => Effect.Effect<HttpServerResponse.HttpServerResponse>

const reports: { readonly [form: string]: Writer } = {
  "application/json": (report) => Effect.succeed(HttpServerResponse.unsafeJson(Report.compact(report))),
  "text/markdown": (report, result) =>
    Effect.succeed(text(ReportMarkdown.make(report, { analysis: Report.analyzed(result) }), "text/markdown")),
  "text/plain": (report) => Effect.succeed(text(ReportText.plain(report), "text/plain")),
  // With it comes what lays out its diagram, which nothing else needs.
  "text/html": (report, result) =>
    Effect.map(
      Effect.promise(() => import("@assay/core/report/ReportHtml")),
      (ReportHtml) => text(ReportHtml.make(report, { analysis: Report.analyzed(result) }), "text/html")
    )
}
