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
, former_hash TEXT, former_ends_at INTEGER, plan TEXT, invitation_id TEXT, invitation_request TEXT) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX api_key_by_former_hash ON api_key (former_hash) WHERE former_hash IS NOT NULL;

CREATE UNIQUE INDEX api_key_by_hash ON api_key (hash);

CREATE UNIQUE INDEX api_key_by_request ON api_key (invitation_id, invitation_request)
WHERE invitation_request IS NOT NULL;

CREATE TRIGGER api_key_deleted AFTER DELETE ON api_key BEGIN
  INSERT INTO key_version (key_id, version) VALUES (OLD.id, 1)
  ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
END;

CREATE TRIGGER api_key_inserted AFTER INSERT ON api_key BEGIN
  INSERT INTO key_version (key_id, version) VALUES (NEW.id, 1)
  ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
END;

CREATE INDEX api_key_unused ON api_key (id, created_at) WHERE last_used_at IS NULL;

CREATE TRIGGER api_key_updated AFTER UPDATE OF hash_version, hash, hint, label, state, daily_quota, plan, expires_at, source, former_hash, former_ends_at ON api_key BEGIN
  INSERT INTO key_version (key_id, version) VALUES (NEW.id, 1)
  ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
END;

CREATE TABLE bucket_day (
  bucket TEXT    NOT NULL,
  day    TEXT    NOT NULL,
  taken  INTEGER NOT NULL CHECK (taken >= 0),
  PRIMARY KEY (bucket, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX bucket_day_age ON bucket_day (day);

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
) STRICT;

CREATE INDEX delivery_by_event ON delivery (event_id);

CREATE UNIQUE INDEX delivery_by_id ON delivery (id);

CREATE INDEX delivery_by_webhook ON delivery (webhook_id, seq);

CREATE INDEX delivery_held ON delivery (webhook_id, due_at) WHERE lease_token IS NOT NULL;

CREATE INDEX delivery_pending ON delivery (webhook_id, due_at, seq) WHERE status = 'pending';

CREATE TABLE document (
  id      INTEGER NOT NULL PRIMARY KEY,
  hash    BLOB    NOT NULL,
  subject TEXT    NOT NULL,
  body    BLOB    NOT NULL
) STRICT;

CREATE UNIQUE INDEX document_by_hash ON document (hash);

CREATE INDEX document_by_subject ON document (subject, id);

CREATE TABLE "effect_sql_migrations" (
  migration_id integer PRIMARY KEY NOT NULL,
  created_at datetime NOT NULL DEFAULT current_timestamp,
  name VARCHAR(255) NOT NULL
);

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
) STRICT;

CREATE INDEX event_age ON event (appended_at, seq);

CREATE UNIQUE INDEX event_by_id ON event (id);

CREATE UNIQUE INDEX event_by_sequence ON event (key_id, sequence);

CREATE TABLE event_sequence (
  key_id      TEXT    NOT NULL PRIMARY KEY,
  last        INTEGER NOT NULL,
  removed     INTEGER NOT NULL,
  appended_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
, reported TEXT NOT NULL DEFAULT '{}', document_id INTEGER, patch BLOB) STRICT;

CREATE INDEX execution_by_document ON execution (document_id) WHERE document_id IS NOT NULL;

CREATE UNIQUE INDEX execution_by_id ON execution (id);

CREATE INDEX execution_by_key ON execution (key_id, seq);

CREATE TRIGGER execution_deleted AFTER DELETE ON execution BEGIN
  INSERT INTO key_version (key_id, version) VALUES (OLD.key_id, 1)
  ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
END;

CREATE INDEX execution_ended ON execution (completed_at, seq) WHERE completed_at IS NOT NULL;

CREATE TRIGGER execution_inserted AFTER INSERT ON execution BEGIN
  INSERT INTO key_version (key_id, version) VALUES (NEW.key_id, 1)
  ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
END;

CREATE INDEX execution_lease ON execution (lease_until) WHERE status = 'running';

CREATE INDEX execution_previous ON execution (key_id, chain_id, kind, address, seq)
WHERE status IN ('complete', 'partial') AND watch_id IS NULL;

CREATE TABLE execution_removed (
  id         TEXT    NOT NULL PRIMARY KEY,
  key_id     TEXT    NOT NULL,
  removed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX execution_removed_age ON execution_removed (removed_at);

CREATE UNIQUE INDEX execution_running ON execution (key_id, join_key) WHERE status = 'running';

CREATE TRIGGER execution_updated AFTER UPDATE OF status, content_hash, document, document_id, patch ON execution BEGIN
  INSERT INTO key_version (key_id, version) VALUES (NEW.key_id, 1)
  ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
END;

CREATE TABLE idempotency_key (
  key_id       TEXT    NOT NULL,
  name         TEXT    NOT NULL,
  fingerprint  TEXT    NOT NULL,
  execution_id TEXT    NOT NULL,
  bound_at     INTEGER NOT NULL,
  PRIMARY KEY (key_id, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_key_age ON idempotency_key (bound_at);

CREATE TABLE invitation (
  id         TEXT    NOT NULL PRIMARY KEY,
  hash       TEXT    NOT NULL,
  label      TEXT    NOT NULL,
  plan       TEXT,
  uses       INTEGER NOT NULL CHECK (uses > 0),
  used       INTEGER NOT NULL CHECK (used BETWEEN 0 AND uses),
  created_at INTEGER NOT NULL,
  ends_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX invitation_by_hash ON invitation (hash);

CREATE TABLE key_version (
  key_id  TEXT    NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
  seq   INTEGER NOT NULL PRIMARY KEY,
  id    TEXT    NOT NULL,
  event TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX outbox_by_id ON outbox (id);

CREATE TABLE reservation (
  id          TEXT    NOT NULL PRIMARY KEY,
  key_id      TEXT    NOT NULL,
  day         TEXT    NOT NULL,
  kind        TEXT    NOT NULL CHECK (kind IN ('token', 'wallet', 'contract', 'watch')),
  state       TEXT    NOT NULL CHECK (state IN ('reserved', 'committed', 'released')),
  reserved_at INTEGER NOT NULL,
  settled_at  INTEGER,
  buckets     TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX reservation_age ON reservation (day) WHERE state <> 'reserved';

CREATE INDEX reservation_by_key_day ON reservation (key_id, day, state, kind);

CREATE TRIGGER reservation_deleted AFTER DELETE ON reservation BEGIN
  INSERT INTO key_version (key_id, version) VALUES (OLD.key_id, 1)
  ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
END;

CREATE TRIGGER reservation_inserted AFTER INSERT ON reservation BEGIN
  INSERT INTO key_version (key_id, version) VALUES (NEW.key_id, 1)
  ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
END;

CREATE TABLE reservation_sum (
  key_id TEXT    NOT NULL,
  day    TEXT    NOT NULL,
  kind   TEXT    NOT NULL CHECK (kind IN ('token', 'wallet', 'contract', 'watch')),
  state  TEXT    NOT NULL CHECK (state IN ('committed', 'released')),
  units  INTEGER NOT NULL CHECK (units > 0),
  PRIMARY KEY (key_id, day, kind, state)
) STRICT, WITHOUT ROWID;

CREATE INDEX reservation_sum_age ON reservation_sum (day);

CREATE INDEX reservation_unsettled ON reservation (reserved_at) WHERE state = 'reserved';

CREATE TRIGGER reservation_updated AFTER UPDATE OF day, kind, state ON reservation BEGIN
  INSERT INTO key_version (key_id, version) VALUES (NEW.key_id, 1)
  ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
END;

CREATE TABLE secrets_key (
  id        TEXT    NOT NULL PRIMARY KEY,
  rewritten INTEGER NOT NULL CHECK (rewritten IN (0, 1))
) STRICT, WITHOUT ROWID;

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
) STRICT;

CREATE UNIQUE INDEX watch_by_id ON watch (id);

CREATE INDEX watch_by_key ON watch (key_id, seq);

CREATE TRIGGER watch_deleted AFTER DELETE ON watch BEGIN
  INSERT INTO key_version (key_id, version) VALUES (OLD.key_id, 1)
  ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
END;

CREATE TRIGGER watch_inserted AFTER INSERT ON watch BEGIN
  INSERT INTO key_version (key_id, version) VALUES (NEW.key_id, 1)
  ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
END;

CREATE TABLE watch_queue (
  key_id  TEXT    NOT NULL PRIMARY KEY,
  running INTEGER NOT NULL CHECK (running >= 0),
  due_at  INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX watch_queue_due ON watch_queue (due_at) WHERE due_at IS NOT NULL;

CREATE INDEX watch_queue_next ON watch_queue (running, due_at) WHERE due_at IS NOT NULL;

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
) STRICT;

CREATE UNIQUE INDEX watch_run_by_id ON watch_run (id);

CREATE INDEX watch_run_by_watch ON watch_run (watch_id, seq);

CREATE INDEX watch_run_changed ON watch_run (watch_id, seq) WHERE changed = 1;

CREATE INDEX watch_run_ended ON watch_run (changed, ended_at) WHERE ended_at IS NOT NULL;

CREATE INDEX watch_run_lease ON watch_run (lease_until) WHERE status = 'running';

CREATE INDEX watch_running ON watch (key_id) WHERE live IS NOT NULL;

CREATE TRIGGER watch_updated AFTER UPDATE OF label, options, updated_at, memory, state, failing, next_due_at, revision, live ON watch BEGIN
  INSERT INTO key_version (key_id, version) VALUES (NEW.key_id, 1)
  ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
END;

CREATE INDEX watch_waiting ON watch (key_id, next_due_at, seq)
WHERE live IS NULL AND next_due_at IS NOT NULL;

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
) STRICT;

CREATE UNIQUE INDEX webhook_by_id ON webhook (id);

CREATE INDEX webhook_by_key ON webhook (key_id, seq);

CREATE TRIGGER webhook_deleted AFTER DELETE ON webhook BEGIN
  INSERT INTO key_version (key_id, version) VALUES (OLD.key_id, 1)
  ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
END;

CREATE INDEX webhook_due ON webhook (due_at) WHERE due_at IS NOT NULL;

CREATE TRIGGER webhook_inserted AFTER INSERT ON webhook BEGIN
  INSERT INTO key_version (key_id, version) VALUES (NEW.key_id, 1)
  ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
END;

CREATE TRIGGER webhook_updated AFTER UPDATE OF state, document ON webhook BEGIN
  INSERT INTO key_version (key_id, version) VALUES (NEW.key_id, 1)
  ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
END;
