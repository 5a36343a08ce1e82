import { Schema, type SchemaAST } from "effect"

/**
 * The code of a violation.
 *
 * @since 0.1.0
 * @category schemas
 */
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

/**
 * @since 0.1.0
 * @category models
 */
export type ViolationCode = typeof ViolationCode.Type

/**
 * One violation and its place: `pointer` (RFC 6901, as a URI fragment) for the body, `parameter` for path and query,
 * `header` for a header field; exactly one of them is present. `limit` is the bound that the value exceeds.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Violation = Schema.Struct({
  pointer: Schema.optionalWith(Schema.String, { exact: true }),
  parameter: Schema.optionalWith(Schema.String, { exact: true }),
  header: Schema.optionalWith(Schema.String, { exact: true }),
  code: ViolationCode,
  detail: Schema.String,
  limit: Schema.NullOr(Schema.Number)
}).annotations({ identifier: "Violation" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Violation extends Schema.Schema.Type<typeof Violation> {}

/**
 * The violation that a schema reports for a value it refuses.
 *
 * @since 0.1.0
 * @category models
 */
export interface Refusal {
  readonly code: ViolationCode
  readonly detail: string
  readonly limit: number | null
}

const RefusalId = Symbol.for("@assay/server/Violation/Refusal")

/**
 * The annotation that sets the violation code of a schema instead of the default for its type.
 *
 * @since 0.1.0
 * @category combinators
 */
export const refusing = (
  code: ViolationCode,
  detail: string,
  limit: number | null = null
): { readonly [key: symbol]: Refusal } => ({ [RefusalId]: { code, detail, limit } })

/**
 * The refusal annotation of a schema; undefined where there is none.
 *
 * @since 0.1.0
 * @category combinators
 */
export const refusalOf = (ast: SchemaAST.AST): Refusal | undefined => ast.annotations[RefusalId] as Refusal | undefined
