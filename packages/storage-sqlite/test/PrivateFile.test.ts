import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { KeyStore } from "@assay/core"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SqliteBackup from "../src/SqliteBackup.js"
import * as SqliteStorage from "../src/SqliteStorage.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-private-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

// As most systems have it: what a program makes is for everybody to read.
let umask = 0
beforeAll(() => {
  umask = process.umask(0o022)
})
afterAll(() => {
  process.umask(umask)
})

/** The modes of the files in a folder, without the numbers in their names. */
const modesIn = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [
      name.replace(/-process-.*/, "-process").replace(/\d{13}/, "time"),
      (statSync(join(folder, name)).mode & 0o777).toString(8)
    ])
  )

const opened = <A, E>(filename: string, self: Effect.Effect<A, E, KeyStore.KeyStore>) =>
  Effect.provide(self, SqliteStorage.layer({ filename }))

const use = Effect.flatMap(KeyStore.KeyStore, (keys) => keys.touch("key_00000000000000000000000000", 1))

describe("the files of a database", () => {
  it.live("are for their owner alone, and so are its backups and what a restore replaced", () =>
    Effect.gen(function* () {
      const folder = join(directory, "made")
      const filename = join(folder, "assay.db")
      const open = yield* opened(
        filename,
        Effect.zipRight(
          use,
          Effect.sync(() => modesIn(folder))
        )
      )
      assert.deepStrictEqual(open, {
        "assay.db": "600",
        "assay.db-wal": "600",
        "assay.db-shm": "600",
        "assay.db-process": "600"
      })
      const to = join(folder, "backup.db")
      yield* SqliteBackup.backup({ filename, to })
      yield* SqliteBackup.restore({ from: to, filename })
      assert.deepStrictEqual(modesIn(folder), {
        "assay.db": "600",
        "backup.db": "600",
        "assay.db.replaced-time": "600"
      })
    })
  )

  it.live("that others could read are taken from them when it is opened, also while another process has it open", () =>
    Effect.gen(function* () {
      const folder = join(directory, "mended")
      const filename = join(folder, "assay.db")
      const modes = yield* opened(
        filename,
        Effect.gen(function* () {
          yield* use
          for (const end of ["", "-wal", "-shm"]) chmodSync(`${filename}${end}`, 0o644)
          return yield* opened(
            filename,
            Effect.sync(() => modesIn(folder))
          )
        })
      )
      assert.deepStrictEqual([modes["assay.db"], modes["assay.db-wal"], modes["assay.db-shm"]], ["600", "600", "600"])
    })
  )

  it.live("that are shared with a group stay so, and are taken from all others", () =>
    Effect.gen(function* () {
      const folder = join(directory, "shared")
      const filename = join(folder, "assay.db")
      yield* opened(filename, use)
      chmodSync(filename, 0o664)
      yield* opened(filename, use)
      assert.deepStrictEqual(modesIn(folder), { "assay.db": "660" })
    })
  )
})
