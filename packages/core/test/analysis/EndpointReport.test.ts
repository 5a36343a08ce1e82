import { assert, describe, it } from "@effect/vitest"
import { Either, Option, Schema } from "effect"
import * as EndpointReport from "../../src/analysis/EndpointReport.js"
import type { Diagnosis } from "../../src/chain/Diagnosis.js"
import { EndpointFailed } from "../../src/chain/EndpointFailure.js"

const block = {
  number: 7,
  hash: `0x${"11".repeat(32)}`,
  timestamp: "2026-01-01T00:00:00.000Z"
} as unknown as Diagnosis["head"]

const able: Diagnosis = {
  head: block,
  headAgeSeconds: 3,
  capabilities: {
    batch: Either.right(true),
    blockByHash: Either.right(true),
    codeOverride: Either.right(true),
    blockOverride: Either.right(true),
    simulateV1: Either.right(true),
    archive: Either.right(true)
  },
  latencyMillis: 2,
  batch: 100,
  burst: Option.none(),
  logBlocks: 7
}

const pruned: Diagnosis = {
  ...able,
  capabilities: { ...able.capabilities, archive: Either.right(false), simulateV1: Either.left("rate_limited") }
}

const dead = new EndpointFailed({
  reason: "source_unavailable",
  failure: { code: "endpoint_unreachable", system_code: "ECONNREFUSED" }
})

const chain = { id: 1, name: "ethereum" }

describe("EndpointReport", () => {
  it("names endpoints by their place, says why one fails, and repeats what could not be found out", () => {
    const report = EndpointReport.make(chain, [Either.left(dead), Either.right(pruned)])
    const [first, second] = Schema.encodeSync(EndpointReport.EndpointReport)(report).endpoints
    assert.deepStrictEqual(first, {
      endpoint: 1,
      status: "failed",
      reason: "source_unavailable",
      detail: "Endpoint 1 of ethereum cannot be reached (ECONNREFUSED).",
      failure: { code: "endpoint_unreachable", system_code: "ECONNREFUSED" }
    })
    assert.deepInclude(second, { endpoint: 2, status: "answers", burst: null, log_blocks: 7 })
    assert.deepInclude(second?.status === "answers" ? second.capabilities : {}, {
      archive: false,
      simulate_v1: "rate_limited",
      block_by_hash: true
    })
  })

  it("names lost checks only where no endpoint has what they need, and none where no endpoint answers", () => {
    const lostBy = (found: ReadonlyArray<EndpointReport.Found>) =>
      EndpointReport.make(chain, found)
        .losses.filter(({ checks }) => checks.length > 0)
        .map(({ need }) => need)
    assert.deepStrictEqual(lostBy([Either.right(able), Either.right(pruned)]), [])
    assert.include(lostBy([Either.right(pruned), Either.left(dead)]), "archive")
    assert.deepStrictEqual(lostBy([Either.left(dead)]), [])
  })
})
