import { readFileSync } from "node:fs"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"

/*
 * What the OpenAPI document says of a response, held against the response: the status, the media type, the header fields and
 * the body. The client of the tests does so with everything it receives, and so does the fuzzer.
 */

interface Media {
  readonly schema: unknown
}
interface Documented {
  readonly content?: { readonly [type: string]: Media } | undefined
  readonly headers?: { readonly [name: string]: unknown } | undefined
}
interface Operation {
  readonly operationId: string
  readonly security: ReadonlyArray<unknown>
  readonly responses: { readonly [status: string]: Documented }
}
interface Document {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly components: {
    readonly headers: { readonly [name: string]: { readonly schema: unknown } }
    readonly schemas: { readonly [name: string]: unknown }
  }
}

/** The document as it is committed. */
export const document = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8")) as Document

// A schema that many responses refer to is compiled once.
const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } })
ajv.addFormat("date-time", (text: string) => !Number.isNaN(Date.parse(text)))
ajv.addFormat("uri", (text: string) => URL.canParse(text))
ajv.addSchema(document as object, "openapi")

const compiled = new Map<string, ValidateFunction>()

/** The validator of a part of the document, by its keys from the root. */
const validator = (keys: ReadonlyArray<string>): ValidateFunction => {
  const pointer = keys.map((key) => `/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("")
  const known = compiled.get(pointer)
  if (known !== undefined) return known
  const made = ajv.compile({ $ref: `openapi#${pointer}` })
  compiled.set(pointer, made)
  return made
}

const faultsOf = (keys: ReadonlyArray<string>, value: unknown): ReadonlyArray<string> => {
  const validate = validator(keys)
  if (validate(value) === true) return []
  return (validate.errors ?? [])
    .slice(0, 5)
    .map(({ instancePath, message, params }) => `${instancePath || "/"} ${message} ${JSON.stringify(params)}`)
}

const faultsOfProblem = (code: string, body: unknown): ReadonlyArray<string> => {
  const schema = `${pascal(code)}Problem`
  return schema in document.components.schemas
    ? faultsOf(["components", "schemas", schema], body)
    : [`${code} is not in the document`]
}

/** The path template of the document that a path matches; literal segments win over parameters. */
const templateOf = (path: string): string | undefined => {
  const wanted = path.split("/")
  const matching = Object.keys(document.paths).filter((template) => {
    const segments = template.split("/")
    return (
      segments.length === wanted.length &&
      segments.every((segment, index) => (segment.startsWith("{") ? wanted[index] !== "" : segment === wanted[index]))
    )
  })
  return matching.find((template) => !template.includes("{")) ?? matching[0]
}

/** Served beside the operations of the document: the document, its page, and the way to the welcome page. */
const beside = new Set(["/", "/api/v1/openapi.json", "/api/v1/docs"])

/** What a request is refused for that matches no operation. */
const unmatched = new Set([
  "malformed_request",
  "not_found",
  "method_not_allowed",
  "uri_too_long",
  "misdirected_request",
  "headers_too_large",
  "draining"
])

/** A response as a client sees it. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const problemType = "application/problem+json"

const pascal = (code: string): string => code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const bodyOf = ({ text }: Received): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * What of a response disagrees with the document. `target` is the request target; one that is no path is answered as a
 * request that matches no operation.
 */
export const faults = (method: string, target: string, received: Received): ReadonlyArray<string> => {
  const { headers, status } = received
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "").split("?", 1)[0] || "/"
  const found = [
    ...(status === 304 || headers.get("x-content-type-options") === "nosniff" ? [] : ["no nosniff"]),
    ...(headers.get("access-control-allow-origin") === "*" ? [] : ["no access-control-allow-origin"]),
    ...(headers.has("cache-control") ? [] : ["no cache-control"]),
    ...(/^req_[0-9A-HJKMNP-TV-Z]{26}$/.test(headers.get("request-id") ?? "") ? [] : ["no request-id"])
  ]
  if (method === "OPTIONS" && status === 204) return found
  const body = bodyOf(received)
  const type = headers.get("content-type")?.split(";", 1)[0]
  const problem =
    type === problemType
      ? (body as { readonly code?: unknown; readonly violated_policies?: unknown } | undefined)
      : undefined
  const code = typeof problem?.code === "string" ? problem.code : undefined
  const ofProblem =
    code === undefined
      ? status >= 400 && method !== "HEAD"
        ? ["an error that is no problem"]
        : []
      : [
          ...faultsOfProblem(code, body),
          ...((problem as { readonly status?: unknown }).status === status ? [] : ["another status in the body"])
        ]
  const template = templateOf(path)
  const operation =
    template === undefined ? undefined : document.paths[template]?.[method === "HEAD" ? "get" : method.toLowerCase()]
  if (operation === undefined || template === undefined)
    return [
      ...found,
      ...ofProblem,
      ...fieldsOf(status, headers),
      // What is not below the path of the API is another program's, such as the API of a test.
      ...(beside.has(path) ||
      !path.startsWith("/api/v1/") ||
      method === "HEAD" ||
      (code !== undefined && unmatched.has(code))
        ? []
        : [`${method} ${path}: ${status} of no operation`])
    ]
  const documented = operation.responses[String(status)]
  if (documented === undefined) return [...found, `${operation.operationId}: ${status} is not in the document`]
  return [
    ...found,
    ...fieldsOf(status, headers),
    ...headersOf(documented, headers),
    ...owed(operation, documented, status, problem, headers),
    ...(method === "HEAD" ? [] : bodyFaults(received, template, method, documented, type, body))
  ].map((fault) => `${operation.operationId} ${status}: ${fault}`)
}

/** Fields that a status always has. */
const fieldsOf = (status: number, headers: Headers): ReadonlyArray<string> =>
  (
    [
      [401, "www-authenticate"],
      [405, "allow"],
      [429, "retry-after"],
      [503, "retry-after"],
      [201, "location"]
    ] as const
  ).flatMap(([of, name]) => (of === status && !headers.has(name) && !isHealth(headers) ? [`no ${name}`] : []))

// The health of a process is its document, not a problem, also where it is 503.
const isHealth = (headers: Headers): boolean => headers.get("content-type")?.startsWith("application/json") === true

/** Refused by the edge or by the storage, of a caller that may not be known yet, where it has one of these codes. */
const beforeCaller = new Set([
  "malformed_request",
  "internal_error",
  "misconfigured",
  "draining",
  "storage_unavailable"
])

/** The fields that are there whenever the document names them: what is left to a caller that is known, and what it cost. */
const owed = (
  { security }: Operation,
  { headers: named = {} }: Documented,
  status: number,
  problem: { readonly code?: unknown; readonly violated_policies?: unknown } | undefined,
  headers: Headers
): ReadonlyArray<string> => {
  const code = String(problem?.code)
  const policies = Array.isArray(problem?.violated_policies) ? problem.violated_policies : []
  // The response to HEAD does not say its code.
  const isUnsaid = problem === undefined && [400, 429, 500, 503].includes(status)
  const isKnown =
    security.length > 0 && !isUnsaid && !beforeCaller.has(code) && !policies.includes("authentication-failures")
  const missing = (name: string) => (name in named && !headers.has(name) ? [`no ${name}`] : [])
  return [
    ...missing("Request-Id"),
    ...(isKnown && status !== 500 ? [...missing("RateLimit"), ...missing("RateLimit-Policy")] : []),
    // Whether a unit was charged is not known where the storage failed, and the server itself knows no routes.
    ...(["storage_unavailable", "draining", "headers_too_large", "malformed_request", "method_not_allowed"].includes(
      code
    ) || status === 405
      ? []
      : missing("Units-Charged")),
    ...missing("Location")
  ]
}

/** The fields that the document names have the form that it says, and no field is sent that it would have to name. */
const headersOf = ({ headers: named = {} }: Documented, headers: Headers): ReadonlyArray<string> => {
  const declared = Object.keys(document.components.headers)
  return declared.flatMap((name) => {
    const value = headers.get(name)
    if (value === null) return []
    if (!(name in named)) return [`${name} is sent and not in the document`]
    return faultsOf(["components", "headers", name, "schema"], value).map((fault) => `${name}: ${fault}`)
  })
}

const bodyFaults = (
  { status, text }: Received,
  template: string,
  method: string,
  { content }: Documented,
  type: string | undefined,
  body: unknown
): ReadonlyArray<string> => {
  if (content === undefined) return text === "" ? [] : ["a body where there is none"]
  if (text === "" && Object.keys(content).length === 0) return []
  if (type === undefined || !(type in content)) return [`the media type ${type} is not in the document`]
  if (!type.endsWith("json")) return text === "" ? ["an empty body"] : []
  if (body === undefined) return ["a body that is not JSON"]
  return faultsOf(
    ["paths", template, method.toLowerCase(), "responses", String(status), "content", type, "schema"],
    body
  )
}

/** Fails where a response disagrees with the document. */
export const check = (method: string, target: string, received: Received): void => {
  const found = faults(method, target, received)
  if (found.length > 0)
    throw new Error(
      `${method} ${target} ${received.status}: the response is not what openapi.json says:\n${found.join("\n")}\n${received.text.slice(0, 1_000)}`
    )
}

/** What is wrong with a response to bytes of which nobody can say what they request. */
export const faultsOfUnknown = (received: Received, isHead: boolean): ReadonlyArray<string> => {
  const { headers, status } = received
  if (status < 400)
    return /^req_[0-9A-HJKMNP-TV-Z]{26}$/.test(headers.get("request-id") ?? "") ? [] : [`${status}: no request-id`]
  if (isHead) return fieldsOf(status, headers).map((fault) => `${status}: ${fault}`)
  const body = bodyOf(received) as { readonly code?: unknown; readonly status?: unknown } | undefined
  if (typeof body?.code !== "string") return [`${status}: an error that is no problem: ${received.text.slice(0, 200)}`]
  return [
    ...(headers.get("content-type") === problemType ? [] : [`the media type ${headers.get("content-type")}`]),
    ...(body?.status === status ? [] : ["another status in the body"]),
    ...faultsOfProblem(body.code, body),
    ...fieldsOf(status, headers)
  ].map((fault) => `${status}: ${fault}`)
}
