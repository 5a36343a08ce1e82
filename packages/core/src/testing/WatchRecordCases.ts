/** @internal */

import { Effect, Option } from "effect"
import type { WatchId } from "../domain/Id.js"
import * as Id from "../domain/Id.js"
import type { WatchMemory } from "../domain/WatchMemory.js"
import { type StoredWatch, type WatchContent, type WatchFilter, WatchStore } from "../storage/WatchStore.js"
import * as Documents from "./Documents.js"
import { concurrently, type Guarantees, never, noon, same } from "./Guarantee.js"
import { alone, claimNow, everything, firstOf, started, watchAt, watchOf } from "./WatchSteps.js"

/** What `WatchStore` promises of watches, as they are made, found, listed and changed. */
export const cases: Guarantees<WatchStore> = {
  "a watch is kept as it was made, and the same id again changes nothing": Effect.gen(function* () {
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const memory: Partial<WatchMemory> = {
      status: { _tag: "Suspended", reason: "consecutive_failures" },
      lastError: Option.some({ code: "upstream_unavailable", detail: "it’s “broken”" }),
      base: Option.some(yield* Id.make("exe")),
      since: Option.some(noon - 1),
      failures: 10
    }
    const plain = yield* watchOf(key, Option.some(noon))
    const rich = yield* watchOf(key, Option.none(), { label: "", revision: 7 })
    const suspended = { ...rich, memory: { ...rich.memory, ...memory } }
    for (const watch of [plain, suspended]) {
      yield* same("created", yield* store.create(watch, 2), true)
      yield* same("find", yield* store.find(key, watch.id), Option.some(watch))
    }
    yield* same("again", yield* store.create({ ...plain, label: "other", revision: 9 }, 2), true)
    yield* same("unchanged", yield* store.find(key, plain.id), Option.some(plain))
    yield* same("count", yield* store.count(key), 2)
    yield* same("absent", yield* store.find(key, yield* Id.make("wat")), Option.none())
  }),
  "of twenty watches at once with a limit of five exactly five are kept, and a removal makes room for one": Effect.gen(
    function* () {
      const store = yield* WatchStore
      const key = yield* Id.make("key")
      const watches = yield* Effect.replicateEffect(watchOf(key, Option.none()), 20)
      const kept = yield* Effect.forEach(watches, (watch) => store.create(watch, 5), concurrently)
      yield* same("kept", kept.filter(Boolean).length, 5)
      yield* same("count", yield* store.count(key), 5)
      const [first] = watches.filter((_, index) => kept[index])
      if (first !== undefined) yield* store.remove(key, first.id)
      const again = yield* Effect.replicateEffect(watchOf(key, Option.none()), 3)
      const more = yield* Effect.forEach(again, (watch) => store.create(watch, 5), concurrently)
      yield* same("room for one", more.filter(Boolean).length, 1)
      yield* same(
        "another key has its own",
        yield* store.create(yield* watchOf(yield* Id.make("key"), Option.none()), 1),
        true
      )
    }
  ),
  "what another key watches is not found, listed, counted, changed, removed or begun, and is no place in a list":
    Effect.gen(function* () {
      yield* alone
      const store = yield* WatchStore
      const [one, two] = [yield* Id.make("key"), yield* Id.make("key")]
      const mine = yield* watchAt(one, never)
      const theirs = yield* watchAt(two, never)
      const run = yield* started(theirs, noon)
      yield* same("find", yield* store.find(one, theirs.id), Option.none())
      yield* same(
        "list",
        (yield* store.list(one, everything, firstOf(9))).data.map(({ id }) => id),
        [mine.id]
      )
      yield* same("before", (yield* store.list(one, everything, firstOf(9, Option.some(theirs.id)))).data, [])
      yield* same("count", yield* store.count(one), 1)
      yield* same("change", yield* store.change(one, theirs.id, () => Option.some(mine)), Option.none())
      yield* same("remove", yield* store.remove(one, theirs.id), Option.none())
      yield* same("begin", yield* claimNow(theirs, noon, { keyId: one }), Option.none())
      yield* same("runs", yield* store.runs(one, theirs.id, { changed: false }, firstOf(9)), Option.none())
      const place = yield* store.runs(one, mine.id, { changed: false }, firstOf(9, Option.some(run.run.id)))
      yield* same("before its run", place, Option.some({ data: [], next_cursor: null }))
      yield* same("unchanged", yield* store.find(two, theirs.id), Option.some(run.watch))
    }),
  "watches are listed newest first, in pages that neither repeat nor skip while the list grows": Effect.gen(
    function* () {
      const store = yield* WatchStore
      const key = yield* Id.make("key")
      const made = yield* Effect.replicateEffect(watchAt(key, never), 7)
      const seen: Array<WatchId> = []
      let before = Option.none<WatchId>()
      do {
        const page = yield* store.list(key, everything, firstOf(3, before))
        yield* same("at most three", page.data.length <= 3, true)
        seen.push(...page.data.map(({ id }) => id))
        before = Option.fromNullable(page.next_cursor as WatchId | null)
        yield* watchAt(key, never)
      } while (Option.isSome(before))
      yield* same("all", seen, made.map(({ id }) => id).reverse())
      const whole = yield* store.list(key, everything, firstOf(10))
      yield* same("an exactly full page is the last", [whole.data.length, whole.next_cursor], [10, null])
      const absent = Option.some(yield* Id.make("wat"))
      yield* same("an unknown place", yield* store.list(key, everything, firstOf(3, absent)), {
        data: [],
        next_cursor: null
      })
    }
  ),
  "a list of watches holds what is asked for only": Effect.gen(function* () {
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const keep = Effect.fnUntraced(function* (changes: Partial<StoredWatch>, memory: Partial<WatchMemory> = {}) {
      const watch = yield* watchOf(key, Option.none(), changes)
      yield* store.create({ ...watch, memory: { ...watch.memory, ...memory } }, 100)
      return watch.id
    })
    const paused = yield* keep({})
    const active = yield* keep({ target: Documents.token(3) }, { status: { _tag: "Active" } })
    const error = { code: "upstream_unavailable", detail: "" }
    const failing = yield* keep(
      { target: { ...Documents.token(3), kind: "wallet" } },
      { status: { _tag: "Suspended", reason: "key_revoked" }, lastError: Option.some(error) }
    )
    const list = (filter: Partial<WatchFilter>) =>
      Effect.map(store.list(key, { ...everything, ...filter }, firstOf(9)), ({ data }) => data.map(({ id }) => id))
    yield* same("paused", yield* list({ state: Option.some("paused") }), [paused])
    yield* same("active", yield* list({ state: Option.some("active") }), [active])
    yield* same("suspended", yield* list({ state: Option.some("suspended") }), [failing])
    yield* same("kind", yield* list({ kind: Option.some("wallet") }), [failing])
    yield* same("address", yield* list({ address: Option.some(Documents.address(3)) }), [failing, active])
    yield* same("failing", yield* list({ failing: Option.some(true) }), [failing])
    yield* same("not failing", yield* list({ failing: Option.some(false) }), [active, paused])
    yield* same("together", yield* list({ address: Option.some(Documents.address(3)), kind: Option.some("token") }), [
      active
    ])
  }),
  "changes at once are decided one after the other, each raises the revision by one, and none changes nothing":
    Effect.gen(function* () {
      const store = yield* WatchStore
      const key = yield* Id.make("key")
      const watch = yield* watchAt(key, never, { label: "" })
      const more = ({ label, memory, options, updatedAt }: StoredWatch): Option.Option<WatchContent> =>
        Option.some({ label: `${label}x`, memory, options: { ...options, verify: false }, updatedAt: updatedAt + 1 })
      yield* Effect.replicateEffect(store.change(key, watch.id, more), 20, concurrently)
      const changed: StoredWatch = {
        ...watch,
        label: "x".repeat(20),
        options: { ...watch.options, verify: false },
        updatedAt: noon + 20,
        revision: 21
      }
      yield* same("changed", yield* store.find(key, watch.id), Option.some(changed))
      yield* same("nothing", yield* store.change(key, watch.id, Option.none), Option.some(changed))
      yield* same("unchanged", yield* store.find(key, watch.id), Option.some(changed))
      yield* same("absent", yield* store.change(key, yield* Id.make("wat"), more), Option.none())
    })
}
