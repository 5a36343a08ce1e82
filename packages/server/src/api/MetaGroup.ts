import * as EvidenceRule from "@assay/core/domain/EvidenceRule"
import * as Page from "@assay/core/domain/Page"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Health } from "./Health.js"
import { Limit } from "./Limit.js"
import { ListedChain } from "./ListedChain.js"
import * as Problem from "./Problem.js"
import * as Produces from "./Produces.js"
import { Validation } from "./Validation.js"

const slug = HttpApiSchema.param("slug", Schema.String)

/** What the service says about itself; open to everyone. */
export class MetaGroup extends HttpApiGroup.make("meta")
  .add(
    HttpApiEndpoint.get("welcome", "/welcome")
      .addSuccess(HttpApiSchema.Text({ contentType: "text/html" }))
      .annotate(Produces.Produces, ["text/html"])
      .annotate(OpenApi.Summary, "A page that says what this is and how to begin")
      .annotate(OpenApi.Description, "`GET /` leads here. The page has no script and loads nothing.")
  )
  .add(
    HttpApiEndpoint.get("chains", "/chains")
      .addSuccess(Page.Page(ListedChain))
      .annotate(OpenApi.Summary, "The chains that this deployment serves")
  )
  .add(
    HttpApiEndpoint.get("limits", "/limits")
      .addSuccess(Page.Page(Limit))
      .annotate(OpenApi.Summary, "Every limit of this deployment")
  )
  .add(
    HttpApiEndpoint.get("problems", "/problems")
      .addSuccess(Page.Page(Problem.ProblemDocument))
      .annotate(OpenApi.Summary, "Every problem that this API can return")
  )
  .add(
    HttpApiEndpoint.get("problem")`/problems/${slug}`
      .addSuccess(Problem.ProblemDocument)
      .addError(Problem.schema("not_found"))
      .annotate(OpenApi.Summary, "The documentation of a problem; the target of its `type`")
  )
  .add(
    HttpApiEndpoint.get("evidenceRules", "/evidence-rules")
      .addSuccess(Page.Page(EvidenceRule.EvidenceRule))
      .annotate(OpenApi.Summary, "Every kind of evidence: its claim and severity")
  )
  .add(
    HttpApiEndpoint.get("live", "/health/live").addSuccess(Health).annotate(OpenApi.Summary, "Whether the process runs")
  )
  .add(
    HttpApiEndpoint.get("ready", "/health/ready")
      .addSuccess(Health)
      .addSuccess(Health.annotations({ ...HttpApiSchema.annotations({ status: 503 }), identifier: "Unready" }))
      .annotate(OpenApi.Summary, "Whether the process should get traffic")
  )
  .middleware(Validation)
  .annotate(OpenApi.Description, "Where to begin, chains, limits, registries and health") {}
