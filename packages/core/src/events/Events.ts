import { Chunk, Clock, Context, Deferred, Duration, Effect, Layer, Option, Schema, Stream } from "effect"
import type { Caller } from "../domain/Caller.js"
import * as Cursor from "../domain/Cursor.js"
import type { Event, EventType } from "../domain/Event.js"
import type { KeyId, WatchId } from "../domain/Id.js"
import { EventStore } from "../storage/EventStore.js"
import type { StorageError } from "../storage/StorageError.js"
import { EventBell } from "./EventBell.js"

/**
 * Which events of a key to read, from the oldest stored one if there is no cursor. Empty `types` means all.
 *
 * @since 0.1.0
 * @category models
 */
export interface EventFilter {
  readonly after: Option.Option<string>
  readonly types: ReadonlyArray<EventType>
  readonly watchId: Option.Option<WatchId>
}

/**
 * An event with the cursor to continue after it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Told {
  readonly event: Event
  readonly cursor: string
}

/**
 * Reads the event log.
 *
 * @since 0.1.0
 * @category services
 */
export class Events extends Context.Tag("@assay/core/Events")<
  Events,
  {
    /** Oldest first. If there is none, waits at most `waitSeconds` for the first one. */
    readonly read: (
      caller: Caller,
      filter: EventFilter,
      page: { readonly limit: number; readonly waitSeconds: number }
    ) => Effect.Effect<
      { readonly data: ReadonlyArray<Event>; readonly next_after: string },
      Cursor.BadCursor | CursorExpired | StorageError
    >
    /**
     * All stored events after the cursor, then each new one, as fast as the reader takes them. It ends when the reader
     * stops. A reader that is so late that events it has not seen were removed is disconnected, and gets `Expired` when
     * it returns.
     */
    readonly stream: (
      caller: Caller,
      filter: EventFilter
    ) => Effect.Effect<
      Stream.Stream<Told, StorageError>,
      Cursor.BadCursor | CursorExpired | StreamLimitReached | StorageError
    >
  }
>() {}

/**
 * - `streamsPerKey` (5): how many streams of a key can be open at once in this process.
 * - `intervalSeconds` (2): how often this process polls for events that another one appended, once for all its readers that
 *   wait.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly streamsPerKey?: number | undefined
  readonly intervalSeconds?: number | undefined
}

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<Events, never, EventStore | EventBell> =>
  Layer.scoped(
    Events,
    Effect.gen(function* () {
      const store = yield* EventStore
      const bell = yield* EventBell
      const grown = yield* makeGrowth(store, Duration.seconds(options.intervalSeconds ?? 2))
      const slots = makeSlots(options.streamsPerKey ?? 5)

      const page = Effect.fnUntraced(function* (caller: Caller, filter: Filter, after: number, limit: number) {
        const { types, watchId } = filter
        const found = yield* store.read(caller.id, { after, types, watchId, limit })
        if (found._tag === "Events") return found
        // A reader without a cursor begins with the oldest stored event.
        if (Option.isSome(filter.after)) return yield* new CursorExpired({ oldest_cursor: cursorOf(found.oldest) })
        return yield* Effect.filterOrFail(
          store.read(caller.id, { after: found.oldest, types, watchId, limit }),
          (again) => again._tag === "Events",
          (again) => new CursorExpired({ oldest_cursor: cursorOf(again.oldest) })
        )
      })

      const begin = Effect.fnUntraced(function* (filter: EventFilter) {
        const after = yield* Effect.transposeMapOption(filter.after, Cursor.decode(Place))
        return { ...filter, after: Option.map(after, Number) }
      })

      return {
        read: Effect.fn("Events.read")(function* (caller: Caller, request: EventFilter, { limit, waitSeconds }) {
          const filter = yield* begin(request)
          const until = (yield* Clock.currentTimeMillis) + Math.min(waitSeconds, maxWaitSeconds) * 1000
          // Listening begins before the first read, so that no event in between is missed.
          const rung = yield* bell.listen(caller.id)
          let place = Option.getOrElse(filter.after, () => 0)
          let from: Filter = filter
          for (;;) {
            const { events, next } = yield* page(caller, from, place, limit)
            const left = until - (yield* Clock.currentTimeMillis)
            if (events.length > 0 || left <= 0) return { data: events, next_after: cursorOf(next) }
            place = next
            from = { ...filter, after: Option.some(next) }
            const isOver = yield* Effect.raceFirst(
              Effect.as(Effect.raceFirst(rung, grown(caller.id, next)), false),
              Effect.as(Effect.sleep(left), true)
            )
            // What came in this moment is after the cursor, and the next read begins there.
            if (isOver) return { data: [], next_after: cursorOf(next) }
          }
        }, Effect.scoped),
        stream: Effect.fn("Events.stream")(function* (caller: Caller, request: EventFilter) {
          const filter = yield* begin(request)
          const first = yield* page(
            caller,
            filter,
            Option.getOrElse(filter.after, () => 0),
            1
          )
          const slot = yield* slots.take(caller.id)
          // The stream reads the first event again: it does not buffer what it has not emitted yet.
          const start = Option.getOrElse(filter.after, () =>
            first.events[0] === undefined ? first.next : first.events[0].sequence - 1
          )

          const look = (after: number, rung: Effect.Effect<void>) =>
            Effect.gen(function* () {
              const { events, next } = yield* page(caller, { ...filter, after: Option.some(after) }, after, batch)
              if (events.length === 0) yield* Effect.raceFirst(rung, grown(caller.id, next))
              const told = events.map((event) => ({ event, cursor: cursorOf(event.sequence) }))
              return [Chunk.fromIterable(told), Option.some(next)] as const
            }).pipe(
              Effect.catchTag("CursorExpired", () =>
                Effect.succeed([Chunk.empty<Told>(), Option.none<number>()] as const)
              )
            )

          return Stream.unwrapScoped(
            Effect.gen(function* () {
              yield* Effect.acquireRelease(slots.use(slot), () => slots.release(slot))
              const rung = yield* bell.listen(caller.id)
              return Stream.paginateChunkEffect(start, (after) => look(after, rung))
            })
          )
        })
      }
    })
  )

interface Filter extends Omit<EventFilter, "after"> {
  readonly after: Option.Option<number>
}

interface Reader {
  readonly keyId: KeyId
  readonly after: number
  readonly grown: Deferred.Deferred<void>
}

/**
 * Waits until there are events of a key after a place, whichever process appended them: by one read an interval for all that
 * wait. Where it fails all of them go on, and each learns it by its own read.
 */
const makeGrowth = Effect.fnUntraced(function* (store: EventStore["Type"], interval: Duration.Duration) {
  const scope = yield* Effect.scope
  const waiting = new Set<Reader>()
  let isLooking = false
  const wake = (readers: Iterable<Reader>) =>
    Effect.forEach(readers, ({ grown }) => Deferred.succeed(grown, undefined), { discard: true })
  const look = Effect.suspend(() => {
    const readers = [...waiting]
    return store.newest([...new Set(readers.map(({ keyId }) => keyId))]).pipe(
      Effect.map((newest) => readers.filter(({ after, keyId }) => (newest.get(keyId) ?? 0) > after)),
      Effect.catchAllCause(() => Effect.succeed(readers)),
      Effect.flatMap(wake)
    )
  })
  const looking: Effect.Effect<void> = Effect.zipRight(
    Effect.sleep(interval),
    Effect.suspend(() => {
      if (waiting.size > 0) return Effect.zipRight(look, looking)
      isLooking = false
      return Effect.void
    })
  )
  const begin = Effect.suspend(() => {
    if (isLooking) return Effect.void
    isLooking = true
    return Effect.asVoid(Effect.forkIn(Effect.interruptible(looking), scope))
  })
  return (keyId: KeyId, after: number): Effect.Effect<void> =>
    Effect.acquireUseRelease(
      // What cannot be interrupted: a look that was begun is one that runs.
      Effect.zipLeft(
        Effect.map(Deferred.make<void>(), (grown): Reader => {
          const reader = { keyId, after, grown }
          waiting.add(reader)
          return reader
        }),
        begin
      ),
      (reader) => Deferred.await(reader.grown),
      (reader) => Effect.sync(() => waiting.delete(reader))
    )
})

interface Slot {
  readonly keyId: KeyId
  readonly takenAt: number
}

/** Counts open streams by key. A stream that was granted but never started releases its slot after 30 seconds. */
const makeSlots = (limit: number) => {
  const begun = new Set<Slot>()
  const ofKey = new Map<KeyId, ReadonlyArray<Slot>>()
  const release = (slot: Slot): void => {
    begun.delete(slot)
    const left = (ofKey.get(slot.keyId) ?? []).filter((other) => other !== slot)
    if (left.length === 0) ofKey.delete(slot.keyId)
    else ofKey.set(slot.keyId, left)
  }
  return {
    take: (keyId: KeyId): Effect.Effect<Slot, StreamLimitReached> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const open = (ofKey.get(keyId) ?? []).filter((slot) => begun.has(slot) || slot.takenAt > now - 30_000)
        if (open.length >= limit) return new StreamLimitReached({ limit })
        const slot: Slot = { keyId, takenAt: now }
        ofKey.set(keyId, [...open, slot])
        return Effect.succeed(slot)
      }),
    use: (slot: Slot): Effect.Effect<void> =>
      Effect.sync(() => {
        begun.add(slot)
        const open = ofKey.get(slot.keyId) ?? []
        if (!open.includes(slot)) ofKey.set(slot.keyId, [...open, slot])
      }),
    release: (slot: Slot): Effect.Effect<void> => Effect.sync(() => release(slot))
  }
}

// A sequence number, only in the notation that this service writes.
const Place = Schema.String.pipe(Schema.pattern(/^(?:0|[1-9]\d{0,14})$/))

const cursorOf = (sequence: number): string => Cursor.encode(String(sequence))

const maxWaitSeconds = 30
const batch = 100

/**
 * Events after the cursor were removed. Reading from `oldest_cursor` returns all that are left.
 *
 * @since 0.1.0
 * @category errors
 */
export class CursorExpired extends Schema.TaggedError<CursorExpired>()("CursorExpired", {
  oldest_cursor: Schema.String
}) {}

/**
 * The key has as many open streams as it is allowed.
 *
 * @since 0.1.0
 * @category errors
 */
export class StreamLimitReached extends Schema.TaggedError<StreamLimitReached>()("StreamLimitReached", {
  limit: Schema.NonNegativeInt
}) {}
