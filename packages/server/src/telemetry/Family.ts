import { Metric, MetricBoundaries, MetricLabel } from "effect"

/**
 * A family of metrics as an operator reads of it: its name in Prometheus, with the unit at the end, its labels, and what it
 * means. Values of labels are few: names of settings, of routes, of outcomes, never an address, a key or a URL.
 */
export interface Family<Label extends string = string> {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly labels: ReadonlyArray<Label>
  readonly meaning: string
}

/** A value for each label of a family. */
export type Labels<Label extends string> = { readonly [L in Label]: string }

/** A family with members that are updated with a number: added to a counter, set in a gauge, observed by a histogram. */
export interface Measure<Label extends string = string> extends Family<Label> {
  /** Updates the member with these labels, at once. A counter that adds 0 is shown from then on. */
  readonly update: (value: number, labels: Labels<Label>) => void
}

/** What only grows, and begins anew with the process. */
export const counter = <Label extends string>(
  name: string,
  labels: ReadonlyArray<Label>,
  meaning: string
): Measure<Label> =>
  measure({ name, type: "counter", labels, meaning }, Metric.counter(name, { description: meaning, incremental: true }))

/** What is the case now. */
export const gauge = <Label extends string>(
  name: string,
  labels: ReadonlyArray<Label>,
  meaning: string
): Measure<Label> => measure({ name, type: "gauge", labels, meaning }, Metric.gauge(name, { description: meaning }))

/** How values are distributed over these bounds. */
export const histogram = <Label extends string>(
  name: string,
  labels: ReadonlyArray<Label>,
  bounds: ReadonlyArray<number>,
  meaning: string
): Measure<Label> =>
  measure(
    { name, type: "histogram", labels, meaning },
    Metric.histogram(name, MetricBoundaries.fromIterable(bounds), meaning)
  )

// A value takes a look-up in a map; making the metric of some labels takes a hundred times as long.
const measure = <Label extends string, Type, Out>(
  family: Family<Label>,
  metric: Metric.Metric<Type, number, Out>
): Measure<Label> => {
  const members = new Map<string, Metric.Metric<Type, number, Out>>()
  return {
    ...family,
    update: (value, labels) => {
      const key = family.labels.map((label) => labels[label]).join("\n")
      let member = members.get(key)
      if (member === undefined) {
        member = Metric.taggedWithLabels(
          metric,
          family.labels.map((label) => MetricLabel.make(label, labels[label]))
        )
        members.set(key, member)
      }
      member.unsafeUpdate(value, [])
    }
  }
}
