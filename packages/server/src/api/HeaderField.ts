import { OpenApi } from "@effect/platform"

/**
 * Documents a header field that an endpoint understands and does not require. It is no part of the typed client, whose
 * calls would all have to name it.
 *
 * @since 0.1.0
 * @category constructors
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
