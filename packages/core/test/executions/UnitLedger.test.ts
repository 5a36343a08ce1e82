import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Cursor from "../../src/domain/Cursor.js"
import * as Id from "../../src/domain/Id.js"
import { fromMillis } from "../../src/domain/Timestamp.js"
import type { LedgerEntry } from "../../src/domain/Usage.js"
import * as UnitLedger from "../../src/executions/UnitLedger.js"
import { ExecutionStore } from "../../src/storage/ExecutionStore.js"
import { QuotaStore, type UnitKind } from "../../src/storage/QuotaStore.js"
import * as Storage from "../../src/storage/Storage.js"
import * as Documents from "../../src/testing/Documents.js"

const noon = Date.UTC(2026, 10, 21, 12)

/** An execution with its unit, failed with this code unless there is none. */
const unit = Effect.fnUntraced(function* (
  keyId: Id.KeyId,
  kind: UnitKind,
  watchId: Option.Option<Id.WatchId>,
  code?: "target_mismatch" | "upstream_unavailable"
) {
  const executions = yield* ExecutionStore
  const quota = yield* QuotaStore
  const id = yield* Id.make("exe")
  const running = Documents.running(id, Documents.token(1), noon)
  const lease = { token: id, until: noon + 1 }
  yield* executions.begin({ id, keyId, joinKey: id, slots: 99, lease, running, watchId })
  yield* quota.reserve({ id, keyId, kind, buckets: [], now: noon })
  if (code !== undefined) yield* executions.fail(id, id, { code, detail: "" }, noon)
  else yield* executions.complete(id, Documents.completed(running, noon), { known: {}, reported: {} })
  yield* quota.settle(id, code === undefined ? "committed" : "released", noon)
  return id
})

describe("the ledger of units", () => {
  it.effect("says of each unit what became of it, for which execution and watch, and why it was given back", () =>
    Effect.gen(function* () {
      const quota = yield* QuotaStore
      const keyId = yield* Id.make("key")
      const caller = { id: keyId, dailyQuota: 9, source: Option.none() }
      const watch = yield* Id.make("wat")
      const mismatch = yield* unit(keyId, "token", Option.none(), "target_mismatch")
      const unread = yield* unit(keyId, "watch", Option.some(watch), "upstream_unavailable")
      const checked = yield* unit(keyId, "watch", Option.some(watch))
      const open = yield* Id.make("exe")
      yield* quota.reserve({ id: open, keyId, kind: "wallet", buckets: [], now: noon + 1 })

      const at = fromMillis(noon)
      const entry = (id: Id.ExecutionId, of: Partial<LedgerEntry>): LedgerEntry => ({
        at,
        kind: "watch",
        units: 1,
        reason: null,
        execution_id: id,
        watch_id: watch,
        state: "released",
        ...of
      })
      const expected = [
        entry(mismatch, { kind: "token", reason: "target_mismatch", watch_id: null }),
        entry(unread, { reason: "upstream_unavailable" }),
        entry(checked, { state: "committed" }),
        entry(open, { at: fromMillis(noon + 1), kind: "wallet", state: "reserved", watch_id: null })
      ].toSorted((a, b) => ((a.execution_id ?? "") < (b.execution_id ?? "") ? 1 : -1))

      const pages: Array<ReadonlyArray<LedgerEntry>> = []
      let cursor = Option.none<string>()
      do {
        const { data, next_cursor } = yield* UnitLedger.page(caller, { day: "2026-11-21", limit: 3, cursor })
        pages.push(data)
        cursor = Option.fromNullable(next_cursor)
      } while (Option.isSome(cursor))
      assert.deepStrictEqual(pages, [expected.slice(0, 3), expected.slice(3)])

      // An execution goes before its unit, and then its unit goes into a sum.
      yield* (yield* ExecutionStore).remove([unread], noon)
      const request = { day: "2026-11-21", limit: 9, cursor: Option.none() }
      const { data } = yield* UnitLedger.page(caller, request)
      assert.deepStrictEqual(
        data.find(({ execution_id }) => execution_id === unread),
        entry(unread, { reason: null, watch_id: null })
      )
      yield* quota.prune({ settledBefore: "2026-11-22", sumsBefore: "2026-11-21", limit: 99 })
      const sum = { at: null, units: 1, reason: null, execution_id: null, watch_id: null }
      assert.deepStrictEqual((yield* UnitLedger.page(caller, request)).data.slice(1), [
        { ...sum, kind: "watch", state: "released" },
        { ...sum, kind: "watch", state: "committed" },
        { ...sum, kind: "token", state: "released" }
      ])
      const other = { ...caller, id: yield* Id.make("key") }
      assert.deepStrictEqual(yield* UnitLedger.page(other, request), { data: [], next_cursor: null })
      for (const text of ["x", Cursor.encode(keyId), Cursor.encode(open)]) {
        const refused = yield* Effect.flip(UnitLedger.page(caller, { ...request, cursor: Option.some(text) }))
        assert.strictEqual(refused._tag, "BadCursor")
      }
    }).pipe(Effect.provide(Storage.layerMemory))
  )
})
