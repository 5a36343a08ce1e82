import * as Http from "node:http"
import { ServerConfig } from "@assay/server"
import { HttpServerRequest } from "@effect/platform"
import { describe, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { assert } from "vitest"
import * as RequestSource from "../../../src/http/edge/RequestSource.js"
import type * as Network from "../../../src/Network.js"
import * as TestServer from "../../TestServer.js"

type Fields = Readonly<Record<string, string | ReadonlyArray<string>>>

/** What a proxy sends on, given what its client sent; `client` is the address that it sees. */
type Rules = (fields: Http.IncomingHttpHeaders, client: string) => Fields

const appended = (given: string | undefined, own: string) => (given === undefined ? own : `${given}, ${own}`)

const proxies: Readonly<Record<string, { readonly header: Network.ProxyHeader; readonly rules: Rules }>> = {
  "that appends to X-Forwarded-For and knows no Forwarded": {
    header: "x-forwarded-for",
    rules: (fields, client) => ({ "x-forwarded-for": appended(fields["x-forwarded-for"] as string, client) })
  },
  "that adds a line of X-Forwarded-For": {
    header: "x-forwarded-for",
    rules: (fields, client) => ({ "x-forwarded-for": [fields["x-forwarded-for"] as string, client] })
  },
  "that appends to Forwarded, with the Host of its client in quotes": {
    header: "forwarded",
    rules: (fields, client) => ({
      forwarded: appended(fields.forwarded, `for="${client}:80";host="${fields["x-host"]}";proto=http`)
    })
  },
  "that adds a line of Forwarded": {
    header: "forwarded",
    rules: (fields, client) => ({ forwarded: [fields.forwarded as string, `for=${client}`] })
  }
}

/** A small proxy on a port of its own; its clients all have one address. */
const proxy = (origin: string, client: string, rules: Rules) =>
  Effect.acquireRelease(
    Effect.async<Http.Server>((resume) => {
      const server = Http.createServer((request, response) => {
        const headers = { ...request.headers, ...rules(request.headers, client) } as Http.OutgoingHttpHeaders
        const onward = Http.request(`${origin}${request.url}`, { method: request.method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(response)
        })
        onward.on("error", () => response.destroy())
        request.pipe(onward)
      }).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

const createKey = (port: number, fields: Fields) =>
  Effect.async<number>((resume) => {
    const headers = { "content-type": "application/json", connection: "close", ...fields } as Http.OutgoingHttpHeaders
    const url = `http://127.0.0.1:${port}/api/v1/keys`
    Http.request(url, { method: "POST", headers }, (answer) => {
      answer.resume().on("end", () => resume(Effect.succeed(answer.statusCode ?? 0)))
    }).end(JSON.stringify({ label: "a" }))
  })

describe("RequestSource", () => {
  for (const [title, { header, rules }] of Object.entries(proxies))
    layer(TestServer.layer({ perSource: true, trustedProxies: ["127.0.0.1"], proxyHeader: header }))((it) => {
      it.scoped(`one client makes five keys behind a proxy ${title}, whatever it sends itself`, () =>
        Effect.gen(function* () {
          const server = yield* proxy(yield* TestServer.base, "203.0.113.9", rules)
          const { port } = server.address() as { readonly port: number }
          const statuses = []
          for (let index = 1; index <= 8; index++)
            statuses.push(
              yield* createKey(port, {
                "x-forwarded-for": [`198.51.100.${index}`, `198.51.100.${index}`],
                forwarded: [`for=198.51.100.${index}`, `for="[2001:db8:${index}::1]:80`],
                "x-host": `a, for=198.51.100.${index};x=`,
                "x-real-ip": `198.51.100.${index}`,
                "x-client-ip": `198.51.100.${index}`,
                "true-client-ip": `198.51.100.${index}`,
                "cf-connecting-ip": `198.51.100.${index}`,
                "x-forwarded-host": `host-${index}.example`
              })
            )
          assert.deepStrictEqual(statuses, [201, 201, 201, 201, 201, 429, 429, 429])
          // Another client behind the same proxy is counted apart.
          const other = yield* proxy(yield* TestServer.base, "203.0.113.10", rules)
          assert.strictEqual(
            yield* createKey((other.address() as { readonly port: number }).port, {
              "x-forwarded-for": "203.0.113.9",
              forwarded: "for=203.0.113.9"
            }),
            201
          )
        })
      )
    })

  const settings = Layer.succeed(ServerConfig.ServerConfig, { ...TestServer.config, perSource: true })
  layer(Layer.provide(RequestSource.layer, settings))((it) => {
    it.effect("those who hung up before they were counted are one source", () =>
      Effect.gen(function* () {
        const { of } = yield* RequestSource.RequestSource
        const request = HttpServerRequest.fromWeb(new Request("http://localhost/"))
        assert.isTrue(Option.isNone(request.remoteAddress))
        assert.isTrue(Option.isSome(of(request)))
        assert.deepStrictEqual(of(request), of(request.modify({ url: "/other" })))
      })
    )
  })
})
