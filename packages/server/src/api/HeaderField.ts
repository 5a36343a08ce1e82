import * as OpenApi from "@effect/platform/OpenApi"

/**
 * Documents an optional header field of an endpoint. It is not part of the typed client, where every call would have to
 * set it.
 */
export const optional = (name: string, description: string) =>
  [
    OpenApi.Transform,
    (operation: Record<string, unknown>): Record<string, unknown> => ({
      ...operation,
      parameters: [
        ...((operation.parameters as ReadonlyArray<unknown> | undefined) ?? []),
        { name, in: "header", required: false, schema: { type: "string" }, description }
      ]
    })
  ] as const

/** Documents the `Prefer` field of an endpoint that starts an execution. */
export const prefer = optional(
  "Prefer",
  "`wait=N`: the response is 202 with the running execution if there is no result within N seconds. `respond-async`: at once (RFC 7240)"
)

/** Documents the `Idempotency-Key` of an endpoint. */
export const idempotencyKey = optional(
  "Idempotency-Key",
  "A name that the client gives this request, 1 to 255 printable ASCII characters: repeat the request with it after a lost answer"
)
