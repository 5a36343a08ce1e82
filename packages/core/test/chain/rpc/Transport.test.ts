import { createServer } from "node:http"
import { FetchHttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber, Layer, TestClock, Tracer } from "effect"
import * as Transport from "../../../src/chain/rpc/Transport.js"
import { fakeNode, standard } from "../FakeNode.js"

const layer = (options: Transport.TransportOptions = {}) =>
  Transport.layerHttpClient(options).pipe(Layer.provide(FetchHttpClient.layer))

const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] })

const post = (url: string) => Effect.flatMap(Transport.Transport, (transport) => transport.post(url, body))

const reason = Effect.map(
  Either.match({ onLeft: ({ reason }: Transport.TransportError) => reason, onRight: () => "answered" })
)

describe("Transport", () => {
  it.scoped("gives status, headers and body of any answer", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard(), {
        refuse: () => ({ status: 418, body: "ünïcode", headers: { "Retry-After": "5" } })
      })
      const reply = yield* post(node.url)
      assert.deepInclude(reply, { status: 418, body: "ünïcode" })
      assert.strictEqual(reply.headers["retry-after"], "5")
    }).pipe(Effect.provide(layer()))
  )

  it.scoped("gives an answer without a body as an empty one", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard(), { refuse: () => ({ status: 204, body: "" }) })
      assert.deepInclude(yield* post(node.url), { status: 204, body: "" })
    }).pipe(Effect.provide(layer()))
  )

  it.scoped("reads no more than it may, also where the answer does not say its size", () =>
    Effect.gen(function* () {
      const chunk = "x".repeat(1_000)
      let written = 0
      const server = createServer((_, response) => {
        // Without end: only a reader that stops can be answered.
        const more = () => {
          while (!response.destroyed && response.write(chunk)) written++
        }
        response.on("drain", more)
        more()
      })
      yield* Effect.acquireRelease(
        Effect.async<void>((resume) => {
          server.listen(0, "127.0.0.1", () => resume(Effect.void))
        }),
        () =>
          Effect.async<void>((resume) => {
            server.close(() => resume(Effect.void))
            server.closeAllConnections()
          })
      )
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      assert.strictEqual(yield* reason(Effect.either(post(`http://127.0.0.1:${port}`))), "too_large")
      assert.isAbove(written, 50)
    }).pipe(Effect.provide(layer({ maxBodyBytes: 50_000 })))
  )

  it.scoped("gives up after its time and closes the connection", () =>
    Effect.gen(function* () {
      const arrived = yield* Effect.makeLatch()
      const node = yield* fakeNode(standard(), {
        refuse: () => {
          Effect.runSync(arrived.open)
          return "hang"
        }
      })
      const posting = yield* Effect.fork(reason(Effect.either(post(node.url))))
      yield* arrived.await
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* Fiber.join(posting), "timeout")
      yield* Effect.promise(async () => {
        while (node.aborted() === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      })
    }).pipe(Effect.provide(layer({ timeout: "3 seconds" })))
  )

  it.effect("says only that nothing was reached, and not where", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(post("http://127.0.0.1:1/s3cr3t"))
      assert.strictEqual(error.reason, "unreachable")
      assert.notInclude(JSON.stringify(error) + String(error) + error.stack, "s3cr3t")
      assert.strictEqual((yield* Effect.flip(post("not a url"))).reason, "url_invalid")
    }).pipe(Effect.provide(layer()))
  )

  it.scoped("sends a URL's user and password as a header", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard())
      const reply = yield* post(node.url.replace("http://", "http://us%40er:pa%zzss@"))
      assert.strictEqual(reply.status, 200)
      assert.strictEqual(node.headers[0]?.authorization, `Basic ${btoa("us@er:pa%zzss")}`)
    }).pipe(Effect.provide(layer()))
  )

  it.scoped("sends no trace headers to the endpoint, and puts no endpoint into traces", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard())
      const spans: Array<string> = []
      const tracer = Tracer.make({
        span: (name, parent, context, links, startTime, kind) => {
          spans.push(name)
          return {
            _tag: "Span",
            name,
            spanId: "0123456789abcdef",
            traceId: "0123456789abcdef0123456789abcdef",
            parent,
            context,
            status: { _tag: "Started", startTime },
            attributes: new Map(),
            links,
            sampled: true,
            kind,
            end: () => {},
            attribute: () => {},
            event: () => {},
            addLinks: () => {}
          }
        },
        context: (f) => f()
      })
      yield* post(node.url).pipe(Effect.withSpan("outer"), Effect.withTracer(tracer))
      assert.deepStrictEqual(spans, ["outer"])
      const names = Object.keys(node.headers[0] ?? {})
      assert.include(names, "content-type")
      assert.notInclude(names, "traceparent")
      assert.notInclude(names, "b3")
    }).pipe(Effect.provide(layer()))
  )
})
