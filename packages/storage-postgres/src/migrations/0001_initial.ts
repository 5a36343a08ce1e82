import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Every table of the five stores. No table refers to one of another store: each may live in a database of its own. */
export const initial = Effect.gen(function* () {
  const sql = yield* SqlClient

  yield* sql`
    CREATE TABLE api_key (
      id           TEXT    NOT NULL PRIMARY KEY,
      hash_version BIGINT  NOT NULL,
      hash         TEXT    NOT NULL,
      hint         TEXT    NOT NULL,
      label        TEXT    NOT NULL,
      state        TEXT    NOT NULL CHECK (state IN ('active', 'disabled', 'revoked')),
      daily_quota  BIGINT  NOT NULL CHECK (daily_quota >= 0),
      created_at   BIGINT  NOT NULL,
      expires_at   BIGINT,
      last_used_at BIGINT,
      source       TEXT
    )`
  yield* sql`
    CREATE TABLE bucket_day (
      bucket TEXT    NOT NULL,
      day    TEXT    NOT NULL,
      taken  BIGINT  NOT NULL CHECK (taken >= 0),
      PRIMARY KEY (bucket, day)
    )`
  yield* sql`
    CREATE TABLE delivery (
      seq         BIGINT  NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id          TEXT    NOT NULL,
      webhook_id  TEXT    NOT NULL,
      event_id    TEXT    NOT NULL,
      status      TEXT    NOT NULL CHECK (status IN ('pending', 'delivered', 'exhausted', 'dropped')),
      asked       BIGINT  NOT NULL CHECK (asked IN (0, 1)),
      lease_token TEXT,
      due_at      BIGINT,
      document    TEXT    NOT NULL
    )`
  yield* sql`
    CREATE TABLE document (
      id      BIGINT  NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      hash    BYTEA   NOT NULL,
      subject TEXT    NOT NULL,
      body    BYTEA   NOT NULL
    )`
  yield* sql`
    CREATE TABLE event (
      seq         BIGINT  NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id          TEXT    NOT NULL,
      key_id      TEXT    NOT NULL,
      sequence    BIGINT  NOT NULL,
      type        TEXT    NOT NULL,
      watch_id    TEXT,
      timestamp   TEXT    NOT NULL,
      appended_at BIGINT  NOT NULL,
      body        TEXT    NOT NULL
    )`
  yield* sql`
    CREATE TABLE event_sequence (
      key_id      TEXT    NOT NULL PRIMARY KEY,
      last        BIGINT  NOT NULL,
      removed     BIGINT  NOT NULL,
      appended_at BIGINT  NOT NULL
    )`
  yield* sql`
    CREATE TABLE execution (
      seq          BIGINT  NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id           TEXT    NOT NULL,
      key_id       TEXT    NOT NULL,
      watch_id     TEXT,
      join_key     TEXT    NOT NULL,
      lease_token  TEXT,
      lease_until  BIGINT  NOT NULL,
      kind         TEXT    NOT NULL CHECK (kind IN ('token', 'wallet', 'contract')),
      address      TEXT    NOT NULL,
      chain_id     BIGINT  NOT NULL,
      chain_name   TEXT    NOT NULL,
      status       TEXT    NOT NULL CHECK (status IN ('running', 'complete', 'partial', 'failed')),
      created_at   BIGINT  NOT NULL,
      completed_at BIGINT,
      score        BIGINT,
      level        TEXT,
      content_hash TEXT,
      document     TEXT    NOT NULL,
      known        TEXT    NOT NULL,
      reported     TEXT    NOT NULL DEFAULT '{}',
      document_id  BIGINT,
      patch        BYTEA
    )`
  yield* sql`
    CREATE TABLE execution_removed (
      id         TEXT    NOT NULL PRIMARY KEY,
      key_id     TEXT    NOT NULL,
      removed_at BIGINT  NOT NULL
    )`
  yield* sql`
    CREATE TABLE idempotency_key (
      key_id       TEXT    NOT NULL,
      name         TEXT    NOT NULL,
      fingerprint  TEXT    NOT NULL,
      execution_id TEXT    NOT NULL,
      bound_at     BIGINT  NOT NULL,
      PRIMARY KEY (key_id, name)
    )`
  yield* sql`
    CREATE TABLE outbox (
      seq   BIGINT  NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id    TEXT    NOT NULL,
      event TEXT    NOT NULL
    )`
  yield* sql`
    CREATE TABLE reservation (
      id          TEXT    NOT NULL PRIMARY KEY,
      key_id      TEXT    NOT NULL,
      day         TEXT    NOT NULL,
      kind        TEXT    NOT NULL CHECK (kind IN ('token', 'wallet', 'contract', 'watch')),
      state       TEXT    NOT NULL CHECK (state IN ('reserved', 'committed', 'released')),
      reserved_at BIGINT  NOT NULL,
      settled_at  BIGINT,
      buckets     TEXT    NOT NULL
    )`
  yield* sql`
    CREATE TABLE watch (
      seq         BIGINT  NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id          TEXT    NOT NULL,
      key_id      TEXT    NOT NULL,
      kind        TEXT    NOT NULL CHECK (kind IN ('token', 'wallet', 'contract')),
      address     TEXT    NOT NULL,
      chain_id    BIGINT  NOT NULL,
      chain_name  TEXT    NOT NULL,
      label       TEXT    NOT NULL,
      options     TEXT    NOT NULL,
      created_at  BIGINT  NOT NULL,
      updated_at  BIGINT  NOT NULL,
      memory      TEXT    NOT NULL,
      state       TEXT    NOT NULL CHECK (state IN ('active', 'paused', 'suspended')),
      failing     BIGINT  NOT NULL CHECK (failing IN (0, 1)),
      next_due_at BIGINT,
      revision    BIGINT  NOT NULL,
      live        TEXT,
      asked_at    BIGINT 
    )`
  yield* sql`
    CREATE TABLE watch_queue (
      key_id  TEXT    NOT NULL PRIMARY KEY,
      running BIGINT  NOT NULL CHECK (running >= 0),
      due_at  BIGINT 
    )`
  yield* sql`
    CREATE TABLE watch_run (
      seq          BIGINT  NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id           TEXT    NOT NULL,
      watch_id     TEXT    NOT NULL,
      execution_id TEXT    NOT NULL,
      lease_token  TEXT    NOT NULL,
      lease_until  BIGINT  NOT NULL,
      status       TEXT    NOT NULL CHECK (status IN ('running', 'succeeded', 'failed', 'skipped', 'abandoned')),
      changed      BIGINT  NOT NULL CHECK (changed IN (0, 1)),
      ended_at     BIGINT,
      document     TEXT    NOT NULL
    )`
  yield* sql`
    CREATE TABLE webhook (
      seq      BIGINT  NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id       TEXT    NOT NULL,
      key_id   TEXT    NOT NULL,
      state    TEXT    NOT NULL CHECK (state IN ('enabled', 'disabled')),
      document TEXT    NOT NULL,
      secrets  TEXT    NOT NULL,
      failures BIGINT  NOT NULL,
      warned   BIGINT  NOT NULL CHECK (warned IN (0, 1)),
      due_at   BIGINT 
    )`
  yield* sql`
    CREATE UNIQUE INDEX api_key_by_hash ON api_key (hash)`
  yield* sql`
    CREATE INDEX delivery_by_event ON delivery (event_id)`
  yield* sql`
    CREATE UNIQUE INDEX delivery_by_id ON delivery (id)`
  yield* sql`
    CREATE INDEX delivery_by_webhook ON delivery (webhook_id, seq)`
  yield* sql`
    CREATE INDEX delivery_held ON delivery (webhook_id, due_at) WHERE lease_token IS NOT NULL`
  yield* sql`
    CREATE INDEX delivery_pending ON delivery (webhook_id, due_at, seq) WHERE status = 'pending'`
  yield* sql`
    CREATE UNIQUE INDEX document_by_hash ON document (hash)`
  yield* sql`
    CREATE INDEX document_by_subject ON document (subject, id)`
  yield* sql`
    CREATE INDEX event_age ON event (appended_at, seq)`
  yield* sql`
    CREATE UNIQUE INDEX event_by_id ON event (id)`
  yield* sql`
    CREATE UNIQUE INDEX event_by_sequence ON event (key_id, sequence)`
  yield* sql`
    CREATE INDEX execution_by_document ON execution (document_id) WHERE document_id IS NOT NULL`
  yield* sql`
    CREATE UNIQUE INDEX execution_by_id ON execution (id)`
  yield* sql`
    CREATE INDEX execution_by_key ON execution (key_id, seq)`
  yield* sql`
    CREATE INDEX execution_ended ON execution (completed_at, seq) WHERE completed_at IS NOT NULL`
  yield* sql`
    CREATE INDEX execution_lease ON execution (lease_until) WHERE status = 'running'`
  yield* sql`
    CREATE INDEX execution_previous ON execution (key_id, chain_id, kind, address, seq)
    WHERE status IN ('complete', 'partial') AND watch_id IS NULL`
  yield* sql`
    CREATE INDEX execution_removed_age ON execution_removed (removed_at)`
  yield* sql`
    CREATE UNIQUE INDEX execution_running ON execution (key_id, join_key) WHERE status = 'running'`
  yield* sql`
    CREATE INDEX idempotency_key_age ON idempotency_key (bound_at)`
  yield* sql`
    CREATE UNIQUE INDEX outbox_by_id ON outbox (id)`
  yield* sql`
    CREATE INDEX reservation_by_key_day ON reservation (key_id, day, state, kind)`
  yield* sql`
    CREATE INDEX reservation_unsettled ON reservation (reserved_at) WHERE state = 'reserved'`
  yield* sql`
    CREATE UNIQUE INDEX watch_by_id ON watch (id)`
  yield* sql`
    CREATE INDEX watch_by_key ON watch (key_id, seq)`
  yield* sql`
    CREATE INDEX watch_queue_due ON watch_queue (due_at) WHERE due_at IS NOT NULL`
  yield* sql`
    CREATE INDEX watch_queue_next ON watch_queue (running, due_at) WHERE due_at IS NOT NULL`
  yield* sql`
    CREATE UNIQUE INDEX watch_run_by_id ON watch_run (id)`
  yield* sql`
    CREATE INDEX watch_run_by_watch ON watch_run (watch_id, seq)`
  yield* sql`
    CREATE INDEX watch_run_changed ON watch_run (watch_id, seq) WHERE changed = 1`
  yield* sql`
    CREATE INDEX watch_run_ended ON watch_run (changed, ended_at) WHERE ended_at IS NOT NULL`
  yield* sql`
    CREATE INDEX watch_run_lease ON watch_run (lease_until) WHERE status = 'running'`
  yield* sql`
    CREATE INDEX watch_running ON watch (key_id) WHERE live IS NOT NULL`
  yield* sql`
    CREATE INDEX watch_waiting ON watch (key_id, next_due_at, seq)
    WHERE live IS NULL AND next_due_at IS NOT NULL`
  yield* sql`
    CREATE UNIQUE INDEX webhook_by_id ON webhook (id)`
  yield* sql`
    CREATE INDEX webhook_by_key ON webhook (key_id, seq)`
  yield* sql`
    CREATE INDEX webhook_due ON webhook (due_at) WHERE due_at IS NOT NULL`
})
