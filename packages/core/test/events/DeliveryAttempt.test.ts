import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as fc from "effect/FastCheck"
import type { EventBody } from "../../src/domain/Event.js"
import * as Id from "../../src/domain/Id.js"
import { fromMillis, toMillis } from "../../src/domain/Timestamp.js"
import {
  type Attempt,
  decide,
  delays,
  nextAttemptAt,
  type Outcome,
  retryAfter
} from "../../src/events/DeliveryAttempt.js"
import type { Sending, StoredWebhook } from "../../src/storage/EventStore.js"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const start = Date.UTC(2026, 10, 21, 12)

const answered = (status: number, wait?: number): Outcome => ({
  _tag: "Answered",
  status,
  retryAfter: Option.fromNullable(wait)
})
const timeout: Outcome = { _tag: "Unanswered", error: "timeout" }

const fresh: Sending = {
  asked: false,
  delivery: {
    id: Id.derive("dlv", "one"),
    event_id: Id.derive("evt", "one"),
    attempt: 0,
    status: "pending",
    http_status: null,
    latency_ms: null,
    error_class: null,
    at: null,
    next_attempt_at: fromMillis(start)
  },
  endpoint: {
    keyId: "key_01ARZ3NDEKTSV4RRFFQ69G5FAV",
    webhook: {
      id: "whk_01ARZ3NDEKTSV4RRFFQ69G5FAV",
      url: "https://example.com/",
      label: null,
      event_types: ["watch.changed"],
      watch_ids: null,
      min_severity: null,
      state: "enabled",
      disabled_reason: null,
      failing_since: null,
      last_success_at: fromMillis(start - 1),
      created_at: fromMillis(start)
    },
    secrets: [],
    failures: 0,
    warned: false
  }
}

const failing = (since: number, failures: number): StoredWebhook => ({
  ...fresh.endpoint,
  webhook: { ...fresh.endpoint.webhook, failing_since: fromMillis(since) },
  failures
})

const unproven = (failures: number): Sending => ({
  ...fresh,
  endpoint: { ...fresh.endpoint, webhook: { ...fresh.endpoint.webhook, last_success_at: null }, failures }
})

const attempt = (outcome: Outcome, at = start, jitter = 0.5): Attempt => ({
  url: fresh.endpoint.webhook.url,
  startedAt: at,
  endedAt: at + 20,
  outcome,
  jitter
})

const outcomes: fc.Arbitrary<Outcome> = fc.oneof(
  fc
    .record({
      status: fc.integer({ min: 100, max: 599 }),
      wait: fc.option(fc.integer({ min: 1, max: 10 * day }), { nil: undefined })
    })
    .map(({ status, wait }) => answered(status, wait)),
  fc.constantFrom(...(["timeout", "connection", "tls", "dns", "forbidden_address"] as const)).map(
    (error): Outcome => ({
      _tag: "Unanswered",
      error
    })
  )
)

const jitters = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe("an attempt", () => {
  it("that was answered 2xx delivers, and clears the endpoint's clock", () => {
    for (const status of [200, 201, 202, 204, 299]) {
      const after = decide(
        { ...fresh, endpoint: { ...failing(start - 3 * day, 40), warned: true } },
        attempt(answered(status))
      )
      assert.strictEqual(after.delivery.status, "delivered")
      assert.strictEqual(after.delivery.attempt, 1)
      assert.strictEqual(after.delivery.http_status, status)
      assert.strictEqual(after.delivery.error_class, null)
      assert.strictEqual(after.delivery.latency_ms, 20)
      assert.strictEqual(after.delivery.at, fromMillis(start))
      assert.strictEqual(after.delivery.next_attempt_at, null)
      assert.strictEqual(after.endpoint.webhook.failing_since, null)
      assert.strictEqual(after.endpoint.webhook.last_success_at, fromMillis(start + 20))
      assert.strictEqual(after.endpoint.failures, 0)
      assert.strictEqual(after.endpoint.warned, false)
    }
  })

  it("that was answered otherwise, redirects too, or not at all, is made again", () => {
    for (const outcome of [199, 300, 301, 304, 307, 400, 401, 404, 429, 500, 503].map((status) => answered(status))) {
      const { delivery, endpoint } = decide(fresh, attempt(outcome))
      assert.deepStrictEqual([delivery.status, delivery.error_class], ["pending", "status"])
      assert.strictEqual(endpoint.failures, 1)
      assert.strictEqual(endpoint.webhook.failing_since, fromMillis(start + 20))
    }
    for (const error of ["timeout", "connection", "tls", "dns", "forbidden_address"] as const) {
      const { delivery } = decide(fresh, attempt({ _tag: "Unanswered", error }))
      assert.deepStrictEqual([delivery.status, delivery.error_class, delivery.http_status], ["pending", error, null])
    }
  })

  it("comes by the schedule: 75 h 35 min 5 s from the first to the tenth, and none after it", () => {
    let current = fresh
    let at = start
    const gaps: Array<number> = []
    for (let made = 1; made <= 10; made++) {
      current = { ...current, ...decide(current, { ...attempt(timeout, at), endedAt: at }) }
      if (current.delivery.next_attempt_at === null) break
      const next = toMillis(current.delivery.next_attempt_at)
      gaps.push(next - at)
      at = next
    }
    assert.deepStrictEqual(gaps, [
      5 * second,
      5 * minute,
      30 * minute,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
      24 * hour
    ])
    assert.strictEqual(at - start, 75 * hour + 35 * minute + 5 * second)
    assert.strictEqual(current.delivery.status, "exhausted")
    assert.strictEqual(current.delivery.attempt, 10)
  })

  it("is spread by at most a fifth to either side, and never comes before the wait that the endpoint demands, up to a day", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), jitters, outcomes, (made, jitter, outcome) => {
        const delay = delays[made - 1] ?? 0
        const wait = Option.getOrThrow(nextAttemptAt(made, { endedAt: start, jitter, outcome })) - start
        const asked =
          outcome._tag === "Answered"
            ? Math.min(
                Option.getOrElse(outcome.retryAfter, () => 0),
                day
              )
            : 0
        assert.isAtLeast(wait, asked)
        assert.isAtLeast(wait, Math.floor(delay * 0.8))
        assert.isAtMost(wait, Math.max(Math.ceil(delay * 1.2), asked))
      })
    )
    const spread = [0, 0.5, 1].map((jitter) =>
      Option.map(nextAttemptAt(9, { endedAt: start, jitter, outcome: timeout }), (at) => (at - start) / hour)
    )
    assert.deepStrictEqual(spread, [Option.some(19.2), Option.some(24), Option.some(28.8)])
    const wait = (asked: number) =>
      Option.map(nextAttemptAt(1, { endedAt: start, jitter: 0.5, outcome: answered(429, asked) }), (at) => at - start)
    assert.deepStrictEqual(wait(2 * second), Option.some(5 * second))
    assert.deepStrictEqual(wait(10 * minute), Option.some(10 * minute))
    assert.deepStrictEqual(wait(30 * day), Option.some(day))
    assert.deepStrictEqual(
      nextAttemptAt(10, { endedAt: start, jitter: 0.5, outcome: answered(429, minute) }),
      Option.none()
    )
  })

  it("that was answered 410 disables the endpoint at once", () => {
    const { delivery, endpoint } = decide(fresh, attempt(answered(410)))
    assert.deepStrictEqual([delivery.status, delivery.http_status, delivery.next_attempt_at], ["dropped", 410, null])
    assert.deepStrictEqual([endpoint.webhook.state, endpoint.webhook.disabled_reason], ["disabled", "gone"])
  })

  it("warns after 24 h of only failures, and disables after 5 days of them with 10 attempts", () => {
    const after = (since: number, failures: number) => {
      const { delivery, endpoint } = decide(
        { ...fresh, endpoint: failing(start + 20 - since, failures) },
        attempt(answered(500))
      )
      return [endpoint.warned, endpoint.webhook.state, endpoint.webhook.disabled_reason, delivery.status]
    }
    assert.deepStrictEqual(after(day - 1, 100), [false, "enabled", null, "pending"])
    assert.deepStrictEqual(after(day, 0), [true, "enabled", null, "pending"])
    assert.deepStrictEqual(after(5 * day - 1, 100), [true, "enabled", null, "pending"])
    assert.deepStrictEqual(after(5 * day, 8), [true, "enabled", null, "pending"])
    assert.deepStrictEqual(after(5 * day, 9), [true, "disabled", "failing", "dropped"])
  })

  it("of a delivery by hand is the only one, and its failure does not count for the endpoint", () => {
    const late: Sending = { ...fresh, asked: true, endpoint: failing(start - 6 * day, 40) }
    const byOwner = { ...failing(start - 6 * day, 40).webhook, state: "disabled", disabled_reason: "by_owner" } as const
    const off: Sending = { ...late, endpoint: { ...late.endpoint, webhook: byOwner } }
    for (const current of [late, off, { ...late, endpoint: fresh.endpoint }])
      for (const outcome of [timeout, answered(500), answered(429, minute)]) {
        const { delivery, endpoint, events } = decide(current, attempt(outcome))
        assert.deepStrictEqual([delivery.status, delivery.next_attempt_at], ["exhausted", null])
        assert.deepStrictEqual([endpoint, events], [current.endpoint, []])
      }
    const gone = decide(late, attempt(answered(410)))
    assert.deepStrictEqual([gone.delivery.status, gone.endpoint.webhook.disabled_reason], ["exhausted", "gone"])
    const stillOff = decide(off, attempt(answered(410)))
    assert.deepStrictEqual([stillOff.endpoint, stillOff.events], [off.endpoint, []])
    const success = decide(off, attempt(answered(200)))
    assert.deepStrictEqual([success.delivery.status, success.endpoint.webhook.state], ["delivered", "disabled"])
    assert.strictEqual(success.endpoint.webhook.last_success_at, fromMillis(start + 20))
  })

  it("that ends after the endpoint was disabled is noted, and changes nothing of that", () => {
    const byOwner: Sending = {
      ...fresh,
      endpoint: {
        ...fresh.endpoint,
        webhook: { ...fresh.endpoint.webhook, state: "disabled", disabled_reason: "by_owner" }
      }
    }
    const late = decide(byOwner, attempt(answered(410)))
    assert.deepStrictEqual([late.delivery.status, late.endpoint, late.events], ["dropped", byOwner.endpoint, []])
    const success = decide(byOwner, attempt(answered(200)))
    assert.deepStrictEqual([success.delivery.status, success.endpoint.webhook.state], ["delivered", "disabled"])
  })

  it("to another URL than the endpoint has by now says nothing of the endpoint", () => {
    const moved: Sending = { ...fresh, endpoint: { ...failing(start - 6 * day, 40), warned: true } }
    const elsewhere = (outcome: Outcome) => decide(moved, { ...attempt(outcome), url: "https://example.com/old" })
    for (const outcome of [timeout, answered(500), answered(410)]) {
      const { delivery, endpoint, events } = elsewhere(outcome)
      assert.strictEqual(delivery.status, "pending")
      assert.deepStrictEqual([endpoint, events], [moved.endpoint, []])
    }
    const success = elsewhere(answered(200))
    assert.deepStrictEqual([success.delivery.status, success.endpoint], ["delivered", moved.endpoint])
  })

  it("disables an endpoint that never succeeded with its fifth failure, but not for deliveries by hand", () => {
    const after = (current: Sending) => {
      const { delivery, endpoint, events } = decide(current, attempt(answered(404)))
      return [endpoint.webhook.state, endpoint.webhook.disabled_reason, delivery.status, events.length]
    }
    assert.deepStrictEqual(after(unproven(3)), ["enabled", null, "pending", 0])
    assert.deepStrictEqual(after(unproven(4)), ["disabled", "unproven", "dropped", 1])
    assert.deepStrictEqual(after({ ...unproven(4), asked: true }), ["enabled", null, "exhausted", 0])
    const proven = decide(unproven(4), attempt(answered(204))).endpoint
    assert.deepStrictEqual(after({ ...fresh, endpoint: { ...proven, failures: 8 } }), ["enabled", null, "pending", 0])
  })

  it("reports that the endpoint fails and that it is disabled when that begins, and the same when called again", () => {
    const { id, url } = fresh.endpoint.webhook
    const since = fromMillis(start + 20 - 5 * day)
    const current = (failures: number, warned: boolean): Sending => ({
      ...fresh,
      endpoint: { ...failing(start + 20 - 5 * day, failures), warned }
    })
    const bodies = (sending: Sending, outcome: Outcome) =>
      decide(sending, attempt(outcome)).events.map(({ body }) => body)
    const isFailing: EventBody = { type: "webhook.failing", data: { webhook_id: id, url, failing_since: since } }
    const isDisabled = (reason: string): EventBody => ({
      type: "webhook.disabled",
      data: { webhook_id: id, url, reason }
    })
    assert.deepStrictEqual(bodies(current(1, false), timeout), [isFailing])
    assert.deepStrictEqual(bodies(current(1, true), timeout), [])
    assert.deepStrictEqual(bodies(current(9, true), timeout), [isDisabled("failing")])
    assert.deepStrictEqual(bodies(current(9, false), timeout), [isFailing, isDisabled("failing")])
    assert.deepStrictEqual(bodies(fresh, answered(410)), [isDisabled("gone")])
    assert.deepStrictEqual(bodies(current(9, false), answered(200)), [])
    const twice = [1, 2].map(() => decide(current(9, false), attempt(timeout)))
    assert.deepStrictEqual(twice[0], twice[1])
    const next = decide({ ...current(9, false), delivery: twice[0]?.delivery ?? fresh.delivery }, attempt(timeout))
    const ids = [twice[0], next].flatMap((decided) => decided?.events.map((event) => event.id) ?? [])
    assert.strictEqual(new Set(ids).size, 4)
  })

  it("has one of four ends, whatever comes: only what is pending has a next time, and time and count go forward", () => {
    const endpoints = fc
      .record({
        since: fc.option(fc.integer({ min: 0, max: 10 * day }), { nil: undefined }),
        failures: fc.nat(50),
        made: fc.nat(12)
      })
      .map(
        ({ failures, made, since }): Sending => ({
          asked: false,
          delivery: { ...fresh.delivery, attempt: made },
          endpoint: since === undefined ? fresh.endpoint : failing(start - since, failures)
        })
      )
    fc.assert(
      fc.property(endpoints, outcomes, jitters, (current, outcome, jitter) => {
        const { delivery, endpoint } = decide(current, attempt(outcome, start, jitter))
        assert.strictEqual(delivery.attempt, current.delivery.attempt + 1)
        assert.strictEqual(delivery.status === "pending", delivery.next_attempt_at !== null)
        if (delivery.next_attempt_at !== null) assert.isAbove(toMillis(delivery.next_attempt_at), start)
        assert.strictEqual(delivery.status === "delivered", delivery.error_class === null)
        assert.strictEqual(delivery.status === "dropped", endpoint.webhook.state === "disabled")
        assert.strictEqual(endpoint.webhook.failing_since === null, delivery.status === "delivered")
        assert.strictEqual(endpoint.failures === 0, delivery.status === "delivered")
      })
    )
  })
})

describe("Retry-After", () => {
  it("is seconds or an HTTP date; whatever else it says is nothing", () => {
    const now = Date.UTC(2026, 10, 21, 12)
    const cases: ReadonlyArray<readonly [header: string, wait: number | null]> = [
      ["0", null],
      ["1", second],
      [" 120 ", 2 * minute],
      ["999999999", 999_999_999 * second],
      ["Sat, 21 Nov 2026 12:00:30 GMT", 30 * second],
      ["Saturday, 21-Nov-26 12:00:30 GMT", 30 * second],
      ["Sat Nov 21 12:00:30 2026", 30 * second],
      ["Sat, 21 Nov 2026 11:59:59 GMT", null],
      ["Sat, 99 Nov 2026 12:00:30 GMT", null],
      ["-5", null],
      ["1.5", null],
      ["1e3", null],
      ["0x10", null],
      ["", null],
      ["soon", null],
      ["2027", 2027 * second],
      ["2026-11-21T12:00:30Z", null]
    ]
    assert.deepStrictEqual(
      cases.map(([header]) => [header, Option.getOrNull(retryAfter(header, now))]),
      cases.map(([header, wait]) => [header, wait])
    )
  })

  it("is never in the past, whatever the header is", () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), (header, now) => {
        assert.isTrue(Option.match(retryAfter(header, now), { onNone: () => true, onSome: (wait) => wait > 0 }))
      })
    )
  })
})
