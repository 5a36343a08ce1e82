import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { KeyStore } from "@assay/core"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as SqliteRows from "../src/SqliteRows.js"
import * as SqliteStorage from "../src/SqliteStorage.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-rows-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const filename = join(directory, "rows.db")
const stores = SqliteStorage.layer({ filename })
const table = { name: "api_key", columns: ["id", "hint", "source"], key: ["id"] }

const insert = (letter: string) =>
  Effect.flatMap(KeyStore.KeyStore, (keys) =>
    keys.insert({
      id: `key_${letter.repeat(26)}` as never,
      hashVersion: 1,
      hash: `0x${letter.charCodeAt(0).toString(16).repeat(32)}`,
      hint: letter,
      label: "",
      state: "active",
      dailyQuota: 1,
      createdAt: 0,
      expiresAt: Option.none(),
      lastUsedAt: Option.none(),
      source: Option.none(),
      former: Option.none(),
      plan: Option.none(),
      invitation: Option.none()
    })
  )

describe("the rows of a SQLite database", () => {
  it.live("are given in the order of their key, of no file that a process uses, and nobody adds one meanwhile", () =>
    Effect.gen(function* () {
      const absent = yield* Effect.flip(Effect.scoped(SqliteRows.open(join(directory, "absent.db"))))
      assert.strictEqual(absent.reason, "missing")
      yield* Effect.provide(
        Effect.gen(function* () {
          for (const letter of ["C", "A", "B"]) yield* insert(letter)
          const used = yield* Effect.flip(Effect.scoped(SqliteRows.open(filename)))
          assert.strictEqual(used.reason, "in_use")
        }),
        stores
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { rows } = yield* SqliteRows.open(filename)
          const all = ["A", "B", "C"].map((letter) => [`key_${letter.repeat(26)}`, letter, null])
          assert.deepStrictEqual([...rows(table)], all)
          // The writer waits for five seconds, and gives up.
          const error = yield* Effect.flip(
            Effect.scoped(Effect.flatMap(Layer.build(stores), (built) => Effect.provide(insert("D"), built)))
          )
          assert.match(`${error.reason} ${error.detail}`, /unavailable/)
          assert.deepStrictEqual([...rows(table)], all)
        })
      )
      yield* Effect.provide(insert("D"), stores)
    })
  )
})
