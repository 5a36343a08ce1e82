import * as Execution from "@assay/core/domain/Execution"
import * as ResultView from "@assay/core/domain/ResultView"
import * as RiskReport from "@assay/core/domain/RiskReport"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import * as HeaderField from "./HeaderField.js"
import { Metered } from "./Metered.js"
import * as Parameters from "./Parameters.js"
import * as Problem from "./Problem.js"
import * as Produces from "./Produces.js"
import { Validation } from "./Validation.js"

/** The query of an analysis. */
export const AnalysisQuery = Schema.Struct({
  chain: Schema.optional(Parameters.ChainText),
  summary: Schema.optional(Parameters.SummaryText),
  compare_to: Schema.optional(Parameters.BaseText),
  max_age: Schema.optional(Parameters.MaxAgeText),
  include: Schema.optional(Parameters.IncludeText),
  view: Schema.optional(Parameters.ViewText),
  ...Parameters.policy
})

const [, withIdempotencyKey] = HeaderField.idempotencyKey
const [, withPreference] = HeaderField.prefer

/** Only a request that prefers not to wait gets 202, and the typed client sends none. */
const withAccepted = (operation: Record<string, unknown>): Record<string, unknown> => ({
  ...operation,
  responses: {
    ...(operation.responses as object),
    202: {
      description: "The execution goes on: fetch it at `Location`. Only with `Prefer`.",
      content: { "application/json": { schema: { $ref: "#/components/schemas/ExecutionStub" } } }
    }
  }
})

/** An execution that goes on after the response. */
export const Accepted = Execution.ExecutionStub.annotations({
  ...HttpApiSchema.annotations({ status: 202 }),
  identifier: "ExecutionStub"
})

const analysis = <const Name extends "token" | "wallet" | "contract" | "address">(
  name: Name,
  summary: string,
  description: string
) =>
  HttpApiEndpoint.get(name, `/${name}/:address`)
    .setPath(Schema.Struct({ address: Parameters.AddressText }))
    .setUrlParams(AnalysisQuery)
    .addSuccess(Schema.Union(ResultView.ResultView, RiskReport.RiskReport))
    .addError(Problem.schema("not_found"))
    .addError(Problem.schema("execution_expired"))
    .addError(Problem.schema("validation_failed"))
    .addError(Problem.schema("target_mismatch"))
    .addError(Problem.schema("not_comparable"))
    .addError(Problem.schema("idempotency_key_reused"))
    .addError(Problem.schema("quota_exceeded"))
    .addError(Problem.schema("concurrency_exceeded"))
    .addError(Problem.schema("internal_error"))
    .addError(Problem.schema("upstream_unavailable"))
    .addError(Problem.schema("draining"))
    .addError(Problem.schema("execution_lost"))
    .addError(Problem.schema("storage_unavailable"))
    .addError(Problem.schema("deadline_exceeded"))
    .annotate(OpenApi.Summary, summary)
    .annotate(OpenApi.Description, description)
    .annotate(Produces.Produces, Parameters.resultTypes)
    .annotate(OpenApi.Transform, (operation) =>
      Produces.document(withAccepted(withPreference(withIdempotencyKey(operation))), Parameters.resultTypes)
    )

const common =
  "Runs a fresh analysis at the newest block and compares it with an earlier one. Costs one unit; `Units-Charged` is the number charged. A request that is repeated with the same `Idempotency-Key` within 24 hours returns the execution of the first one for 0 units, also while it runs; if that failed, it is run again. With `max_age` a stored result that is young enough is the answer, for 0 units. With `Prefer: wait=N` or `respond-async` the response is 202 and names the running execution in `Location` where there is no result in time. `view=report`, or an Accept header that prefers Markdown, plain text or HTML, returns the report; `Content-Location` then names the execution."

/** Analyses of a target. */
export class AnalysesGroup extends HttpApiGroup.make("analyses")
  .add(analysis("token", "Analyse a token", common))
  .add(analysis("wallet", "Analyse a wallet", common))
  .add(analysis("contract", "Analyse a contract", common))
  .add(
    analysis(
      "address",
      "Analyse whatever is at an address",
      `Without code, or with an EIP-7702 delegation, a wallet; where the functions of ERC-20 answer, a token; else a contract. \`target\` of the result says which. In all else it is the route of that kind. ${common}`
    )
  )
  .middleware(Validation)
  .middleware(Authentication)
  .annotateEndpoints(Metered, true)
  .annotate(OpenApi.Description, "Analyses of a token, a wallet or a contract") {}
