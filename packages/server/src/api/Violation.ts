import { Schema, type SchemaAST } from "effect"

/** The code of a violation. */
export const ViolationCode = Schema.Literal(
  "required",
  "wrong_type",
  "unknown_field",
  "too_short",
  "too_long",
  "below_minimum",
  "above_maximum",
  "not_allowed",
  "bad_address",
  "bad_checksum",
  "unsupported_chain",
  "bad_url"
).annotations({ identifier: "ViolationCode" })

export type ViolationCode = typeof ViolationCode.Type

/**
 * One violation and its place: `pointer` (RFC 6901, as a URI fragment) for the body, `parameter` for path and query,
 * `header` for a header field; exactly one of them is present. `limit` is the bound that the value exceeds.
 */
export const Violation = Schema.Struct({
  pointer: Schema.optionalWith(Schema.String, { exact: true }),
  parameter: Schema.optionalWith(Schema.String, { exact: true }),
  header: Schema.optionalWith(Schema.String, { exact: true }),
  code: ViolationCode,
  detail: Schema.String,
  limit: Schema.NullOr(Schema.Number)
}).annotations({ identifier: "Violation" })

export interface Violation extends Schema.Schema.Type<typeof Violation> {}

/** The violation that a schema reports for a value it refuses. */
export interface Refusal {
  readonly code: ViolationCode
  readonly detail: string
  readonly limit: number | null
}

const RefusalId = Symbol.for("@assay/server/Violation/Refusal")

/** The annotation that sets the violation code of a schema instead of the default for its type. */
export const refusing = (
  code: ViolationCode,
  detail: string,
  limit: number | null = null
): { readonly [key: symbol]: Refusal } => ({ [RefusalId]: { code, detail, limit } })

/** The refusal annotation of a schema; undefined where there is none. */
export const refusalOf = (ast: SchemaAST.AST): Refusal | undefined => ast.annotations[RefusalId] as Refusal | undefined
