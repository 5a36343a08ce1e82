/** @internal */

import { Effect, Option } from "effect"
import type { RunId } from "../domain/Id.js"
import * as Id from "../domain/Id.js"
import { type StoredWatch, WatchStore } from "../storage/WatchStore.js"
import * as Transition from "../watches/Transition.js"
import { concurrently, type Guarantees, never, noon, same } from "./Guarantee.js"
import {
  alone,
  begun,
  claim,
  claimNow,
  ending,
  eventOf,
  finish,
  firstOf,
  minute,
  slots,
  started,
  watchAt,
  watchOf
} from "./WatchSteps.js"

/** What `WatchStore` promises of runs: how they end, are requested by hand, and are listed. */
export const cases: Guarantees<WatchStore> = {
  "a run is ended by its token and no other, with watch and events in one write, once": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const watch = yield* watchAt(key, noon)
    const [claimed] = yield* claim(noon)
    if (claimed === undefined) return yield* same("claimed", undefined, watch.id)
    const { run, token } = claimed
    const told = yield* eventOf(watch)
    const runs = store.runs(key, watch.id, { changed: false }, firstOf(9))
    yield* same("another token", yield* store.finishRun(run.id, "another", ending(run, noon, [told])), false)
    yield* same("an unknown run", yield* store.finishRun(yield* Id.make("run"), token, ending(run, noon)), false)
    yield* same("still running", yield* runs, Option.some({ data: [run], next_cursor: null }))
    yield* same("nothing told", yield* store.outbox(9), [])
    yield* same("unchanged", yield* store.find(key, watch.id), Option.some(claimed.watch))

    yield* same("its token", yield* store.finishRun(run.id, token, ending(run, noon + 5, [told])), true)
    const wanted = ending(run, noon + 5, [told])(claimed.watch)
    const ended = Option.some({ ...claimed.watch, memory: wanted.memory, revision: 3, live: Option.none() })
    yield* same("run", yield* runs, Option.some({ data: [wanted.run], next_cursor: null }))
    yield* same("watch", yield* store.find(key, watch.id), ended)
    yield* same("told", yield* store.outbox(9), [told])

    const again = yield* eventOf(watch)
    yield* same("again", yield* store.finishRun(run.id, token, ending(run, noon + 9, [again])), true)
    yield* same("another token", yield* store.finishRun(run.id, "another", ending(run, noon + 9, [again])), false)
    yield* same("run", yield* runs, Option.some({ data: [wanted.run], next_cursor: null }))
    yield* same("watch", yield* store.find(key, watch.id), ended)
    yield* same("told once", yield* store.outbox(9), [told])
  }),
  "of ten ends of a run at once one is written, and its token hears that it was": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    yield* watchAt(key, noon)
    const [claimed] = yield* claim(noon)
    if (claimed === undefined) return
    const events = yield* Effect.replicateEffect(eventOf(claimed.watch), 10)
    const answers = yield* Effect.forEach(events, (event) => finish(claimed, noon, [event]), concurrently)
    yield* same("answers", new Set(answers).size === 1 && answers[0], true)
    yield* same("told", (yield* store.outbox(99)).length, 1)
    yield* same(
      "revision",
      Option.map(yield* store.find(key, claimed.watch.id), ({ revision }) => revision),
      Option.some(3)
    )
  }),
  "a change during a run is kept when the run ends, and the end sees it": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const watch = yield* watchAt(key, noon)
    const [claimed] = yield* claim(noon)
    if (claimed === undefined) return
    yield* store.change(key, watch.id, (found) =>
      Option.some({ ...found, label: "new", memory: Transition.apply(found.memory, { _tag: "Pause" }, noon).memory })
    )
    const seen: Array<StoredWatch> = []
    const { run, token } = claimed
    yield* store.finishRun(run.id, token, (found) => {
      seen.push(found)
      return ending(run, noon)(found)
    })
    const found = yield* store.find(key, watch.id)
    // A store may first call it with the watch as it was claimed; what it writes was decided on the newest.
    for (const { label, live, memory } of seen.slice(-1))
      yield* same("seen", [label, memory.status._tag, live], ["new", "Paused", Option.some(run.id)])
    yield* same(
      "kept",
      Option.map(found, ({ label, live, memory, revision }) => [label, memory.status._tag, live, revision]),
      Option.some(["new", "Paused", Option.none(), 4])
    )
    yield* same("not due", yield* claim(never), [])
  }),
  "a watch that is removed during a run answers with its claim, and nobody finishes or prolongs it": Effect.gen(
    function* () {
      yield* alone
      const store = yield* WatchStore
      const key = yield* Id.make("key")
      const watch = yield* watchAt(key, noon)
      const [claimed] = yield* claim(noon)
      if (claimed === undefined) return
      const { run, token } = claimed
      yield* same("removed", yield* store.remove(key, watch.id), Option.some({ live: Option.some(claimed) }))
      yield* same("finish", yield* finish(claimed, noon, [yield* eventOf(watch)]), false)
      yield* same("renew", yield* store.renew(run.id, { token, until: never }), false)
      yield* same("expired", yield* store.expired(never, 9), [])
      yield* same("nothing told", yield* store.outbox(9), [])
      yield* same("find", yield* store.find(key, watch.id), Option.none())
      yield* same("runs", yield* store.runs(key, watch.id, { changed: false }, firstOf(9)), Option.none())
      yield* same("not due", yield* claim(never), [])
      yield* same("again", yield* store.remove(key, watch.id), Option.none())
      const idle = yield* watchAt(key, noon)
      yield* same("one without a run", yield* store.remove(key, idle.id), Option.some({ live: Option.none() }))
    }
  ),
  "a check by hand begins whatever the state, joins a live run, and comes too soon after another": Effect.gen(
    function* () {
      yield* alone
      const store = yield* WatchStore
      const key = yield* Id.make("key")
      const watch = yield* watchOf(key, Option.none())
      yield* store.create(watch, 9)
      const [slot] = yield* slots(1)
      if (slot === undefined) return
      const first = yield* claimNow(watch, noon, { slot })
      const { memory, run } = begun(noon, "manual")(watch, slot)
      const made = {
        watch: { ...watch, memory, revision: 2, live: Option.some(slot.runId) },
        run,
        executionId: slot.executionId,
        token: slot.token
      }
      yield* same("begins paused", first, Option.some({ _tag: "Started", claim: made }))
      yield* same("with the same slot", yield* claimNow(watch, noon, { slot }), first)
      yield* same("joined", yield* claimNow(watch, noon), Option.some({ _tag: "Joined", run }))
      yield* finish(made, noon + 1)
      const tooSoon = Option.some({ _tag: "TooSoon", at: noon })
      yield* same("too soon", yield* claimNow(watch, noon + minute - 1), tooSoon)
      yield* same("changes nothing", yield* claim(never), [])
      const again = yield* started(watch, noon + minute)
      yield* same("later", again.run.trigger, "manual")

      const due = yield* watchAt(key, noon)
      const [scheduled] = yield* claim(noon)
      yield* same(
        "joins a scheduled one",
        yield* claimNow(due, noon),
        Option.some({ _tag: "Joined", run: scheduled?.run })
      )
      if (scheduled !== undefined) yield* finish(scheduled, noon)
      yield* same("which was not by hand", (yield* started(due, noon)).run.trigger, "manual")
      yield* same("absent", yield* claimNow({ ...due, id: yield* Id.make("wat") }, noon), Option.none())
    }
  ),
  "of ten checks by hand at once one begins and the others join it": Effect.gen(function* () {
    yield* alone
    const key = yield* Id.make("key")
    const watch = yield* watchAt(key, never)
    const answers = (yield* Effect.replicateEffect(claimNow(watch, noon), 10, concurrently)).flatMap(Option.toArray)
    yield* same("begun", answers.filter(({ _tag }) => _tag === "Started").length, 1)
    yield* same("joined", answers.filter(({ _tag }) => _tag === "Joined").length, 9)
  }),
  "runs are listed newest first, in pages, all or those that found a change": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const watch = yield* watchAt(key, never)
    const none = Option.some({ data: [], next_cursor: null })
    yield* same("none yet", yield* store.runs(key, watch.id, { changed: false }, firstOf(9)), none)
    const all: Array<RunId> = []
    const changed: Array<RunId> = []
    for (let round = 0; round < 7; round++) {
      const made = yield* started(watch, noon + round * minute)
      yield* finish(made, noon + round * minute, round % 3 === 0 ? [yield* eventOf(watch)] : [])
      all.unshift(made.run.id)
      if (round % 3 === 0) changed.unshift(made.run.id)
    }
    const read = Effect.fnUntraced(function* (filter: { readonly changed: boolean }) {
      const seen: Array<RunId> = []
      let before = Option.none<RunId>()
      do {
        const page = yield* store.runs(key, watch.id, filter, firstOf(2, before))
        const { data, next_cursor } = Option.getOrElse(page, () => ({ data: [], next_cursor: null }))
        yield* same("the size of a page", data.length <= 2, true)
        seen.push(...data.map(({ id }) => id))
        before = Option.fromNullable(next_cursor as RunId | null)
      } while (Option.isSome(before) && seen.length <= all.length)
      return seen
    })
    yield* same("all", yield* read({ changed: false }), all)
    yield* same("changed", yield* read({ changed: true }), changed)
    const absent = Option.some(yield* Id.make("run"))
    yield* same("an unknown place", yield* store.runs(key, watch.id, { changed: false }, firstOf(2, absent)), none)
    const unknown = yield* Id.make("wat")
    yield* same("an unknown watch", yield* store.runs(key, unknown, { changed: true }, firstOf(2)), Option.none())
  })
}
