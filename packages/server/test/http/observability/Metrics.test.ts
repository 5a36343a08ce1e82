import { describe, it } from "@effect/vitest"
import { Effect, Metric, Option } from "effect"
import { assert } from "vitest"
import * as Metrics from "../../../src/http/observability/Metrics.js"

const answered = (status: number, seconds: number) =>
  Metrics.answered({ route: Option.some("/api/v1/metrics-test"), method: "GET", status, seconds })

const linesOf = (text: string, part: string) => text.split("\n").filter((line) => line.includes(part))

describe("Metrics", () => {
  it.effect("answers are counted by route, method and status, and their times are cumulative", () =>
    Effect.gen(function* () {
      yield* answered(200, 0.004)
      yield* answered(200, 3)
      yield* answered(404, 200)
      const text = yield* Metrics.text
      assert.deepStrictEqual(
        linesOf(text, "assay_http_requests_total{").filter((line) => line.includes("metrics-test")),
        [
          'assay_http_requests_total{method="GET",route="/api/v1/metrics-test",status="200"} 2',
          'assay_http_requests_total{method="GET",route="/api/v1/metrics-test",status="404"} 1'
        ]
      )
      const labels = 'method="GET",route="/api/v1/metrics-test"'
      const counts = [
        ["0.005", 1],
        ["0.025", 1],
        ["0.1", 1],
        ["0.5", 1],
        ["1", 1],
        ["2.5", 1],
        ["5", 2],
        ["10", 2],
        ["30", 2],
        ["60", 2],
        ["120", 2],
        ["+Inf", 3]
      ]
      assert.deepStrictEqual(linesOf(text, `assay_http_request_seconds_bucket{${labels}`), [
        ...counts.map(([bound, count]) => `assay_http_request_seconds_bucket{${labels},le="${bound}"} ${count}`)
      ])
      assert.include(text, `assay_http_request_seconds_sum{${labels}} 203.004\n`)
      assert.include(text, `assay_http_request_seconds_count{${labels}} 3\n`)
      for (const [name, type] of [
        ["assay_http_requests_total", "counter"],
        ["assay_http_request_seconds", "histogram"]
      ]) {
        assert.strictEqual(linesOf(text, `# TYPE ${name} ${type}`).length, 1)
        assert.strictEqual(linesOf(text, `# HELP ${name} `).length, 1)
      }
    })
  )

  it.effect("a value of any text stays in its line, and the runtime's own measures are left out", () =>
    Effect.gen(function* () {
      const gauge = Metric.gauge("assay_test_text", { description: "one\ntwo \\" })
      yield* Metric.set(Metric.tagged(gauge, "said", 'a "quote", a \\ and\na line'), 1.5)
      yield* Metric.increment(Metric.counter("effect_test"))
      const text = yield* Metrics.text
      assert.include(
        text,
        '# HELP assay_test_text one\\ntwo \\\\\n# TYPE assay_test_text gauge\nassay_test_text{said="a \\"quote\\", a \\\\ and\\na line"} 1.5\n'
      )
      assert.notInclude(text, "effect_test")
      for (const line of text.trimEnd().split("\n"))
        assert.match(line, /^(?:# (?:HELP|TYPE) \S+ .+|[a-z_]+(?:\{.*\})? (?:[-+.e\d]+|NaN|\+Inf))$/)
    })
  )
})
