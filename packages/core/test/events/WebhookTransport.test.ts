import { createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { type Array as Arr, Deferred, Effect, Exit, Layer, Option } from "effect"
import { Destinations, layer as destinations } from "../../src/events/Destination.js"
import { Resolver } from "../../src/events/Resolver.js"
import { layer, type Options, WebhookTransport } from "../../src/events/WebhookTransport.js"
import * as Receiver from "./Receiver.js"

const message = { headers: { "webhook-id": "evt_1" }, body: '{"text":"Ünïcode ✓"}' }

const post = (url: string, addresses: Arr.NonEmptyReadonlyArray<string> = ["127.0.0.1"], options: Options = {}) =>
  Effect.flatMap(WebhookTransport, (transport) => transport.post({ url, addresses }, message)).pipe(
    Effect.provide(layer(options))
  )

const reason = (url: string, addresses?: Arr.NonEmptyReadonlyArray<string>, options?: Options) =>
  Effect.map(Effect.flip(post(url, addresses, options)), (error) => error.reason)

/** Waits until nothing is connected any more: what is left open would be left for ever. */
const quiet = (receiver: Receiver.Receiver) =>
  Effect.suspend(() => (receiver.connections().open === 0 ? Effect.void : Effect.fail("open" as const))).pipe(
    Effect.tapError(() => Effect.sleep("5 millis")),
    Effect.eventually,
    Effect.timeout("10 seconds")
  )

describe("WebhookTransport", () => {
  it.scopedLive("posts the body as it stands, under the name of the URL, and closes the connection", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.plain(Receiver.status(204))
      const answer = yield* post(`http://hooks.example:${receiver.port}/a/b?c=d#part`)
      assert.deepStrictEqual(answer, { status: 204, retryAfter: Option.none() })
      const [received] = receiver.received
      assert.strictEqual(received?.method, "POST")
      assert.strictEqual(received?.path, "/a/b?c=d")
      assert.strictEqual(received?.body, message.body)
      assert.strictEqual(received?.headers.host, `hooks.example:${receiver.port}`)
      assert.strictEqual(received?.headers["content-type"], "application/json")
      assert.strictEqual(received?.headers["content-length"], String(Buffer.byteLength(message.body)))
      assert.strictEqual(received?.headers["webhook-id"], "evt_1")
      assert.strictEqual(received?.headers.connection, "close")
      // No trace of ours leaves the process.
      assert.isUndefined(received?.headers.traceparent)
      assert.isUndefined(received?.headers.b3)
      assert.isUndefined(received?.headers.authorization)
      yield* quiet(receiver)
    })
  )

  it.scopedLive("answers every status as it is, follows no redirect, and repeats the demanded wait", () =>
    Effect.gen(function* () {
      const elsewhere = yield* Receiver.plain(Receiver.status(200))
      const receiver = yield* Receiver.plain(Receiver.status(200))
      for (const code of [200, 301, 302, 307, 308, 400, 410, 429, 500, 503]) {
        receiver.become(
          Receiver.status(code, { location: `http://127.0.0.1:${elsewhere.port}/`, "retry-after": "120" })
        )
        assert.deepStrictEqual(yield* post(`http://hooks.example:${receiver.port}/`), {
          status: code,
          retryAfter: Option.some("120")
        })
      }
      assert.strictEqual(elsewhere.connections().made, 0)
      // A connection for each, so that none outlives its check.
      assert.strictEqual(receiver.connections().made, 10)
      yield* quiet(receiver)
    })
  )

  it.scopedLive("reads no more of an answer than it has to, and takes its status all the same", () =>
    Effect.gen(function* () {
      const written = yield* Deferred.make<number>()
      const receiver = yield* Receiver.plain((response) => {
        let bytes = 0
        const chunk = Buffer.alloc(64 * 1024)
        response.writeHead(200)
        const write = () => {
          while (bytes < 256 * 1024 * 1024) {
            bytes += chunk.length
            if (!response.write(chunk)) return response.once("drain", write)
          }
          return response.end()
        }
        response.on("close", () => Deferred.unsafeDone(written, Exit.succeed(bytes)))
        write()
      })
      assert.strictEqual((yield* post(`http://hooks.example:${receiver.port}/`)).status, 200)
      assert.isBelow(yield* Deferred.await(written), 64 * 1024 * 1024)
      yield* quiet(receiver)
    })
  )

  it.scopedLive("takes the status of an answer with an endless body", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.plain((response) => {
        response.writeHead(202).write("a")
      })
      const answer = yield* post(`http://hooks.example:${receiver.port}/`, ["127.0.0.1"], { timeoutSeconds: 0.2 })
      assert.strictEqual(answer.status, 202)
      yield* quiet(receiver)
    })
  )

  it.scopedLive("says why there was no answer, and nothing more", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.plain(() => {})
      const url = `http://hooks.example:${receiver.port}/`
      assert.strictEqual(yield* reason(url, ["127.0.0.1"], { timeoutSeconds: 0.2 }), "timeout")
      receiver.become((response) => response.socket?.destroy())
      assert.strictEqual(yield* reason(url), "connection")
      receiver.become((response) => response.socket?.end("nonsense\r\n\r\n"))
      assert.strictEqual(yield* reason(url), "connection")
      receiver.become((response) =>
        response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n")
      )
      assert.strictEqual(yield* reason(url), "connection")
      yield* quiet(receiver)
      // Nobody listens there any more.
      const { port } = yield* Effect.scoped(Receiver.plain(() => {}))
      assert.strictEqual(yield* reason(`http://hooks.example:${port}/`), "connection")
      const error = yield* Effect.flip(post(`http://hooks.example:${port}/secret-path`))
      assert.notInclude(`${String(error)}${JSON.stringify(error)}`, "secret-path")
    })
  )

  it.scopedLive("gives up a message that nobody waits for any more", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const receiver = yield* Receiver.plain(() => Deferred.unsafeDone(arrived, Exit.void))
      const url = `http://hooks.example:${receiver.port}/`
      yield* Effect.raceFirst(Effect.exit(post(url)), Deferred.await(arrived))
      yield* quiet(receiver)
    })
  )

  it.scopedLive("speaks TLS with the name of the URL, whatever address it connects to", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.secure(Receiver.status(200))
      const roots = [Receiver.certificate]
      const url = `https://hooks.example:${receiver.port}/`
      assert.strictEqual((yield* post(url, ["127.0.0.1"], { roots })).status, 200)
      assert.strictEqual(receiver.received[0]?.headers.host, `hooks.example:${receiver.port}`)
      // A certificate of another name, of an unknown root, and no TLS at all.
      assert.strictEqual(yield* reason(`https://other.example:${receiver.port}/`, ["127.0.0.1"], { roots }), "tls")
      assert.strictEqual(yield* reason(`https://127.0.0.1:${receiver.port}/`, ["127.0.0.1"], { roots }), "tls")
      assert.strictEqual(yield* reason(url), "tls")
      const plain = yield* Receiver.plain(Receiver.status(200))
      assert.strictEqual(yield* reason(`https://hooks.example:${plain.port}/`, ["127.0.0.1"], { roots }), "tls")
      yield* quiet(receiver)
    })
  )

  it.scopedLive("tries the addresses that were checked until one answers", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.plain(Receiver.status(200))
      // Nobody listens at the first.
      const answer = yield* post(`http://hooks.example:${receiver.port}/`, ["127.0.0.2", "127.0.0.1"])
      assert.strictEqual(answer.status, 200)
    })
  )

  it.scopedLive("connects to the address that was checked, whatever the name resolves to a moment later", () =>
    Effect.gen(function* () {
      const honest = yield* Receiver.plain(Receiver.status(200))
      const internal = yield* Effect.acquireRelease(
        Effect.async<{ readonly reached: () => number; readonly close: () => void }>((resume) => {
          let reached = 0
          const server = createServer((socket) => {
            reached++
            socket.destroy()
          }).listen(honest.port, "127.0.0.2", () =>
            resume(Effect.succeed({ reached: () => reached, close: () => server.close() }))
          )
        }),
        ({ close }) => Effect.sync(close)
      )
      let asked = 0
      const rebinding = Layer.succeed(Resolver, {
        resolve: () => Effect.sync(() => [asked++ === 0 ? "127.0.0.1" : "127.0.0.2"])
      })
      const answer = yield* Effect.gen(function* () {
        const destination = yield* (yield* Destinations).check(`http://rebinding.example:${honest.port}/`)
        return yield* (yield* WebhookTransport).post(destination, message)
      }).pipe(
        Effect.provide(
          Layer.merge(layer(), Layer.provide(destinations({ allowHttp: true, allowPrivate: true }), rebinding))
        )
      )
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(honest.received.length, 1)
      assert.strictEqual(internal.reached(), 0)
      assert.strictEqual(asked, 1)
    })
  )
})
