import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "effect/FastCheck"
import type { EventBody } from "../../src/domain/Event.js"
import { EventBody as EventBodySchema, EventType } from "../../src/domain/Event.js"
import { Severity } from "../../src/domain/Evidence.js"
import type { WatchId, WebhookId } from "../../src/domain/Id.js"
import { fromMillis } from "../../src/domain/Timestamp.js"
import { type Webhook, wants } from "../../src/domain/Webhook.js"
import * as Documents from "../../src/testing/Documents.js"

const self: WebhookId = "whk_01ARZ3NDEKTSV4RRFFQ69G5FAV"
const other: WebhookId = "whk_01BX5ZZKBKACTAV9WEVGEMMVRZ"
const watch: WatchId = "wat_01ARZ3NDEKTSV4RRFFQ69G5FAV"
const another: WatchId = "wat_01BX5ZZKBKACTAV9WEVGEMMVRZ"

const ofWatch = {
  watch_id: watch,
  label: "mine",
  target: "token" as const,
  address: Documents.address(1),
  chain: { id: 1, name: "ethereum" }
}

const checked = (type: "watch.changed" | "watch.checked", severity: Severity | null): EventBody => ({
  type,
  data: {
    ...ofWatch,
    execution_id: "exe_01ARZ3NDEKTSV4RRFFQ69G5FAV",
    base_execution_id: null,
    max_severity: severity,
    counts: {},
    score_before: null,
    score_after: null,
    changes: [],
    changes_url: "/"
  }
})

const bodies: { readonly [Type in EventType]: EventBody } = {
  "watch.changed": checked("watch.changed", "medium"),
  "watch.checked": checked("watch.checked", null),
  "watch.failing": {
    type: "watch.failing",
    data: { ...ofWatch, consecutive_failures: 3, error_code: "internal_error", error: "It failed" }
  },
  "watch.recovered": {
    type: "watch.recovered",
    data: { ...ofWatch, execution_id: "exe_01ARZ3NDEKTSV4RRFFQ69G5FAV" }
  },
  "watch.suspended": { type: "watch.suspended", data: { ...ofWatch, reason: "key_revoked" } },
  "quota.threshold": { type: "quota.threshold", data: { day: "2026-11-21", daily_quota: 50, used: 40 } },
  "quota.exhausted": {
    type: "quota.exhausted",
    data: { day: "2026-11-21", daily_quota: 50, resets_at: fromMillis(0) }
  },
  "key.rotated": { type: "key.rotated", data: { hint: "asy_7Hq2…x9Kd", old_ends_at: fromMillis(0) } },
  "webhook.failing": {
    type: "webhook.failing",
    data: { webhook_id: other, url: "https://example.com/", failing_since: fromMillis(0) }
  },
  "webhook.disabled": {
    type: "webhook.disabled",
    data: { webhook_id: other, url: "https://example.com/", reason: "gone" }
  },
  "test.ping": { type: "test.ping", data: { webhook_id: other } }
}

const webhook = (changes: Partial<Webhook> = {}): Webhook => ({
  id: self,
  url: "https://example.com/",
  label: null,
  event_types: EventType.literals,
  watch_ids: null,
  min_severity: null,
  state: "enabled",
  disabled_reason: null,
  failing_since: null,
  last_success_at: null,
  created_at: fromMillis(0),
  ...changes
})

const told = (changes: Partial<Webhook>, body: EventBody, only: WebhookId | null = null) =>
  wants(webhook(changes), { body, only })

const types: ReadonlyArray<EventType> = EventType.literals

describe("an endpoint", () => {
  it("receives the types that it names, whatever they are, and no other", () => {
    for (const type of types) {
      assert.isTrue(Schema.is(EventBodySchema)(bodies[type]), type)
      assert.isTrue(told({ event_types: [type] }, bodies[type]), type)
      assert.isFalse(told({ event_types: types.filter((named) => named !== type) }, bodies[type]), type)
    }
  })

  it("receives nothing while it is disabled but what is meant for it alone", () => {
    for (const type of types) {
      for (const only of [null, other]) assert.isFalse(told({ state: "disabled" }, bodies[type], only), type)
      assert.isTrue(told({ state: "disabled" }, bodies[type], self), type)
    }
  })

  it("receives what is meant for it alone, whatever its filters, and nothing that is meant for another", () => {
    const deaf: Partial<Webhook> = { event_types: [], watch_ids: [], min_severity: "critical" }
    for (const type of types) {
      assert.isTrue(told(deaf, bodies[type], self), type)
      assert.isFalse(told({}, bodies[type], other), type)
    }
  })

  it("receives events of its watches only, and those that belong to no watch", () => {
    for (const type of types) {
      const isOfWatch = type.startsWith("watch.")
      assert.isTrue(told({ watch_ids: [watch, another] }, bodies[type]), type)
      assert.strictEqual(told({ watch_ids: [another] }, bodies[type]), !isOfWatch, type)
      assert.strictEqual(told({ watch_ids: [] }, bodies[type]), !isOfWatch, type)
    }
  })

  it("receives changes from its grade upwards, and everything that has no grade", () => {
    const grades = Severity.literals
    grades.forEach((least, floor) => {
      grades.forEach((grade, index) => {
        assert.strictEqual(told({ min_severity: least }, checked("watch.changed", grade)), index >= floor)
      })
      assert.isFalse(told({ min_severity: least }, checked("watch.changed", null)))
      for (const type of types) if (type !== "watch.changed") assert.isTrue(told({ min_severity: least }, bodies[type]))
    })
  })

  it("does not receive its own failures", () => {
    const own = (type: "webhook.failing" | "webhook.disabled"): EventBody =>
      type === "webhook.failing"
        ? { type, data: { webhook_id: self, url: "https://example.com/", failing_since: fromMillis(0) } }
        : { type, data: { webhook_id: self, url: "https://example.com/", reason: "gone" } }
    for (const type of ["webhook.failing", "webhook.disabled"] as const) {
      assert.isFalse(told({}, own(type)))
      assert.isTrue(told({}, bodies[type]))
    }
  })

  it("with narrower filters receives less", () => {
    const narrow = fc.record({
      event_types: fc.subarray([...types]),
      watch_ids: fc.option(fc.subarray([watch, another])),
      min_severity: fc.option(fc.constantFrom(...Severity.literals))
    })
    fc.assert(
      fc.property(narrow, fc.constantFrom(...types), (asked, type) => {
        if (told(asked, bodies[type])) assert.isTrue(told({}, bodies[type]))
      })
    )
  })
})
