/** @internal */

import { Effect, Option } from "effect"
import type { ExecutionId, KeyId } from "../domain/Id.js"
import * as Id from "../domain/Id.js"
import { dayOf, nextDay } from "../domain/Timestamp.js"
import { type Bucket, placeOf, QuotaStore, type UnitKind } from "../storage/QuotaStore.js"
import { concurrently, type Guarantees, noon, same } from "./Guarantee.js"

/** Reserves a unit of a key's bucket, and of others. */
export const reserve = Effect.fnUntraced(function* (
  keyId: KeyId,
  limit: number,
  options: {
    readonly id?: ExecutionId
    readonly kind?: UnitKind
    readonly now?: number
    readonly buckets?: ReadonlyArray<Bucket>
  } = {}
) {
  const store = yield* QuotaStore
  const id = options.id ?? (yield* Id.make("exe"))
  const answer = yield* store.reserve({
    id,
    keyId,
    kind: options.kind ?? "token",
    buckets: [{ name: `key:${keyId}`, limit }, ...(options.buckets ?? [])],
    now: options.now ?? noon
  })
  return { id, answer }
})

const reserved = { _tag: "Reserved" }
export const today = dayOf(noon)
export const nothing = { used: 0, reserved: 0, byKind: { token: 0, wallet: 0, contract: 0, watch: 0 } }

/** What `QuotaStore` promises. */
export const cases: Guarantees<QuotaStore> = {
  "a reserved unit counts as reserved, a committed one as used and by its kind, a released one not at all": Effect.gen(
    function* () {
      const store = yield* QuotaStore
      const key = yield* Id.make("key")
      yield* same("before", yield* store.count(key, today), nothing)
      const kinds: ReadonlyArray<UnitKind> = ["token", "token", "wallet", "contract", "watch", "token"]
      const ids = yield* Effect.forEach(kinds, (kind) => Effect.map(reserve(key, 6, { kind }), ({ id }) => id))
      yield* same("reserved", yield* store.count(key, today), { ...nothing, reserved: 6 })
      for (const id of ids.slice(0, 5)) yield* same("settled", yield* store.settle(id, "committed", noon), true)
      for (const id of ids.slice(5)) yield* same("settled", yield* store.settle(id, "released", noon), true)
      yield* same("after", yield* store.count(key, today), {
        used: 5,
        reserved: 0,
        byKind: { token: 2, wallet: 1, contract: 1, watch: 1 }
      })
    }
  ),
  "of 200 reservations at once against a limit of 50, exactly 50 are granted": Effect.gen(function* () {
    const store = yield* QuotaStore
    const key = yield* Id.make("key")
    const answers = yield* Effect.replicateEffect(reserve(key, 50), 200, concurrently)
    yield* same("granted", answers.filter(({ answer }) => answer._tag === "Reserved").length, 50)
    yield* same(
      "refused",
      answers.filter(({ answer }) => answer._tag === "Refused" && answer.bucket === `key:${key}`).length,
      150
    )
    yield* same("count", yield* store.count(key, today), { ...nothing, reserved: 50 })
  }),
  "a refusal names the first bucket that is full and takes from none": Effect.gen(function* () {
    const key = yield* Id.make("key")
    const wide = { name: `source:${key}`, limit: 2 }
    const narrow = { name: `deployment:${key}`, limit: 1 }
    yield* same("first", (yield* reserve(key, 3, { buckets: [wide, narrow] })).answer, reserved)
    yield* same("second", (yield* reserve(key, 3, { buckets: [wide, narrow] })).answer, {
      _tag: "Refused",
      bucket: narrow.name
    })
    yield* same("the others kept theirs", (yield* reserve(key, 3, { buckets: [wide] })).answer, reserved)
    yield* same("in order", (yield* reserve(key, 3, { buckets: [wide, narrow] })).answer, {
      _tag: "Refused",
      bucket: wide.name
    })
    yield* same("the key kept its last", (yield* reserve(key, 3)).answer, reserved)
    yield* same("and no more", (yield* reserve(key, 3)).answer, { _tag: "Refused", bucket: `key:${key}` })
  }),
  "a limit of nothing grants nothing": Effect.gen(function* () {
    const key = yield* Id.make("key")
    yield* same("answer", (yield* reserve(key, 0)).answer, { _tag: "Refused", bucket: `key:${key}` })
  }),
  "reserving an id again takes nothing more and is granted, also when it is settled": Effect.gen(function* () {
    const store = yield* QuotaStore
    const key = yield* Id.make("key")
    const { id } = yield* reserve(key, 1)
    const again = yield* Effect.replicateEffect(reserve(key, 1, { id }), 10, concurrently)
    for (const { answer } of again) yield* same("again", answer, reserved)
    yield* same("count", yield* store.count(key, today), { ...nothing, reserved: 1 })
    yield* store.settle(id, "released", noon)
    yield* same("once settled", (yield* reserve(key, 1, { id })).answer, reserved)
    yield* same("still released", yield* store.count(key, today), nothing)
  }),
  "units of days that have not come are counted today in each of their buckets, of one key, once": Effect.gen(
    function* () {
      const store = yield* QuotaStore
      const key = yield* Id.make("key")
      const other = yield* Id.make("key")
      const day = 86_400_000
      const buckets = [{ name: `source:${key}`, limit: 6 }]
      const on = (days: number) => Effect.map(reserve(key, 5, { buckets, now: noon + days * day }), ({ id }) => id)
      yield* on(0)
      const paid = yield* on(1)
      const released = [yield* on(1), yield* on(1)]
      const open = yield* on(2)
      for (const days of [2, 2]) yield* on(days)
      yield* reserve(other, 5, { now: noon + day })
      yield* store.settle(paid, "committed", noon)
      for (const id of released) yield* store.settle(id, "released", noon)
      yield* same("moved", yield* store.redate(key, noon), 6)
      yield* same("again", yield* store.redate(key, noon), 0)
      yield* same("today", yield* store.count(key, today), {
        ...nothing,
        used: 1,
        reserved: 4,
        byKind: { ...nothing.byKind, token: 1 }
      })
      for (const days of [1, 2]) yield* same("a later day", yield* store.count(key, dayOf(noon + days * day)), nothing)
      yield* same("of another key", yield* store.count(other, dayOf(noon + day)), { ...nothing, reserved: 1 })
      yield* same("the key is full", (yield* reserve(key, 5, { buckets })).answer, {
        _tag: "Refused",
        bucket: `key:${key}`
      })
      yield* same("a released one is free today", yield* store.settle(open, "released", noon), true)
      yield* same("one more", (yield* reserve(key, 5, { buckets })).answer, reserved)
      const tomorrow = yield* Effect.replicateEffect(reserve(key, 5, { buckets, now: noon + day }), 6)
      yield* same("tomorrow is whole", tomorrow.filter(({ answer }) => answer._tag === "Reserved").length, 5)
    }
  ),
  "an id that was refused may be granted later": Effect.gen(function* () {
    const store = yield* QuotaStore
    const key = yield* Id.make("key")
    const { answer, id } = yield* reserve(key, 0)
    yield* same("first", answer, { _tag: "Refused", bucket: `key:${key}` })
    yield* same("nothing to settle", yield* store.settle(id, "committed", noon), false)
    yield* same("later", (yield* reserve(key, 1, { id })).answer, reserved)
    yield* same("count", yield* store.count(key, today), { ...nothing, reserved: 1 })
  }),
  "a reservation gets one final state, whoever asks at once, and the counts follow it": Effect.gen(function* () {
    const store = yield* QuotaStore
    const key = yield* Id.make("key")
    for (let round = 0; round < 10; round++) {
      const { id } = yield* reserve(key, 10)
      const before = yield* store.count(key, today)
      const states = Array.from({ length: 20 }, (_, index) =>
        (index + round) % 2 === 0 ? ("committed" as const) : ("released" as const)
      )
      const decided = yield* Effect.forEach(states, (state) => store.settle(id, state, noon), concurrently)
      yield* same("decided", decided.filter(Boolean).length, 1)
      const after = yield* store.count(key, today)
      const committed = states[decided.indexOf(true)] === "committed"
      yield* same("used", after.used, before.used + (committed ? 1 : 0))
      yield* same("reserved", after.reserved, before.reserved - 1)
    }
    yield* same("an unknown id", yield* store.settle(yield* Id.make("exe"), "committed", noon), false)
  }),
  "a release gives the unit back, a commit does not": Effect.gen(function* () {
    const store = yield* QuotaStore
    const key = yield* Id.make("key")
    const refused = { _tag: "Refused", bucket: `key:${key}` }
    const first = yield* reserve(key, 1)
    yield* same("taken", (yield* reserve(key, 1)).answer, refused)
    yield* store.settle(first.id, "released", noon)
    yield* store.settle(first.id, "released", noon)
    const second = yield* reserve(key, 1)
    yield* same("given back once", second.answer, reserved)
    yield* same("given back once", (yield* reserve(key, 1)).answer, refused)
    yield* store.settle(second.id, "committed", noon)
    yield* same("spent", (yield* reserve(key, 1)).answer, refused)
  }),
  "a unit belongs to the UTC day of its reservation, also when it is settled after midnight": Effect.gen(function* () {
    const store = yield* QuotaStore
    const key = yield* Id.make("key")
    const midnight = nextDay(noon)
    const refused = { _tag: "Refused", bucket: `key:${key}` }
    const [late, kept] = [
      yield* reserve(key, 2, { now: midnight - 1 }),
      yield* reserve(key, 2, { now: midnight - 1, kind: "wallet" })
    ]
    yield* same("the day is full", (yield* reserve(key, 2, { now: midnight - 1 })).answer, refused)
    const next = yield* reserve(key, 1, { now: midnight })
    yield* same("the next day starts empty", next.answer, reserved)
    yield* same("released", yield* store.settle(late.id, "released", midnight + 1), true)
    yield* same("committed", yield* store.settle(kept.id, "committed", midnight + 1), true)
    yield* same("the next day gains nothing", (yield* reserve(key, 1, { now: midnight + 1 })).answer, refused)
    yield* same("the day", yield* store.count(key, today), {
      used: 1,
      reserved: 0,
      byKind: { ...nothing.byKind, wallet: 1 }
    })
    yield* same("the next day", yield* store.count(key, dayOf(midnight)), { ...nothing, reserved: 1 })
    yield* same("the day has one again", (yield* reserve(key, 2, { now: midnight - 1 })).answer, reserved)
  }),
  "a limit lowered below what is used refuses and a raised one grants": Effect.gen(function* () {
    const store = yield* QuotaStore
    const key = yield* Id.make("key")
    for (let unit = 0; unit < 3; unit++) yield* store.settle((yield* reserve(key, 3)).id, "committed", noon)
    yield* same("lowered", (yield* reserve(key, 1)).answer, { _tag: "Refused", bucket: `key:${key}` })
    yield* same("nothing lost", (yield* store.count(key, today)).used, 3)
    yield* same("raised", (yield* reserve(key, 4)).answer, reserved)
  }),
  "two keys spend apart, and together from a bucket that they share": Effect.gen(function* () {
    const store = yield* QuotaStore
    const one = yield* Id.make("key")
    const two = yield* Id.make("key")
    const shared = [{ name: `source:${one}`, limit: 2 }]
    const spent = yield* reserve(one, 1, { buckets: shared })
    yield* store.settle(spent.id, "committed", noon)
    yield* same("one", (yield* reserve(one, 1)).answer, { _tag: "Refused", bucket: `key:${one}` })
    const other = yield* reserve(two, 9, { buckets: shared })
    yield* same("two", other.answer, reserved)
    yield* same("shared", (yield* reserve(two, 9, { buckets: shared })).answer, {
      _tag: "Refused",
      bucket: `source:${one}`
    })
    yield* same("count of one", (yield* store.count(one, today)).used, 1)
    yield* same("count of two", yield* store.count(two, today), { ...nothing, reserved: 1 })
    yield* store.settle(other.id, "released", noon)
    yield* same("shared again", (yield* reserve(two, 9, { buckets: shared })).answer, reserved)
  }),
  "what is unsettled and older than a moment is listed, oldest first and no more than asked": Effect.gen(function* () {
    const store = yield* QuotaStore
    const key = yield* Id.make("key")
    // Long ago, so that what other cases left unsettled comes later.
    const then = Date.UTC(2001, 0, 1) + Math.floor(noon % 1000)
    const [third, first, second, settled] = [
      yield* reserve(key, 9, { now: then + 3, kind: "wallet" }),
      yield* reserve(key, 9, { now: then + 1 }),
      yield* reserve(key, 9, { now: then + 2 }),
      yield* reserve(key, 9, { now: then + 1 })
    ]
    yield* store.settle(settled.id, "committed", then + 4)
    const ofKey = (before: number) =>
      Effect.map(store.unsettled(before, 1000), (page) => page.filter(({ keyId }) => keyId === key).map(({ id }) => id))
    yield* same("all", yield* ofKey(then + 4), [first.id, second.id, third.id])
    yield* same("before", yield* ofKey(then + 3), [first.id, second.id])
    yield* same("limit", (yield* store.unsettled(then + 4, 2)).length, 2)
    yield* same(
      "the reservation",
      (yield* store.unsettled(then + 4, 1000)).filter(({ id }) => id === third.id),
      [{ id: third.id, keyId: key, day: "2001-01-01", kind: "wallet", state: "reserved", reservedAt: then + 3 }]
    )
    for (const { id } of [first, second, third]) yield* store.settle(id, "released", noon)
    yield* same("none", yield* ofKey(then + 4), [])
  }),
  "the ledger of a key and day has each unit, newest first, in pages, and no unit of another key or day": Effect.gen(
    function* () {
      const store = yield* QuotaStore
      const [key, other] = [yield* Id.make("key"), yield* Id.make("key")]
      const units = yield* Effect.forEach(["token", "watch", "wallet"] as const, (kind, index) =>
        Effect.map(reserve(key, 9, { kind, now: noon + index }), ({ id }) => ({ id, kind, reservedAt: noon + index }))
      )
      yield* reserve(other, 9)
      yield* reserve(key, 9, { now: noon + 86_400_000 })
      const states = ["committed", "released", "reserved"] as const
      for (const [index, { id }] of units.entries()) {
        const state = states[index]
        if (state !== "reserved" && state !== undefined) yield* store.settle(id, state, noon + 9)
      }
      const expected = units
        .map(({ id, kind, reservedAt }, index) => ({
          place: placeOf.unit(id),
          kind,
          state: states[index],
          units: 1,
          reservation: Option.some({ id, reservedAt })
        }))
        .toSorted((a, b) => (a.place < b.place ? 1 : -1))
      const page = (before: Option.Option<string>, limit: number) =>
        store.ledger({ keyId: key, day: today, limit, before })
      yield* same("all", yield* page(Option.none(), 9), expected)
      yield* same("the first page", yield* page(Option.none(), 2), expected.slice(0, 2))
      yield* same("the second", yield* page(Option.fromNullable(expected[1]?.place), 2), expected.slice(2))
      yield* same("no more", yield* page(Option.fromNullable(expected[2]?.place), 2), [])
      yield* same("nobody", yield* store.ledger({ keyId: key, day: "1990-01-01", limit: 9, before: Option.none() }), [])
    }
  ),
  "of units of days that are past the sums are kept, so that every count stays; what is reserved, and later days, are not touched":
    Effect.gen(function* () {
      const store = yield* QuotaStore
      const [key, other] = [yield* Id.make("key"), yield* Id.make("key")]
      const bucket = { name: `source:${key}`, limit: 9 }
      const on = (keyId: KeyId, now: number, kind: UnitKind = "token") =>
        Effect.map(reserve(keyId, 9, { kind, now, buckets: [bucket] }), ({ id }) => id)
      const settled = Effect.fnUntraced(function* (
        keyId: KeyId,
        now: number,
        kind: UnitKind,
        state: "committed" | "released"
      ) {
        const id = yield* on(keyId, now, kind)
        yield* store.settle(id, state, now)
        return id
      })
      // Before everything that other cases write, so that nothing of theirs is past its days.
      const [first, second] = [Date.UTC(1999, 0, 1, 12), Date.UTC(1999, 0, 2, 12)]
      const open = yield* on(key, first, "wallet")
      const gone = yield* settled(key, first, "token", "committed")
      for (const kind of ["token", "watch", "contract"] as const) yield* settled(key, first, kind, "committed")
      yield* settled(key, first, "wallet", "released")
      yield* settled(other, first, "watch", "committed")
      yield* settled(key, second, "token", "committed")
      const today = yield* settled(key, noon, "token", "committed")
      const counts = Effect.all([
        store.count(key, dayOf(first)),
        store.count(key, dayOf(second)),
        store.count(key, dayOf(noon)),
        store.count(other, dayOf(first))
      ])
      const before = yield* counts
      yield* same("counted", before[0], {
        used: 4,
        reserved: 1,
        byKind: { token: 2, wallet: 0, contract: 1, watch: 1 }
      })
      const prune = (settledBefore: number, sumsBefore: number, limit: number) =>
        store.prune({ settledBefore: dayOf(settledBefore), sumsBefore: dayOf(sumsBefore), limit })
      const untilNone = Effect.fnUntraced(function* (settledBefore: number, sumsBefore: number) {
        let removed = 2
        // A store that removes the same again and again would never end.
        for (let round = 0; removed > 0 && round < 20; round++) {
          removed = yield* prune(settledBefore, sumsBefore, 2)
          yield* same("no more than wanted", removed <= 2, true)
          if (sumsBefore === first) yield* same("every count", yield* counts, before)
        }
      })
      yield* same("nothing is old enough", yield* prune(first, first, 99), 0)
      yield* untilNone(second, first)
      yield* same("removed", yield* store.settle(gone, "released", noon), false)
      const ledger = (before: Option.Option<string>, limit: number) =>
        Effect.map(store.ledger({ keyId: key, day: dayOf(first), limit, before }), (lines) =>
          lines.map(({ kind, reservation, state, units }) => ({
            kind,
            state,
            units,
            id: Option.getOrNull(Option.map(reservation, ({ id }) => id))
          }))
        )
      const lines = yield* ledger(Option.none(), 9)
      yield* same("what is reserved stays by itself", lines.slice(0, 1), [
        { kind: "wallet", state: "reserved", units: 1, id: open }
      ])
      yield* same("all else is summed", lines.slice(1), [
        { kind: "watch", state: "committed", units: 1, id: null },
        { kind: "wallet", state: "released", units: 1, id: null },
        { kind: "token", state: "committed", units: 2, id: null },
        { kind: "contract", state: "committed", units: 1, id: null }
      ])
      yield* same("from a sum on", yield* ledger(Option.some(placeOf.sum("wallet", "released")), 1), lines.slice(3, 4))
      yield* same("a later day is not", (yield* reserve(key, 9, { id: today })).answer, reserved)
      yield* same("counted once", (yield* counts)[2], before[2])
      // The unit that is still reserved holds its place in what that day has granted.
      const full = { _tag: "Refused", bucket: bucket.name }
      const fill = yield* Effect.replicateEffect(on(other, first), 3)
      yield* same("the day is full", (yield* reserve(other, 9, { now: first, buckets: [bucket] })).answer, full)
      for (const id of fill) yield* store.settle(id, "released", first)
      yield* same("settled", yield* store.settle(open, "committed", noon), true)
      const [counted] = yield* counts
      yield* same("as any other", counted, {
        used: 5,
        reserved: 0,
        byKind: { token: 2, wallet: 1, contract: 1, watch: 1 }
      })
      yield* untilNone(Date.UTC(1999, 0, 3), Date.UTC(1998, 0, 1))
      yield* same("added to the sums", (yield* counts)[0], counted)
      yield* untilNone(Date.UTC(1999, 0, 3), second)
      yield* same("sums are past their days too", yield* counts, [nothing, before[1], before[2], nothing])
      yield* untilNone(Date.UTC(1999, 0, 3), Date.UTC(1999, 0, 3))
      yield* same("all of them", yield* counts, [nothing, nothing, before[2], nothing])
    })
}
