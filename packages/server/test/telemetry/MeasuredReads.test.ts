import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assert } from "vitest"
import * as Metrics from "../../src/http/observability/Metrics.js"
import * as MeasuredReads from "../../src/telemetry/MeasuredReads.js"

const linesOf = (text: string, part: string) =>
  text
    .split("\n")
    .filter((line) => line.includes(part) && !line.includes("_bucket") && !line.startsWith("#"))
    .map((line) => line.replace('chain="measured-reads",endpoint="2",', ""))

describe("MeasuredReads", () => {
  it.effect("a request is counted by its endpoint, and its calls by method and by why they have no answer", () =>
    Effect.gen(function* () {
      const place = { chain: "measured-reads", endpoint: 2, waitedMillis: 500, tookMillis: 2_000 }
      const call = "eth_call"
      MeasuredReads.sent({ ...place, methods: [call, "eth_getCode"], faults: [null, null] })
      MeasuredReads.sent({ ...place, methods: [call, call], faults: [null, "rpc_error"] })
      MeasuredReads.sent({ ...place, methods: [call, call], faults: ["rate_limited", "rate_limited"] })
      MeasuredReads.sent({ ...place, methods: ["made_up_by_a_caller"], faults: [null] })
      MeasuredReads.sent({ ...place, methods: [call], faults: [] })
      const text = yield* Metrics.text
      assert.deepStrictEqual(linesOf(text, 'assay_rpc_requests_total{chain="measured-reads"'), [
        'assay_rpc_requests_total{outcome="ok"} 2',
        'assay_rpc_requests_total{outcome="some_failed"} 1',
        'assay_rpc_requests_total{outcome="rate_limited"} 1',
        'assay_rpc_requests_total{outcome="aborted"} 1'
      ])
      assert.deepStrictEqual(linesOf(text, 'assay_rpc_calls_total{chain="measured-reads"'), [
        'assay_rpc_calls_total{method="eth_call",outcome="ok"} 2',
        'assay_rpc_calls_total{method="eth_getCode",outcome="ok"} 1',
        'assay_rpc_calls_total{method="eth_call",outcome="rpc_error"} 1',
        'assay_rpc_calls_total{method="eth_call",outcome="rate_limited"} 2',
        'assay_rpc_calls_total{method="other",outcome="ok"} 1',
        'assay_rpc_calls_total{method="eth_call",outcome="aborted"} 1'
      ])
      assert.include(text, 'assay_rpc_wait_seconds_sum{chain="measured-reads",endpoint="2"} 2.5\n')
      assert.include(text, 'assay_rpc_request_seconds_sum{chain="measured-reads",endpoint="2"} 10\n')
    })
  )
})
