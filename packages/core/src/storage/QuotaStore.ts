import { Context, Effect, Layer, Option } from "effect"
import type { ExecutionId, KeyId } from "../domain/Id.js"
import { dayOf } from "../domain/Timestamp.js"
import type { StorageError } from "./StorageError.js"

/**
 * A counter with a limit, for example `key:<id>`, `source:<network>`, `deployment`. It counts each UTC day separately.
 *
 * @since 0.1.0
 * @category models
 */
export interface Bucket {
  readonly name: string
  readonly limit: number
}

/**
 * What a unit is spent on.
 *
 * @since 0.1.0
 * @category models
 */
export type UnitKind = "token" | "wallet" | "contract" | "watch"

/**
 * A unit that is reserved for an execution, until it is settled. `day` is the UTC day of the reservation, and changes only
 * where the clock had been ahead (`redate`).
 *
 * @since 0.1.0
 * @category models
 */
export interface Reservation {
  readonly id: ExecutionId
  readonly keyId: KeyId
  readonly day: string
  readonly kind: UnitKind
  readonly state: "reserved" | "committed" | "released"
  readonly reservedAt: number
}

/**
 * A request for a unit: its buckets, and the time in epoch milliseconds.
 *
 * @since 0.1.0
 * @category models
 */
export interface ReserveRequest {
  readonly id: ExecutionId
  readonly keyId: KeyId
  readonly kind: UnitKind
  readonly buckets: ReadonlyArray<Bucket>
  readonly now: number
}

/**
 * Whether a unit was granted. A refusal names the first exhausted bucket, in the order given.
 *
 * @since 0.1.0
 * @category models
 */
export type ReserveAnswer = { readonly _tag: "Reserved" } | { readonly _tag: "Refused"; readonly bucket: string }

/**
 * The counts of a key on one UTC day; `byKind` counts committed units.
 *
 * @since 0.1.0
 * @category models
 */
export interface DayCount {
  readonly used: number
  readonly reserved: number
  readonly byKind: { readonly [K in UnitKind]: number }
}

/**
 * A part of the units of a key and day, newest first by the id of their execution, then the sums of those that are no longer
 * kept one by one. `before` is the place of the last entry of the part before.
 *
 * @since 0.1.0
 * @category models
 */
export interface LedgerQuery {
  readonly keyId: KeyId
  readonly day: string
  readonly limit: number
  readonly before: Option.Option<string>
}

/**
 * A unit with its execution and the time at which it was reserved (epoch milliseconds), or a sum of units with neither.
 * `place` is its place in the ledger of its key and day.
 *
 * @since 0.1.0
 * @category models
 */
export interface LedgerLine {
  readonly place: string
  readonly kind: UnitKind
  readonly state: Reservation["state"]
  readonly units: number
  readonly reservation: Option.Option<Pick<Reservation, "id" | "reservedAt">>
}

/**
 * Whether a text is a place in a ledger.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isPlace = (text: string): boolean =>
  /^(?:1exe_[0-9A-HJKMNP-TV-Z]{26}|0(?:token|wallet|contract|watch) (?:committed|released))$/.test(text)

/**
 * The places of a unit and of a sum: units come first, as lists begin with the greatest place.
 *
 * @since 0.1.0
 * @category constructors
 */
export const placeOf = {
  unit: (id: ExecutionId): string => `1${id}`,
  sum: (kind: UnitKind, state: "committed" | "released"): string => `0${kind} ${state}`
}

/**
 * Which days of the ledger are past: settled reservations and the counters of buckets of days before `settledBefore`, and
 * sums of days before `sumsBefore`. Both are UTC days.
 *
 * @since 0.1.0
 * @category models
 */
export interface LedgerBounds {
  readonly settledBefore: string
  readonly sumsBefore: string
  readonly limit: number
}

/**
 * Counts units. Every method is atomic and idempotent by the id of the execution.
 *
 * @since 0.1.0
 * @category services
 */
export class QuotaStore extends Context.Tag("@assay/core/QuotaStore")<
  QuotaStore,
  {
    /**
     * Takes one unit from every bucket, or from none: `used + reserved + 1 <= limit` is checked and written in one
     * step. Reserving the same id again changes nothing and returns the first answer, if that was a grant.
     */
    readonly reserve: (request: ReserveRequest) => Effect.Effect<ReserveAnswer, StorageError>
    /**
     * Gives a reservation its final state, once: the first call wins and returns true, later ones return false. A
     * release returns the unit to the day of the reservation. An unknown id returns false.
     */
    readonly settle: (
      id: ExecutionId,
      state: "committed" | "released",
      now: number
    ) => Effect.Effect<boolean, StorageError>
    readonly count: (keyId: KeyId, day: string) => Effect.Effect<DayCount, StorageError>
    /** The units of a key and day, one by one, and the sums of those that `prune` removed: together all that `count` counts. */
    readonly ledger: (query: LedgerQuery) => Effect.Effect<ReadonlyArray<LedgerLine>, StorageError>
    /**
     * Counts on the UTC day of `now`, in each of their buckets, the units of a key that stand on later days: the clock was
     * ahead when they were reserved. Returns how many they were.
     */
    readonly redate: (keyId: KeyId, now: number) => Effect.Effect<number, StorageError>
    /** Reservations that are not settled and were made before a time, oldest first. */
    readonly unsettled: (before: number, limit: number) => Effect.Effect<ReadonlyArray<Reservation>, StorageError>
    /**
     * Removes what is past its days, at most `limit` rows, and returns how many. `count` answers the same before and after: of
     * settled reservations the sums by key, day, kind and state are kept. What is still reserved stays, with the counters of
     * its day. The id of a removed reservation is unknown.
     */
    readonly prune: (bounds: LedgerBounds) => Effect.Effect<number, StorageError>
  }
>() {}

/**
 * Counts units in the memory of this process, for the lifetime of the layer.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<QuotaStore> = Layer.sync(QuotaStore, () => {
  interface Entry {
    readonly reservation: Reservation
    readonly buckets: ReadonlyArray<string>
  }
  const entries = new Map<ExecutionId, Entry>()
  const open = new Set<ExecutionId>()
  const byKeyDay = new Map<string, Array<ExecutionId>>()
  const taken = new Map<string, number>()
  const sums = new Map<string, Sums>()

  /** Takes a settled reservation out of the ledger, into the sums of its day. */
  const sumUp = ({ day, id, keyId, kind, state }: Reservation) => {
    const key = `${day} ${keyId}`
    const { committed, released } = sums.get(key) ?? { committed: noUnits, released: noUnits }
    sums.set(
      key,
      state === "committed"
        ? { committed: { ...committed, [kind]: committed[kind] + 1 }, released }
        : { committed, released: { ...released, [kind]: released[kind] + 1 } }
    )
    entries.delete(id)
    const left = (byKeyDay.get(key) ?? []).filter((other) => other !== id)
    if (left.length === 0) byKeyDay.delete(key)
    else byKeyDay.set(key, left)
  }

  return {
    reserve: Effect.fn("QuotaStore.reserve")((request: ReserveRequest) =>
      Effect.sync((): ReserveAnswer => {
        if (entries.has(request.id)) return { _tag: "Reserved" }
        const day = dayOf(request.now)
        const full = request.buckets.find((bucket) => (taken.get(`${day} ${bucket.name}`) ?? 0) + 1 > bucket.limit)
        if (full !== undefined) return { _tag: "Refused", bucket: full.name }
        const buckets = request.buckets.map((bucket) => `${day} ${bucket.name}`)
        for (const bucket of buckets) taken.set(bucket, (taken.get(bucket) ?? 0) + 1)
        const { id, keyId, kind } = request
        entries.set(id, {
          reservation: { id, keyId, kind, day, state: "reserved", reservedAt: request.now },
          buckets
        })
        open.add(id)
        const ofDay = byKeyDay.get(`${day} ${keyId}`)
        if (ofDay === undefined) byKeyDay.set(`${day} ${keyId}`, [id])
        else ofDay.push(id)
        return { _tag: "Reserved" }
      })
    ),
    settle: Effect.fn("QuotaStore.settle")((id: ExecutionId, state: "committed" | "released") =>
      Effect.sync(() => {
        const entry = entries.get(id)
        if (entry === undefined || !open.delete(id)) return false
        entries.set(id, { ...entry, reservation: { ...entry.reservation, state } })
        if (state === "released") for (const bucket of entry.buckets) taken.set(bucket, (taken.get(bucket) ?? 0) - 1)
        return true
      })
    ),
    count: Effect.fn("QuotaStore.count")((keyId: KeyId, day: string) =>
      Effect.sync((): DayCount => {
        const ofDay = (byKeyDay.get(`${day} ${keyId}`) ?? []).flatMap((id) => entries.get(id)?.reservation ?? [])
        const committed = ofDay.filter((reservation) => reservation.state === "committed")
        const summed = sums.get(`${day} ${keyId}`)?.committed ?? noUnits
        const of = (kind: UnitKind) =>
          summed[kind] + committed.filter((reservation) => reservation.kind === kind).length
        return {
          used: of("token") + of("wallet") + of("contract") + of("watch"),
          reserved: ofDay.filter((reservation) => reservation.state === "reserved").length,
          byKind: { token: of("token"), wallet: of("wallet"), contract: of("contract"), watch: of("watch") }
        }
      })
    ),
    ledger: Effect.fn("QuotaStore.ledger")(({ before, day, keyId, limit }: LedgerQuery) =>
      Effect.sync((): ReadonlyArray<LedgerLine> => {
        const units = (byKeyDay.get(`${day} ${keyId}`) ?? []).flatMap((id): ReadonlyArray<LedgerLine> => {
          const reservation = entries.get(id)?.reservation
          if (reservation === undefined) return []
          const { kind, reservedAt, state } = reservation
          return [{ place: placeOf.unit(id), kind, state, units: 1, reservation: Option.some({ id, reservedAt }) }]
        })
        const summed = (["committed", "released"] as const).flatMap((state) =>
          kinds.flatMap((kind): ReadonlyArray<LedgerLine> => {
            const units = sums.get(`${day} ${keyId}`)?.[state][kind] ?? 0
            return units === 0
              ? []
              : [{ place: placeOf.sum(kind, state), kind, state, units, reservation: Option.none() }]
          })
        )
        return [...units, ...summed]
          .filter(({ place }) => Option.match(before, { onNone: () => true, onSome: (last) => place < last }))
          .sort((a, b) => (a.place < b.place ? 1 : -1))
          .slice(0, limit)
      })
    ),
    redate: Effect.fn("QuotaStore.redate")((keyId: KeyId, now: number) =>
      Effect.sync(() => {
        const day = dayOf(now)
        const late = Array.from(entries.values()).filter(
          ({ reservation }) => reservation.keyId === keyId && reservation.day > day
        )
        for (const { buckets, reservation } of late) {
          const moved = buckets.map((bucket) => `${day}${bucket.slice(day.length)}`)
          if (reservation.state !== "released") {
            for (const bucket of buckets) taken.set(bucket, (taken.get(bucket) ?? 0) - 1)
            for (const bucket of moved) taken.set(bucket, (taken.get(bucket) ?? 0) + 1)
          }
          entries.set(reservation.id, { reservation: { ...reservation, day }, buckets: moved })
          byKeyDay.delete(`${reservation.day} ${keyId}`)
          byKeyDay.set(`${day} ${keyId}`, [...(byKeyDay.get(`${day} ${keyId}`) ?? []), reservation.id])
        }
        return late.length
      })
    ),
    unsettled: Effect.fn("QuotaStore.unsettled")((before: number, limit: number) =>
      Effect.sync(() =>
        Array.from(open)
          .flatMap((id) => entries.get(id)?.reservation ?? [])
          .filter((reservation) => reservation.reservedAt < before)
          .sort((a, b) => a.reservedAt - b.reservedAt)
          .slice(0, limit)
      )
    ),
    prune: Effect.fn("QuotaStore.prune")(({ limit, settledBefore, sumsBefore }: LedgerBounds) =>
      Effect.sync(() => {
        const settled = firstOf(
          limit,
          entries.values(),
          ({ reservation }) => reservation.state !== "reserved" && reservation.day < settledBefore
        )
        for (const { reservation } of settled) sumUp(reservation)
        const openDays = new Set(Array.from(open).flatMap((id) => entries.get(id)?.reservation.day ?? []))
        const counters = firstOf(limit - settled.length, taken.keys(), (name) => {
          const day = dayIn(name)
          return day < settledBefore && !openDays.has(day)
        })
        for (const name of counters) taken.delete(name)
        const past = firstOf(limit - settled.length - counters.length, sums.keys(), (name) => dayIn(name) < sumsBefore)
        for (const name of past) sums.delete(name)
        return settled.length + counters.length + past.length
      })
    )
  }
})

/** The units of a key and day, by kind, of reservations that are removed. */
interface Sums {
  readonly committed: DayCount["byKind"]
  readonly released: DayCount["byKind"]
}

const kinds: ReadonlyArray<UnitKind> = ["token", "wallet", "contract", "watch"]

const noUnits: DayCount["byKind"] = { token: 0, wallet: 0, contract: 0, watch: 0 }

const dayIn = (name: string): string => name.slice(0, name.indexOf(" "))

const firstOf = <A>(limit: number, all: Iterable<A>, holds: (a: A) => boolean): ReadonlyArray<A> => {
  const found: Array<A> = []
  for (const a of all) {
    if (found.length >= limit) break
    if (holds(a)) found.push(a)
  }
  return found
}
