import * as Usage from "@assay/core/domain/Usage"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Authentication } from "./Authentication.js"
import * as Problem from "./Problem.js"
import { Validation } from "./Validation.js"

/** What a key has used. */
export class UsageGroup extends HttpApiGroup.make("usage")
  .add(
    HttpApiEndpoint.get("today", "/usage")
      .addSuccess(Usage.Usage)
      .addError(Problem.schema("storage_unavailable"))
      .annotate(OpenApi.Summary, "The units of the caller today")
  )
  .middleware(Validation)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Metered units") {}
