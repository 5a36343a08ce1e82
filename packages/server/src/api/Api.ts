import { HttpApi, OpenApi } from "@effect/platform"
import { AnalysesGroup } from "./AnalysesGroup.js"
import { EventsGroup } from "./EventsGroup.js"
import { ExecutionsGroup } from "./ExecutionsGroup.js"
import { KeysGroup } from "./KeysGroup.js"
import { MetaGroup } from "./MetaGroup.js"
import * as Problem from "./Problem.js"
import { UsageGroup } from "./UsageGroup.js"
import { WatchesGroup } from "./WatchesGroup.js"
import { WebhooksGroup } from "./WebhooksGroup.js"

type Operation = {
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Reference }> }
  readonly responses: Record<string, { content?: Record<string, { readonly schema: Reference }> }>
}
type Reference = { $ref?: string; anyOf?: Array<Reference>; additionalProperties?: unknown }

// Not derivable from the schemas: problems have their own media type and replace the framework's decode error, only
// requests with a body can have an invalid body, and only requests are closed: responses may gain members.
const refine = (document: Record<string, unknown>): Record<string, unknown> => {
  const schemas = (document.components as { schemas: Record<string, Reference> }).schemas
  const operations = Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap(Object.values)
  const requests = new Set<string>()
  for (const operation of operations as Array<Operation>) {
    for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
      if (schema.$ref) requests.add(schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1))
    if (!operation.requestBody) for (const status of ["413", "415"]) delete operation.responses[status]
    for (const [status, response] of Object.entries(operation.responses)) {
      const json = response.content?.["application/json"]
      if (Number(status) < 400 || !json || json.schema.$ref?.endsWith("/Unready")) continue
      const members = (json.schema.anyOf ?? [json.schema]).filter(({ $ref }) => !$ref?.endsWith("/HttpApiDecodeError"))
      const [only] = members
      response.content = {
        [Problem.contentType]: { schema: only && members.length === 1 ? only : { anyOf: members } }
      }
    }
  }
  for (const unsent of ["HttpApiDecodeError", "Issue", "PropertyKey"]) delete schemas[unsent]
  for (const [name, schema] of Object.entries(schemas)) if (!requests.has(name)) open(schema)
  for (const { responses } of operations as Array<Operation>) open(responses)
  return document
}

const open = (schema: unknown): void => {
  if (typeof schema !== "object" || schema === null) return
  if ("additionalProperties" in schema && schema.additionalProperties === false) delete schema.additionalProperties
  for (const part of Object.values(schema)) open(part)
}

/**
 * The HTTP API contract, version 1. The OpenAPI document and the typed client derive from it.
 *
 * @since 0.1.0
 * @category models
 */
export class Api extends HttpApi.make("assay")
  .add(KeysGroup)
  .add(AnalysesGroup)
  .add(ExecutionsGroup)
  .add(WatchesGroup)
  .add(EventsGroup)
  .add(WebhooksGroup)
  .add(UsageGroup)
  .add(MetaGroup)
  .addError(Problem.schema("internal_error"))
  .prefix("/api/v1")
  .annotate(OpenApi.Title, "Assay")
  .annotate(OpenApi.Version, "1")
  .annotate(
    OpenApi.Description,
    "Analyses of tokens, wallets and contracts on EVM chains: evidence, risk, sources and changes; watches that repeat them, and events that report changes. Errors are problem details (RFC 9457)."
  )
  .annotate(OpenApi.Transform, refine) {}
