import { Cause, Exit, Option, type Tracer } from "effect"

/** A span that has ended. */
export interface Ended {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: Option.Option<string>
  readonly kind: Tracer.SpanKind
  readonly startTime: bigint
  readonly endTime: bigint
  readonly exit: Exit.Exit<unknown, unknown>
  readonly attributes: ReadonlyMap<string, unknown>
}

/**
 * Spans as one request of OTLP over HTTP in JSON. Of attributes only those go out that are named here, and of an error only
 * its type: libraries put URLs and SQL into attributes and messages, and these may hold a secret.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export const encode = (
  spans: ReadonlyArray<Ended>,
  { resource, version }: { readonly resource: Readonly<Record<string, string>>; readonly version: string }
): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: Object.entries(resource).map(([key, value]) => attribute(key, value)) },
        scopeSpans: [{ scope: { name: "@assay/server", version }, spans: spans.map(spanOf) }]
      }
    ]
  })

const spanOf = (span: Ended) => {
  const { isFailed, type } = endOf(span.exit)
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...Option.match(span.parentSpanId, { onNone: () => ({}), onSome: (parentSpanId) => ({ parentSpanId }) }),
    name: span.name.slice(0, longestText),
    kind: kinds[span.kind],
    startTimeUnixNano: String(span.startTime),
    endTimeUnixNano: String(span.endTime),
    attributes: [
      ...[...span.attributes].flatMap(([key, value]) => {
        const name = attributeNames[key]
        return name === undefined ? [] : [attribute(name, value)]
      }),
      ...(type === undefined ? [] : [attribute("error.type", type)])
    ],
    status: isFailed ? { code: 2 } : {}
  }
}

/** What an attribute of ours is called outside. */
const attributeNames: { readonly [key: string]: string | undefined } = {
  "http.request.method": "http.request.method",
  "http.route": "http.route",
  "http.response.status_code": "http.response.status_code",
  request_id: "assay.request_id",
  execution_id: "assay.execution_id",
  chain: "assay.chain",
  kind: "assay.kind",
  unit: "assay.unit",
  part: "assay.part",
  reads: "assay.reads",
  endpoint: "assay.endpoint",
  calls: "assay.calls",
  methods: "assay.methods",
  waited_ms: "assay.waited_ms"
}

const attribute = (key: string, value: unknown) => ({
  key,
  value:
    typeof value === "number"
      ? Number.isSafeInteger(value)
        ? { intValue: String(value) }
        : { doubleValue: value }
      : typeof value === "boolean"
        ? { boolValue: value }
        : { stringValue: String(value).slice(0, longestText) }
})

const endOf = (exit: Exit.Exit<unknown, unknown>): { readonly isFailed: boolean; readonly type?: string } => {
  if (Exit.isSuccess(exit)) return { isFailed: false }
  // Whoever stops waiting interrupts what it waited for.
  if (Cause.isInterruptedOnly(exit.cause)) return { isFailed: false, type: "interrupted" }
  const error = Option.getOrUndefined(Cause.failureOption(exit.cause))
  const tag = typeof error === "object" && error !== null && "_tag" in error ? error._tag : undefined
  return { isFailed: true, type: typeof tag === "string" && /^\w{1,64}$/.test(tag) ? tag : "defect" }
}

const longestText = 256

const kinds: { readonly [Kind in Tracer.SpanKind]: number } = {
  internal: 1,
  server: 2,
  client: 3,
  producer: 4,
  consumer: 5
}
