import { describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, LogLevel, Option } from "effect"
import { assert } from "vitest"
import * as AccessLog from "../../../src/http/observability/AccessLog.js"
import * as Metrics from "../../../src/http/observability/Metrics.js"
import * as LogLines from "../../../src/LogLines.js"

const answered = { method: "GET", route: Option.some("/api/v1/usage"), status: 200, millis: 3 }
const annotations = { request_id: "req_1", key_id: "key_1" }
const said = { ...annotations, method: "GET", route: "/api/v1/usage", status: 200, ms: 3 }

/** The lines of `LogLines` and those of a logger that takes no plain ones. */
const linesOf = (use: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const plain: Array<string> = []
    const others: Array<string> = []
    const other = Logger.map(Logger.jsonLogger, (line) => void others.push(line))
    yield* Effect.provide(
      use,
      Layer.merge(Layer.fresh(LogLines.layer((lines) => plain.push(...lines.trimEnd().split("\n")))), Logger.add(other))
    )
    const read = (lines: ReadonlyArray<string>) =>
      lines
        .map((line) => JSON.parse(line))
        .map(({ annotations, logLevel, message }) => ({ annotations, logLevel, message }))
    return { plain: read(plain), others: read(others) }
  })

describe("AccessLog", () => {
  it.effect("writes the same line at once as in a fiber, to every logger", () =>
    Effect.gen(function* () {
      const line = { annotations: said, logLevel: "INFO", message: "request" }
      const atOnce = yield* linesOf(Effect.map(AccessLog.writer, (write) => write(answered, annotations)))
      const inFiber = yield* linesOf(Effect.annotateLogs(AccessLog.write(answered), annotations))
      assert.deepStrictEqual(atOnce, { plain: [line], others: [line] })
      assert.deepStrictEqual(inFiber, atOnce)
    })
  )

  it.effect("writes nothing below the minimum level, and counts it all the same", () =>
    Effect.gen(function* () {
      const probe = { ...answered, route: Option.some("/api/v1/health/below") }
      const lines = yield* linesOf(Effect.map(AccessLog.writer, (write) => write(probe, annotations)))
      assert.deepStrictEqual(lines, { plain: [], others: [] })
      assert.include(
        yield* Metrics.text,
        'assay_http_requests_total{method="GET",route="/api/v1/health/below",status="200"} 1\n'
      )
    }).pipe(Logger.withMinimumLogLevel(LogLevel.Info))
  )
})
