import * as Chains from "@assay/core/chain/Chains"
import * as ChangeText from "@assay/core/changes/ChangeText"
import type * as AnalysisResult from "@assay/core/domain/AnalysisResult"
import type * as Caller from "@assay/core/domain/Caller"
import type * as ChangeReport from "@assay/core/domain/ChangeReport"
import type * as Id from "@assay/core/domain/Id"
import * as Executions from "@assay/core/executions/Executions"
import * as RateLimit from "@assay/core/quota/RateLimit"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Option } from "effect"
import { Api } from "../../api/Api.js"
import { CurrentCaller } from "../../api/Authentication.js"
import * as Parameters from "../../api/Parameters.js"
import * as IdempotencyKey from "../edge/IdempotencyKey.js"
import { Replay, untilCommitted } from "../edge/Replay.js"
import * as Accept from "../representation/Accept.js"
import * as EntityTag from "../representation/EntityTag.js"
import * as Preference from "../representation/Preference.js"
import * as Problems from "../representation/Problems.js"
import * as ResultResponse from "../representation/ResultResponse.js"
import * as StoredText from "../representation/StoredText.js"
import { accepted, baseOf, late, starting, stubOf } from "./AnalysesHandlers.js"

export const layer = HttpApiBuilder.group(Api, "executions", (handlers) =>
  Effect.gen(function* () {
    const chains = yield* Chains.Chains
    const executions = yield* Executions.Executions
    const replay = yield* Replay
    const start = starting(executions, yield* RateLimit.RateLimit)

    return handlers
      .handle("list", ({ urlParams }) =>
        Effect.all({
          caller: CurrentCaller,
          chain: Effect.transposeMapOption(Option.fromNullable(urlParams.chain), (name) =>
            chains.find(Option.some(name))
          )
        }).pipe(
          Effect.flatMap(({ caller, chain }) =>
            executions.list(
              caller,
              {
                kind: Option.fromNullable(urlParams.target),
                address: Option.fromNullable(urlParams.address),
                chainId: Option.map(chain, ({ id }) => id),
                watchId: Option.fromNullable(urlParams.watch_id),
                since: Option.fromNullable(urlParams.since)
              },
              { limit: urlParams.limit ?? 20, cursor: Option.fromNullable(urlParams.cursor) }
            )
          ),
          Problems.translate
        )
      )
      .handle("start", ({ payload, request }) =>
        Effect.flatMap(IdempotencyKey.of(request), (idempotencyKey) =>
          Effect.all({ caller: CurrentCaller, chain: chains.find(Option.fromNullable(payload.chain)) }).pipe(
            Effect.flatMap((who) => {
              const preference = Preference.of(request)
              return Effect.map(
                start(
                  Effect.succeed({
                    ...who,
                    kind: payload.target,
                    address: payload.address,
                    summary: (payload.summary ?? true) ? ("wanted" as const) : ("not_requested" as const),
                    compareTo: baseOf(payload.compare_to ?? undefined),
                    idempotencyKey
                  }),
                  who.caller,
                  preference ?? { waitSeconds: 0, applied: "" }
                ),
                (outcome) =>
                  accepted({
                    stub: outcome._tag === "Running" ? outcome.stub : stubOf(outcome.result),
                    units: outcome._tag === "Running" ? outcome.units : outcome.result.units,
                    applied: preference?.applied
                  })
              )
            }),
            Effect.catchTag("DeadlineExceeded", late),
            Problems.translate
          )
        )
      )
      .handle("get", ({ path, request, urlParams }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) =>
            Effect.tap(
              ResultResponse.wantsLight(request, urlParams)
                ? Effect.catchTag(lightOf(executions, caller, path.execution_id), "Unreadable", () =>
                    wholeOf(executions, caller, path.execution_id, request, urlParams)
                  )
                : wholeOf(executions, caller, path.execution_id, request, urlParams),
              // Without a hash it may still change.
              ({ contentHash }) =>
                contentHash === null
                  ? Effect.void
                  : replay.holds(
                      request,
                      untilCommitted(contentHash),
                      Effect.map(executions.contentHash(caller, path.execution_id), (hash) =>
                        untilCommitted(hash ?? "")
                      )
                    )
            )
          ),
          Effect.map((found) => conditional(request, found)),
          Problems.translate
        )
      )
      .handle("recipes", ({ path }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => executions.recipes(caller, path.execution_id)),
          Problems.translate
        )
      )
      .handle("evidence", ({ path }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => executions.evidence(caller, path.execution_id, path.evidence_id)),
          Problems.translate
        )
      )
      .handle("changes", ({ path, request, urlParams }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) =>
            Effect.flatMap(executions.changes(caller, path.execution_id, baseOf(urlParams.base)), (report) =>
              negotiated(request, report, executions, caller, path.execution_id)
            )
          ),
          Problems.translate
        )
      )
  })
)

interface Found {
  readonly status: AnalysisResult.AnalysisResult["status"]
  readonly contentHash: AnalysisResult.AnalysisResult["content_hash"]
  readonly form: string
  readonly response: HttpServerResponse.HttpServerResponse
}

/** The text that is stored, read by nobody on its way but for what its light form leaves out. */
const lightOf = (executions: Executions.Executions["Type"], caller: Caller.Caller, id: Id.ExecutionId) =>
  Effect.flatMap(executions.document(caller, id), ({ contentHash, status, text }) =>
    Effect.map(
      StoredText.light(text),
      (light): Found => ({ status, contentHash, form: "light", response: ResultResponse.ofText(light) })
    )
  )

const wholeOf = (
  executions: Executions.Executions["Type"],
  caller: Caller.Caller,
  id: Id.ExecutionId,
  request: HttpServerRequest.HttpServerRequest,
  wanted: ResultResponse.Wanted
) =>
  Effect.flatMap(executions.get(caller, id), (result) =>
    Effect.map(
      ResultResponse.make(request, result, wanted),
      (response): Found => ({
        status: result.status,
        contentHash: result.content_hash,
        form: ResultResponse.formOf(request, result, wanted),
        response
      })
    )
  )

// What is stored under an id never changes once it has a content hash, so the hash may stand for the document.
const conditional = (
  request: HttpServerRequest.HttpServerRequest,
  { contentHash, form, response, status }: Found
): HttpServerResponse.HttpServerResponse => {
  if (status === "running") return HttpServerResponse.setHeader(response, "retry-after", "2")
  if (contentHash === null) return response
  const etag = form === "light" ? `"${contentHash}"` : `"${contentHash}+${form}"`
  return EntityTag.isKnown(request, etag)
    ? HttpServerResponse.empty({ status: 304, headers: { etag, vary: "Accept" } })
    : HttpServerResponse.setHeader(response, "etag", etag)
}

const representations: {
  readonly [type: string]: (report: ChangeReport.ChangeReport) => HttpServerResponse.HttpServerResponse
} = {
  "application/json": (report) => HttpServerResponse.unsafeJson(report),
  "text/markdown": (report) =>
    HttpServerResponse.text(`${ChangeText.markdown(report)}\n`, { contentType: "text/markdown; charset=utf-8" }),
  "text/plain": (report) => HttpServerResponse.text(`${report.text}\n`, { contentType: "text/plain; charset=utf-8" })
}

/** The report by its Accept header. A page shows both executions, and the later one alone where the earlier one is gone. */
const negotiated = (
  request: HttpServerRequest.HttpServerRequest,
  report: ChangeReport.ChangeReport,
  executions: Executions.Executions["Type"],
  caller: Caller.Caller,
  id: Id.ExecutionId
) => {
  const type = Accept.preferred(request.headers.accept, Parameters.changeTypes) ?? "application/json"
  const response =
    type === "text/html"
      ? pageOf(report, executions, caller, id)
      : Effect.succeed((representations[type] ?? HttpServerResponse.unsafeJson)(report))
  return Effect.map(response, HttpServerResponse.setHeader("vary", "Accept"))
}

const pageOf = (
  changes: ChangeReport.ChangeReport,
  executions: Executions.Executions["Type"],
  caller: Caller.Caller,
  id: Id.ExecutionId
) =>
  Effect.gen(function* () {
    const head = yield* executions.get(caller, id)
    const before = yield* Effect.transposeMapOption(Option.fromNullable(changes.base), (base) =>
      Effect.option(executions.get(caller, base.execution_id))
    )
    return yield* ResultResponse.changePage(head, Option.flatten(before), changes)
  })
