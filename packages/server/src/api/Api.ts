import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { AnalysesGroup } from "./AnalysesGroup.js"
import * as ApiDocument from "./ApiDocument.js"
import { EventsGroup } from "./EventsGroup.js"
import { ExecutionsGroup } from "./ExecutionsGroup.js"
import { KeysGroup } from "./KeysGroup.js"
import { MetaGroup } from "./MetaGroup.js"
import * as Problem from "./Problem.js"
import { UsageGroup } from "./UsageGroup.js"
import { WatchesGroup } from "./WatchesGroup.js"
import { WebhooksGroup } from "./WebhooksGroup.js"

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
  .addError(Problem.schema("method_not_allowed"))
  .addError(Problem.schema("uri_too_long"))
  .addError(Problem.schema("misdirected_request"))
  .addError(Problem.schema("headers_too_large"))
  .addError(Problem.schema("internal_error"))
  .addError(Problem.schema("misconfigured"))
  .addError(Problem.schema("draining"))
  .prefix("/api/v1")
  .annotate(OpenApi.Title, "Assay")
  .annotate(OpenApi.Version, "1")
  .annotate(
    OpenApi.Description,
    "Analyses of tokens, wallets and contracts on EVM chains: evidence, risk, sources and changes; watches that repeat them, and events that report changes. Errors are problem details (RFC 9457)."
  )
  .annotate(OpenApi.License, { name: "MIT", url: "https://opensource.org/license/mit" })
  // Paths begin with /api/v1, and every deployment has its own host.
  .annotate(OpenApi.Servers, [{ url: "/", description: "The host that serves this document" }])
  .annotate(OpenApi.Transform, ApiDocument.refine) {}
