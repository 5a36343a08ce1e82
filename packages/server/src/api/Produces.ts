import { Context } from "effect"

/** The annotation of endpoints with other media types than JSON: all their types, the preferred one first. */
export class Produces extends Context.Reference<Produces>()("@assay/server/Produces", {
  defaultValue: (): ReadonlyArray<string> => ["application/json"]
}) {}

/** Documents the types of a successful answer beside JSON, all of which are text. */
export const document = (operation: Record<string, unknown>, types: ReadonlyArray<string>): Record<string, unknown> => {
  const success = (operation.responses as Record<string, { content: Record<string, unknown> }>)["200"]
  for (const type of types)
    if (success && type.startsWith("text/")) success.content[type] = { schema: { type: "string" } }
  return operation
}
