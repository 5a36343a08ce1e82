import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"

/** What a request prefers: for how long it waits for a result, in seconds, and how the response says that this was done. */
export interface Preference {
  readonly waitSeconds: number
  readonly applied: string
}

/**
 * The preference of a request for a response that does not wait for its result; undefined where it has none. What is
 * unknown or malformed in the field is no preference.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7240
 */
export const of = ({ headers }: Pick<HttpServerRequest.HttpServerRequest, "headers">): Preference | undefined => {
  const named = (headers.prefer ?? "").split(",").map((text) => text.split(";", 1)[0]?.trim().toLowerCase() ?? "")
  const wait = named.map((text) => /^wait\s*=\s*"?(\d{1,6})"?$/.exec(text)?.[1]).find((text) => text !== undefined)
  const isAsync = named.includes("respond-async")
  if (wait === undefined) return isAsync ? { waitSeconds: 0, applied: "respond-async" } : undefined
  return { waitSeconds: Number(wait), applied: `${isAsync ? "respond-async, " : ""}wait=${Number(wait)}` }
}
