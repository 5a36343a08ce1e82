import { randomBytes } from "node:crypto"
import * as Version from "@assay/core/analysis/Version"
import * as Outage from "@assay/core/storage/Outage"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Duration, Effect, Function, Layer, Option, Queue, Redacted, type Scope, Tracer } from "effect"
import { measures } from "./Families.js"
import * as Otlp from "./Otlp.js"
import type { Sampler } from "./Sampling.js"

/**
 * Where traces go: the URL that takes them, the headers that it requires, what is said of this process, and which traces are
 * recorded.
 */
export interface Options {
  readonly url: Redacted.Redacted<string>
  readonly headers: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly resource: Readonly<Record<string, string>>
  readonly sampler: Sampler
}

/** Records spans of sampled traces and sends them, some seconds later or when there are many, until it is closed. */
export const layer = (options: Options): Layer.Layer<never, never, HttpClient.HttpClient> =>
  Layer.unwrapScoped(Effect.map(make(options), Layer.setTracer))

const make = (options: Options): Effect.Effect<Tracer.Tracer, never, HttpClient.HttpClient | Scope.Scope> =>
  Effect.gen(function* () {
    const client = (yield* HttpClient.HttpClient).pipe(
      HttpClient.withTracerPropagation(false),
      HttpClient.filterStatusOk
    )
    const request = HttpClientRequest.post(Redacted.value(options.url)).pipe(
      HttpClientRequest.setHeaders(
        Object.entries(options.headers).map(([name, value]) => [name, Redacted.value(value)] as const)
      )
    )
    const full = yield* Queue.sliding<void>(1)
    let waiting: Array<Otlp.Ended> = []

    const push = (span: Otlp.Ended) => {
      if (waiting.length >= most) return measures.spans.update(1, { outcome: "dropped" })
      waiting.push(span)
      if (waiting.length === batch) full.unsafeOffer(undefined)
    }

    const send = (spans: ReadonlyArray<Otlp.Ended>) =>
      client
        .execute(
          HttpClientRequest.bodyText(
            request,
            Otlp.encode(spans, { resource: options.resource, version: Version.engine }),
            "application/json"
          )
        )
        .pipe(
          // Without its body the connection is not used again.
          Effect.flatMap(({ text }) => text),
          Effect.scoped,
          Effect.timeout(Duration.seconds(10)),
          // Errors of the client hold the URL.
          Effect.mapBoth({
            onFailure: (error) => ("response" in error ? `HTTP ${error.response.status}` : "no answer"),
            onSuccess: () => "sent"
          })
        )

    const sendAll: Effect.Effect<void> = Effect.suspend(() => {
      const spans = waiting.slice(0, batch)
      if (spans.length === 0) return Effect.void
      waiting = waiting.slice(spans.length)
      return send(spans).pipe(
        Outage.surviving("Traces could not be sent", "dropped"),
        Effect.map((outcome) => measures.spans.update(spans.length, { outcome })),
        Effect.zipRight(Effect.suspend(() => (waiting.length >= batch ? sendAll : Effect.void)))
      )
    }).pipe(Effect.withTracerEnabled(false))

    yield* Effect.addFinalizer(() =>
      Effect.repeat(sendAll, { while: () => waiting.length > 0 }).pipe(
        Effect.interruptible,
        Effect.timeoutOption(Duration.seconds(2))
      )
    )
    yield* Effect.raceFirst(Queue.take(full), Effect.sleep(Duration.seconds(interval))).pipe(
      Effect.zipRight(sendAll),
      Effect.forever,
      Effect.forkScoped
    )

    return Tracer.make({
      span: (name, parent, context, links, startTime, kind) => {
        const above = Option.getOrUndefined(parent)
        const place = { name, parent, context, links, kind }
        if (above?.sampled === true)
          return recorded(place, { traceId: above.traceId, parentSpanId: Option.some(above.spanId), startTime, push })
        // What the process does by itself, such as to look for due work each second, is not worth a trace.
        const mayBegin = kind === "server" || roots.has(name)
        if (!mayBegin || (above !== undefined && !quiet.has(above))) {
          const span = unrecorded(place)
          if (above === undefined || quiet.has(above)) quiet.add(span)
          return span
        }
        const traceId = id(16)
        return options.sampler(traceId)
          ? recorded(place, { traceId, parentSpanId: Option.none(), startTime, push })
          : unrecorded(place)
      },
      context: (use) => use()
    })
  })

/** Where a trace may begin, besides a request: a check of a watch, a message to a webhook. */
const roots: ReadonlySet<string> = new Set(["Executions.check", "Delivery.send"])

const id = (bytes: number): string => randomBytes(bytes).toString("hex")

// In spans: how many are sent at once, and how many wait while none can be sent.
const batch = 512
const most = 16_384
const interval = 5

/** Spans outside of every trace, in which one may begin. */
const quiet = new WeakSet<Tracer.AnySpan>()

type Placed = Pick<Tracer.Span, "name" | "parent" | "context" | "links" | "kind">

const recorded = (
  place: Placed,
  {
    parentSpanId,
    push,
    startTime,
    traceId
  }: {
    readonly traceId: string
    readonly parentSpanId: Option.Option<string>
    readonly startTime: bigint
    readonly push: (span: Otlp.Ended) => void
  }
): Tracer.Span => {
  const { context, kind, links, name, parent } = place
  const spanId = id(8)
  const attributes = new Map<string, unknown>()
  let status: Tracer.SpanStatus = { _tag: "Started", startTime }
  return {
    ...{ _tag: "Span", name, parent, context, links, kind, spanId, traceId, attributes, sampled: true },
    get status() {
      return status
    },
    end: (endTime, exit) => {
      status = { _tag: "Ended", startTime, endTime, exit }
      push({ attributes, endTime, exit, kind, name, parentSpanId, spanId, startTime, traceId })
    },
    attribute: (key, value) => {
      attributes.set(key, value)
    },
    event: Function.constVoid,
    addLinks: Function.constVoid
  }
}

/** A span that is not recorded. */
const unrecorded = ({ context, kind, links, name, parent }: Placed): Tracer.Span => ({
  ...{ _tag: "Span", name, parent, context, links, kind, sampled: false },
  traceId: "0".repeat(32),
  spanId: "0".repeat(16),
  attributes: none,
  status: { _tag: "Started", startTime: 0n },
  end: Function.constVoid,
  attribute: Function.constVoid,
  event: Function.constVoid,
  addLinks: Function.constVoid
})

const none: ReadonlyMap<string, unknown> = new Map()
