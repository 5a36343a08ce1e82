/** @internal */

import { Effect, Option, Schema } from "effect"
import type { Caller } from "../domain/Caller.js"
import * as Cursor from "../domain/Cursor.js"
import type { Page } from "../domain/Page.js"
import { fromMillis } from "../domain/Timestamp.js"
import type { LedgerEntry } from "../domain/Usage.js"
import { type ExecutionEnd, ExecutionStore } from "../storage/ExecutionStore.js"
import { isPlace, type LedgerLine, QuotaStore } from "../storage/QuotaStore.js"
import type { StorageError } from "../storage/StorageError.js"

/** A part of the ledger of a UTC day; `cursor` is the `next_cursor` of the part before. */
export interface Request {
  readonly day: string
  readonly limit: number
  readonly cursor: Option.Option<string>
}

/**
 * The units of a caller on a day. What a unit was for and why it was given back is known by its execution, so it is not there
 * any more once that is past its retention.
 */
export const page = (
  caller: Caller,
  { cursor, day, limit }: Request
): Effect.Effect<Page<LedgerEntry>, Cursor.BadCursor | StorageError, QuotaStore | ExecutionStore> =>
  Effect.gen(function* () {
    const quota = yield* QuotaStore
    const executions = yield* ExecutionStore
    const before = yield* Effect.transposeMapOption(cursor, Cursor.decode(Place))
    const found = yield* quota.ledger({ keyId: caller.id, day, limit: limit + 1, before })
    const lines = found.slice(0, limit)
    const ids = lines.flatMap(({ reservation }) => Option.toArray(Option.map(reservation, ({ id }) => id)))
    const ends = ids.length === 0 ? [] : yield* executions.ends(caller.id, ids)
    const byId = new Map(ends.map((end) => [end.id, end]))
    const last = found.length > limit ? lines.at(-1) : undefined
    return {
      data: lines.map((line) =>
        entryOf(
          line,
          Option.flatMapNullable(line.reservation, ({ id }) => byId.get(id))
        )
      ),
      next_cursor: last === undefined ? null : Cursor.encode(last.place)
    }
  })

const Place = Schema.String.pipe(Schema.filter(isPlace))

const entryOf = ({ kind, reservation, state, units }: LedgerLine, end: Option.Option<ExecutionEnd>): LedgerEntry => ({
  at: Option.getOrNull(Option.map(reservation, ({ reservedAt }) => fromMillis(reservedAt))),
  kind,
  units,
  state,
  reason: state === "released" ? Option.getOrNull(Option.flatMap(end, ({ failure }) => failure)) : null,
  execution_id: Option.getOrNull(Option.map(reservation, ({ id }) => id)),
  watch_id: Option.getOrNull(Option.flatMap(end, ({ watchId }) => watchId))
})
