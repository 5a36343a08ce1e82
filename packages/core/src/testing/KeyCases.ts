/** @internal */

import { Effect, Exit, Option } from "effect"
import * as CanonicalJson from "../domain/CanonicalJson.js"
import * as Id from "../domain/Id.js"
import { type KeyRecord, KeyStore } from "../storage/KeyStore.js"
import { type Guarantees, noon, same } from "./Guarantee.js"

/** A key that nobody has yet. */
export const keyRecord = Effect.fnUntraced(function* (changes: Partial<KeyRecord> = {}) {
  const id = yield* Id.make("key")
  const record: KeyRecord = {
    id,
    hashVersion: 1,
    hash: CanonicalJson.hash(id),
    hint: "asy_7Hq2…x9Kd",
    label: "my bot “äöü” 𝔘",
    state: "active",
    dailyQuota: 50,
    createdAt: noon,
    expiresAt: Option.none(),
    lastUsedAt: Option.none(),
    source: Option.none()
  }
  return { ...record, ...changes }
})

/** What `KeyStore` promises. */
export const cases: Guarantees = {
  "a key is found by its hash and by its id, as it was inserted": Effect.gen(function* () {
    const keys = yield* KeyStore
    const plain = yield* keyRecord()
    const rich = yield* keyRecord({
      state: "disabled",
      dailyQuota: 0,
      expiresAt: Option.some(noon + 1),
      lastUsedAt: Option.some(noon),
      source: Option.some("2001:db8::/64")
    })
    yield* keys.insert(plain)
    yield* keys.insert(rich)
    for (const record of [plain, rich]) {
      yield* same("findByHash", yield* keys.findByHash(record.hash), Option.some(record))
      yield* same("find", yield* keys.find(record.id), Option.some(record))
    }
  }),
  "a key that was never inserted is not found": Effect.gen(function* () {
    const keys = yield* KeyStore
    const absent = yield* keyRecord()
    yield* same("findByHash", yield* keys.findByHash(absent.hash), Option.none())
    yield* same("find", yield* keys.find(absent.id), Option.none())
  }),
  "a second insert with the same id changes nothing": Effect.gen(function* () {
    const keys = yield* KeyStore
    const record = yield* keyRecord()
    yield* keys.insert(record)
    yield* keys.insert({ ...record, hash: CanonicalJson.hash(`other ${record.id}`), label: "other", dailyQuota: 1 })
    yield* same("find", yield* keys.find(record.id), Option.some(record))
    yield* same(
      "findByHash of the second",
      yield* keys.findByHash(CanonicalJson.hash(`other ${record.id}`)),
      Option.none()
    )
  }),
  "a hash that another key holds is refused, and neither key changes": Effect.gen(function* () {
    const keys = yield* KeyStore
    const first = yield* keyRecord()
    const second = yield* keyRecord({ hash: first.hash })
    yield* keys.insert(first)
    const exit = yield* Effect.exit(keys.insert(second))
    yield* same("the insert failed", Exit.isFailure(exit), true)
    yield* same("findByHash", yield* keys.findByHash(first.hash), Option.some(first))
    yield* same("find", yield* keys.find(second.id), Option.none())
  }),
  "when a key was used is kept for that key alone and never goes back": Effect.gen(function* () {
    const keys = yield* KeyStore
    const used = yield* keyRecord()
    const other = yield* keyRecord()
    yield* keys.insert(used)
    yield* keys.insert(other)
    yield* keys.touch(used.id, noon + 60_000)
    yield* keys.touch(used.id, noon)
    yield* same("used", yield* keys.find(used.id), Option.some({ ...used, lastUsedAt: Option.some(noon + 60_000) }))
    yield* keys.touch(used.id, noon + 120_000)
    yield* same("used", yield* keys.find(used.id), Option.some({ ...used, lastUsedAt: Option.some(noon + 120_000) }))
    yield* same("other", yield* keys.find(other.id), Option.some(other))
    yield* keys.touch(yield* Id.make("key"), noon)
  })
}
