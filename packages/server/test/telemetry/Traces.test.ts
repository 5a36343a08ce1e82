import { HttpClient, HttpClientResponse } from "@effect/platform"
import { describe, it } from "@effect/vitest"
import { Data, Effect, Layer, Logger, Redacted } from "effect"
import { assert } from "vitest"
import type { Sampler } from "../../src/telemetry/Sampling.js"
import * as Traces from "../../src/telemetry/Traces.js"
import { type Span, spansIn } from "./Collector.js"

class Refused extends Data.TaggedError("Refused")<{ readonly url: string }> {}

/** The spans that are sent for an effect, and the lines that are logged, with a collector that answers with this status. */
const sent = (use: Effect.Effect<unknown, unknown>, status = 200, sampler: Sampler = () => true) =>
  Effect.gen(function* () {
    const bodies: Array<string> = []
    const lines: Array<string> = []
    const collector = HttpClient.make((request) =>
      Effect.sync(() => {
        if (request.body._tag === "Uint8Array") bodies.push(new TextDecoder().decode(request.body.body))
        return HttpClientResponse.fromWeb(request, new Response("{}", { status }))
      })
    )
    const tracer = Traces.layer({
      url: Redacted.make("http://user:hunter2@collector.example/v1/traces"),
      headers: { "api-key": Redacted.make("swordfish") },
      resource: { "service.name": "assay" },
      sampler
    })
    yield* Effect.provide(
      Effect.exit(use),
      Layer.provide(tracer, Layer.succeed(HttpClient.HttpClient, collector))
    ).pipe(
      Effect.provide(
        Logger.replace(
          Logger.defaultLogger,
          Logger.map(Logger.jsonLogger, (line) => void lines.push(line))
        )
      )
    )
    return { spans: bodies.flatMap(spansIn), text: bodies.join("\n"), lines }
  })

const request = { kind: "server", root: true } as const
const named = (spans: ReadonlyArray<Span>) => spans.map(({ name }) => name).sort()

describe("Traces", () => {
  it.effect("a trace begins with a request, a check of a watch or a message, and with nothing else", () =>
    Effect.gen(function* () {
      const look = Effect.withSpan(Effect.withSpan(Effect.void, "Store.read"), "Scheduler.claim")
      const check = Effect.void.pipe(
        Effect.withSpan("Execution"),
        Effect.withSpan("Executions.check"),
        // A check is begun by whoever looks for due ones.
        Effect.withSpan("Scheduler.claim")
      )
      const answer = Effect.withSpan(Effect.withSpan(Effect.void, "Executions.run"), "GET /", request)
      const { spans } = yield* sent(Effect.all([look, check, answer]))
      assert.deepStrictEqual(named(spans), ["Execution", "Executions.check", "Executions.run", "GET /"])
      const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined)
      assert.deepStrictEqual(named(roots), ["Executions.check", "GET /"])
      assert.strictEqual(new Set(spans.map(({ traceId }) => traceId)).size, 2)
    })
  )

  it.effect("nothing of a trace that is not sampled is sent, whatever begins in it", () =>
    Effect.gen(function* () {
      const answer = Effect.withSpan(Effect.withSpan(Effect.void, "Executions.check"), "GET /", request)
      const { text } = yield* sent(answer, 200, () => false)
      assert.strictEqual(text, "")
    })
  )

  it.effect("of attributes only those that are known are sent, and of an error its type alone", () =>
    Effect.gen(function* () {
      const failing = new Refused({ url: "https://hunter2.example" }).pipe(
        Effect.withSpan("Endpoint.request", {
          kind: "client",
          attributes: {
            chain: "ethereum",
            endpoint: 2,
            waited_ms: 1.5,
            "url.full": "https://hunter2.example",
            key: "hunter2"
          }
        })
      )
      const broken = Effect.withSpan(Effect.die(new Error("hunter2")), "token.mintable")
      const { spans, text } = yield* sent(Effect.withSpan(Effect.all([Effect.exit(failing), broken]), "GET /", request))
      assert.notInclude(text, "hunter2")
      assert.notInclude(text, "swordfish")
      const of = (name: string) => spans.find((span) => span.name === name)
      assert.deepStrictEqual(of("Endpoint.request")?.attributes, {
        "assay.chain": "ethereum",
        "assay.endpoint": 2,
        "assay.waited_ms": 1.5,
        "error.type": "Refused"
      })
      assert.deepStrictEqual(of("Endpoint.request")?.status, { code: 2 })
      assert.deepStrictEqual(of("token.mintable")?.attributes, { "error.type": "defect" })
    })
  )

  it.effect("a collector that refuses costs one line, which names neither its URL nor a header", () =>
    Effect.gen(function* () {
      const many = Effect.repeatN(Effect.void.pipe(Effect.withSpan("GET /", request)), 2_000)
      const { lines } = yield* sent(many, 503)
      assert.lengthOf(lines, 1)
      assert.include(lines[0], "Traces could not be sent")
      assert.include(lines[0], "HTTP 503")
      assert.notMatch(lines[0] ?? "", /hunter2|swordfish|collector\.example/)
    })
  )
})
