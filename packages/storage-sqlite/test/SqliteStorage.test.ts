import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { StorageSuite } from "@assay/core/testing"
import { afterAll, describe, it } from "@effect/vitest"
import * as SqliteStorage from "../src/SqliteStorage.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const suite = StorageSuite.suite(
  "SqliteStorage",
  SqliteStorage.layer({ filename: join(directory, "made", "on", "demand", "suite.db") }),
  { persistent: true }
)

describe(suite.name, () => {
  for (const { effect, title } of suite.cases) it.effect(title, () => effect)
})
