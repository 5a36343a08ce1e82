import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import { Array, Context } from "effect"
import { Api } from "../api/Api.js"
import { streamType } from "../api/EventsGroup.js"
import { Metered } from "../api/Metered.js"
import { Produces } from "../api/Produces.js"

/** The route of the OpenAPI document. */
export const openApi = "/api/v1/openapi.json"

/** The route of the documentation page. */
export const docs = "/api/v1/docs"

/** The route of the page for strangers, to which the root leads. */
export const welcome = "/api/v1/welcome"

/** The route of the Model Context Protocol. */
export const mcp = "/api/v1/mcp"

/** One routed endpoint of the API contract. */
export interface Route {
  readonly method: string
  readonly template: string
  readonly metered: boolean
  readonly produces: ReadonlyArray<string>
  readonly endpoint: HttpApiEndpoint.HttpApiEndpoint.AnyWithProps | undefined
}

/** A path: its template, its endpoints, and its methods. */
export interface Place {
  readonly template: string
  readonly routes: ReadonlyArray<Route>
  readonly allow: ReadonlyArray<string>
}

const declared = (): ReadonlyArray<Route> => {
  const routes: globalThis.Array<Route> = [
    { method: "GET", template: "/", metered: false, produces: ["text/html", "application/json"], endpoint: undefined },
    { method: "GET", template: openApi, metered: false, produces: ["application/json"], endpoint: undefined },
    { method: "GET", template: docs, metered: false, produces: ["text/html"], endpoint: undefined },
    { method: "POST", template: mcp, metered: false, produces: ["application/json"], endpoint: undefined }
  ]
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      routes.push({
        method: endpoint.method,
        template: endpoint.path,
        metered: Context.get(mergedAnnotations, Metered),
        produces: Context.get(mergedAnnotations, Produces),
        endpoint: endpoint as unknown as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
      })
    }
  })
  return routes
}

const places: ReadonlyArray<Place & { readonly segments: ReadonlyArray<string> }> = Object.entries(
  Array.groupBy(declared(), ({ template }) => template)
).map(([template, routes]) => ({
  template,
  segments: template.split("/"),
  routes,
  allow: [
    ...routes.map(({ method }) => method),
    // HEAD must not start metered work, nor open a stream without a reader.
    ...(routes.some(({ metered, method, produces }) => method === "GET" && !metered && !produces.includes(streamType))
      ? ["HEAD"]
      : []),
    "OPTIONS"
  ]
}))

/** The route of a path; undefined for an unknown path. Literal segments win over parameters. */
export const find = (path: string): Place | undefined => {
  const wanted = path.split("/")
  const matching = places.filter(
    ({ segments }) =>
      segments.length === wanted.length &&
      segments.every((segment, index) => (segment.startsWith(":") ? wanted[index] !== "" : segment === wanted[index]))
  )
  return matching.find(({ template }) => !template.includes(":")) ?? matching[0]
}

/** The route of a method at a template; HEAD uses the route of GET. */
export const at = (method: string, template: string): Route | undefined =>
  places
    .find((place) => place.template === template)
    ?.routes.find((route) => route.method === (method === "HEAD" ? "GET" : method))
