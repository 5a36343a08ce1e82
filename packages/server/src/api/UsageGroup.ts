import * as Page from "@assay/core/domain/Page"
import * as Usage from "@assay/core/domain/Usage"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import * as Parameters from "./Parameters.js"
import * as Problem from "./Problem.js"
import { Validation } from "./Validation.js"
import { refusing } from "./Violation.js"

const LedgerQuery = Schema.Struct({
  day: Schema.optional(
    Schema.String.pipe(
      Schema.filter((text) => isDay(text), {
        ...refusing("not_allowed", "Expected a day such as 2026-11-21."),
        description: "A UTC day, such as 2026-11-21; default: today",
        jsonSchema: { format: "date" }
      })
    )
  ),
  limit: Schema.optional(Parameters.LimitText),
  cursor: Schema.optional(Parameters.CursorText)
})

const isDay = (text: string): boolean => {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** What a key has used. */
export class UsageGroup extends HttpApiGroup.make("usage")
  .add(
    HttpApiEndpoint.get("today", "/usage")
      .addSuccess(Usage.Usage)
      .addError(Problem.schema("storage_unavailable"))
      .annotate(OpenApi.Summary, "The units of the caller today")
  )
  .add(
    HttpApiEndpoint.get("ledger", "/usage/ledger")
      .setUrlParams(LedgerQuery)
      .addSuccess(Page.Page(Usage.LedgerEntry))
      .addError(Problem.schema("malformed_request"))
      .addError(Problem.schema("storage_unavailable"))
      .annotate(OpenApi.Summary, "The units of the caller on a day, newest first")
      .annotate(
        OpenApi.Description,
        "Each unit by itself: when it was reserved, for which execution, and whether it was charged (`committed`), given back (`released`, with the `reason`) or is still `reserved`. The `units` that are `committed` are together the `used` of that day. Units older than the limit `retention_ledger` are kept as sums by kind and state, at the end of the list: there `at` and `execution_id` are null, and `units` is the sum. A day of which nothing is kept has an empty list. `watch_id` and `reason` are those of the execution, and null once it is past the limit `retention_executions`."
      )
  )
  .middleware(Validation)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Metered units") {}
