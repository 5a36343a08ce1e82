import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { Array, Context, Option } from "effect"
import { Api } from "../api/Api.js"
import { streamType } from "../api/EventsGroup.js"
import { Metered } from "../api/Metered.js"
import { Produces } from "../api/Produces.js"
import { Retired, type Retirement } from "../api/Retirement.js"

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
  readonly retired: Option.Option<Retirement>
  readonly endpoint: HttpApiEndpoint.HttpApiEndpoint.AnyWithProps | undefined
}

/** A path: its template, its endpoints, and its methods. */
export interface Place {
  readonly template: string
  readonly routes: ReadonlyArray<Route>
  readonly allow: ReadonlyArray<string>
}

/** The routes of an API. */
export interface Table {
  /** The route of a path; undefined for an unknown path. Literal segments win over parameters. */
  readonly find: (path: string) => Place | undefined
  /** The route of a method at a template; HEAD uses the route of GET. */
  readonly at: (method: string, template: string) => Route | undefined
}

const undeclared = (method: string, template: string, ...produces: ReadonlyArray<string>): Route => ({
  method,
  template,
  metered: false,
  produces,
  retired: Option.none(),
  endpoint: undefined
})

const declared = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): ReadonlyArray<Route> => {
  const routes: globalThis.Array<Route> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      routes.push({
        method: endpoint.method,
        template: endpoint.path,
        metered: Context.get(mergedAnnotations, Metered),
        produces: Context.get(mergedAnnotations, Produces),
        retired: Context.get(mergedAnnotations, Retired),
        endpoint: endpoint as unknown as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
      })
    }
  })
  return routes
}

/** The routes of an API, and those that no API declares. */
export const make = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  others: ReadonlyArray<Route> = []
): Table => {
  const places: ReadonlyArray<Place & { readonly segments: ReadonlyArray<string> }> = Object.entries(
    Array.groupBy([...others, ...declared(api)], ({ template }) => template)
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
  return {
    find: (path) => {
      const wanted = path.split("/")
      const matching = places.filter(
        ({ segments }) =>
          segments.length === wanted.length &&
          segments.every((segment, index) =>
            segment.startsWith(":") ? wanted[index] !== "" : segment === wanted[index]
          )
      )
      return matching.find(({ template }) => !template.includes(":")) ?? matching[0]
    },
    at: (method, template) =>
      places
        .find((place) => place.template === template)
        ?.routes.find((route) => route.method === (method === "HEAD" ? "GET" : method))
  }
}

/** The routes of this server. */
export const table: Table = make(Api, [
  undeclared("GET", "/", "text/html", "application/json"),
  undeclared("GET", openApi, "application/json"),
  undeclared("GET", docs, "text/html"),
  undeclared("POST", mcp, "application/json")
])

export const { at, find } = table
