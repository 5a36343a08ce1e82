import { Option, Schema } from "effect"
import * as Address from "../domain/Address.js"
import * as Event from "../domain/Event.js"
import * as Id from "../domain/Id.js"
import * as Target from "../domain/Target.js"
import * as Timestamp from "../domain/Timestamp.js"
import * as Watch from "../domain/Watch.js"
import * as WatchMemory from "../domain/WatchMemory.js"
import type * as WatchStore from "./WatchStore.js"

const Options = Schema.parseJson(Watch.WatchOptions)
const Memory = Schema.parseJson(WatchMemory.WatchMemory)
/** What the columns of a run do not say; before, the run as a whole. Times in epoch milliseconds. */
const RunText = Schema.Union(
  Schema.parseJson(
    Schema.Struct({
      due: Schema.Int,
      began: Schema.optional(Schema.Int),
      ended: Schema.optional(Schema.Int),
      trigger: Watch.WatchRun.fields.trigger,
      units: Watch.WatchRun.fields.units,
      executed: Schema.optional(Schema.Literal(true)),
      found: Schema.optional(Watch.WatchRun.fields.change_status),
      severity: Schema.optional(Watch.WatchRun.fields.max_severity),
      code: Schema.optional(Schema.String),
      error: Schema.optional(Schema.String)
    })
  ),
  Schema.parseJson(Watch.WatchRun)
)
const Outgoing = Schema.parseJson(
  Schema.Struct({
    id: Id.EventId,
    keyId: Id.KeyId,
    timestamp: Timestamp.Timestamp,
    body: Event.EventBody,
    only: Schema.NullOr(Id.WebhookId)
  })
)

/**
 * A row of a watch: one member for each column of its table in SQL. The watch's memory is JSON text, times are epoch
 * milliseconds. Every SQL back end has the same rows, so that one database is copied to another row by row.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WatchRow = Schema.Struct({
  id: Id.WatchId,
  key_id: Id.KeyId,
  kind: Target.TargetKind,
  address: Address.Address,
  chain_id: Schema.Int,
  chain_name: Schema.String,
  label: Schema.String,
  options: Options,
  created_at: Schema.Int,
  updated_at: Schema.Int,
  memory: Memory,
  revision: Schema.Int,
  live: Schema.OptionFromNullOr(Id.RunId),
  asked_at: Schema.OptionFromNullOr(Schema.Int)
})

/**
 * What a row of a run says of it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RunColumns = Schema.Struct({
  run_id: Id.RunId,
  status: Watch.WatchRun.fields.status,
  execution_id: Id.ExecutionId,
  document: RunText
})

/**
 * A row of a run with the token of its lease.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RunRow = Schema.Struct({ ...RunColumns.fields, lease_token: Schema.String })

/**
 * A run joined with its watch.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ClaimRow = Schema.Struct({ ...WatchRow.fields, ...RunRow.fields })

/**
 * A row of a page of runs; without a run where the watch has none.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PageRow = Schema.Union(RunColumns, Schema.Struct({ run_id: Schema.Null }))

/**
 * A row of the outbox: an event that is not in the log yet.
 *
 * @since 0.1.0
 * @category schemas
 */
export const EventRow = Schema.Struct({ event: Outgoing })

/**
 * Writes what is remembered of a watch as the text of its column.
 *
 * @since 0.1.0
 * @category combinators
 */
export const encodeMemory = Schema.encode(Memory)

/**
 * The watch of a row.
 *
 * @since 0.1.0
 * @category combinators
 */
export const stored = (row: typeof WatchRow.Type): WatchStore.StoredWatch => ({
  id: row.id,
  keyId: row.key_id,
  target: { kind: row.kind, address: row.address, chain: { id: row.chain_id, name: row.chain_name } },
  label: row.label,
  options: row.options,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  memory: row.memory,
  revision: row.revision,
  live: row.live
})

/**
 * The claim of a watch by the row of its run.
 *
 * @since 0.1.0
 * @category combinators
 */
export const claim = (watch: WatchStore.StoredWatch, run: typeof RunRow.Type): WatchStore.Claim => ({
  watch,
  run: runOf(run),
  executionId: run.execution_id,
  token: run.lease_token
})

/**
 * The column that finds watches with a failed last check.
 *
 * @since 0.1.0
 * @category combinators
 */
export const failing = (memory: WatchMemory.WatchMemory): 0 | 1 => (Option.isSome(memory.lastError) ? 1 : 0)

/**
 * The JSON text of a run: what its columns do not say.
 *
 * @since 0.1.0
 * @category combinators
 */
export const runText = (run: Watch.WatchRun): string =>
  JSON.stringify({
    due: Timestamp.toMillis(run.scheduled_for),
    began: run.started_at === null ? undefined : Timestamp.toMillis(run.started_at),
    ended: run.finished_at === null ? undefined : Timestamp.toMillis(run.finished_at),
    trigger: run.trigger,
    units: run.units,
    executed: run.execution_id === null ? undefined : true,
    found: run.change_status ?? undefined,
    severity: run.max_severity ?? undefined,
    code: run.error_code ?? undefined,
    error: run.error ?? undefined
  })

/**
 * The run of its columns.
 *
 * @since 0.1.0
 * @category combinators
 */
export const runOf = ({ document, execution_id, run_id, status }: typeof RunColumns.Type): Watch.WatchRun =>
  "id" in document
    ? document
    : {
        id: run_id,
        scheduled_for: Timestamp.fromMillis(document.due),
        started_at: document.began === undefined ? null : Timestamp.fromMillis(document.began),
        finished_at: document.ended === undefined ? null : Timestamp.fromMillis(document.ended),
        trigger: document.trigger,
        status,
        units: document.units,
        execution_id: document.executed === true ? execution_id : null,
        change_status: document.found ?? null,
        max_severity: document.severity ?? null,
        error_code: document.code ?? null,
        error: document.error ?? null
      }
