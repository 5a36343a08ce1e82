/** @internal */

import { Effect, Option } from "effect"
import * as Id from "../domain/Id.js"
import { type EventQuery, EventStore } from "../storage/EventStore.js"
import {
  alone,
  append,
  appended,
  changed,
  endpointAt,
  everything,
  newEvent,
  sequences,
  statuses,
  upTo
} from "./EventSteps.js"
import { concurrently, type Guarantees, same } from "./Guarantee.js"

/** What `EventStore` promises of the log: its order, and how it is read. */
export const cases: Guarantees<EventStore> = {
  "events of a key are numbered from 1 without a gap, in the order in which they are appended, each key apart":
    Effect.gen(function* () {
      const store = yield* EventStore
      const [one, two] = [yield* Id.make("key"), yield* Id.make("key")]
      const body = yield* changed(yield* Id.make("wat"), "high")
      const events = [
        yield* newEvent(one, { body }),
        yield* newEvent(two),
        yield* newEvent(one),
        yield* newEvent(two, { body })
      ]
      const wanted = events.map((event, index) => ({
        id: event.id,
        sequence: index < 2 ? 1 : 2,
        timestamp: event.timestamp,
        ...event.body
      }))
      yield* same("appended", yield* append(events), wanted)
      yield* same("one", yield* store.read(one, everything), {
        _tag: "Events",
        events: [wanted[0], wanted[2]],
        next: 2
      })
      yield* same("two", sequences(yield* store.read(two, everything)), [1, 2])
      yield* same(
        "further",
        (yield* appended(one, 1)).map(({ sequence }) => sequence),
        [3]
      )
      yield* same("a key without events", yield* store.read(yield* Id.make("key"), everything), {
        _tag: "Events",
        events: [],
        next: 0
      })
    }),
  "the newest event of each key is known by its sequence, each key apart": Effect.gen(function* () {
    const store = yield* EventStore
    const [one, two, none] = [yield* Id.make("key"), yield* Id.make("key"), yield* Id.make("key")]
    const events = [yield* newEvent(one), yield* newEvent(two), yield* newEvent(one)]
    yield* append(events)
    const newest = (...keys: ReadonlyArray<Id.KeyId>) =>
      Effect.map(store.newest(keys), (found) => keys.map((key) => found.get(key) ?? null))
    yield* same("all", yield* newest(one, none, two), [2, null, 1])
    yield* same("of one", [...(yield* store.newest([two]))], [[two, 1]])
    yield* same("of none", [...(yield* store.newest([]))], [])
    yield* appended(two, 1)
    yield* same("further", yield* newest(two, one), [2, 2])
  }),
  "an event that is appended again changes nothing and is not told again, also at once and in one call": Effect.gen(
    function* () {
      yield* alone
      const store = yield* EventStore
      const key = yield* Id.make("key")
      const endpoint = yield* endpointAt(key)
      const [first, second] = [yield* newEvent(key), yield* newEvent(key)]
      const answers = yield* Effect.replicateEffect(append([first, second, first]), 10, concurrently)
      yield* same("new once", answers.flat().length, 2)
      const other = { ...first, body: yield* changed(yield* Id.make("wat"), "low") }
      yield* same("again", yield* append([other]), [])
      yield* same("log", sequences(yield* store.read(key, everything)), [1, 2])
      yield* same("deliveries", yield* statuses(endpoint), ["pending", "pending"])
      yield* same("nothing", yield* append([]), [])
    }
  ),
  "fifty appended at once have fifty numbers without a gap": Effect.gen(function* () {
    const store = yield* EventStore
    const keys = yield* Effect.replicateEffect(Id.make("key"), 2)
    yield* Effect.forEach(
      Array.from({ length: 50 }, (_, index) => keys[index % 2]).flatMap((key) => key ?? []),
      (key) => appended(key, 1),
      concurrently
    )
    for (const key of keys) yield* same("sequences", sequences(yield* store.read(key, everything)), upTo(25))
  }),
  "a log is read in parts, without a repetition or a gap, and at its end the place stays": Effect.gen(function* () {
    const store = yield* EventStore
    const key = yield* Id.make("key")
    yield* appended(key, 7)
    const seen: Array<number> = []
    let after = 0
    for (let page = 0; page < 4; page++) {
      const part = yield* store.read(key, { ...everything, after, limit: 3 })
      seen.push(...sequences(part))
      after = part._tag === "Events" ? part.next : after
      if (page < 2) yield* appended(key, 1)
    }
    yield* same("all", seen, upTo(9))
    yield* same("at the end", yield* store.read(key, { ...everything, after: 9 }), {
      _tag: "Events",
      events: [],
      next: 9
    })
    yield* same("beyond it", yield* store.read(key, { ...everything, after: 99 }), {
      _tag: "Events",
      events: [],
      next: 99
    })
  }),
  "a reader of few types or of one watch is given these, and its place passes the others": Effect.gen(function* () {
    const store = yield* EventStore
    const key = yield* Id.make("key")
    const [one, two] = [yield* Id.make("wat"), yield* Id.make("wat")]
    yield* append([
      yield* newEvent(key),
      yield* newEvent(key, { body: yield* changed(one, "low") }),
      yield* newEvent(key, { body: yield* changed(two, "low") }),
      yield* newEvent(key, { body: yield* changed(one, "high") }),
      yield* newEvent(key)
    ])
    const read = (query: Partial<EventQuery>) =>
      Effect.map(store.read(key, { ...everything, ...query }), (page) => [
        sequences(page),
        page._tag === "Events" ? page.next : page
      ])
    yield* same("a type", yield* read({ types: ["watch.changed"] }), [[2, 3, 4], 5])
    yield* same("two types", yield* read({ types: ["watch.changed", "quota.threshold"] }), [upTo(5), 5])
    yield* same("a type that is not there", yield* read({ types: ["test.ping"] }), [[], 5])
    yield* same("a watch", yield* read({ watchId: Option.some(one) }), [[2, 4], 5])
    yield* same("both", yield* read({ watchId: Option.some(two), types: ["quota.threshold"] }), [[], 5])
    yield* same("a full page ends with its last", yield* read({ watchId: Option.some(one), limit: 1 }), [[2], 2])
    yield* same("and goes on", yield* read({ watchId: Option.some(one), limit: 1, after: 2 }), [[4], 4])
    yield* same("to the end", yield* read({ watchId: Option.some(one), limit: 1, after: 4 }), [[], 5])
  })
}
