import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Entropy, Secrets } from "@assay/core"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import * as SecretsKey from "../src/SecretsKey.js"

const directory = mkdtempSync(join(tmpdir(), "assay-key-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const keyId = (filename: string) =>
  Effect.map(Secrets.Secrets, (secrets) => secrets.keyId).pipe(
    Effect.provide(
      Layer.provide(
        SecretsKey.layer({ database: { _tag: "Sqlite", filename }, secretsKeys: Option.none() }),
        Entropy.layer
      )
    )
  )

describe("the key of a SQLite database", () => {
  it.effect("is made beside it once, for its owner alone, whoever comes first", () =>
    Effect.gen(function* () {
      const filename = join(directory, "made", "assay.db")
      const ids = yield* Effect.all(
        Array.from({ length: 5 }, () => keyId(filename)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(ids).size, 1)
      const path = SecretsKey.pathOf(filename)
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      assert.match(readFileSync(path, "utf8"), /^[A-Za-z0-9+/]{43}=\n$/)
      assert.deepStrictEqual(readdirSync(join(directory, "made")), ["assay.db.secrets-key"])
    })
  )

  it.effect(
    "has to be given where processes share a Postgres database, and the URL of that is in no line about it",
    () =>
      Effect.gen(function* () {
        const url = Redacted.make("postgres://u:hunter2@127.0.0.1/d")
        const error = yield* Effect.flip(
          Effect.provide(
            Secrets.Secrets,
            Layer.provide(
              SecretsKey.layer({ database: { _tag: "Postgres", url, connections: 2 }, secretsKeys: Option.none() }),
              Entropy.layer
            )
          )
        )
        assert.match(error.message, /^ASSAY_SECRETS_KEY: /)
        assert.notInclude(error.message, "hunter2")
      })
  )

  it.effect("is no other one than its file says, and a file that holds none refuses the start", () =>
    Effect.gen(function* () {
      const filename = join(directory, "broken.db")
      writeFileSync(SecretsKey.pathOf(filename), "hunter2", { mode: 0o600 })
      const error = yield* Effect.flip(keyId(filename))
      assert.match(error.message, /^ASSAY_SECRETS_KEY: /)
      assert.notInclude(error.message, "hunter2")
    })
  )
})
