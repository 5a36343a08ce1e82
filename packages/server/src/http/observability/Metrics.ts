import {
  Effect,
  Metric,
  MetricBoundaries,
  type MetricKeyType,
  MetricLabel,
  type MetricPair,
  MetricState,
  Option
} from "effect"
import * as Families from "../../telemetry/Families.js"
import type * as ProcessMetrics from "../../telemetry/ProcessMetrics.js"

/** A response. `route` is its template, none for an unknown one. */
export interface Answer {
  readonly route: Option.Option<string>
  readonly method: string
  readonly status: number
  readonly seconds: number
}

/** Counts a response by route template, method and status, without caller or target. */
export const answered = (answer: Answer): Effect.Effect<void> => Effect.sync(() => count(answer))

/** `answered`, at once. */
export const count = (answer: Answer): void => {
  const { number, duration } = labelled(
    Option.getOrElse(answer.route, () => "none"),
    // What a client may call a method is bounded by its parser only.
    methods.has(answer.method) ? answer.method : "other",
    String(answer.status)
  )
  number.unsafeUpdate(1, [])
  duration.unsafeUpdate(answer.seconds, [])
}

const methods: ReadonlySet<string> = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST"])

/** The two metrics of one kind of response: there are as many as routes, methods and statuses. */
const labelled = (route: string, method: string, status: string) => {
  const key = `${route} ${method} ${status}`
  const known = made.get(key)
  if (known !== undefined) return known
  const labels = [MetricLabel.make("method", method), MetricLabel.make("route", route)]
  const making = {
    number: Metric.taggedWithLabels(requests, [...labels, MetricLabel.make("status", status)]),
    duration: Metric.taggedWithLabels(seconds, labels)
  }
  made.set(key, making)
  return making
}

const requests = Metric.counter("assay_http_requests_total", {
  description: "Answered requests.",
  incremental: true
})

const seconds = Metric.histogram(
  "assay_http_request_seconds",
  MetricBoundaries.fromIterable([0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120]),
  "How long it took until a request was answered; of a stream, until it began."
)

const made = new Map<
  string,
  {
    readonly number: Metric.Metric.Counter<number>
    readonly duration: Metric.Metric<MetricKeyType.MetricKeyType.Histogram, number, MetricState.MetricState.Histogram>
  }
>()

/**
 * All metrics of this process in the Prometheus text format.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export const text: Effect.Effect<string> = Effect.map(Metric.snapshot, (pairs) => {
  const families = new Map<string, Array<MetricPair.MetricPair.Untyped>>()
  for (const pair of pairs) {
    const { name } = pair.metricKey
    // The runtime has metrics of its own, under other names.
    if (name.startsWith("assay_")) families.set(name, [...(families.get(name) ?? []), pair])
  }
  return [...families]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, members]) => family(name, members))
    .join("")
})

/** Values that are read when they are shown, in the same format. */
export const textOf = (samplesOf: ReadonlyArray<ProcessMetrics.Sample>): string =>
  samplesOf
    .map(({ name, type, values }) => {
      const meaning = Families.all.find((family) => family.name === name)?.meaning ?? ""
      const lines = values.map(([labels, value]) => sample(name, Object.entries(labels), value))
      return `${helpOf(name, meaning)}# TYPE ${name} ${type}\n${lines.join("")}`
    })
    .join("")

/** The media type of that text. */
export const contentType = "text/plain; version=0.0.4; charset=utf-8"

const family = (name: string, members: ReadonlyArray<MetricPair.MetricPair.Untyped>): string => {
  const [first] = members
  const description = first === undefined ? Option.none() : first.metricKey.description
  const help = Option.match(description, {
    onNone: () => "",
    onSome: (meaning) => helpOf(name, meaning)
  })
  const lines = members.flatMap((member) => samples(name, member))
  return lines.length === 0 ? "" : `${help}# TYPE ${name} ${typeOf(first?.metricState)}\n${lines.join("")}`
}

const helpOf = (name: string, meaning: string): string =>
  `# HELP ${name} ${meaning.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n`

const typeOf = (state: unknown): string => {
  if (MetricState.isHistogramState(state)) return "histogram"
  return MetricState.isGaugeState(state) ? "gauge" : "counter"
}

const samples = (name: string, { metricKey, metricState }: MetricPair.MetricPair.Untyped): ReadonlyArray<string> => {
  const labels = metricKey.tags.map(({ key, value }) => [key, value] as const)
  if (MetricState.isCounterState(metricState)) return [sample(name, labels, Number(metricState.count))]
  if (MetricState.isGaugeState(metricState)) return [sample(name, labels, Number(metricState.value))]
  if (MetricState.isHistogramState(metricState))
    return [
      ...metricState.buckets.map(([bound, count]) =>
        sample(`${name}_bucket`, [...labels, ["le", number(bound)] as const], count)
      ),
      sample(`${name}_sum`, labels, metricState.sum),
      sample(`${name}_count`, labels, metricState.count)
    ]
  return []
}

const sample = (name: string, labels: ReadonlyArray<readonly [string, string]>, value: number): string => {
  const inner = labels.map(([key, text]) => `${key}="${text.replaceAll(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`)
  return `${name}${inner.length === 0 ? "" : `{${inner.join(",")}}`} ${number(value)}\n`
}

const number = (value: number): string => (value === Number.POSITIVE_INFINITY ? "+Inf" : String(value))
