import * as ChangeReport from "@assay/core/domain/ChangeReport"
import * as Execution from "@assay/core/domain/Execution"
import * as ObservedEvidence from "@assay/core/domain/ObservedEvidence"
import * as Page from "@assay/core/domain/Page"
import * as RecipeSet from "@assay/core/domain/RecipeSet"
import * as ResultView from "@assay/core/domain/ResultView"
import * as RiskReport from "@assay/core/domain/RiskReport"
import * as Target from "@assay/core/domain/Target"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Accepted } from "./AnalysesGroup.js"
import { Authentication } from "./Authentication.js"
import * as HeaderField from "./HeaderField.js"
import { Metered } from "./Metered.js"
import * as Parameters from "./Parameters.js"
import * as Problem from "./Problem.js"
import * as Produces from "./Produces.js"
import { Validation } from "./Validation.js"

/** The query of the list of executions. */
export const ExecutionsQuery = Schema.Struct({
  target: Schema.optional(Target.TargetKind),
  address: Schema.optional(Parameters.AddressText),
  chain: Schema.optional(Parameters.ChainText),
  watch_id: Schema.optional(Parameters.WatchIdText),
  since: Schema.optional(Parameters.MomentText),
  limit: Schema.optional(Parameters.LimitText),
  cursor: Schema.optional(Parameters.CursorText)
})

const list = HttpApiEndpoint.get("list", "/executions")
  .setUrlParams(ExecutionsQuery)
  .addSuccess(Page.Page(Execution.ExecutionStub))
  .addError(Problem.schema("malformed_request"))
  .addError(Problem.schema("validation_failed"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "The executions of the caller, newest first")

/** The body of `POST /api/v1/executions`. */
export const NewExecution = Schema.Struct({
  target: Target.TargetKind,
  address: Parameters.AddressText,
  chain: Schema.optional(Schema.NullOr(Schema.String)),
  summary: Schema.optional(Schema.NullOr(Schema.Boolean)),
  compare_to: Schema.optional(Schema.NullOr(Parameters.BaseText))
}).annotations({ identifier: "NewExecution" })

const [, withIdempotencyKey] = HeaderField.idempotencyKey
const [, withPreference] = HeaderField.prefer

const start = HttpApiEndpoint.post("start", "/executions")
  .setPayload(NewExecution)
  .addSuccess(Accepted)
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("execution_expired"))
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
  .annotate(Metered, true)
  .annotate(OpenApi.Summary, "Start an analysis, and fetch its result later")
  .annotate(
    OpenApi.Description,
    "Costs one unit, as the analysis routes do. The response names the execution as soon as it has its unit; `Prefer: wait=N` waits for its end for up to N seconds. What is known to fail by then is answered as on the analysis routes."
  )
  .annotate(OpenApi.Transform, (operation) => withPreference(withIdempotencyKey(operation)))

const [, withKnownVersion] = HeaderField.optional("If-None-Match", "The ETag of the known version")

const get = HttpApiEndpoint.get("get")`/executions/${Parameters.executionId}`
  .setUrlParams(
    Schema.Struct({
      include: Schema.optional(Parameters.IncludeText),
      view: Schema.optional(Parameters.ViewText),
      ...Parameters.policy
    })
  )
  .addSuccess(Schema.Union(ResultView.ResultView, RiskReport.RiskReport))
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("execution_expired"))
  .addError(Problem.schema("validation_failed"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "One execution")
  .annotate(
    OpenApi.Description,
    "Free. The ETag is of the content hash and the representation; a matching If-None-Match returns 304. `view=report`, or an Accept header that prefers Markdown, plain text or HTML, returns the report; an execution that runs or failed has none and is returned as JSON."
  )
  .annotate(Produces.Produces, Parameters.resultTypes)
  .annotate(OpenApi.Transform, (operation) => Produces.document(withKnownVersion(operation), Parameters.resultTypes))

const recipes = HttpApiEndpoint.get("recipes")`/executions/${Parameters.executionId}/recipes`
  .addSuccess(RecipeSet.RecipeSet)
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("execution_expired"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "How to make the observations of an execution again")
  .annotate(
    OpenApi.Description,
    "Free. The JSON-RPC parameters behind the evidence; what several share is written once."
  )

const evidence = HttpApiEndpoint.get(
  "evidence"
)`/executions/${Parameters.executionId}/evidence/${Parameters.evidenceId}`
  .addSuccess(ObservedEvidence.ObservedEvidence)
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("execution_expired"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "One item of evidence, with its observation and recipe")
  .annotate(OpenApi.Description, "Free.")

const changes = HttpApiEndpoint.get("changes")`/executions/${Parameters.executionId}/changes`
  .setUrlParams(Schema.Struct({ base: Schema.optional(Parameters.BaseText) }))
  .addSuccess(ChangeReport.ChangeReport)
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("execution_expired"))
  .addError(Problem.schema("not_comparable"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(Produces.Produces, Parameters.changeTypes)
  .annotate(OpenApi.Summary, "What changed between an execution and an earlier one")
  .annotate(
    OpenApi.Description,
    "Free. JSON, Markdown, plain text or HTML, by the Accept header. The page is the report of the later execution with what changed on top, both scores and both diagrams of who controls the target; it shows the later one alone where the earlier one is past its retention."
  )
  .annotate(OpenApi.Transform, (operation) => Produces.document(operation, Parameters.changeTypes))

/** Stored executions. */
export class ExecutionsGroup extends HttpApiGroup.make("executions")
  .add(list)
  .add(start)
  .add(get)
  .add(recipes)
  .add(evidence)
  .add(changes)
  .middleware(Validation)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Stored executions and what changed between them") {}
