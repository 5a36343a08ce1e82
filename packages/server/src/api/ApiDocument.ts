import type * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Option, SchemaAST } from "effect"
import * as Examples from "./Examples.js"
import * as McpOperation from "./McpOperation.js"
import * as Problem from "./Problem.js"

interface Reference {
  $ref?: string
  anyOf?: Array<Reference>
  properties?: Record<string, Reference>
  items?: Reference
}
interface Media {
  readonly schema: Reference
  examples?: Record<string, Reference | { readonly value: unknown }>
}
interface Response {
  description: string
  content?: Record<string, Media>
  headers?: Record<string, Reference>
}
interface Operation {
  readonly operationId: string
  readonly security: ReadonlyArray<unknown>
  readonly deprecated?: boolean
  readonly requestBody?: { readonly content: Record<string, Media> }
  readonly responses: Record<string, Response>
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly schemas: Record<string, unknown>
    headers?: Record<string, unknown>
    examples?: Record<string, unknown>
  }
}

/**
 * What cannot be derived from the schemas: problems have their own media type and replace the framework's decode error,
 * only requests with a body can have an invalid body, only requests that name something can name what is not there, and
 * only requests are closed, since responses may gain members.
 * Header fields of responses, examples and the Model Context Protocol are added, and what no validator loads is removed.
 */
export const refine = (document: Record<string, unknown>): Record<string, unknown> => {
  const { components, paths } = document as unknown as Document
  const { schemas } = components
  const create = paths["/api/v1/watches"]?.post
  if (create !== undefined) {
    paths[mcp] = { post: McpOperation.make(structuredClone(create.responses)) as unknown as Operation }
    schemas.McpMessage = McpOperation.message
    schemas.McpError = McpOperation.error
  }
  const requests = new Set<string>()
  const examples: Record<string, unknown> = {}
  const give = (media: Media) => {
    const names = examplesOf(media.schema)
    for (const name of names) examples[name] = { value: exampleNamed(name) }
    if (names.length > 0)
      media.examples = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }]))
  }
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
  )
  for (const { method, operation, path } of all) {
    const { requestBody, responses } = operation
    for (const media of Object.values(requestBody?.content ?? {})) {
      requests.add(nameOf(media.schema) ?? "")
      give(media)
    }
    // The body of a GET or DELETE is ignored.
    const ignoresBody = !requestBody && method !== "post"
    if (ignoresBody) for (const status of ["413", "415"]) delete responses[status]
    // An id is in the path, or names the execution to compare with; the protocol has its own answer.
    if (!path.includes("{") && !starts(operation.operationId) && path !== mcp) delete responses["404"]
    // Health checks may reach a process by any host name.
    if (path.includes("/health/")) delete responses["421"]
    if (known.has(operation.operationId)) responses["304"] = { description: "The version is known (If-None-Match)." }
    for (const [status, response] of Object.entries(responses)) {
      const json = response.content?.["application/json"]
      if (json && Number(status) >= 400) {
        const members = (json.schema.anyOf ?? [json.schema]).filter((member) => nameOf(member) !== "HttpApiDecodeError")
        const isProblem = (member: Reference) => nameOf(member)?.endsWith("Problem") === true
        const other = members.filter((member) => !isProblem(member))
        // A body that a program has read already is missed only where it is read.
        const refused = members
          .filter(isProblem)
          .filter((member) => !(ignoresBody && nameOf(member) === "MisconfiguredProblem"))
        // The framework leaves out the errors of a status that a success has too.
        if (refused.length === 0 && status === "503") refused.push({ $ref: "#/components/schemas/DrainingProblem" })
        response.content = {
          // The health of a process that is not ready, and what the Model Context Protocol answers itself.
          ...(other.length > 0 ? { "application/json": { schema: anyOf(other) } } : {}),
          ...(refused.length > 0 ? { [Problem.contentType]: { schema: anyOf(refused) } } : {})
        }
      }
      for (const [type, media] of Object.entries(response.content ?? {})) {
        give(media)
        const text = reported(operation.operationId) ? Examples.reports[type] : undefined
        if (text !== undefined) media.examples = { report: { value: text } }
      }
      response.headers = Object.fromEntries(
        [...headersOf(operation, status), ...(operation.deprecated ? Object.keys(ofRetired) : [])].map((name) => [
          name,
          { $ref: `#/components/headers/${name}` }
        ])
      )
    }
  }
  for (const unsent of ["HttpApiDecodeError", "Issue", "PropertyKey"]) delete schemas[unsent]
  for (const [name, schema] of Object.entries(schemas)) if (!requests.has(name)) open(schema)
  for (const { operation } of all) open(operation.responses)
  for (const part of [schemas, paths]) unname(part)
  components.headers = all.some(({ operation }) => operation.deprecated) ? { ...headers, ...ofRetired } : headers
  components.examples = examples
  return document
}

const mcp = "/api/v1/mcp"

const anyOf = (members: Array<Reference>): Reference => (members.length === 1 && members[0]) || { anyOf: members }

/**
 * The same API, the document of which says that it is served below a path: there its paths are, and there what it names
 * is, in examples and sentences too.
 */
export const servedAt = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  basePath: string
): HttpApi.HttpApi<Id, Groups, E, R> =>
  basePath === ""
    ? api
    : api
        .annotate(OpenApi.Servers, [{ url: basePath, description: "The program that serves this document" }])
        .annotate(OpenApi.Transform, (document) => below(refine(document), basePath) as Record<string, unknown>)

const below = (part: unknown, basePath: string): unknown => {
  if (typeof part === "string") return part.replaceAll(/(?<![\w/])\/api\/v1\b/g, `${basePath}/api/v1`)
  if (Array.isArray(part)) return part.map((member) => below(member, basePath))
  if (typeof part !== "object" || part === null) return part
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, below(member, basePath)]))
}

const nameOf = ({ $ref }: Reference): string | undefined => $ref?.slice($ref.lastIndexOf("/") + 1)

/** The names of the examples of a body that has any: one of each document that it may be, and one of the problems. */
const examplesOf = (schema: Reference): ReadonlyArray<string> => {
  const members = (schema.anyOf ?? []).flatMap(examplesOf)
  if (members.length > 0) return members.some((name) => problems.has(name)) ? members.slice(0, 1) : members
  const item = schema.properties?.data?.items
  const name = nameOf(item ?? schema)
  if (name === undefined || !(name in Examples.examples || problems.has(name))) return []
  return [item === undefined ? name : `${name}Page`]
}

const exampleNamed = (name: string): unknown =>
  Examples.examples[name] ??
  problems.get(name) ?? { data: [Examples.examples[name.slice(0, -"Page".length)]], next_cursor: null }

const problems: ReadonlyMap<string, unknown> = new Map(
  Object.values(Problem.catalogue).map(({ code, retryable, schema, status, title, when }) => [
    Option.getOrElse(SchemaAST.getIdentifierAnnotation(schema.ast), () => code),
    Examples.problem({ type: Problem.typeOf(code), code, status, title, when, retryable })
  ])
)

const headers = {
  "Request-Id": {
    description: "The id of this request, also in the log of the server and in problems.",
    schema: { type: "string", pattern: "^req_[0-9A-HJKMNP-TV-Z]{26}$" }
  },
  "RateLimit-Policy": {
    description: "The limits of the key, as draft-ietf-httpapi-ratelimit-headers defines them.",
    schema: { type: "string" },
    example: '"daily";q=50;w=86400, "burst";q=60;w=60'
  },
  RateLimit: {
    description: "What is left of each limit, and in how many seconds it is full again.",
    schema: { type: "string" },
    example: '"daily";r=49;t=31522, "burst";r=58;t=12'
  },
  "Units-Charged": {
    description: "How many units this request cost.",
    schema: { type: "string", pattern: "^[0-9]+$" },
    example: "1"
  },
  "Retry-After": {
    description:
      "After how many seconds the same request may succeed; of an execution that still runs, after how many to fetch it.",
    schema: { type: "string", pattern: "^[0-9]+$" },
    example: "5"
  },
  Location: {
    description: "The path of what was created.",
    schema: { type: "string" },
    example: "/api/v1/keys/self"
  },
  "Preference-Applied": {
    description: "The preferences of the request that the response follows (RFC 7240); only with such.",
    schema: { type: "string" },
    example: "respond-async"
  },
  "Content-Location": {
    description: "Where a report is, with the id of its execution; only with a report.",
    schema: { type: "string" },
    example: "/api/v1/executions/exe_01JDVX7Z3W8K5T2M9Q4R6B0ACD?view=report"
  },
  Allow: {
    description: "The methods that the path has.",
    schema: { type: "string" },
    example: "GET, HEAD, OPTIONS"
  },
  ETag: {
    description: "The version of the document, for If-None-Match and If-Match.",
    schema: { type: "string" },
    example: '"7.3q2-Zk1x0VtB4nRw"'
  },
  "WWW-Authenticate": {
    description: "The scheme to authenticate with.",
    schema: { type: "string" },
    example: 'Bearer realm="api"'
  }
}

type Header = keyof typeof headers

/** Those of every answer of a retired route. */
const ofRetired = {
  Deprecation: {
    description: "Since when this route is retired (RFC 9745).",
    schema: { type: "string", pattern: "^@[0-9]+$" },
    example: "@1795219200"
  },
  Sunset: {
    description: "From when on this route may be gone (RFC 8594), at least twelve months later.",
    schema: { type: "string" },
    example: "Sun, 21 Nov 2027 00:00:00 GMT"
  },
  Link: {
    description: "Where it is said what takes its place, with `rel` `deprecation`.",
    schema: { type: "string" },
    example: '</api/v1/docs>; rel="deprecation"'
  }
}

/** Operations that answer 304 to the version that the caller has. */
const known = new Set(["watches.get", "executions.get"])
const versioned = new Set([...known, "watches.create", "watches.change", "watches.pause", "watches.resume"])

/** Operations that answer a report where it is wanted. */
const reported = (operationId: string): boolean =>
  operationId.startsWith("analyses.") || operationId === "executions.get"

/** Operations that start an execution. */
const starts = (operationId: string): boolean =>
  operationId.startsWith("analyses.") || operationId === "executions.start"

/** Refused before the caller is known. */
const early = new Set(["401", "403", "405", "414", "421", "431"])
const passing = new Set(["429", "500", "502", "503", "504"])

const headersOf = ({ operationId, security }: Operation, status: string): ReadonlyArray<Header> => {
  const isSuccess = status.startsWith("2") || status === "304"
  return [
    "Request-Id",
    ...(security.length > 0 && !early.has(status) ? (["RateLimit-Policy", "RateLimit"] as const) : []),
    ...(starts(operationId) ? (["Units-Charged"] as const) : []),
    ...(isSuccess && starts(operationId) ? (["Preference-Applied"] as const) : []),
    ...(passing.has(status) ||
    (status === "202" && starts(operationId)) ||
    (status === "200" && operationId === "executions.get")
      ? (["Retry-After"] as const)
      : []),
    ...(status === "405" ? (["Allow"] as const) : []),
    ...(status === "201" || (status === "202" && starts(operationId)) ? (["Location"] as const) : []),
    ...(status === "200" && reported(operationId) ? (["Content-Location"] as const) : []),
    ...(isSuccess && versioned.has(operationId) ? (["ETag"] as const) : []),
    ...(status === "401" ? (["WWW-Authenticate"] as const) : [])
  ]
}

const open = (schema: unknown): void => {
  if (typeof schema !== "object" || schema === null) return
  if ("additionalProperties" in schema && schema.additionalProperties === false) delete schema.additionalProperties
  for (const part of Object.values(schema)) open(part)
}

/** A schema for anything has the same `$id` wherever it stands, and a validator loads an id once. */
const unname = (schema: unknown): void => {
  if (typeof schema !== "object" || schema === null) return
  if ("$id" in schema && typeof schema.$id === "string") {
    delete schema.$id
    if ("title" in schema) delete schema.title
  }
  for (const part of Object.values(schema)) unname(part)
}
