/// <reference path="../src/better-sqlite3.d.ts" />
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { StorageSuite } from "@assay/core/testing"
import { afterAll, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect } from "effect"
import * as SqliteStorage from "../src/SqliteStorage.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const filename = join(directory, "made", "on", "demand", "suite.db")

/** The pages in use, of tables and of indexes. */
const bytes = Effect.acquireUseRelease(
  Effect.sync(() => new Database(filename, { readonly: true })),
  (db) =>
    Effect.sync(() => {
      const pragma = (name: string) => Number(db.pragma(name, { simple: true }))
      return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")
    }),
  (db) => Effect.sync(() => db.close())
)

const suite = StorageSuite.suite("SqliteStorage", SqliteStorage.layer({ filename }), { persistent: true, bytes })

describe(suite.name, () => {
  for (const { effect, title } of suite.cases) it.effect(title, () => effect)
})
