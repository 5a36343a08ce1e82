import * as Chains from "@assay/core/chain/Chains"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, Layer, Option, Predicate, type Schema } from "effect"
import type { Problem } from "../../api/Problem.js"
import { Validation } from "../../api/Validation.js"
import type { Violation } from "../../api/Violation.js"
import * as Routes from "../Routes.js"
import * as Accept from "../representation/Accept.js"
import * as Body from "../representation/Body.js"
import * as Excerpt from "../representation/Excerpt.js"
import * as Problems from "../representation/Problems.js"
import * as Violations from "../representation/Violations.js"

/** Validates the whole request against the declaration of its endpoint before the endpoint runs. */
export const layer: Layer.Layer<Validation, never, Chains.Chains> = Layer.effect(
  Validation,
  Effect.map(Chains.Chains, (chains) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { params, route } = yield* HttpRouter.RouteContext
      const query = yield* HttpServerRequest.ParsedSearchParams
      const found = Routes.at(request.method, route.path)
      if (found?.endpoint === undefined) return yield* Effect.dieMessage(`No endpoint declares ${route.path}`)
      const { endpoint, produces } = found

      if (Accept.preferred(request.headers.accept, produces) === undefined)
        return yield* Problems.fail("not_acceptable", {
          detail: `This route returns ${produces.join(", ")}.`,
          members: { acceptable: produces }
        })

      const path = violationsOf(endpoint.pathSchema, params)
      // A malformed id in a path is an id that does not exist.
      if (path.some(({ parameter }) => parameter?.endsWith("_id")))
        return yield* Problems.fail("not_found", { detail: "The id is malformed." })
      const body = yield* violationsOfBody(chains, endpoint.payloadSchema, request)
      const violations = [...path, ...(yield* violationsOfQuery(chains, endpoint.urlParamsSchema, query)), ...body]
      if (violations.length > 0) return yield* Problems.invalid(violations)
    })
  )
)

const violationsOf = (schema: Option.Option<Schema.Schema.All>, value: unknown): ReadonlyArray<Violation> =>
  Option.match(schema, {
    onNone: () => [],
    onSome: (declared) => Violations.find(declared as Schema.Schema.AnyNoContext, value, "parameter")
  })

const violationsOfQuery = (
  chains: Chains.Chains["Type"],
  schema: Option.Option<Schema.Schema.All>,
  query: Readonly<Record<string, string | Array<string>>>
): Effect.Effect<ReadonlyArray<Violation>> => {
  if (Option.isNone(schema))
    return Effect.succeed(
      Object.keys(query).map((parameter) => ({ parameter: Excerpt.of(parameter), ...unknownField }))
    )
  const violations = violationsOf(schema, { ...query })
  return typeof query.chain !== "string" || violations.some(({ parameter }) => parameter === "chain")
    ? Effect.succeed(violations)
    : withChain(chains, { parameter: "chain" }, query.chain, violations)
}

const violationsOfBody = (
  chains: Chains.Chains["Type"],
  schema: Option.Option<Schema.Schema.All>,
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<ReadonlyArray<Violation>, BodyProblem, HttpServerRequest.HttpServerRequest> => {
  // The body of a GET or DELETE has no meaning and is ignored.
  if (Option.isNone(schema) && request.method !== "POST") return Effect.succeed([])
  const read = Effect.flatMap(Body.json(request), (body) => {
    if (Option.isNone(schema)) return Effect.succeed(violationsOfNothing(body))
    const violations = Violations.find(schema.value as Schema.Schema.AnyNoContext, body, "body")
    return !Predicate.hasProperty(body, "chain") ||
      typeof body.chain !== "string" ||
      violations.some(({ pointer }) => pointer === "#/chain")
      ? Effect.succeed(violations)
      : withChain(chains, { pointer: "#/chain" }, body.chain, violations)
  })
  return Effect.catchTag(
    Option.isSome(schema)
      ? read
      : Effect.flatMap(Body.isEmpty(request), (empty) => (empty ? Effect.succeed([]) : read)),
    "BodyRefused",
    Problems.refuseBody
  )
}

/** Without a declared body, every member is unknown. */
const violationsOfNothing = (body: unknown): ReadonlyArray<Violation> =>
  Predicate.isReadonlyRecord(body)
    ? Object.keys(body).map((name) => ({ pointer: Violations.pointer([name]), ...unknownField }))
    : [{ pointer: "#", code: "wrong_type", detail: "Expected an object.", limit: null }]

const unknownField = { code: "unknown_field", detail: "This field is unknown.", limit: null } as const

const withChain = (
  chains: Chains.Chains["Type"],
  place: Parameters<typeof Problems.unsupportedChain>[0],
  name: string,
  violations: ReadonlyArray<Violation>
): Effect.Effect<ReadonlyArray<Violation>> =>
  Effect.match(chains.find(Option.some(name)), {
    onFailure: ({ chain }) => [...violations, Problems.unsupportedChain(place, chain)],
    onSuccess: () => violations
  })

type BodyProblem = Problem<"malformed_request" | "payload_too_large" | "unsupported_media_type">
