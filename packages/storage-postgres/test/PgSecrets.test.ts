import { Entropy, EventStore, Id, Secrets, Timestamp } from "@assay/core"
import { afterAll, assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import * as PgStorage from "../src/PgStorage.js"
import * as TestPostgres from "./TestPostgres.js"

const database = await TestPostgres.database()
afterAll(() => database?.drop())

const options = { url: Redacted.make(database?.url ?? ""), connections: 2 }
const keys = (...[first, ...rest]: readonly [number, ...Array<number>]) => {
  const key = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
  return Layer.provide(Secrets.layer([key(first), ...rest.map(key)]), Entropy.layer)
}

const keyId = Schema.decodeSync(Id.KeyId)("key_01ARZ3NDEKTSV4RRFFQ69G5FAV")
const id = Schema.decodeSync(Id.WebhookId)("whk_01ARZ3NDEKTSV4RRFFQ69G5FAV")
const clear = "whsec_bmV3ZXN0LXNlY3JldC1vZi10aGlzLWVuZHBvaW50"

/** The secrets of the endpoint, opened with these keys when the stores are opened with them. */
const opened = (secrets: Layer.Layer<Secrets.Secrets>) =>
  Effect.gen(function* () {
    const store = yield* EventStore.EventStore
    const sealing = yield* Secrets.Secrets
    const [endpoint] = yield* store.webhooks(keyId)
    return yield* Effect.forEach(endpoint?.secrets ?? [], ({ secret }) =>
      Effect.map(sealing.open(secret, id), (text) => ({ text, by: Secrets.keyIdOf(secret) }))
    )
  }).pipe(Effect.provide(Layer.provideMerge(PgStorage.layerSealing(options), secrets)))

TestPostgres.describeOn(database)("secrets of endpoints", () => {
  it.live("are sealed when the database is opened, with a new key anew, and none is lost where a key is missing", () =>
    Effect.gen(function* () {
      yield* Effect.provide(
        Effect.flatMap(EventStore.EventStore, (store) =>
          store.addWebhook(
            {
              keyId,
              webhook: {
                id,
                url: "https://example.com/",
                label: null,
                event_types: ["watch.changed"],
                watch_ids: null,
                min_severity: null,
                state: "enabled",
                disabled_reason: null,
                failing_since: null,
                last_success_at: null,
                created_at: Timestamp.fromMillis(0)
              },
              secrets: [{ secret: clear, until: Option.none() }],
              failures: 0,
              warned: false
            },
            5
          )
        ),
        PgStorage.layer(options)
      )
      const [first] = yield* opened(keys(1))
      assert.strictEqual(first?.text, clear)
      const [second] = yield* opened(keys(2, 1))
      assert.strictEqual(second?.text, clear)
      assert.notDeepEqual(second?.by, first?.by)
      assert.deepStrictEqual(yield* opened(keys(2)), [second])
      const error = yield* Effect.flip(opened(keys(3)))
      assert.deepInclude(error, { _tag: "SecretUnreadable", reason: "unknown_key" })
      assert.deepStrictEqual(yield* opened(keys(2)), [second])
      const rows = yield* Effect.promise(async () => database?.query("SELECT secrets FROM webhook"))
      assert.notInclude(JSON.stringify(rows), clear.slice(6))
    })
  )
})
