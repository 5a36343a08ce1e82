import { Option, type ParseResult, Schema, SchemaAST } from "effect"
import { type Refusal, refusalOf, type Violation } from "../../api/Violation.js"
import * as Excerpt from "./Excerpt.js"

/** The origin of a value; it decides how a violation names the place. */
export type Place = "body" | "parameter"

/** All violations of a value. The schema is closed: an unknown member is a violation. */
export const find = <A, I>(schema: Schema.Schema<A, I>, value: unknown, place: Place): ReadonlyArray<Violation> => {
  const decoded = Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })(value)
  return decoded._tag === "Right" ? [] : fromIssue(decoded.left.issue, [], place)
}

const fromIssue = (
  issue: ParseResult.ParseIssue,
  path: ReadonlyArray<PropertyKey>,
  place: Place
): ReadonlyArray<Violation> => {
  switch (issue._tag) {
    case "Pointer":
      return fromIssue(issue.issue, [...path, ...(Array.isArray(issue.path) ? issue.path : [issue.path])], place)
    case "Missing":
      return [violation({ code: "required", detail: "A value is required.", limit: null }, path, place)]
    case "Unexpected":
      return [violation({ code: "unknown_field", detail: "This field is unknown.", limit: null }, path, place)]
    case "Type":
      return [violation(refusalOf(issue.ast) ?? typeRefusal(issue.ast, issue.actual), path, place)]
    case "Forbidden":
      return [violation(notAllowed, path, place)]
    case "Refinement":
    case "Transformation": {
      const refusal = refusalOf(issue.ast)
      // The refusal of a transformation covers all its failures; that of a refinement only its predicate.
      if (refusal && (issue._tag === "Transformation" || issue.kind === "Predicate"))
        return [violation(refusal, path, place)]
      return fromIssue(issue.issue, path, place)
    }
    case "Composite": {
      const refusal = refusalOf(issue.ast)
      if (refusal) return [violation(refusal, path, place)]
      const issues = Array.isArray(issue.issues) ? issue.issues : [issue.issues as ParseResult.ParseIssue]
      if (!SchemaAST.isUnion(issue.ast)) return issues.flatMap((inner) => fromIssue(inner, path, place))
      const likely = issues.filter(({ ast }) => !("ast" in issue && isAbsence(ast)))
      if (likely.length === 1 && likely[0]) return fromIssue(likely[0], path, place)
      return [violation(typeRefusal(issue.ast, issue.actual), path, place)]
    }
  }
}

const isAbsence = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isUndefinedKeyword(ast) || (SchemaAST.isLiteral(ast) && ast.literal === null)

const notAllowed: Refusal = { code: "not_allowed", detail: "This value is not allowed.", limit: null }

const typeRefusal = (ast: SchemaAST.AST, actual: unknown): Refusal => {
  if (actual === null || actual === undefined) return { code: "required", detail: "A value is required.", limit: null }
  const literals = literalsOf(ast)
  return literals.length > 0
    ? { code: "not_allowed", detail: `Expected one of ${literals.join(", ")}.`, limit: null }
    : { code: "wrong_type", detail: `Expected ${describe(ast)}.`, limit: null }
}

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isUnion(ast)
    ? ast.types.flatMap(literalsOf)
    : SchemaAST.isLiteral(ast) && ast.literal !== null
      ? [String(ast.literal)]
      : []

const kinds: Partial<Record<SchemaAST.AST["_tag"], string>> = {
  StringKeyword: "a string",
  NumberKeyword: "a number",
  BooleanKeyword: "true or false",
  TypeLiteral: "an object",
  TupleType: "an array"
}

const describe = (ast: SchemaAST.AST): string =>
  SchemaAST.isRefinement(ast)
    ? Option.getOrElse(SchemaAST.getIdentifierAnnotation(ast), () => describe(ast.from)) === "Int"
      ? "an integer"
      : describe(ast.from)
    : SchemaAST.isTransformation(ast)
      ? describe(ast.from)
      : (kinds[ast._tag] ?? "another type")

const violation = (refusal: Refusal, path: ReadonlyArray<PropertyKey>, place: Place): Violation => ({
  ...(place === "body" ? { pointer: pointer(path) } : { parameter: Excerpt.of(path.map(String).join(".")) }),
  ...refusal
})

/**
 * A place in a body as a JSON pointer in a URI fragment, escaped for both.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6901#section-6
 */
export const pointer = (path: ReadonlyArray<PropertyKey>): string =>
  `#${path.map((part) => `/${encodeURIComponent(Excerpt.of(String(part)).replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("")}`
