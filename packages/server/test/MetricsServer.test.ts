import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, LogLevel } from "effect"
import { assert } from "vitest"
import * as MetricsServer from "../src/MetricsServer.js"

const on = (port: number, host = "127.0.0.1") =>
  Layer.build(Layer.provide(MetricsServer.layer({ host, port }), Logger.minimumLogLevel(LogLevel.None)))

/** A port of this machine that was free a moment ago. */
const freePort = Effect.async<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

describe("MetricsServer", () => {
  it.scopedLive("answers what was measured on its port, and nothing else", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      yield* on(port)
      const ask = (path: string) => Effect.promise(() => fetch(`http://127.0.0.1:${port}${path}`))
      const answer = yield* ask("/metrics")
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
      yield* Effect.promise(() => answer.text())
      for (const path of ["/", "/api/v1/usage"]) assert.strictEqual((yield* ask(path)).status, 404)
    })
  )

  it.scopedLive("a port that is taken is named by its setting, and so is an address of another machine", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      yield* on(port)
      const refused = yield* Effect.flip(on(port))
      assert.strictEqual(refused.setting, "ASSAY_METRICS_PORT")
      // An address of documentation, which is none of this machine.
      const elsewhere = yield* Effect.flip(on(0, "203.0.113.7"))
      assert.strictEqual(elsewhere.setting, "ASSAY_METRICS_HOST")
    })
  )
})
