import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Entropy, EventStore, Id, Secrets, Timestamp } from "@assay/core"
import { SqlClient } from "@effect/sql/SqlClient"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import * as SqliteStorage from "../src/SqliteStorage.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-secrets-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const file = (name: string) => join(directory, `${name}.db`)
const keys = (...[first, ...rest]: readonly [number, ...Array<number>]) => {
  const key = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
  return Layer.provide(Secrets.layer([key(first), ...rest.map(key)]), Entropy.layer)
}

const keyId = Schema.decodeSync(Id.KeyId)("key_01ARZ3NDEKTSV4RRFFQ69G5FAV")
const id = Schema.decodeSync(Id.WebhookId)("whk_01ARZ3NDEKTSV4RRFFQ69G5FAV")
const clear = [
  "whsec_bmV3ZXN0LXNlY3JldC1vZi10aGlzLWVuZHBvaW50",
  "whsec_b2xkZXItc2VjcmV0LW9mLXRoaXMtZW5kcG9pbnQ="
] as const

/** An endpoint as an earlier version stored it. */
const before = (name: string) =>
  Effect.gen(function* () {
    const store = yield* EventStore.EventStore
    yield* store.addWebhook(
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
        secrets: [
          { secret: clear[0], until: Option.none() },
          { secret: clear[1], until: Option.some(1_000) }
        ],
        failures: 0,
        warned: false
      },
      5
    )
  }).pipe(Effect.provide(SqliteStorage.layer({ filename: file(name) })))

const opened = (name: string, secrets: Layer.Layer<Secrets.Secrets>) =>
  Effect.gen(function* () {
    const store = yield* EventStore.EventStore
    const sealing = yield* Secrets.Secrets
    const [endpoint] = yield* store.webhooks(keyId)
    return {
      keyIds: endpoint?.secrets.map(({ secret }) => Option.getOrNull(Secrets.keyIdOf(secret))),
      current: sealing.keyId,
      until: endpoint?.secrets.map(({ until }) => Option.getOrNull(until)),
      secrets: yield* Effect.forEach(endpoint?.secrets ?? [], ({ secret }) => sealing.open(secret, id))
    }
  }).pipe(Effect.provide(Layer.provideMerge(SqliteStorage.layerSealing({ filename: file(name) }), secrets)))

const bytes = (name: string) =>
  ["", "-wal"]
    .map((suffix) => `${file(name)}${suffix}`)
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, "latin1"))
    .join()

describe("the secrets in a database", () => {
  it.effect("from before they were sealed are sealed, and nothing in the file still has them in clear", () =>
    Effect.gen(function* () {
      yield* before("old")
      assert.include(bytes("old"), clear[0])
      const { current, keyIds, secrets, until } = yield* opened("old", keys(1))
      assert.deepStrictEqual(secrets, [...clear])
      assert.deepStrictEqual(until, [null, 1_000])
      assert.deepStrictEqual(keyIds, [current, current])
      for (const secret of clear) assert.notInclude(bytes("old"), secret)
    })
  )

  it.effect("are in clear in no part of the file while the process that sealed them still runs", () =>
    Effect.gen(function* () {
      yield* before("running")
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(Layer.provide(SqliteStorage.layerSealing({ filename: file("running") }), keys(1)))
          for (const secret of clear) assert.notInclude(bytes("running"), secret)
        })
      )
    })
  )

  it.effect("get a new key, after which the old one is not needed", () =>
    Effect.gen(function* () {
      yield* before("rotated")
      yield* opened("rotated", keys(1))
      const rotated = yield* opened("rotated", keys(2, 1))
      assert.deepStrictEqual(rotated.secrets, [...clear])
      assert.deepStrictEqual(rotated.keyIds, [rotated.current, rotated.current])
      assert.deepStrictEqual((yield* opened("rotated", keys(2))).secrets, [...clear])
    })
  )

  it.effect("of a key that is not given refuse the start, and stay as they are", () =>
    Effect.gen(function* () {
      yield* before("lost")
      const { current } = yield* opened("lost", keys(1))
      const error = yield* Effect.flip(opened("lost", keys(2)))
      assert.deepInclude(error, { _tag: "SecretUnreadable", reason: "unknown_key", keyId: current })
      assert.deepStrictEqual((yield* opened("lost", keys(1))).secrets, [...clear])
    })
  )

  it.effect("are rewritten by a later start where a reader was in the way", () =>
    Effect.gen(function* () {
      yield* before("busy")
      const flag = Effect.flatMap(
        SqlClient,
        (sql) => sql<{ readonly rewritten: number }>`SELECT rewritten FROM secrets_key`
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          const other = yield* Layer.build(SqliteStorage.layerClient({ filename: file("busy") }))
          yield* Effect.provide(
            Effect.flatMap(SqlClient, (sql) => sql`BEGIN`.pipe(Effect.zipRight(sql`SELECT * FROM webhook`))),
            other
          )
          assert.deepStrictEqual((yield* opened("busy", keys(1))).secrets, [...clear])
          assert.strictEqual(
            (yield* Effect.provide(flag, SqliteStorage.layerClient({ filename: file("busy") })))[0]?.rewritten,
            0
          )
          yield* Effect.provide(
            Effect.flatMap(SqlClient, (sql) => sql`COMMIT`),
            other
          )
        })
      )
      yield* opened("busy", keys(1))
      assert.strictEqual(
        (yield* Effect.provide(flag, SqliteStorage.layerClient({ filename: file("busy") })))[0]?.rewritten,
        1
      )
      for (const secret of clear) assert.notInclude(bytes("busy"), secret)
    })
  )
})
