import { constants, monitorEventLoopDelay, PerformanceObserver, performance } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import * as Version from "@assay/core/analysis/Version"
import { Effect, type Scope } from "effect"

/** A value of the process as it is when it is read; families that are read together are in one text. */
export interface Sample {
  readonly name: string
  readonly type: "counter" | "gauge"
  readonly values: ReadonlyArray<readonly [labels: Readonly<Record<string, string>>, value: number]>
}

/**
 * Measures the process from now on: each reading says how late timers were and how busy the event loop was since the one
 * before. Nothing of it is measured where nobody reads it.
 */
export const make: Effect.Effect<() => ReadonlyArray<Sample>, never, Scope.Scope> = Effect.gen(function* () {
  const delay = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const histogram = monitorEventLoopDelay({ resolution })
      histogram.enable()
      return histogram
    }),
    (histogram) => Effect.sync(() => histogram.disable())
  )
  const collections = new Map(Object.values(kinds).map((kind) => [kind, { runs: 0, millis: 0 }]))
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const observer = new PerformanceObserver((list) => {
        for (const { detail, duration } of list.getEntries()) {
          const known = collections.get(kinds[(detail as { readonly kind?: number } | undefined)?.kind ?? -1] ?? "")
          if (known === undefined) continue
          known.runs++
          known.millis += duration
        }
      })
      observer.observe({ entryTypes: ["gc"] })
      return observer
    }),
    (observer) => Effect.sync(() => observer.disconnect())
  )
  let utilization = performance.eventLoopUtilization()

  return () => {
    const cpu = process.cpuUsage()
    const memory = process.memoryUsage()
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolution / 1e3)
    // Without a timer since the last reading there is no value.
    const quantiles = [50, 99, 100].map(
      (percent) =>
        [{ quantile: String(percent / 100) }, delay.count === 0 ? 0 : late(delay.percentile(percent))] as const
    )
    delay.reset()
    const before = utilization
    utilization = performance.eventLoopUtilization()
    const of = (name: string, type: Sample["type"], value: number): Sample => ({ name, type, values: [[{}, value]] })
    return [
      {
        name: "assay_build_info",
        type: "gauge",
        values: [[{ version: Version.engine, ruleset: Version.ruleset, node: process.versions.node }, 1]]
      },
      of("nodejs_heap_used_bytes", "gauge", memory.heapUsed),
      of("nodejs_heap_limit_bytes", "gauge", getHeapStatistics().heap_size_limit),
      of("nodejs_external_memory_bytes", "gauge", memory.external),
      { name: "nodejs_eventloop_delay_seconds", type: "gauge", values: quantiles },
      of(
        "nodejs_eventloop_utilization_ratio",
        "gauge",
        performance.eventLoopUtilization(utilization, before).utilization
      ),
      {
        name: "nodejs_gc_runs_total",
        type: "counter",
        values: [...collections].map(([kind, { runs }]) => [{ kind }, runs] as const)
      },
      {
        name: "nodejs_gc_seconds_total",
        type: "counter",
        values: [...collections].map(([kind, { millis }]) => [{ kind }, millis / 1e3] as const)
      },
      of("process_cpu_seconds_total", "counter", (cpu.user + cpu.system) / 1e6),
      of("process_resident_memory_bytes", "gauge", memory.rss),
      of("process_start_time_seconds", "gauge", performance.timeOrigin / 1e3)
    ]
  }
})

/** Milliseconds between two looks at how late a timer is. */
const resolution = 20

const kinds: { readonly [kind: number]: string } = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: "minor",
  [constants.NODE_PERFORMANCE_GC_MAJOR]: "major",
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: "incremental",
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: "weakcb"
}
