import { once } from "node:events"
import { Agent, get, type IncomingMessage, type RequestListener } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { NodeServer } from "@assay/server"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assert } from "vitest"

const listen = (graceMillis: number, drainMillis?: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = NodeServer.make({ graceMillis, drainMillis, requestId: () => "req_01JD0000000000000000000000" })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) => Effect.sync(() => server.closeAllConnections())
  )

const ask = async (origin: string, agent: Agent) => {
  const [response] = (await once(get(origin, { agent }), "response")) as [IncomingMessage]
  let text = ""
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, headers: response.headers, text }
}

/** Sends bytes, and reads until the server closes. */
const exchange = (origin: string, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(origin).port), "127.0.0.1", () => socket.write(bytes))
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk
    })
    socket.on("error", reject)
    socket.on("close", () => resolve(text))
  })

describe("NodeServer", () => {
  it.scopedLive(
    "a request that expects 100 gets it before its response, and never within one that waits its turn",
    () =>
      Effect.gen(function* () {
        const { origin, server } = yield* listen(10_000)
        server.on("request", (_, response) => {
          setImmediate(() => response.writeHead(200, { "content-length": "4" }).end(Buffer.from("done")))
        })
        const expecting = (more: string) => `GET / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n${more}\r\n`
        const text = yield* Effect.promise(() => exchange(origin, expecting("") + expecting("connection: close\r\n")))
        assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
        assert.strictEqual(text.split("\r\n\r\ndone").length - 1, 2, text)
      })
  )

  it.scopedLive("a request in flight is finished, its connection is not kept, and closing waits for it", () =>
    Effect.gen(function* () {
      const { origin, server } = yield* listen(10_000)
      const order: Array<string> = []
      const agent = new Agent({ keepAlive: true })
      yield* Effect.promise(async () => {
        let finish = () => {}
        const arrived = new Promise<void>((resolve) => {
          server.on("request", (_, response) => {
            finish = () => response.end("done")
            resolve()
          })
        })
        const answer = ask(origin, agent)
        await arrived
        const closed = new Promise<void>((resolve) => {
          server.close(() => {
            order.push("closed")
            resolve()
          })
        })
        finish()
        const { headers, status, text } = await answer
        order.unshift("answered")
        assert.strictEqual(status, 200)
        assert.strictEqual(text, "done")
        assert.strictEqual(headers.connection, "close")
        await closed
      })
      assert.deepStrictEqual(order, ["answered", "closed"])
    })
  )

  it.scopedLive("a request that never ends is answered as draining when the grace is over", () =>
    Effect.gen(function* () {
      const { origin, server } = yield* listen(50)
      const answer = yield* Effect.promise(async () => {
        const arrived = once(server, "request")
        server.on("request", () => {})
        const asked = ask(origin, new Agent())
        await arrived
        await new Promise<void>((resolve) => server.close(() => resolve()))
        return asked
      })
      assert.strictEqual(answer.status, 503)
      assert.strictEqual(JSON.parse(answer.text).code, "draining")
    })
  )

  it.scopedLive("new connections are answered as draining before the port closes, and what runs is finished", () =>
    Effect.gen(function* () {
      const { origin, server } = yield* listen(10_000, 500)
      yield* Effect.promise(async () => {
        let finish = () => {}
        const arrived = new Promise<void>((resolve) => {
          server.on("request", (_, response) => {
            finish = () => response.end("done")
            resolve()
          })
        })
        const running = ask(origin, new Agent())
        await arrived
        const closed = new Promise<void>((resolve) => server.close(() => resolve()))
        const refused = await ask(origin, new Agent())
        assert.strictEqual(refused.status, 503)
        assert.strictEqual(JSON.parse(refused.text).code, "draining")
        assert.strictEqual(refused.headers["retry-after"], "5")
        finish()
        assert.strictEqual((await running).text, "done")
        await closed
        const after = await ask(origin, new Agent()).then(
          () => "answered",
          (error: NodeJS.ErrnoException) => error.code
        )
        assert.strictEqual(after, "ECONNREFUSED")
      })
    })
  )

  it.scopedLive("while nobody listens for requests they are refused as draining", () =>
    Effect.gen(function* () {
      const { origin, server } = yield* listen(1_000)
      const application: RequestListener = (_, response) => void response.end("done")
      const agent = new Agent({ keepAlive: true })
      const refused = yield* Effect.promise(async () => {
        server.on("request", application)
        assert.strictEqual((await ask(origin, agent)).text, "done")
        server.off("request", application)
        return ask(origin, agent)
      })
      assert.strictEqual(refused.status, 503)
      assert.strictEqual(refused.headers["content-type"], "application/problem+json")
      assert.strictEqual(refused.headers["retry-after"], "5")
      assert.strictEqual(refused.headers.connection, "close")
      assert.strictEqual(JSON.parse(refused.text).code, "draining")
    })
  )
})
