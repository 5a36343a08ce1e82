import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, TestClock } from "effect"
import { Webhook as Verifier } from "standardwebhooks"
import * as Cursor from "../../src/domain/Cursor.js"
import type { KeyId, WatchId, WebhookId } from "../../src/domain/Id.js"
import * as Id from "../../src/domain/Id.js"
import { fromMillis } from "../../src/domain/Timestamp.js"
import * as Delivery from "../../src/events/Delivery.js"
import { Webhooks } from "../../src/events/Webhooks.js"
import { Secrets } from "../../src/keys/Secrets.js"
import type { RateLimited } from "../../src/quota/RateLimit.js"
import * as EventStore from "../../src/storage/EventStore.js"
import * as Storage from "../../src/storage/Storage.js"
import { WatchStore } from "../../src/storage/WatchStore.js"
import * as WatchSteps from "../../src/testing/WatchSteps.js"
import { caller, mine, recovered, theirs, watch } from "./News.js"
import { endpoint, office, outside, status, tell } from "./Post.js"

const world = (from = outside()) => Layer.provideMerge(office(from), Storage.layerMemory)

const use = Webhooks
const everything = { limit: 100, cursor: Option.none<string>() }
const nobody: WebhookId = "whk_01ARZ3NDEKTSV4RRFFQ69G5FAV"

const stored = (id: WebhookId) =>
  Effect.gen(function* () {
    const store = yield* EventStore.EventStore
    const found = (yield* store.webhooks(mine)).find(({ webhook }) => webhook.id === id)
    return found ?? (yield* Effect.dieMessage("not stored"))
  })

const deliveries = (id: WebhookId) =>
  Effect.flatMap(use, (webhooks) => webhooks.deliveries(caller(mine), id, { limit: 100, cursor: Option.none() }))

describe("Webhooks", () => {
  it.effect("makes an endpoint with a secret that is shown once, for watch.changed where no type is named", () =>
    Effect.gen(function* () {
      const webhooks = yield* use
      yield* TestClock.adjust("1 days")
      yield* WatchSteps.watchAt(mine, 0, { id: watch })
      const { secret, ...made } = yield* endpoint({
        eventTypes: [],
        label: "mine",
        watchIds: [watch],
        minSeverity: "high"
      })
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.deepStrictEqual(made, {
        id: made.id,
        url: "https://example.com/hook?token=very-secret",
        label: "mine",
        event_types: ["watch.changed"],
        watch_ids: [watch],
        min_severity: "high",
        state: "enabled",
        disabled_reason: null,
        failing_since: null,
        last_success_at: null,
        created_at: fromMillis(86_400_000)
      })
      assert.deepStrictEqual(yield* webhooks.get(caller(mine), made.id), made)
      assert.deepStrictEqual(yield* webhooks.list(caller(mine), everything), { data: [made], next_cursor: null })
      const twice = yield* endpoint({ eventTypes: ["watch.failing", "watch.changed", "watch.failing"] })
      assert.deepStrictEqual(twice.event_types, ["watch.failing", "watch.changed"])
      assert.notStrictEqual(twice.secret, secret)
    }).pipe(Effect.provide(world()))
  )

  it.effect("allows five a key", () =>
    Effect.gen(function* () {
      const webhooks = yield* use
      const made = yield* Effect.replicateEffect(endpoint(), 5)
      const error = yield* Effect.flip(endpoint())
      assert.deepStrictEqual([error._tag, "limit" in error && error.limit], ["WebhookLimitReached", 5])
      yield* endpoint({}, theirs)
      const ids = (yield* webhooks.list(caller(mine), everything)).data.map(({ id }) => id)
      assert.deepStrictEqual(ids, made.map(({ id }) => id).reverse())
      yield* webhooks.remove(caller(mine), nobody).pipe(Effect.flip)
      yield* webhooks.remove(caller(mine), made[0]?.id ?? nobody)
      yield* endpoint()
    }).pipe(Effect.provide(world()))
  )

  it.effect("lists the newest first, page by page, and says where the list goes on", () =>
    Effect.gen(function* () {
      const webhooks = yield* use
      const made = (yield* Effect.replicateEffect(endpoint(), 5)).map(({ id }) => id).reverse()
      const seen: Array<ReadonlyArray<WebhookId>> = []
      let cursor = Option.none<string>()
      do {
        const page = yield* webhooks.list(caller(mine), { limit: 2, cursor })
        seen.push(page.data.map(({ id }) => id))
        cursor = Option.fromNullable(page.next_cursor)
      } while (Option.isSome(cursor))
      assert.deepStrictEqual(seen, [made.slice(0, 2), made.slice(2, 4), made.slice(4)])
      const whole = yield* webhooks.list(caller(mine), { limit: 5, cursor: Option.none() })
      assert.strictEqual(whole.next_cursor, null)
      const error = yield* Effect.flip(webhooks.list(caller(mine), { limit: 5, cursor: Option.some("?") }))
      assert.strictEqual(error._tag, "BadCursor")
    }).pipe(Effect.provide(world()))
  )

  it.effect("refuses URLs that may not be called, when it is made and when it is changed", () =>
    Effect.gen(function* () {
      const webhooks = yield* use
      const { id } = yield* endpoint()
      const cases = [
        ["nonsense", "bad_url"],
        ["http://example.com/", "scheme"],
        ["https://a:b@example.com/", "userinfo"],
        ["https://nowhere.example/", "unresolvable"],
        ["https://127.1/", "address"]
      ] as const
      for (const [url, reason] of cases) {
        const created = yield* Effect.flip(endpoint({ url }))
        const changed = yield* Effect.flip(webhooks.change(caller(mine), id, { url }))
        for (const error of [created, changed]) {
          if (error._tag !== "WebhookUrlForbidden") return assert.fail(error._tag)
          assert.strictEqual(error.reason, reason)
        }
      }
      assert.strictEqual((yield* webhooks.list(caller(mine), everything)).data.length, 1)
    }).pipe(
      Effect.provide(
        world({ ...outside(), addresses: (host) => (host === "nowhere.example" ? [] : ["93.184.216.34"]) })
      )
    )
  )

  it.effect("refuses watches that its key does not have, and says which, when it is made and when it is changed", () =>
    Effect.gen(function* () {
      const webhooks = yield* use
      const own = yield* WatchSteps.watchAt(mine, 0)
      const foreign = yield* WatchSteps.watchAt(theirs, 0)
      const { id } = yield* endpoint({ watchIds: [own.id, own.id] })
      const watchIds = [watch, own.id, foreign.id, watch]
      const created = yield* Effect.flip(endpoint({ url: "https://127.0.0.1/", watchIds }))
      const changed = yield* Effect.flip(webhooks.change(caller(mine), id, { url: "https://127.0.0.1/", watchIds }))
      for (const error of [created, changed]) {
        if (error._tag !== "WebhookWatchesUnknown") return assert.fail(error._tag)
        assert.deepStrictEqual(error.indexes, [0, 2, 3])
      }
      assert.deepStrictEqual((yield* webhooks.get(caller(mine), id)).watch_ids, [own.id, own.id])
    }).pipe(Effect.provide(world()))
  )

  it.effect(
    "keeps a watch in its list that is removed later, and may be changed with it there, but not made anew",
    () =>
      Effect.gen(function* () {
        const webhooks = yield* use
        const watches = yield* WatchStore
        const [gone, left] = [yield* WatchSteps.watchAt(mine, 0), yield* WatchSteps.watchAt(mine, 0)]
        const { id } = yield* endpoint({ watchIds: [gone.id] })
        yield* watches.remove(mine, gone.id)
        assert.deepStrictEqual((yield* webhooks.get(caller(mine), id)).watch_ids, [gone.id])
        const change = (watchIds: ReadonlyArray<WatchId> | null) => webhooks.change(caller(mine), id, { watchIds })
        assert.deepStrictEqual((yield* change([left.id, gone.id])).watch_ids, [left.id, gone.id])
        yield* change(null)
        assert.strictEqual((yield* Effect.flip(change([gone.id])))._tag, "WebhookWatchesUnknown")
        assert.strictEqual((yield* Effect.flip(endpoint({ watchIds: [gone.id] })))._tag, "WebhookWatchesUnknown")
      }).pipe(Effect.provide(world()))
  )

  it.effect("is not found by another key, whatever that wants of it", () =>
    Effect.gen(function* () {
      const webhooks = yield* use
      const { id } = yield* endpoint()
      yield* tell(recovered(mine, "a"))
      const [delivery] = (yield* deliveries(id)).data
      if (delivery === undefined) return assert.fail("no delivery")
      const other = caller(theirs)
      const page = { limit: 10, cursor: Option.none() }
      const errors = yield* Effect.all([
        Effect.flip(webhooks.get(other, id)),
        Effect.flip(webhooks.change(other, id, { url: "https://127.0.0.1/" })),
        Effect.flip(webhooks.remove(other, id)),
        Effect.flip(webhooks.rotate(other, id, 0)),
        Effect.flip(webhooks.ping(other, id)),
        Effect.flip(webhooks.deliveries(other, id, page)),
        Effect.flip(webhooks.redeliver(other, id, delivery.id))
      ])
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        errors.map(() => "WebhookNotFound")
      )
      assert.deepStrictEqual((yield* webhooks.list(other, everything)).data, [])
      assert.strictEqual((yield* webhooks.list(caller(mine), everything)).data.length, 1)
    }).pipe(Effect.provide(world()))
  )

  it.effect("changes what is named and keeps the rest; null clears", () =>
    Effect.gen(function* () {
      const webhooks = yield* use
      yield* WatchSteps.watchAt(mine, 0, { id: watch })
      const { secret: _, ...made } = yield* endpoint({ label: "mine", watchIds: [watch], minSeverity: "high" })
      const change = (by: Parameters<typeof webhooks.change>[2]) => webhooks.change(caller(mine), made.id, by)
      assert.deepStrictEqual(yield* change({}), made)
      assert.deepStrictEqual(yield* change({ label: null }), { ...made, label: null })
      assert.deepStrictEqual(
        yield* change({ label: "x", watchIds: null, minSeverity: null, eventTypes: ["watch.changed"] }),
        { ...made, label: "x", watch_ids: null, min_severity: null, event_types: ["watch.changed"] }
      )
      assert.strictEqual((yield* change({ url: "https://example.com/other" })).url, "https://example.com/other")
    }).pipe(Effect.provide(world()))
  )

  it.effect("forgets its failures when it is switched on again, or sent elsewhere, and by nothing else", () =>
    Effect.gen(function* () {
      const webhooks = yield* use
      const store = yield* EventStore.EventStore
      const { id } = yield* endpoint()
      const fail = store.changeWebhook(mine, id, (found) => ({
        ...found,
        webhook: {
          ...found.webhook,
          state: "disabled",
          disabled_reason: "failing",
          failing_since: fromMillis(1)
        },
        failures: 12,
        warned: true
      }))
      const memory = Effect.map(stored(id), ({ failures, warned, webhook }) => [
        webhook.state,
        webhook.disabled_reason,
        webhook.failing_since,
        failures,
        warned
      ])
      yield* fail
      yield* webhooks.change(caller(mine), id, { label: "x", state: "disabled" })
      assert.deepStrictEqual(yield* memory, ["disabled", "failing", fromMillis(1), 12, true])
      yield* webhooks.change(caller(mine), id, { url: "https://example.com/other" })
      assert.deepStrictEqual(yield* memory, ["disabled", "failing", null, 0, false])
      yield* fail
      yield* webhooks.change(caller(mine), id, { state: "enabled" })
      assert.deepStrictEqual(yield* memory, ["enabled", null, null, 0, false])
      yield* webhooks.change(caller(mine), id, { state: "disabled" })
      assert.deepStrictEqual(yield* memory, ["disabled", "by_owner", null, 0, false])
    }).pipe(Effect.provide(world()))
  )

  it.effect("signs with the old secret too, for as long as requested, and with the new one from now on", () => {
    const from = outside()
    return Effect.gen(function* () {
      const webhooks = yield* use
      const made = yield* endpoint()
      const verifies = (secret: string) =>
        Effect.gen(function* () {
          const sent = from.sent.at(-1)
          if (sent === undefined) return assert.fail("nothing was sent")
          const signature = new Verifier(secret).sign(sent.headers["webhook-id"] ?? "", new Date(sent.at), sent.body)
          return (sent.headers["webhook-signature"] ?? "").split(" ").includes(signature)
        })
      let count = 0
      const verified = (...secrets: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          yield* tell(recovered(mine, `${count++}`))
          assert.strictEqual(yield* Delivery.sendDue(), 1)
          return yield* Effect.forEach(secrets, verifies)
        })

      const rotated = yield* webhooks.rotate(caller(mine), made.id, 3_600)
      assert.deepStrictEqual({ ...rotated, secret: made.secret }, made)
      assert.notStrictEqual(rotated.secret, made.secret)
      assert.deepStrictEqual(yield* verified(rotated.secret, made.secret), [true, true])
      // A further rotation does not prolong it.
      const third = yield* webhooks.rotate(caller(mine), made.id, 604_800)
      assert.deepStrictEqual(yield* verified(third.secret, rotated.secret, made.secret), [true, true, true])
      yield* TestClock.adjust("1 hours")
      assert.deepStrictEqual(yield* verified(third.secret, rotated.secret, made.secret), [true, true, false])
      // Without an overlap all older ones end at once.
      const fourth = yield* webhooks.rotate(caller(mine), made.id, 0)
      assert.deepStrictEqual(yield* verified(fourth.secret, third.secret, rotated.secret), [true, false, false])
      assert.strictEqual((yield* stored(made.id)).secrets.length, 1)
      yield* Effect.replicateEffect(webhooks.rotate(caller(mine), made.id, 604_800), 20)
      assert.strictEqual((yield* stored(made.id)).secrets.length, 10)
    }).pipe(Effect.provide(world(from)))
  })

  it.effect("is tried with a ping that nobody else hears of, and that stands in the log", () => {
    const from = outside()
    return Effect.gen(function* () {
      const webhooks = yield* use
      const tried = yield* endpoint({ url: "https://example.com/tried" })
      yield* endpoint({ url: "https://example.com/other", eventTypes: ["test.ping"] })
      const event = yield* webhooks.ping(caller(mine), tried.id)
      assert.deepStrictEqual([event.type, event.data], ["test.ping", { webhook_id: tried.id }])
      assert.strictEqual(yield* Delivery.sendDue(), 1)
      assert.deepStrictEqual(
        from.sent.map(({ body, url }) => [url, JSON.parse(body)]),
        [["https://example.com/tried", event]]
      )
    }).pipe(Effect.provide(world(from)))
  })

  it.effect("gets deliveries by hand also while it is disabled, once, and their failures are not counted", () => {
    const from = outside()
    return Effect.gen(function* () {
      const webhooks = yield* use
      const { id } = yield* endpoint()
      yield* tell(recovered(mine, "one"))
      yield* webhooks.change(caller(mine), id, { state: "disabled" })
      yield* webhooks.ping(caller(mine), id)
      for (const { id: delivery } of (yield* deliveries(id)).data) yield* webhooks.redeliver(caller(mine), id, delivery)
      from.answer = () => status(500)
      assert.strictEqual(yield* Delivery.sendDue(), 2)
      yield* TestClock.adjust("6 days")
      assert.strictEqual(yield* Delivery.sendDue(), 0)
      const all = (yield* deliveries(id)).data
      assert.deepStrictEqual(
        all.map(({ attempt, http_status, status }) => [attempt, http_status, status]),
        [
          [1, 500, "exhausted"],
          [1, 500, "exhausted"]
        ]
      )
      const { failures, webhook } = yield* stored(id)
      assert.deepStrictEqual([failures, webhook.failing_since, webhook.disabled_reason], [0, null, "by_owner"])

      // Its owner has repaired it, and sees that before switching it on.
      from.answer = () => status(204)
      for (const { id: delivery } of all) yield* webhooks.redeliver(caller(mine), id, delivery)
      assert.strictEqual(yield* Delivery.sendDue(), 2)
      const { last_success_at, state } = yield* webhooks.get(caller(mine), id)
      assert.deepStrictEqual([state, last_success_at], ["disabled", fromMillis(6 * 86_400_000)])
      assert.deepStrictEqual(
        (yield* deliveries(id)).data.map(({ status }) => status),
        ["delivered", "delivered"]
      )
    }).pipe(Effect.provide(world(from)))
  })

  it.effect("sends so many messages by hand: to one endpoint, of one key, and to one host by all keys", () => {
    const from = outside()
    return Effect.gen(function* () {
      const webhooks = yield* use
      const refusalOf = (self: Effect.Effect<unknown, { readonly _tag: string }>) =>
        Effect.match(self, {
          onFailure: (error) =>
            "violated" in error ? (error as RateLimited).violated.map(({ policy }) => policy) : [],
          onSuccess: () => ["none"]
        })
      const ping = (id: WebhookId, key = mine) => refusalOf(webhooks.ping(caller(key), id))
      const host = (name: string, key = mine) =>
        Effect.map(endpoint({ url: `https://${name}.example/` }, key), ({ id }) => id)

      const first = yield* host("a")
      for (let n = 0; n < 5; n++) assert.deepStrictEqual(yield* ping(first), ["none"])
      assert.deepStrictEqual(yield* ping(first), ["webhook-messages-endpoint"])
      const [delivery] = (yield* deliveries(first)).data
      assert.deepStrictEqual(
        yield* refusalOf(webhooks.redeliver(caller(mine), first, delivery?.id ?? Id.derive("dlv", "none"))),
        ["webhook-messages-endpoint"]
      )
      yield* TestClock.adjust("1 minutes")

      for (let round = 0; round < 5; round++) {
        for (let n = 0; n < 5; n++) assert.deepStrictEqual(yield* ping(first), ["none"])
        yield* TestClock.adjust("1 minutes")
      }
      assert.deepStrictEqual(yield* ping(first), ["webhook-messages-key"])
      assert.deepStrictEqual(yield* ping(yield* host("b")), ["webhook-messages-key"])

      const second = yield* host("a", theirs)
      for (let round = 0; round < 6; round++) {
        for (let n = 0; n < 5; n++) assert.deepStrictEqual(yield* ping(second, theirs), ["none"])
        yield* TestClock.adjust("1 minutes")
      }
      const third: KeyId = "key_01ARZ3NDEKTSV4RRFFQ69G5FA0"
      assert.deepStrictEqual(yield* ping(yield* host("a", third), third), ["webhook-messages-host"])
      assert.deepStrictEqual(yield* ping(yield* host("c", third), third), ["none"])
    }).pipe(Effect.provide(world(from)))
  })

  it.effect("keeps its secret sealed: the store never sees what signs", () =>
    Effect.gen(function* () {
      const webhooks = yield* use
      const made = yield* endpoint()
      const next = yield* webhooks.rotate(caller(mine), made.id, 60)
      const { secrets } = yield* stored(made.id)
      assert.strictEqual(secrets.length, 2)
      for (const { secret } of secrets) assert.match(secret, /^v1\.[0-9a-f]{16}\.[\w-]{16}\.[\w-]+$/)
      const opened = yield* Effect.flatMap(Secrets, (sealing) =>
        Effect.forEach(secrets, ({ secret }) => sealing.open(secret, made.id))
      )
      assert.deepStrictEqual(opened, [next.secret, made.secret])
    }).pipe(Effect.provide(world()))
  )

  it.effect("begins anew so often until it has succeeded: made, moved or switched on again", () => {
    const from = outside()
    return Effect.gen(function* () {
      const webhooks = yield* use
      const { id } = yield* endpoint({ url: "https://a.example/" })
      const toggle = Effect.gen(function* () {
        yield* webhooks.change(caller(mine), id, { state: "disabled" })
        yield* webhooks.change(caller(mine), id, { state: "enabled" })
      })
      for (let n = 0; n < 9; n++) yield* toggle
      for (let n = 0; n < 10; n++) yield* webhooks.change(caller(mine), id, { url: `https://a.example/${n}` })
      const refused = yield* Effect.flip(endpoint({ url: "https://b.example/" }))
      assert.strictEqual(refused._tag, "RateLimited")
      assert.strictEqual((yield* Effect.flip(toggle))._tag, "RateLimited")

      // What has succeeded may be switched off and on; at another host it has to succeed again.
      yield* TestClock.adjust("1 hours")
      yield* webhooks.change(caller(mine), id, { state: "enabled" })
      yield* tell(recovered(mine, "one"))
      yield* Delivery.sendDue()
      for (let n = 0; n < 30; n++) yield* toggle
      const same = yield* webhooks.change(caller(mine), id, { url: "https://a.example/same-host" })
      assert.isNotNull(same.last_success_at)
      const moved = yield* webhooks.change(caller(mine), id, { url: "https://b.example/" })
      assert.isNull(moved.last_success_at)
    }).pipe(Effect.provide(world(from)))
  })

  it.effect("sends what is on its way to its new URL, and is not judged by what the old one answers", () => {
    const from = outside()
    return Effect.gen(function* () {
      const webhooks = yield* use
      const { id } = yield* endpoint({ url: "https://example.com/old" })
      yield* tell(recovered(mine, "one"))
      const change = webhooks.change(caller(mine), id, {
        url: "https://example.com/new",
        eventTypes: ["watch.failing"]
      })
      from.answer = () => Effect.zipRight(Effect.orDie(change), status(410))
      assert.strictEqual(yield* Delivery.sendDue(), 1)
      const { failing_since, state } = yield* webhooks.get(caller(mine), id)
      assert.deepStrictEqual([state, failing_since], ["enabled", null])
      from.answer = () => status(200)
      yield* TestClock.adjust("10 seconds")
      // It still comes, though its type is no longer selected.
      assert.strictEqual(yield* Delivery.sendDue(), 1)
      assert.deepStrictEqual(
        from.sent.map(({ url }) => url),
        ["https://example.com/old", "https://example.com/new"]
      )
    }).pipe(Effect.provide(world(from)))
  })

  it.effect("lists what was sent, newest first, and sends it again on request", () => {
    const from = outside()
    return Effect.gen(function* () {
      const webhooks = yield* use
      const { id } = yield* endpoint()
      const [one] = yield* tell(recovered(mine, "one"))
      yield* Delivery.sendDue()
      from.answer = () => status(500)
      const [two] = yield* tell(recovered(mine, "two"))
      yield* Delivery.sendDue()
      const first = yield* webhooks.deliveries(caller(mine), id, { limit: 1, cursor: Option.none() })
      const rest = yield* webhooks.deliveries(caller(mine), id, {
        limit: 1,
        cursor: Option.fromNullable(first.next_cursor)
      })
      const both = [...first.data, ...rest.data]
      assert.sameDeepMembers(
        both.map(({ event_id, status }) => [event_id, status]),
        [
          [one?.id, "delivered"],
          [two?.id, "pending"]
        ]
      )
      for (const cursor of ["x", Cursor.encode(id)]) {
        const error = yield* Effect.flip(
          webhooks.deliveries(caller(mine), id, { limit: 1, cursor: Option.some(cursor) })
        )
        assert.strictEqual(error._tag, "BadCursor")
      }

      from.answer = () => status(200)
      for (const { id: delivery } of both) {
        const again = yield* webhooks.redeliver(caller(mine), id, delivery)
        assert.strictEqual(again.status, "pending")
      }
      assert.strictEqual(yield* Delivery.sendDue(), 2)
      assert.deepStrictEqual(
        (yield* deliveries(id)).data.map(({ attempt, status }) => [attempt, status]),
        [
          [2, "delivered"],
          [2, "delivered"]
        ]
      )
      const error = yield* Effect.flip(webhooks.redeliver(caller(mine), id, Id.derive("dlv", "none")))
      assert.strictEqual(error._tag, "DeliveryNotFound")
    }).pipe(Effect.provide(world(from)))
  })

  it.effect("sends nothing any more once it is removed", () => {
    const from = outside()
    return Effect.gen(function* () {
      const webhooks = yield* use
      const { id } = yield* endpoint()
      yield* tell(recovered(mine, "one"))
      yield* webhooks.remove(caller(mine), id)
      assert.strictEqual(yield* Delivery.sendDue(), 0)
      assert.deepStrictEqual(from.sent, [])
      assert.strictEqual((yield* Effect.flip(webhooks.remove(caller(mine), id)))._tag, "WebhookNotFound")
    }).pipe(Effect.provide(world(from)))
  })
})
