import * as ChangeReport from "@assay/core/domain/ChangeReport"
import * as Evidence from "@assay/core/domain/Evidence"
import * as Page from "@assay/core/domain/Page"
import * as ResultView from "@assay/core/domain/ResultView"
import * as Target from "@assay/core/domain/Target"
import * as Watch from "@assay/core/domain/Watch"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import * as HeaderField from "./HeaderField.js"
import * as Parameters from "./Parameters.js"
import * as Problem from "./Problem.js"
import * as Produces from "./Produces.js"
import { ShortText } from "./ShortText.js"
import { Validation } from "./Validation.js"
import { refusing } from "./Violation.js"

/** The bounds and the default of `interval_seconds`. */
export const interval = { minimum: 900, default: 3_600, maximum: 2_592_000 } as const

const Interval = Schema.Int.pipe(
  Schema.greaterThanOrEqualTo(
    interval.minimum,
    refusing("below_minimum", `Minimum is ${interval.minimum}.`, interval.minimum)
  ),
  Schema.lessThanOrEqualTo(
    interval.maximum,
    refusing("above_maximum", `Maximum is ${interval.maximum}.`, interval.maximum)
  )
)

// A number too large for a double is read as infinite.
const Threshold = Schema.JsonNumber.pipe(
  Schema.greaterThanOrEqualTo(0, refusing("below_minimum", "Minimum is 0.", 0))
).annotations({ jsonSchema: { type: "number", minimum: 0 } })

const options = {
  min_severity: Evidence.Severity,
  ignore: Schema.Array(
    Schema.String.pipe(Schema.maxLength(200, refusing("too_long", "Maximum is 200 characters.", 200)))
  ).pipe(
    Schema.maxItems(100, refusing("too_long", "Maximum is 100 items.", 100)),
    Schema.annotations({
      description: "Ids of checks, evidence items, facts or fact members; their changes are not reported."
    })
  ),
  thresholds: Schema.Record({ key: Schema.String.pipe(Schema.pattern(/^[a-z][!-~]{0,199}$/)), value: Threshold }).pipe(
    Schema.filter(
      (thresholds) => Object.keys(thresholds).length <= 100,
      refusing("too_long", "Maximum is 100 members.", 100)
    ),
    Schema.annotations({
      description:
        "Changes below the threshold are not reported. Keys are ids of checks with a tolerance, values are in its unit; `facts.risk` is in points, `facts.token.total_supply` a fraction."
    })
  ),
  verify: Schema.Boolean,
  notify_unchanged: Schema.Boolean
}

/** The body of `POST /api/v1/watches`. */
export const NewWatch = Schema.Struct({
  target: Target.TargetKind,
  address: Parameters.AddressText,
  label: Schema.optional(Schema.NullOr(ShortText)),
  interval_seconds: Schema.optional(Schema.NullOr(Interval)),
  chain: Schema.optional(Schema.NullOr(Parameters.ChainText)),
  options: Schema.optional(
    Schema.NullOr(
      Schema.Struct({
        min_severity: Schema.optional(Schema.NullOr(options.min_severity)),
        ignore: Schema.optional(Schema.NullOr(options.ignore)),
        thresholds: Schema.optional(Schema.NullOr(options.thresholds)),
        verify: Schema.optional(Schema.NullOr(options.verify)),
        notify_unchanged: Schema.optional(Schema.NullOr(options.notify_unchanged))
      })
    )
  ),
  paused: Schema.optional(Schema.NullOr(Schema.Boolean))
}).annotations({ identifier: "NewWatch" })

/** The body of `PATCH /api/v1/watches/{watch_id}`: absent members stay, in `options` too. */
export const WatchPatch = Schema.Struct({
  label: Schema.optionalWith(ShortText, { exact: true }),
  interval_seconds: Schema.optionalWith(Interval, { exact: true }),
  options: Schema.optionalWith(
    Schema.Struct({
      min_severity: Schema.optionalWith(options.min_severity, { exact: true }),
      ignore: Schema.optionalWith(options.ignore, { exact: true }),
      thresholds: Schema.optionalWith(options.thresholds, { exact: true }),
      verify: Schema.optionalWith(options.verify, { exact: true }),
      notify_unchanged: Schema.optionalWith(options.notify_unchanged, { exact: true })
    }),
    { exact: true }
  )
}).annotations({ identifier: "WatchPatch" })

/** A watch with the result of its last successful check. */
export const WatchDetail = Schema.Struct({
  ...Watch.Watch.fields,
  last_result: Schema.NullOr(ResultView.ResultView)
}).annotations({ identifier: "WatchDetail" })

/** A run that found changes, with its change report; null where the report is past its retention. */
export const WatchRunChanges = Schema.Struct({
  ...Watch.WatchRun.fields,
  change_report: Schema.NullOr(ChangeReport.ChangeReport)
}).annotations({ identifier: "WatchRunChanges" })

const pageQuery = Schema.Struct({
  limit: Schema.optional(Parameters.LimitText),
  cursor: Schema.optional(Parameters.CursorText)
})

const create = HttpApiEndpoint.post("create", "/watches")
  .setPayload(NewWatch)
  .addSuccess(Watch.Watch.annotations({ ...HttpApiSchema.annotations({ status: 201 }), identifier: "Watch" }))
  .addError(Problem.schema("validation_failed"))
  .addError(Problem.schema("watch_limit_reached"))
  .addError(Problem.schema("idempotency_key_reused"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "Watch a target")
  .annotate(
    OpenApi.Description,
    "Checks the target within a minute and then every `interval_seconds` (default 3600). Each check costs one unit and reports the changes since the previous one. A request that is repeated with the same `Idempotency-Key` within 24 hours makes no second watch and returns the one that the first made, as it is now."
  )
  .annotate(...HeaderField.idempotencyKey)

const list = HttpApiEndpoint.get("list", "/watches")
  .setUrlParams(
    Schema.Struct({
      state: Schema.optional(Watch.WatchState),
      target: Schema.optional(Target.TargetKind),
      address: Schema.optional(Parameters.AddressText),
      failing: Schema.optional(Parameters.FailingText),
      ...pageQuery.fields
    })
  )
  .addSuccess(Page.Page(Watch.Watch))
  .addError(Problem.schema("malformed_request"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "The watches of the caller, newest first")

const [, withKnownVersion] = HeaderField.optional("If-None-Match", "The ETag of the known version")

const get = HttpApiEndpoint.get("get")`/watches/${Parameters.watchId}`
  .addSuccess(WatchDetail)
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "One watch, with the result of its last successful check")
  .annotate(
    OpenApi.Description,
    "The ETag changes with every check, edit and warning; a matching If-None-Match returns 304. An Accept header that prefers HTML returns a page with the score of the newest 100 checks over time, drawn with their changes; what is not decided is drawn as the span that the score may have."
  )
  .annotate(Produces.Produces, Parameters.watchTypes)
  .annotate(OpenApi.Transform, (operation) => Produces.document(withKnownVersion(operation), Parameters.watchTypes))

const change = HttpApiEndpoint.patch("change")`/watches/${Parameters.watchId}`
  .setPayload(WatchPatch)
  .addSuccess(Watch.Watch)
  .addError(Problem.schema("malformed_request"))
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("precondition_failed"))
  .addError(Problem.schema("validation_failed"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "Change the label, the interval or the options of a watch")
  .annotate(
    OpenApi.Description,
    "Absent members stay. A new interval restarts the schedule. With If-Match, the edit fails unless the watch still has that version."
  )
  .annotate(...HeaderField.optional("If-Match", "The ETag of the version to change"))

const pause = HttpApiEndpoint.post("pause")`/watches/${Parameters.watchId}/pause`
  .addSuccess(Watch.Watch)
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "Stop checking without deleting")

const resume = HttpApiEndpoint.post("resume")`/watches/${Parameters.watchId}/resume`
  .addSuccess(Watch.Watch)
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "Start checking again")
  .annotate(OpenApi.Description, "Also resumes a suspended watch; its failure count restarts at 0.")

const remove = HttpApiEndpoint.del("remove")`/watches/${Parameters.watchId}`
  .addSuccess(HttpApiSchema.NoContent)
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "Remove a watch")
  .annotate(OpenApi.Description, "No check starts after the response. The executions stay.")

const run = HttpApiEndpoint.post("run")`/watches/${Parameters.watchId}/run`
  .addSuccess(Watch.WatchRun.annotations({ ...HttpApiSchema.annotations({ status: 202 }), identifier: "WatchRun" }))
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("rate_limited"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "Check at once")
  .annotate(
    OpenApi.Description,
    "Costs one unit, at most once per minute. Joins a running check. The schedule does not change."
  )

const runs = HttpApiEndpoint.get("runs")`/watches/${Parameters.watchId}/runs`
  .setUrlParams(pageQuery)
  .addSuccess(Page.Page(Watch.WatchRun))
  .addError(Problem.schema("malformed_request"))
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "The checks of a watch, newest first")

const changes = HttpApiEndpoint.get("changes")`/watches/${Parameters.watchId}/changes`
  .setUrlParams(pageQuery)
  .addSuccess(Page.Page(WatchRunChanges))
  .addError(Problem.schema("malformed_request"))
  .addError(Problem.schema("not_found"))
  .addError(Problem.schema("storage_unavailable"))
  .annotate(OpenApi.Summary, "The checks of a watch that found changes, newest first, with their change reports")

/** Watches: repeated analyses that report changes. */
export class WatchesGroup extends HttpApiGroup.make("watches")
  .add(create)
  .add(list)
  .add(get)
  .add(change)
  .add(pause)
  .add(resume)
  .add(remove)
  .add(run)
  .add(runs)
  .add(changes)
  .middleware(Validation)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Targets checked on an interval, and their changes") {}
