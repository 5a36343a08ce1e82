import type * as Execution from "@assay/core/domain/Execution"
import { Effect } from "effect"
import type { ApiExchange, Unreachable } from "./ApiExchange.js"
import * as Untrusted from "./Untrusted.js"

/** What agents may read by its URI. */
export const templates = [
  {
    uriTemplate: "assay://executions/{execution_id}",
    name: "execution",
    title: "A stored analysis with all its evidence",
    mimeType: "application/json"
  },
  {
    uriTemplate: "assay://executions/{execution_id}/evidence/{evidence_id}",
    name: "evidence",
    title: "One finding of it, with the whole JSON-RPC call that checks it",
    mimeType: "application/json"
  }
]

/** The URI of one item of evidence. */
export const evidence = (executionId: string, evidenceId: string): string =>
  `assay://executions/${executionId}/evidence/${encodeURIComponent(evidenceId)}`

const rules = {
  uri: "assay://rules",
  name: "rules",
  title: "Every kind of evidence: its claim and severity",
  mimeType: "application/json"
}

/** The registry of rules, and the newest executions of the caller. */
export const list = (exchange: ApiExchange): Effect.Effect<ReadonlyArray<typeof rules>, Unreachable> =>
  Effect.map(exchange({ method: "GET", path: "/executions", query: { limit: "20" } }), ({ body }) => [
    rules,
    ...((body as { readonly data?: ReadonlyArray<Execution.ExecutionStub> } | null)?.data ?? []).map((stub) => ({
      uri: `assay://executions/${stub.execution_id}`,
      name: stub.execution_id,
      title: `${stub.target} ${stub.address}, ${stub.status}`,
      mimeType: "application/json"
    }))
  ])

/** A resource; null for what is none. */
export const read = (exchange: ApiExchange, uri: string) => {
  // What is percent-encoded in the URI stays so in the path.
  const [path = null] =
    uri === rules.uri
      ? ["/evidence-rules"]
      : (/(?<=^assay:\/)\/executions\/[\w-]{1,64}(?:\/evidence\/[\w.:%!~*'()-]{1,900})?$/.exec(uri) ?? [])
  return path === null
    ? Effect.succeed(null)
    : Effect.map(exchange({ method: "GET", path }), ({ body, status }) =>
        status >= 300 ? null : { uri, mimeType: "application/json", text: Untrusted.json(body, mostOfText) }
      )
}

const mostOfText = 200_000
