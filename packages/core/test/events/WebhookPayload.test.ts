import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Event } from "../../src/domain/Event.js"
import { fromMillis } from "../../src/domain/Timestamp.js"
import { encode } from "../../src/events/WebhookPayload.js"

const change = (id: string, weight: number) => ({
  id,
  subject: "evidence" as const,
  kind: "value_changed" as const,
  path: `/evidence/${id}`,
  before: { state: "confirmed", value: "é".repeat(weight / 2) },
  after: { state: "confirmed", value: "" },
  delta: null,
  severity: "high" as const,
  direction: "worse" as const,
  verified: true,
  title: "It changed",
  source_url: "https://example.com/"
})

const ofWatch = {
  watch_id: "wat_01ARZ3NDEKTSV4RRFFQ69G5FAV" as const,
  label: "mine",
  target: "token" as const,
  address: "0x00000000219ab540356cBB839Cbe05303d7705Fa",
  chain: { id: 1, name: "ethereum" }
}

const head = { id: "evt_01ARZ3NDEKTSV4RRFFQ69G5FAV" as const, sequence: 7, timestamp: fromMillis(0) }

const changed = (weights: ReadonlyArray<number>): Event =>
  Schema.decodeUnknownSync(Event)({
    ...head,
    type: "watch.changed",
    data: {
      ...ofWatch,
      execution_id: "exe_01ARZ3NDEKTSV4RRFFQ69G5FAV",
      base_execution_id: null,
      max_severity: "high",
      counts: { high: weights.length },
      score_before: 71,
      score_after: 38,
      changes: weights.map((weight, index) => change(`token.claim-${index}`, weight)),
      changes_url: "/api/v1/executions/exe_01ARZ3NDEKTSV4RRFFQ69G5FAV/changes"
    }
  })

const shown = (event: Event) => {
  const text = encode(event)
  const sent: Event = Schema.decodeUnknownSync(Event)(JSON.parse(text))
  assert.isAtMost(Buffer.byteLength(text), 20_000)
  assert.strictEqual(sent.id, event.id)
  return sent
}

describe("the message of an event", () => {
  it("is the event as it stands in the log, where that fits", () => {
    const event = changed([100, 100])
    assert.deepStrictEqual(shown(event), event)
  })

  it("has at most 20,000 bytes: the least severe changes are left out, and counted all the same", () => {
    const cases: ReadonlyArray<readonly [weights: ReadonlyArray<number>, kept: number]> = [
      [[6_000, 6_000, 6_000], 3],
      [[6_000, 6_000, 6_000, 6_000, 6_000], 3],
      [[18_000, 18_000], 1],
      [[30_000, 100], 0],
      [[100, 30_000, 100], 1]
    ]
    for (const [weights, kept] of cases) {
      const event = changed(weights)
      const sent = shown(event)
      if (sent.type !== "watch.changed" || event.type !== "watch.changed") return assert.fail("another type")
      assert.deepStrictEqual(sent.data.changes, event.data.changes.slice(0, kept))
      assert.deepStrictEqual(sent.data.counts, { high: weights.length })
      assert.strictEqual(sent.data.changes_url, event.data.changes_url)
    }
  })

  it("has a long error cut, and says so", () => {
    const event: Event = Schema.decodeUnknownSync(Event)({
      ...head,
      type: "watch.failing",
      data: { ...ofWatch, consecutive_failures: 3, error_code: "internal_error", error: "é".repeat(40_000) }
    })
    const sent = shown(event)
    if (sent.type !== "watch.failing") return assert.fail("another type")
    assert.match(sent.data.error, /^é{1000}…$/)
  })
})
