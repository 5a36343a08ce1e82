import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"

/**
 * Watches with their runs and the events of these, and the log of events with the endpoints that are told of it. No table
 * refers to one of another store: each may live in a database of its own.
 *
 * `watch_queue` says of each key how many of its watches run and when the first of the others is due; `webhook.due_at`
 * says when the first delivery to an endpoint is. Both can be read off the tables beside them; they are there so that
 * what comes next is found without looking through what waits.
 */
export const watches = Effect.gen(function* () {
  const sql = yield* SqlClient

  yield* sql`
    CREATE TABLE watch (
      seq         INTEGER NOT NULL PRIMARY KEY,
      id          TEXT    NOT NULL,
      key_id      TEXT    NOT NULL,
      kind        TEXT    NOT NULL CHECK (kind IN ('token', 'wallet', 'contract')),
      address     TEXT    NOT NULL,
      chain_id    INTEGER NOT NULL,
      chain_name  TEXT    NOT NULL,
      label       TEXT    NOT NULL,
      options     TEXT    NOT NULL,
      created_at  INTEGER NOT NULL,
      updated_at  INTEGER NOT NULL,
      memory      TEXT    NOT NULL,
      state       TEXT    NOT NULL CHECK (state IN ('active', 'paused', 'suspended')),
      failing     INTEGER NOT NULL CHECK (failing IN (0, 1)),
      next_due_at INTEGER,
      revision    INTEGER NOT NULL,
      live        TEXT,
      asked_at    INTEGER
    ) STRICT`
  yield* sql`CREATE UNIQUE INDEX watch_by_id ON watch (id)`
  yield* sql`CREATE INDEX watch_by_key ON watch (key_id, seq)`
  yield* sql`
    CREATE INDEX watch_waiting ON watch (key_id, next_due_at, seq)
    WHERE live IS NULL AND next_due_at IS NOT NULL`
  yield* sql`CREATE INDEX watch_running ON watch (key_id) WHERE live IS NOT NULL`

  yield* sql`
    CREATE TABLE watch_queue (
      key_id  TEXT    NOT NULL PRIMARY KEY,
      running INTEGER NOT NULL CHECK (running >= 0),
      due_at  INTEGER
    ) STRICT, WITHOUT ROWID`
  yield* sql`CREATE INDEX watch_queue_next ON watch_queue (running, due_at) WHERE due_at IS NOT NULL`
  yield* sql`CREATE INDEX watch_queue_due ON watch_queue (due_at) WHERE due_at IS NOT NULL`

  yield* sql`
    CREATE TABLE watch_run (
      seq          INTEGER NOT NULL PRIMARY KEY,
      id           TEXT    NOT NULL,
      watch_id     TEXT    NOT NULL,
      execution_id TEXT    NOT NULL,
      lease_token  TEXT    NOT NULL,
      lease_until  INTEGER NOT NULL,
      status       TEXT    NOT NULL CHECK (status IN ('running', 'succeeded', 'failed', 'skipped', 'abandoned')),
      changed      INTEGER NOT NULL CHECK (changed IN (0, 1)),
      ended_at     INTEGER,
      document     TEXT    NOT NULL
    ) STRICT`
  yield* sql`CREATE UNIQUE INDEX watch_run_by_id ON watch_run (id)`
  yield* sql`CREATE INDEX watch_run_by_watch ON watch_run (watch_id, seq)`
  yield* sql`CREATE INDEX watch_run_changed ON watch_run (watch_id, seq) WHERE changed = 1`
  yield* sql`CREATE INDEX watch_run_lease ON watch_run (lease_until) WHERE status = 'running'`
  yield* sql`CREATE INDEX watch_run_ended ON watch_run (changed, ended_at) WHERE ended_at IS NOT NULL`

  yield* sql`
    CREATE TABLE outbox (
      seq   INTEGER NOT NULL PRIMARY KEY,
      id    TEXT    NOT NULL,
      event TEXT    NOT NULL
    ) STRICT`
  yield* sql`CREATE UNIQUE INDEX outbox_by_id ON outbox (id)`

  yield* sql`
    CREATE TABLE event (
      seq         INTEGER NOT NULL PRIMARY KEY,
      id          TEXT    NOT NULL,
      key_id      TEXT    NOT NULL,
      sequence    INTEGER NOT NULL,
      type        TEXT    NOT NULL,
      watch_id    TEXT,
      timestamp   TEXT    NOT NULL,
      appended_at INTEGER NOT NULL,
      body        TEXT    NOT NULL
    ) STRICT`
  yield* sql`CREATE UNIQUE INDEX event_by_id ON event (id)`
  yield* sql`CREATE UNIQUE INDEX event_by_sequence ON event (key_id, sequence)`
  yield* sql`CREATE INDEX event_age ON event (appended_at, seq)`

  yield* sql`
    CREATE TABLE event_sequence (
      key_id      TEXT    NOT NULL PRIMARY KEY,
      last        INTEGER NOT NULL,
      removed     INTEGER NOT NULL,
      appended_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`

  yield* sql`
    CREATE TABLE webhook (
      seq      INTEGER NOT NULL PRIMARY KEY,
      id       TEXT    NOT NULL,
      key_id   TEXT    NOT NULL,
      state    TEXT    NOT NULL CHECK (state IN ('enabled', 'disabled')),
      document TEXT    NOT NULL,
      secrets  TEXT    NOT NULL,
      failures INTEGER NOT NULL,
      warned   INTEGER NOT NULL CHECK (warned IN (0, 1)),
      due_at   INTEGER
    ) STRICT`
  yield* sql`CREATE UNIQUE INDEX webhook_by_id ON webhook (id)`
  yield* sql`CREATE INDEX webhook_by_key ON webhook (key_id, seq)`
  yield* sql`CREATE INDEX webhook_due ON webhook (due_at) WHERE due_at IS NOT NULL`

  yield* sql`
    CREATE TABLE delivery (
      seq         INTEGER NOT NULL PRIMARY KEY,
      id          TEXT    NOT NULL,
      webhook_id  TEXT    NOT NULL,
      event_id    TEXT    NOT NULL,
      status      TEXT    NOT NULL CHECK (status IN ('pending', 'delivered', 'exhausted', 'dropped')),
      asked       INTEGER NOT NULL CHECK (asked IN (0, 1)),
      lease_token TEXT,
      due_at      INTEGER,
      document    TEXT    NOT NULL
    ) STRICT`
  yield* sql`CREATE UNIQUE INDEX delivery_by_id ON delivery (id)`
  yield* sql`CREATE INDEX delivery_by_webhook ON delivery (webhook_id, seq)`
  yield* sql`CREATE INDEX delivery_by_event ON delivery (event_id)`
  yield* sql`CREATE INDEX delivery_pending ON delivery (webhook_id, due_at, seq) WHERE status = 'pending'`
  yield* sql`CREATE INDEX delivery_held ON delivery (webhook_id, due_at) WHERE lease_token IS NOT NULL`
})
