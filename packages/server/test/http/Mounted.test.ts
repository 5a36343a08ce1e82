import { Address } from "@assay/core"
import { ScriptedAnalyzer } from "@assay/core/testing"
import { Client, OutboundProxies, Server, ServerConfig } from "@assay/server"
import { FetchHttpClient } from "@effect/platform"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Either, Exit, Fiber, Logger, Redacted, Scope } from "effect"
import { EventReader } from "../EventReader.js"
import * as Mounted from "../Mounted.js"
import * as TestServer from "../TestServer.js"

const { createKey, listening, requestOf, services, tellChange, toOrigin, toWeb } = Mounted
const { works } = TestServer.target

const post = (body: unknown, key?: string) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: typeof body === "string" ? body : JSON.stringify(body),
  key
})

/** A handler with a scope of its own, which a test closes. */
const closable = <A, E, R>(make: Effect.Effect<A, E, R | Scope.Scope>) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const handler = yield* Effect.provideService(make, Scope.Scope, scope)
    return { handler, close: Scope.close(scope, Exit.void) }
  })

/** All that leaves a service that is served below /risk, as a client gets it over `send`. */
const isBelowRisk = (send: Mounted.Send) =>
  Effect.gen(function* () {
    const { created, key, id } = yield* createKey(send, "/risk")
    assert.strictEqual(created.status, 201, created.text)
    const location = created.headers.get("location") ?? ""
    assert.strictEqual(location, "/risk/api/v1/keys/self")
    assert.strictEqual((yield* send(location, { key })).json.label, "test")

    // A problem: its type is documented where it says.
    const refused = yield* send("/risk/api/v1/keys", post({ label: 7 }))
    assert.strictEqual(refused.status, 422, refused.text)
    assert.strictEqual(refused.json.type, "/risk/api/v1/problems/validation-failed")
    assert.strictEqual((yield* send(refused.json.type)).json.type, refused.json.type)
    assert.strictEqual((yield* send("/risk/api/v1/nothing")).json.type, "/risk/api/v1/problems/not-found")
    for (const { type } of (yield* send("/risk/api/v1/problems")).json.data) assert.match(type, /^\/risk\/api\/v1\//)

    // A report says where it is.
    const report = yield* send(`/risk/api/v1/token/${works}?view=report`, { key })
    assert.strictEqual(report.status, 200, report.text)
    const kept = yield* send(report.headers.get("content-location") ?? "", { key })
    assert.deepStrictEqual(kept.json, report.json)
    assert.match(report.headers.get("ratelimit") ?? "", /"daily";r=49/)

    // Resources that are made.
    const watch = yield* send("/risk/api/v1/watches", post({ target: "token", address: works }, key))
    assert.strictEqual((yield* send(watch.headers.get("location") ?? "", { key })).json.id, watch.json.id)
    // No body is no body, whatever the client says of its type.
    const run = yield* send(`${watch.headers.get("location")}/pause`, { method: "POST", key })
    assert.strictEqual(run.status, 200, run.text)

    // Events, as they are read and as they come.
    yield* tellChange(id)
    const changes = `/risk/api/v1/executions/${TestServer.executionId}/changes`
    const events = yield* send("/risk/api/v1/events", { key })
    assert.strictEqual(events.json.data[0].data.changes_url, changes)

    // The document, the page that shows it, and the page of a stranger.
    const { json: document } = yield* send("/risk/api/v1/openapi.json")
    assert.deepStrictEqual(
      document.servers.map(({ url }: { url: string }) => url),
      ["/risk"]
    )
    assert.property(document.paths, "/api/v1/keys")
    const problem = document.components.schemas.NotFoundProblem.properties.type
    assert.deepStrictEqual(problem.enum, ["/risk/api/v1/problems/not-found"])
    assert.isNull(/(?<!\/risk)\/api\/v1/.exec(JSON.stringify({ ...document, paths: Object.values(document.paths) })))
    const page = yield* send("/risk/api/v1/docs")
    assert.deepStrictEqual(
      JSON.parse(/<script id="swagger-spec"[^>]*>([^<]*)</.exec(page.text)?.[1] ?? "null").servers,
      document.servers
    )
    const root = yield* send("/risk")
    assert.deepStrictEqual([root.status, root.headers.get("location")], [303, "/risk/api/v1/welcome"])
    const welcome = (yield* send("/risk/api/v1/welcome")).text
    assert.isNull(/(?<!\/risk)\/api\/v1/.exec(welcome), welcome)

    // An agent.
    const called = yield* send("/risk/api/v1/mcp", {
      ...post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_watch", arguments: {} } }, key),
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" }
    })
    assert.include(called.text, "/risk/api/v1/problems/validation-failed")
    const missing = yield* send("/risk/api/v1/mcp", {
      ...post(
        {
          jsonrpc: "2.0",
          id: 2,
          method: "tools/call",
          params: { name: "get_execution", arguments: { execution_id: TestServer.executionId } }
        },
        key
      ),
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" }
    })
    assert.include(missing.text, "/risk/api/v1/problems/not-found")

    // What is beside it is not ours, and whoever mounted it elsewhere learns where it is.
    for (const path of ["/api/v1/limits", "/riskier/api/v1/limits", "/risk/risk/api/v1/limits"]) {
      const beside = yield* send(path)
      assert.strictEqual(beside.status, 404, path)
      assert.include(beside.json.detail, "below /risk", path)
    }
  })

describe("a service inside another program", () => {
  layer(services({ basePath: "/risk/" }))("below /risk", (it) => {
    it.scoped("as a web-standard handler follows its prefix in everything that leaves it", () =>
      Effect.flatMap(Server.webHandler(), (handler) => isBelowRisk(toWeb(handler)))
    )

    it.scoped("as a handler of Node follows it alike", () =>
      Effect.flatMap(Server.nodeHandler(), (handler) =>
        Effect.flatMap(listening(handler), (origin) => isBelowRisk(toOrigin(origin)))
      )
    )

    it.scoped("finds its routes where a framework has taken the prefix from the URL", () =>
      Effect.gen(function* () {
        const handler = yield* Server.nodeHandler()
        const origin = yield* listening((request, response) => {
          // As Express and Connect do.
          Object.assign(request, { originalUrl: request.url })
          request.url = request.url?.slice("/risk".length) || "/"
          handler(request, response)
        })
        const { key } = yield* createKey(toOrigin(origin), "/risk")
        assert.strictEqual((yield* toOrigin(origin)("/risk/api/v1/usage", { key })).status, 200)
      })
    )

    it.scoped("is reached by the client that has its prefix in the URL", () =>
      Effect.gen(function* () {
        const origin = yield* listening(yield* Server.nodeHandler())
        const strange = yield* Client.make({ baseUrl: `${origin}/risk` })
        const { key } = yield* strange.keys.create({ payload: { label: "client" } })
        for (const baseUrl of [`${origin}/risk`, `${origin}/risk/`, new URL(`${origin}/risk`)]) {
          const client = yield* Client.make({ baseUrl, key: Redacted.make(key) })
          const address = Either.getOrThrow(Address.parse(works))
          const found = yield* client.analyses.token({ path: { address }, urlParams: { view: "report" } })
          assert.strictEqual(found.address, address)
          const refused = yield* Effect.flip(
            client.executions.get({ path: { execution_id: TestServer.executionId }, urlParams: {} })
          )
          assert.deepInclude(refused, { code: "not_found", type: "/risk/api/v1/problems/not-found" })
        }
      }).pipe(Effect.provide(FetchHttpClient.layer))
    )

    it.scoped("reads the events of a stream with its prefix", () =>
      Effect.gen(function* () {
        const origin = yield* listening(yield* Server.nodeHandler())
        const { key, id } = yield* createKey(toOrigin(origin), "/risk")
        const { next_after } = (yield* toOrigin(origin)("/risk/api/v1/events", { key })).json
        yield* tellChange(id)
        const reader = yield* Effect.acquireRelease(
          Effect.promise(() =>
            EventReader.open(`${origin}/risk/api/v1/events/stream?after=${next_after}`, {
              authorization: `Bearer ${key}`
            })
          ),
          (open) => Effect.sync(() => open.close())
        )
        const message = yield* Effect.promise(() => reader.next())
        assert.include(message?.data, `"changes_url":"/risk/api/v1/executions/`)
      })
    )
  })

  layer(services())("at the root", (it) => {
    it.scoped("sends what a process of its own sends", () =>
      Effect.gen(function* () {
        const send = toWeb(yield* Server.webHandler())
        const { created } = yield* createKey(send, "")
        assert.strictEqual(created.headers.get("location"), "/api/v1/keys/self")
        assert.strictEqual((yield* send("/nothing")).json.type, "/api/v1/problems/not-found")
      })
    )

    it.scoped("reads a body without a length, and refuses one that is too large", () =>
      Effect.gen(function* () {
        const handler = yield* Server.webHandler()
        const streamed = (chunks: number) =>
          Effect.promise(() => {
            const body = new ReadableStream({
              start: (controller) => {
                controller.enqueue(new TextEncoder().encode('{"label":"'))
                for (let index = 0; index < chunks; index++) controller.enqueue(new Uint8Array(1_000).fill(0x61))
                controller.enqueue(new TextEncoder().encode('"}'))
                controller.close()
              }
            })
            return handler(
              new Request("http://app.example/api/v1/keys", {
                method: "POST",
                headers: { "content-type": "application/json" },
                body,
                duplex: "half"
              } as RequestInit)
            )
          })
        assert.strictEqual((yield* streamed(0)).status, 422)
        assert.strictEqual((yield* streamed(70)).status, 413)
        assert.strictEqual((yield* streamed(1_100)).status, 413)
      })
    )

    it.scoped("says that the body was read by a parser before it, and does not wait for it", () =>
      Effect.gen(function* () {
        const [web, node] = [yield* Server.webHandler(), yield* Server.nodeHandler()]
        const used = requestOf("http://app.example/api/v1/keys", post({ label: "a" }))
        yield* Effect.promise(() => used.text())
        const ofWeb = yield* Effect.promise(() => web(used))
        const origin = yield* listening((request, response) => {
          request.on("data", () => {}).on("end", () => node(request, response))
        })
        const ofNode = yield* toOrigin(origin)("/api/v1/keys", post({ label: "a" }))
        for (const { json, status } of [
          { json: yield* Effect.promise(() => ofWeb.json()), status: ofWeb.status },
          ofNode
        ]) {
          assert.strictEqual(status, 500)
          assert.strictEqual(json.code, "misconfigured")
          assert.strictEqual(json.retryable, false)
          assert.include(json.detail, "mount the handler before what parses bodies")
        }
      }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
    )

    it.scoped("refuses two Host or Authorization fields of a message of Node; joined they name no key", () =>
      Effect.gen(function* () {
        const [web, node] = [yield* Server.webHandler(), yield* Server.nodeHandler()]
        const { key } = yield* createKey(toWeb(web), "")
        const twice = new Request("http://app.example/api/v1/usage", { headers: { authorization: `Bearer ${key}` } })
        twice.headers.append("authorization", `Bearer ${key}`)
        assert.strictEqual((yield* Effect.promise(() => web(twice))).status, 401)
        const origin = yield* listening(node)
        const { request } = yield* Effect.promise(() => import("node:http"))
        const status = yield* Effect.async<number | undefined>((resume) => {
          const sent = request(`${origin}/api/v1/usage`, (response) => {
            response.resume()
            resume(Effect.succeed(response.statusCode))
          })
          sent.setHeader("authorization", [`Bearer ${key}`, `Bearer ${key}`])
          sent.end()
        })
        assert.strictEqual(status, 400)
      })
    )
  })

  describe("the source of a request", () => {
    const create = (send: Mounted.Send, from: string) =>
      Effect.map(
        send("/api/v1/keys", {
          ...post({ label: "a" }),
          headers: { "content-type": "application/json", "x-client": from }
        }),
        ({ status }) => status
      )

    it.scoped("is the same for all web requests where nobody says it, so no limit is passed by it", () =>
      Effect.gen(function* () {
        const send = toWeb(yield* Server.webHandler())
        assert.strictEqual(yield* create(send, "203.0.113.1"), 201)
        assert.strictEqual(yield* create(send, "203.0.113.2"), 429)
      }).pipe(Effect.provide(services({ limits: { keysPerSourceHour: 1 } })))
    )

    it.scoped("is what the program says it is, in each handler", () =>
      Effect.gen(function* () {
        const web = toWeb(
          yield* Server.webHandler({ sourceOf: (request) => request.headers.get("x-client") ?? undefined })
        )
        const node = toOrigin(
          yield* listening(
            yield* Server.nodeHandler({ sourceOf: (request) => request.headers["x-client"] as string | undefined })
          )
        )
        assert.strictEqual(yield* create(web, "203.0.113.1"), 201)
        assert.strictEqual(yield* create(node, "203.0.113.1"), 429)
        assert.strictEqual(yield* create(node, "203.0.113.2"), 201)
        assert.strictEqual(yield* create(web, "203.0.113.2"), 429)
        assert.strictEqual(yield* create(web, "2001:db8::1"), 201)
        assert.strictEqual(yield* create(web, "2001:db8::2"), 429)
      }).pipe(Effect.provide(services({ limits: { keysPerSourceHour: 1 } })))
    )

    it.scoped("is the socket of a message of Node", () =>
      Effect.gen(function* () {
        const send = toOrigin(yield* listening(yield* Server.nodeHandler()))
        assert.strictEqual(yield* create(send, "203.0.113.1"), 201)
        assert.strictEqual(yield* create(send, "203.0.113.2"), 429)
      }).pipe(Effect.provide(services({ limits: { keysPerSourceHour: 1 } })))
    )
  })

  describe("when it is closed", () => {
    it.scopedLive("ends streams and long waits, and refuses what comes after, in both handlers", () =>
      Effect.gen(function* () {
        const [web, node] = [yield* closable(Server.webHandler()), yield* closable(Server.nodeHandler())]
        const origin = yield* listening(node.handler)
        for (const { close, fetched, send } of [
          { close: web.close, fetched: web.handler, send: toWeb(web.handler) },
          { close: node.close, fetched: (request: Request) => fetch(request), send: toOrigin(origin) }
        ]) {
          const { key } = yield* createKey(send, "")
          const url = `${origin}/api/v1/events/stream`
          const stream = yield* Effect.promise(() => fetched(requestOf(url, { key })))
          assert.strictEqual(stream.status, 200)
          const reading = yield* Effect.fork(Effect.promise(() => stream.text()))
          const waiting = yield* Effect.fork(send("/api/v1/events?wait=30", { key }))
          yield* Effect.sleep("50 millis")
          yield* close
          assert.match(yield* Fiber.join(reading), /^:\n\n/)
          assert.strictEqual((yield* Fiber.join(waiting)).status, 200)
          const late = yield* send("/api/v1/limits")
          assert.deepStrictEqual([late.status, late.json.code], [503, "draining"])
          assert.strictEqual(late.headers.get("request-id"), late.json.request_id)
        }
      }).pipe(Effect.provide(services()))
    )

    it.scopedLive("gives what is in flight its time, and then an answer", () =>
      Effect.gen(function* () {
        const [web, node] = [yield* closable(Server.webHandler()), yield* closable(Server.nodeHandler())]
        const origin = yield* listening(node.handler)
        for (const { close, send } of [
          { close: web.close, send: toWeb(web.handler) },
          { close: node.close, send: toOrigin(origin) }
        ]) {
          const { key } = yield* createKey(send, "")
          const endless = yield* Effect.fork(send(`/api/v1/token/${works}`, { key }))
          yield* Effect.repeat(send("/api/v1/executions", { key }), { until: ({ json }) => json.data.length === 1 })
          yield* close
          const answer = yield* Fiber.join(endless)
          assert.deepStrictEqual([answer.status, answer.json.code], [503, "draining"])
        }
      }).pipe(
        Effect.provide(
          services(
            { graceSeconds: 0 },
            ScriptedAnalyzer.layer(() => Effect.never)
          )
        )
      )
    )
  })
})

describe("ServerConfig.make", () => {
  const refusal = (options: Partial<ServerConfig.Options>) =>
    Effect.map(
      Effect.either(ServerConfig.make({ chains: [TestServer.chain], ...options })),
      Either.match({ onLeft: ({ message }) => message, onRight: () => "" })
    )

  it.effect("has the defaults of the settings but for memory and all hosts", () =>
    Effect.gen(function* () {
      const made = yield* ServerConfig.make({ chains: [TestServer.chain] })
      assert.deepStrictEqual(made.limits, TestServer.config.limits)
      assert.deepStrictEqual(made.webhookUrls, TestServer.config.webhookUrls)
      assert.deepStrictEqual(made.scheduling, { ...TestServer.config.scheduling, state: "on" })
      assert.deepStrictEqual([made.database._tag, made.defaultChain, made.perSource], ["Memory", 31_337, true])
      assert.strictEqual(made.proxies, OutboundProxies.none)
    })
  )

  it.effect("names the option that is invalid", () =>
    Effect.gen(function* () {
      for (const path of ["risk", "//risk", "/risk?a", "/ris k", "https://app.example/risk"])
        assert.strictEqual(
          yield* refusal({ basePath: path }),
          `basePath: expected a path such as /risk, got ${JSON.stringify(path)}.`
        )
      for (const path of ["", "/", "/risk", "/risk/", "/a/b"])
        assert.strictEqual(yield* refusal({ basePath: path }), "")
      assert.strictEqual(yield* refusal({ defaultChain: 7 }), "defaultChain: expected one of 31337.")
      assert.match(yield* refusal({ trustedProxies: ["a.example"] }), /^trustedProxies: expected /)
    })
  )
})
