import { Front, NodeServer, ServerConfig } from "@assay/server"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { assert } from "vitest"
import * as ApiDocument from "../../src/api/ApiDocument.js"
import { retire } from "../../src/api/Retirement.js"
import * as Edge from "../../src/http/edge/Edge.js"
import { Replay } from "../../src/http/edge/Replay.js"
import { RequestSource } from "../../src/http/edge/RequestSource.js"
import * as Routes from "../../src/http/Routes.js"
import * as TestServer from "../TestServer.js"

const see = "/api/v1/docs"
const endpoint = <const Name extends string>(name: Name) =>
  HttpApiEndpoint.get(name, `/${name}`).addSuccess(Schema.String)

/** Nothing of the server's own API is retired, so this one stands for it. */
const api = HttpApi.make("own")
  .add(
    HttpApiGroup.make("things")
      .add(endpoint("current"))
      .add(retire({ since: "2026-11-21", until: "2027-01-01", see })(endpoint("soon")))
      .add(retire({ since: "2026-11-21", until: "2029-01-01", see })(endpoint("later")))
  )
  .annotate(OpenApi.Transform, ApiDocument.refine)

const things = HttpApiBuilder.group(api, "things", (handlers) =>
  handlers
    .handle("current", () => Effect.succeed("here"))
    .handle("soon", () => Effect.succeed("here"))
    .handle("later", () => Effect.succeed("here"))
)

const layer = HttpApiBuilder.serve().pipe(
  Layer.provide(Edge.layerOf(Routes.make(api))),
  Layer.provide(Layer.provide(HttpApiBuilder.api(api), things)),
  Layer.provide([
    Layer.succeed(ServerConfig.ServerConfig, { ...TestServer.config, basePath: "/risk" }),
    Layer.succeed(Replay, { holds: () => Effect.void, keep: () => Effect.void }),
    Layer.succeed(RequestSource, { of: () => Option.none(), address: () => Option.none() })
  ]),
  Layer.provideMerge(
    NodeHttpServer.layer(
      () =>
        NodeServer.make({
          graceMillis: 1_000,
          front: Front.Front.defaultValue(),
          requestId: () => "req_01JD0000000000000000000000"
        }),
      { port: 0, host: "127.0.0.1" }
    )
  )
)

const fields = ["deprecation", "sunset", "link"]

describe("a retired route", () => {
  it.scoped(
    "says in each answer since when it is retired, until when it stays, twelve months at least, and where to look",
    () =>
      Effect.gen(function* () {
        const of = (path: string) =>
          Effect.map(TestServer.send(`/risk/${path}`), ({ headers, status }) => [
            status,
            ...fields.map((field) => headers.get(field))
          ])
        const link = '</risk/api/v1/docs>; rel="deprecation"'
        assert.deepStrictEqual(yield* of("soon"), [200, "@1795219200", "Sun, 21 Nov 2027 00:00:00 GMT", link])
        assert.deepStrictEqual(yield* of("soon?unknown"), [200, "@1795219200", "Sun, 21 Nov 2027 00:00:00 GMT", link])
        assert.deepStrictEqual(yield* of("later"), [200, "@1795219200", "Mon, 01 Jan 2029 00:00:00 GMT", link])
        assert.deepStrictEqual(yield* of("current"), [200, null, null, null])
      }).pipe(Effect.provide(layer))
  )

  it("is deprecated in the document, with the fields of its answers", () => {
    const { components, paths } = JSON.parse(JSON.stringify(OpenApi.fromApi(api)))
    const named = ({ responses }: { readonly responses: Record<string, { readonly headers: object }> }) =>
      Object.values(responses).map(({ headers }) => Object.keys(headers).filter((name) => name in retired))
    const retired = { Deprecation: 0, Sunset: 0, Link: 0 }
    for (const path of ["/soon", "/later"]) {
      assert.isTrue(paths[path].get.deprecated)
      for (const names of named(paths[path].get)) assert.deepStrictEqual(names, Object.keys(retired))
    }
    assert.notProperty(paths["/current"].get, "deprecated")
    for (const names of named(paths["/current"].get)) assert.deepStrictEqual(names, [])
    assert.containsAllKeys(components.headers, retired)
  })
})
