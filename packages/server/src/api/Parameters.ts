import * as Address from "@assay/core/domain/Address"
import * as DecisionPolicy from "@assay/core/domain/DecisionPolicy"
import * as Event from "@assay/core/domain/Event"
import * as Id from "@assay/core/domain/Id"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Either, ParseResult, Schema } from "effect"
import { refusing } from "./Violation.js"

/** An address as typed: lower case, upper case, correct EIP-55 or EIP-1191 (Rootstock). Decodes to EIP-55. */
export const AddressText = Schema.transformOrFail(
  Schema.String.annotations({
    jsonSchema: {
      type: "string",
      pattern: "^0x[0-9a-fA-F]{40}$",
      description:
        "An address: 0x and 40 hex digits, in lower case, upper case, correct EIP-55, or EIP-1191 of chains 30 and 31"
    }
  }),
  Schema.typeSchema(Address.Address),
  {
    strict: true,
    decode: (text, _, ast) =>
      Either.mapLeft(
        Address.parse(text),
        ({ reason }) =>
          new ParseResult.Type(
            { ...ast, annotations: { ...ast.annotations, ...addressRefusals[reason] } } as typeof ast,
            text,
            reason
          )
      ),
    encode: (address) => ParseResult.succeed(address)
  }
)

const addressRefusals = {
  bad_address: refusing("bad_address", "Expected 0x and 40 hex digits."),
  bad_checksum: refusing(
    "bad_checksum",
    "The EIP-55 checksum does not match: a digit may be wrong. Send lower case to skip this check."
  )
}

/** The path parameter `execution_id`. */
export const executionId = HttpApiSchema.param("execution_id", Id.ExecutionId)

/** The path parameter `evidence_id`. */
export const evidenceId = HttpApiSchema.param("evidence_id", Schema.String)

/** The path parameter `watch_id`. */
export const watchId = HttpApiSchema.param("watch_id", Id.WatchId)

/** The path parameter `webhook_id`. */
export const webhookId = HttpApiSchema.param("webhook_id", Id.WebhookId)

/** The path parameter `delivery_id`. */
export const deliveryId = HttpApiSchema.param("delivery_id", Id.DeliveryId)

/** The id of a watch. */
export const WatchIdText = Schema.String.pipe(
  Schema.filter((text): text is Id.WatchId => isWatchId(text), {
    ...refusing("not_allowed", "Expected a watch id."),
    description: "The id of a watch",
    jsonSchema: { pattern: "^wat_[0-9A-HJKMNP-TV-Z]{26}$" }
  })
)

const isWatchId = Schema.is(Id.WatchId)

/** A chain by id or short name. */
export const ChainText = Schema.String.annotations({
  description: "A chain by id (`8453`) or short name (`base`); default: the default chain of the deployment"
})

/** Filters watches by the result of their last check. */
export const FailingText = Schema.BooleanFromString.annotations({
  description: "true: watches with a failed last check; false: all others; absent: all",
  ...refusing("wrong_type", "Expected true or false.")
})

/** Whether the result includes a written summary. */
export const SummaryText = Schema.BooleanFromString.annotations({
  description: "Whether the result includes a written summary; default true",
  ...refusing("wrong_type", "Expected true or false.")
})

/** What a result has beside its conclusions. */
export const IncludeText = Schema.Literal("recipes").annotations({
  description:
    "`recipes`: the full result, also with `recipes`, observations and what else the schema marks as optional; absent: without them",
  ...refusing("not_allowed", "Expected `recipes`.")
})

/** Whether the report is wanted in place of the result. */
export const ViewText = Schema.Literal("report").annotations({
  description: "`report`: the report in place of the result, at most 3 KB of JSON; absent: the result",
  ...refusing("not_allowed", "Expected `report`.")
})

/** From which level on the report's decision is to block, and to have a person look at it. */
export const policy = {
  block_from: Schema.optional(
    DecisionPolicy.DecidedLevel.annotations({
      description: "The report's `decision` is `block` from this level on; absent: `critical`",
      ...refusing("not_allowed", "Expected low, medium, high or critical.")
    })
  ),
  review_from: Schema.optional(
    DecisionPolicy.DecidedLevel.annotations({
      description: "The report's `decision` is `review` from this level on; absent: `medium`",
      ...refusing("not_allowed", "Expected low, medium, high or critical.")
    })
  )
}

const integerText = (minimum: number, maximum: number, description: string) =>
  Schema.transform(
    Schema.String.pipe(
      Schema.pattern(/^-?\d{1,15}$/, {
        ...refusing("wrong_type", "Expected an integer."),
        jsonSchema: { type: "integer", minimum, maximum, description }
      })
    ),
    Schema.Int,
    { strict: true, decode: Number, encode: String }
  ).pipe(
    Schema.greaterThanOrEqualTo(minimum, refusing("below_minimum", `Minimum is ${minimum}.`, minimum)),
    Schema.lessThanOrEqualTo(maximum, refusing("above_maximum", `Maximum is ${maximum}.`, maximum))
  )

/** How old a stored result may be that is the answer, in seconds. */
export const MaxAgeText = integerText(
  0,
  7_776_000,
  "The newest stored result is the answer if it was completed at most so many seconds ago, for 0 units; default 0: a fresh analysis"
)

/** The media types of a result and its report, the preferred one first. */
export const resultTypes: ReadonlyArray<string> = ["application/json", "text/markdown", "text/plain", "text/html"]

/** Those of a change report: the page shows both executions. */
export const changeTypes = resultTypes

/** Those of a watch: the page shows its score over time. */
export const watchTypes: ReadonlyArray<string> = ["application/json", "text/html"]

/** The execution to compare with. */
export const BaseText = Schema.Union(Schema.Literal("previous"), Id.ExecutionId).annotations({
  description: "The execution to compare with: `previous` (the default) or an execution id",
  ...refusing("not_allowed", "Expected `previous` or an execution id.")
})

/** A time in RFC 3339. Decodes to epoch milliseconds. */
export const MomentText = Schema.transformOrFail(
  Schema.String.annotations({
    jsonSchema: { type: "string", format: "date-time", description: "A time in RFC 3339" }
  }),
  Schema.Int,
  {
    strict: true,
    decode: (text, _, ast) => {
      const epochMillis = RFC3339.test(text) ? Date.parse(text) : Number.NaN
      return Number.isNaN(epochMillis)
        ? ParseResult.fail(new ParseResult.Type(ast, text, "not an RFC 3339 time"))
        : ParseResult.succeed(epochMillis)
    },
    encode: (epochMillis) => ParseResult.succeed(new Date(epochMillis).toISOString())
  }
).annotations(refusing("wrong_type", "Expected a time in RFC 3339, such as 2026-11-21T00:00:00Z."))

const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/

/** The page size of a list, 1 to 100. */
export const LimitText = integerText(1, 100, "Page size, 1 to 100; default 20")

/** How many seconds to wait for the first event, 0 to 30. */
export const WaitText = integerText(0, 30, "Seconds to wait for the first event; default 0")

/** Event types, comma-separated. */
export const EventTypesText = Schema.transform(
  Schema.String.annotations({
    jsonSchema: { type: "string", description: "Event types, comma-separated; default all" }
  }),
  Schema.Array(Event.EventType),
  { strict: true, decode: (text) => text.split(",") as Array<Event.EventType>, encode: (types) => types.join(",") }
).annotations(
  refusing("not_allowed", `Expected one or more of ${Event.EventType.literals.join(", ")}, comma-separated.`)
)

/** The cursor of a list: the `next_cursor` of the previous page. */
export const CursorText = Schema.String.annotations({ description: "The `next_cursor` of the previous page" })

/** The cursor of the event log: the `next_after` of the previous page, or the `id` of a streamed event. */
export const AfterText = Schema.String.annotations({
  description: "The `next_after` of the previous page, or the `id` of a streamed event; default: the oldest event"
})
