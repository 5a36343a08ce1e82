import type * as Execution from "@assay/core/domain/Execution"
import { Effect } from "effect"
import type { ApiExchange, Unreachable } from "./ApiExchange.js"
import * as Untrusted from "./Untrusted.js"

/**
 * What agents may read by its URI.
 *
 * @since 0.1.0
 * @category constructors
 */
export const templates = [
  {
    uriTemplate: "assay://executions/{execution_id}",
    name: "execution",
    title: "A stored analysis with all its evidence",
    mimeType: "application/json"
  }
]

const rules = {
  uri: "assay://rules",
  name: "rules",
  title: "Every kind of evidence: its claim and severity",
  mimeType: "application/json"
}

/**
 * The registry of rules, and the newest executions of the caller.
 *
 * @since 0.1.0
 * @category combinators
 */
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

/**
 * A resource; null for what is none.
 *
 * @since 0.1.0
 * @category combinators
 */
export const read = (exchange: ApiExchange, uri: string) => {
  const [, execution] = /^assay:\/\/executions\/([\w-]{1,64})$/.exec(uri) ?? []
  const path = uri === rules.uri ? "/evidence-rules" : execution === undefined ? null : `/executions/${execution}`
  return path === null
    ? Effect.succeed(null)
    : Effect.map(exchange({ method: "GET", path }), ({ body, status }) =>
        status >= 300 ? null : { uri, mimeType: "application/json", text: Untrusted.json(body, mostOfText) }
      )
}

const mostOfText = 200_000
