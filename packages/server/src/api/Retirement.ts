import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as OpenApi from "@effect/platform/OpenApi"
import { Context, Option } from "effect"
import * as BasePath from "../BasePath.js"

/**
 * That a route is retired: since which UTC day, from which day on it may be gone, and where it is said what takes its
 * place (a path of this API or a URL). Nothing goes within twelve months: an earlier `until`, or none, stands for those.
 */
export interface Retirement {
  readonly since: string
  readonly until?: string | undefined
  readonly see: string
}

/** The annotation of endpoints that are retired. */
export class Retired extends Context.Reference<Retired>()("@assay/server/Retired", {
  defaultValue: (): Option.Option<Retirement> => Option.none()
}) {}

/** Retires an endpoint. This one place has its answers say so in header fields, and the OpenAPI document too. */
export const retire =
  (retirement: Retirement) =>
  <E extends HttpApiEndpoint.HttpApiEndpoint.Any>(endpoint: E): E =>
    (endpoint as unknown as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps)
      .annotate(Retired, Option.some(retirement))
      .annotate(OpenApi.Deprecated, true) as unknown as E

/**
 * The header fields of the answers of a retired route.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9745
 * @see https://www.rfc-editor.org/rfc/rfc8594
 */
export const headers = ({ see, since, until }: Retirement, basePath: string): Record<string, string> => {
  const from = new Date(`${since}T00:00:00Z`)
  const inTwelveMonths = Date.UTC(from.getUTCFullYear() + 1, from.getUTCMonth(), from.getUTCDate())
  const end = until === undefined ? inTwelveMonths : Math.max(inTwelveMonths, Date.parse(`${until}T00:00:00Z`))
  return {
    deprecation: `@${from.getTime() / 1000}`,
    sunset: new Date(end).toUTCString(),
    link: `<${BasePath.located(basePath, see)}>; rel="deprecation"`
  }
}
