import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { KeyStore } from "@assay/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { afterAll } from "vitest"
import * as SqliteBackup from "../src/SqliteBackup.js"
import * as SqliteStorage from "../src/SqliteStorage.js"

const folder = mkdtempSync(join(tmpdir(), "assay-backup-"))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const fileName = () => join(folder, `${files++}.db`)

const hashOf = (label: string) => `0x${Buffer.from(label.padEnd(32, ".")).toString("hex")}` as const

const insert = (label: string) =>
  Effect.flatMap(KeyStore.KeyStore, (keys) =>
    keys.insert({
      id: `key_0000000000000000000000000${label}`,
      hashVersion: 1,
      hash: hashOf(label),
      hint: "asy_…",
      label,
      state: "active",
      dailyQuota: 50,
      createdAt: 0,
      expiresAt: Option.none(),
      lastUsedAt: Option.none(),
      source: Option.none(),
      former: Option.none(),
      plan: Option.none(),
      invitation: Option.none()
    })
  )

const labels = Effect.flatMap(KeyStore.KeyStore, (keys) =>
  Effect.map(keys.list({ limit: 10, before: Option.none() }), ({ data }) => data.map(({ label }) => label).sort())
)

const within = <A, E>(filename: string, effect: Effect.Effect<A, E, KeyStore.KeyStore>) =>
  Effect.provide(effect, SqliteStorage.layer({ filename }))

const reasonOf = <A>(effect: Effect.Effect<A, SqliteBackup.BackupRefused>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

describe("SqliteBackup", () => {
  it.live("copies a database that is in use, whole and readable by its owner only", () =>
    Effect.gen(function* () {
      const [filename, to] = [fileName(), fileName()]
      yield* within(
        filename,
        Effect.gen(function* () {
          yield* insert("A")
          yield* SqliteBackup.backup({ filename, to })
          yield* insert("B")
        })
      )
      assert.strictEqual(statSync(to).mode & 0o777, 0o600)
      assert.deepStrictEqual(yield* within(to, labels), ["A"])
      assert.deepStrictEqual(yield* within(filename, labels), ["A", "B"])
    })
  )

  it.live("restores a backup, and keeps what was there beside it", () =>
    Effect.gen(function* () {
      const [filename, to, elsewhere] = [fileName(), fileName(), fileName()]
      yield* within(filename, insert("A"))
      yield* SqliteBackup.backup({ filename, to })
      yield* within(filename, insert("B"))
      const kept = Option.getOrThrow(yield* SqliteBackup.restore({ from: to, filename }))
      assert.deepStrictEqual(yield* within(filename, labels), ["A"])
      assert.deepStrictEqual(yield* within(kept, labels), ["A", "B"])
      assert.isTrue(Option.isNone(yield* SqliteBackup.restore({ from: to, filename: elsewhere })))
      assert.deepStrictEqual(yield* within(elsewhere, labels), ["A"])
    })
  )

  it.live("replaces no database that a living process holds, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const [filename, to] = [fileName(), fileName()]
      yield* within(filename, insert("A"))
      yield* SqliteBackup.backup({ filename, to })
      const reason = yield* within(
        filename,
        Effect.zipRight(insert("B"), reasonOf(SqliteBackup.restore({ from: to, filename })))
      )
      assert.strictEqual(reason, "in_use")
      assert.deepStrictEqual(yield* within(filename, labels), ["A", "B"])
      assert.deepStrictEqual(
        readdirSync(folder).filter(
          (name) => /restored|replaced|partial/.test(name) && name.includes(`${files - 2}.db`)
        ),
        []
      )
    })
  )

  it.live("restores over a damaged database, which is kept", () =>
    Effect.gen(function* () {
      const [filename, to] = [fileName(), fileName()]
      yield* within(filename, insert("A"))
      yield* SqliteBackup.backup({ filename, to })
      writeFileSync(filename, "no database")
      const kept = Option.getOrThrow(yield* SqliteBackup.restore({ from: to, filename }))
      assert.isTrue(existsSync(kept))
      assert.deepStrictEqual(yield* within(filename, labels), ["A"])
    })
  )

  it.live("takes nothing else for a backup, and writes over no file", () =>
    Effect.gen(function* () {
      const [filename, other] = [fileName(), fileName()]
      yield* within(filename, insert("A"))
      writeFileSync(other, "no database")
      assert.strictEqual(yield* reasonOf(SqliteBackup.backup({ filename, to: other })), "exists")
      assert.strictEqual(yield* reasonOf(SqliteBackup.backup({ filename: fileName(), to: fileName() })), "missing")
      assert.strictEqual(yield* reasonOf(SqliteBackup.restore({ from: other, filename })), "foreign")
      writeFileSync(other, "")
      assert.strictEqual(yield* reasonOf(SqliteBackup.restore({ from: other, filename })), "foreign")
      assert.deepStrictEqual(yield* within(filename, labels), ["A"])
    })
  )
})
