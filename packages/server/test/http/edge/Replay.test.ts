import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { type IncomingMessage, type OutgoingHttpHeaders, request as open } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  Address,
  ApiKeySecret,
  EventStore,
  ExecutionStore,
  Executions,
  Id,
  KeyStore,
  QuotaStore,
  Timestamp,
  WatchStore
} from "@assay/core"
import { Front } from "@assay/server"
import { SqliteStorage } from "@assay/storage-sqlite"
import { describe, layer } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Option, Redacted, Schema, TestClock } from "effect"
import { afterAll, assert } from "vitest"
import * as Draw from "../../../../../test/Draw.js"
import * as Host from "../../../src/Host.js"
import * as TestServer from "../../TestServer.js"

const directory = mkdtempSync(join(tmpdir(), "assay-replay-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const stores = (name: string) => SqliteStorage.layer({ filename: join(directory, `${name}.db`) })

const over = (name: string, burstPerMinute = 1_000) =>
  TestServer.overStores(Layer.provideMerge(Executions.layer(), TestServer.analyzer), stores(name), {
    limits: { ...TestServer.config.limits, burstPerMinute },
    allowedHosts: Option.some(Host.loopback)
  })

interface Answer {
  readonly status: number | undefined
  readonly headers: OutgoingHttpHeaders
  readonly bytes: string
  readonly isReplayed: boolean
}

/** Sends a request with these header fields and no others but Host, and says whether the answer was one made before. */
const ask = (path: string, headers: OutgoingHttpHeaders, method = "GET") =>
  Effect.gen(function* () {
    const origin = yield* TestServer.base
    const front = yield* Front.Front
    const answer = front.answer
    let isReplayed = false
    front.answer = (request, response) => {
      isReplayed = answer?.(request, response) === true
      return isReplayed
    }
    const given = yield* Effect.promise(async () => {
      const sent = open(`${origin}${path}`, { method, headers, agent: false })
      sent.end()
      const [response] = (await once(sent, "response")) as [IncomingMessage]
      const chunks: Array<Buffer> = []
      for await (const chunk of response) chunks.push(chunk)
      return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks).toString("latin1") }
    })
    front.answer = answer
    const asked: Answer = { ...given, isReplayed }
    return asked
  })

/** A new key. Its use in this minute is noted, which is a commit as well. */
const createKey = Effect.tap(TestServer.createKey, (key) =>
  Effect.zipRight(ask("/api/v1/usage", bearer(key)), eventuallyNoted(key))
)

const eventuallyNoted = (key: string) =>
  Effect.gen(function* () {
    const keys = yield* KeyStore.KeyStore
    const id = yield* keyOf(key)
    const minute = yield* Effect.map(Clock.currentTimeMillis, (now) => now - (now % 60_000))
    // Uses are gathered for a second.
    yield* TestClock.adjust("1 second")
    yield* Effect.repeat(Effect.zipLeft(keys.find(id), Effect.yieldNow()), {
      until: (found) => Option.exists(found, ({ lastUsedAt }) => Option.contains(lastUsedAt, minute))
    })
  })

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** An execution of a key as a store keeps it. */
const keep = (
  secret: string,
  options: {
    readonly status: "complete" | "failed" | "running"
    readonly watchId?: Id.WatchId
  }
) =>
  Effect.gen(function* () {
    const store = yield* ExecutionStore.ExecutionStore
    const keyId = yield* keyOf(secret)
    const id = yield* Id.make("exe")
    const now = yield* Clock.currentTimeMillis
    const complete = TestServer.result(
      { kind: "wallet", address: Schema.decodeSync(Address.Address)(TestServer.target.works) },
      id
    )
    // Long enough to be compressed.
    const document = { ...complete, warnings: [{ code: "test", detail: "long ".repeat(400) }] }
    const running = { ...document, status: "running" as const, content_hash: null, completed_at: null }
    const lease = { token: id, until: now + 60_000 }
    yield* store.begin({
      id,
      joinKey: id,
      keyId,
      lease,
      running,
      slots: 10,
      watchId: Option.fromNullable(options.watchId)
    })
    if (options.status === "complete") yield* store.complete(id, document, { known: {}, reported: {} })
    if (options.status === "failed") yield* store.fail(id, id, { code: "internal_error", detail: "it stopped" }, now)
    return id
  })

const keyOf = (secret: string) =>
  Effect.gen(function* () {
    const keys = yield* KeyStore.KeyStore
    const parsed = yield* ApiKeySecret.parse(Redacted.make(secret))
    return (yield* yield* keys.findByHash(ApiKeySecret.hash(parsed))).id
  })

const newWatch = (key: string) =>
  Effect.map(
    TestServer.send("/api/v1/watches", {
      method: "POST",
      key,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ target: "wallet", address: TestServer.target.works, paused: true })
    }),
    ({ json }): Id.WatchId => json.id
  )

const webhookOf = (keyId: Id.KeyId) =>
  Effect.zipWith(
    Id.make("whk"),
    Clock.currentTimeMillis,
    (id, now): EventStore.StoredWebhook => ({
      keyId,
      webhook: {
        id,
        url: "https://hooks.example/",
        label: null,
        event_types: ["watch.changed"],
        watch_ids: null,
        min_severity: null,
        state: "enabled",
        disabled_reason: null,
        failing_since: null,
        last_success_at: null,
        created_at: Timestamp.fromMillis(now)
      },
      secrets: [],
      failures: 0,
      warned: false
    })
  )

// Of these every request has its own, or they count requests. A problem names its request.
const own = ["date", "request-id", "ratelimit"]
const shared = ({ bytes, headers, status }: Answer) => ({
  status,
  bytes: bytes.replaceAll(String(headers["request-id"]), "its id"),
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !own.includes(name)))
})

describe("Replay", () => {
  layer(over("equal"))("over stores that say when something was committed", (it) => {
    it.effect("answers a request again as the application answers it, in status, header fields and bytes", () =>
      Effect.gen(function* () {
        const [key, other] = [yield* createKey, yield* createKey]
        const complete = yield* keep(key, { status: "complete" })
        const failed = yield* keep(key, { status: "failed" })
        const running = yield* keep(key, { status: "running" })
        const foreign = yield* keep(other, { status: "complete" })
        const watch = yield* newWatch(key)
        yield* keep(key, { status: "complete", watchId: watch })
        const unchecked = yield* newWatch(key)
        const paths = [
          ...[complete, failed, running, foreign, "exe_00000000000000000000000000", "exe_x"].map(
            (id) => `/api/v1/executions/${id}`
          ),
          `/api/v1/executions/${complete}?view=report`,
          `/api/v1/executions/${complete}?include=recipes`,
          `/api/v1/executions/${complete}?unknown=1`,
          `/api/v1/watches/${watch}`,
          `/api/v1/watches/${unchecked}`,
          "/api/v1/watches/wat_00000000000000000000000000",
          "/api/v1/watches",
          "/api/v1/watches?limit=1",
          "/api/v1/usage",
          "/api/v1/usage?unknown=1",
          "/api/v1/limits",
          "/api/v1/nothing"
        ]
        const tags = yield* Effect.forEach([`/api/v1/executions/${complete}`, `/api/v1/watches/${watch}`], (path) =>
          Effect.map(ask(path, bearer(key)), ({ headers }) => String(headers.etag))
        )
        const fields: ReadonlyArray<OutgoingHttpHeaders> = [
          {},
          { "accept-encoding": "gzip" },
          { "accept-encoding": "br, gzip;q=0.5" },
          { "accept-encoding": "identity" },
          { accept: "application/json" },
          { accept: "text/markdown" },
          { accept: "image/png" },
          { "if-none-match": tags.join(", ") },
          { "if-none-match": tags.map((tag) => tag.replace(/"$/, '+gzip"')).join(", "), "accept-encoding": "gzip" },
          { "if-none-match": '"other"' },
          { "if-none-match": "*" },
          { origin: "https://elsewhere.example", "user-agent": "test" },
          { host: "elsewhere.example" },
          { authorization: "Basic eDp5" },
          { authorization: `Bearer ${key}x` },
          { authorization: `bearer  ${key} ` }
        ]
        const requests = paths.flatMap((path) =>
          fields.flatMap((given) => ["GET", "HEAD"].map((method) => ({ path, given, method })))
        )
        const drawn = Draw.portion(requests)
        let replayed = 0
        for (const { given, method, path } of drawn) {
          const headers = { ...bearer(key), ...given }
          yield* ask(path, headers, method)
          const again = yield* ask(path, headers, method)
          // A field that is known to nobody is a doubt.
          const made = yield* ask(path, { ...headers, "x-unknown": "1" }, method)
          assert.isFalse(made.isReplayed)
          const what = `${method} ${path} ${JSON.stringify(given)}`
          assert.deepStrictEqual(shared(again), shared(made), what)
          assert.notStrictEqual(again.headers["request-id"], made.headers["request-id"])
          assert.match(String(again.headers["request-id"]), /^req_[0-9A-HJKMNP-TV-Z]{26}$/)
          if (again.isReplayed) {
            replayed++
            assert.include([200, 304], again.status, what)
            assert.strictEqual(method, "GET")
          }
        }
        // Of the paths above that exist, with the fields that are not refused.
        assert.isAbove(replayed, drawn.length / 10)
      })
    )

    it.effect("names the daily units and the burst limit as the application does, and counts each request once", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const left: Array<unknown> = []
        for (const more of [{}, {}, { "x-unknown": "1" }, {}]) {
          const { headers } = yield* ask("/api/v1/usage", { ...bearer(key), ...more })
          const told = /^"daily";r=50;t=(\d+), "burst";r=(\d+);t=\d+$/.exec(String(headers.ratelimit))
          left.push(Number(told?.[2]))
        }
        // The one of `createKey` is a second old, in which the limit has grown by more.
        assert.deepStrictEqual(left, [9_999, 9_998, 9_997, 9_996])
      })
    )

    it.effect("shows what this process commits from then on", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const keyId = yield* keyOf(key)
        const quota = yield* QuotaStore.QuotaStore
        const usage = Effect.map(ask("/api/v1/usage", bearer(key)), ({ bytes, headers, isReplayed }) => [
          JSON.parse(bytes).reserved,
          /^"daily";r=\d+/.exec(String(headers.ratelimit))?.[0],
          isReplayed
        ])
        yield* usage
        assert.deepStrictEqual(yield* usage, [0, '"daily";r=50', true])
        yield* quota.reserve({
          id: yield* Id.make("exe"),
          keyId,
          kind: "token",
          buckets: [],
          now: yield* Clock.currentTimeMillis
        })
        assert.deepStrictEqual(yield* usage, [1, '"daily";r=49', false])
        assert.deepStrictEqual(yield* usage, [1, '"daily";r=49', true])
      })
    )

    it.effect("shows a new quota of a key from its commit on, in the usage and in the warnings of its watches", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const keys = yield* KeyStore.KeyStore
        yield* TestServer.send("/api/v1/watches", {
          method: "POST",
          key,
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ target: "wallet", address: TestServer.target.works, interval_seconds: 3_600 })
        })
        const paths = ["/api/v1/usage", "/api/v1/watches"]
        for (const path of paths) yield* ask(path, bearer(key))
        yield* keys.change(yield* keyOf(key), { dailyQuota: 7 })
        const [usage, watches] = yield* Effect.forEach(paths, (path) => ask(path, bearer(key)))
        assert.strictEqual(JSON.parse(usage?.bytes ?? "").daily_quota, 7)
        assert.match(String(usage?.headers.ratelimit), /^"daily";r=7;/)
        assert.include(watches?.bytes, "Watches of this key need 24 units a day; the quota is 7.")
      })
    )

    it.effect("sends an answer again after a commit that did not change it, and none of what is removed", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const id = yield* keep(key, { status: "complete" })
        const watch = yield* newWatch(key)
        const paths = [`/api/v1/executions/${id}`, `/api/v1/watches/${watch}`, "/api/v1/watches", "/api/v1/usage"]
        for (const path of paths) yield* ask(path, bearer(key))
        // Another key, with all that is committed for it.
        yield* createKey
        for (const path of paths) assert.isTrue((yield* ask(path, bearer(key))).isReplayed, path)
        // One of the same key: what it changed is made anew, the rest is read again and found to be the same.
        yield* keep(key, { status: "complete", watchId: watch })
        const replayed = yield* Effect.forEach(paths, (path) => ask(path, bearer(key)))
        assert.deepStrictEqual(
          replayed.map(({ isReplayed }) => isReplayed),
          [true, false, true, true]
        )
        const store = yield* ExecutionStore.ExecutionStore
        yield* store.remove([id], yield* Clock.currentTimeMillis)
        const gone = yield* ask(`/api/v1/executions/${id}`, bearer(key))
        assert.deepStrictEqual([gone.status, gone.isReplayed], [410, false])
        yield* TestServer.send(`/api/v1/watches/${watch}`, { method: "DELETE", key })
        const statuses = yield* Effect.forEach(paths.slice(1), (path) => ask(path, bearer(key)))
        assert.deepStrictEqual(
          statuses.map(({ isReplayed, status }) => ({ status, isReplayed })),
          [
            { status: 404, isReplayed: false },
            { status: 200, isReplayed: false },
            { status: 200, isReplayed: true }
          ]
        )
      })
    )

    it.effect("refuses a key from the moment that it is revoked here or by another connection to the file", () =>
      Effect.gen(function* () {
        const elsewhere = yield* Effect.map(Layer.build(stores("equal")), (context) =>
          Effect.provide(KeyStore.KeyStore, context)
        )
        const here = KeyStore.KeyStore
        for (const where of [here, elsewhere]) {
          const key = yield* createKey
          const keyId = yield* keyOf(key)
          const path = `/api/v1/executions/${yield* keep(key, { status: "complete" })}`
          yield* ask(path, bearer(key))
          assert.isTrue((yield* ask(path, bearer(key))).isReplayed)
          const keys = yield* where
          yield* keys.change(keyId, { state: "revoked" })
          const refused = yield* ask(path, bearer(key))
          assert.strictEqual(refused.status, 401)
          assert.strictEqual(JSON.parse(refused.bytes).code, "key_revoked")
        }
      }).pipe(Effect.scoped)
    )

    it.effect("shows what another connection to the file commits for a key, of a watch and of a webhook too", () =>
      Effect.gen(function* () {
        const elsewhere = yield* Layer.build(stores("equal"))
        const key = yield* createKey
        const keyId = yield* keyOf(key)
        const watch = yield* newWatch(key)
        const paths = [`/api/v1/watches/${watch}`, "/api/v1/watches"]
        const answers = Effect.forEach(paths, (path) => ask(path, bearer(key)))
        const isReplayed = Effect.map(Effect.zipRight(answers, answers), (all) => all.every((each) => each.isReplayed))
        assert.isTrue(yield* isReplayed)
        const watches = Context.get(elsewhere, WatchStore.WatchStore)
        yield* watches.change(keyId, watch, (found) => Option.some({ ...found, label: "elsewhere" }))
        for (const { bytes } of yield* answers) assert.include(bytes, '"label":"elsewhere"')
        assert.isTrue(yield* isReplayed)
        const warned = yield* answers
        const events = Context.get(elsewhere, EventStore.EventStore)
        yield* events.addWebhook(yield* webhookOf(keyId), 10)
        for (const [index, { bytes, headers }] of (yield* answers).entries()) {
          assert.include(warned[index]?.bytes, "no_webhook")
          assert.notInclude(bytes, "no_webhook")
          if (headers.etag !== undefined) assert.notStrictEqual(headers.etag, warned[index]?.headers.etag)
        }
      }).pipe(Effect.scoped)
    )

    it.effect("refuses a key from its expiry on, and notes each minute that a key is used", () =>
      Effect.gen(function* () {
        const key = yield* TestServer.createKey
        const keyId = yield* keyOf(key)
        const keys = yield* KeyStore.KeyStore
        const usedAt = Effect.map(
          keys.find(keyId),
          Option.flatMap(({ lastUsedAt }) => lastUsedAt)
        )
        yield* ask("/api/v1/usage", bearer(key))
        yield* eventuallyNoted(key)
        const first = yield* usedAt
        yield* ask("/api/v1/usage", bearer(key))
        assert.isTrue((yield* ask("/api/v1/usage", bearer(key))).isReplayed)
        yield* TestClock.adjust("1 minute")
        yield* ask("/api/v1/usage", bearer(key))
        yield* eventuallyNoted(key)
        const second = yield* usedAt
        assert.deepStrictEqual(
          Option.map(first, (at) => at + 60_000),
          second
        )
        const now = yield* Clock.currentTimeMillis
        yield* keys.change(keyId, { expiresAt: Option.some(now + 90_000) })
        yield* TestClock.adjust("1 minute")
        yield* ask("/api/v1/usage", bearer(key))
        yield* eventuallyNoted(key)
        yield* ask("/api/v1/usage", bearer(key))
        assert.isTrue((yield* ask("/api/v1/usage", bearer(key))).isReplayed)
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual((yield* ask("/api/v1/usage", bearer(key))).status, 401)
      })
    )
  })

  layer(over("burst", 1))("under a burst limit", (it) => {
    it.effect("sends as many answers as the limit allows, whoever makes them, and then the problem", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const statuses: Array<number | undefined> = []
        let refused: Answer | undefined
        for (let times = 0; times < 12; times++) {
          const answer = yield* ask("/api/v1/usage", {
            ...bearer(key),
            ...(times % 3 === 2 ? { "x-unknown": "1" } : {})
          })
          statuses.push(answer.status)
          if (answer.status === 429) refused = answer
        }
        assert.deepStrictEqual(statuses, [...Array(9).fill(200), 429, 429, 429])
        assert.isFalse(refused?.isReplayed)
        assert.strictEqual(refused?.headers["content-type"], "application/problem+json")
      })
    )
  })
})
