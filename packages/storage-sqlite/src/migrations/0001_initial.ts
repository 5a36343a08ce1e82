import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Keys, units and executions. No table refers to one of another store: each may live in a database of its own. */
export const initial = Effect.gen(function* () {
  const sql = yield* SqlClient

  yield* sql`
    CREATE TABLE api_key (
      id           TEXT    NOT NULL PRIMARY KEY,
      hash_version INTEGER NOT NULL,
      hash         TEXT    NOT NULL,
      hint         TEXT    NOT NULL,
      label        TEXT    NOT NULL,
      state        TEXT    NOT NULL CHECK (state IN ('active', 'disabled', 'revoked')),
      daily_quota  INTEGER NOT NULL CHECK (daily_quota >= 0),
      created_at   INTEGER NOT NULL,
      expires_at   INTEGER,
      last_used_at INTEGER,
      source       TEXT
    ) STRICT, WITHOUT ROWID`
  yield* sql`CREATE UNIQUE INDEX api_key_by_hash ON api_key (hash)`

  yield* sql`
    CREATE TABLE reservation (
      id          TEXT    NOT NULL PRIMARY KEY,
      key_id      TEXT    NOT NULL,
      day         TEXT    NOT NULL,
      kind        TEXT    NOT NULL CHECK (kind IN ('token', 'wallet', 'contract', 'watch')),
      state       TEXT    NOT NULL CHECK (state IN ('reserved', 'committed', 'released')),
      reserved_at INTEGER NOT NULL,
      settled_at  INTEGER,
      buckets     TEXT    NOT NULL
    ) STRICT, WITHOUT ROWID`
  yield* sql`CREATE INDEX reservation_by_key_day ON reservation (key_id, day, state, kind)`
  yield* sql`CREATE INDEX reservation_unsettled ON reservation (reserved_at) WHERE state = 'reserved'`

  yield* sql`
    CREATE TABLE bucket_day (
      bucket TEXT    NOT NULL,
      day    TEXT    NOT NULL,
      taken  INTEGER NOT NULL CHECK (taken >= 0),
      PRIMARY KEY (bucket, day)
    ) STRICT, WITHOUT ROWID`

  yield* sql`
    CREATE TABLE execution (
      seq          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
      id           TEXT    NOT NULL,
      key_id       TEXT    NOT NULL,
      watch_id     TEXT,
      join_key     TEXT    NOT NULL,
      lease_token  TEXT,
      lease_until  INTEGER NOT NULL,
      kind         TEXT    NOT NULL CHECK (kind IN ('token', 'wallet', 'contract')),
      address      TEXT    NOT NULL,
      chain_id     INTEGER NOT NULL,
      chain_name   TEXT    NOT NULL,
      status       TEXT    NOT NULL CHECK (status IN ('running', 'complete', 'partial', 'failed')),
      created_at   INTEGER NOT NULL,
      completed_at INTEGER,
      score        INTEGER,
      level        TEXT,
      content_hash TEXT,
      document     TEXT    NOT NULL,
      known        TEXT    NOT NULL
    ) STRICT`
  yield* sql`CREATE UNIQUE INDEX execution_by_id ON execution (id)`
  yield* sql`CREATE INDEX execution_by_key ON execution (key_id, seq)`
  yield* sql`
    CREATE INDEX execution_previous ON execution (key_id, chain_id, kind, address, seq)
    WHERE status IN ('complete', 'partial') AND watch_id IS NULL`
  yield* sql`CREATE UNIQUE INDEX execution_running ON execution (key_id, join_key) WHERE status = 'running'`
  yield* sql`CREATE INDEX execution_lease ON execution (lease_until) WHERE status = 'running'`
})
