import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqliteStorage } from "@assay/storage-sqlite"
import { Effect, Layer } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import { bin } from "../Bin.js"

const directory = mkdtempSync(join(tmpdir(), "assay-native-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const database = join(directory, "assay.db")
beforeAll(() => Effect.runPromise(Effect.scoped(Layer.build(SqliteStorage.layer({ filename: database })))))

/** What Node.js says of a native module of another version, and of one that is not there, and of a package that is not. */
const faults = {
  other: `
    process.dlopen = () => {
      throw Object.assign(new Error("The module 'better_sqlite3.node'\\nwas compiled against a different Node.js version using\\nNODE_MODULE_VERSION 108."), { code: "ERR_DLOPEN_FAILED" })
    }`,
  unbuilt: `
    const Module = require("node:module")
    const resolve = Module._resolveFilename
    Module._resolveFilename = (request, ...rest) => {
      if (!request.endsWith("better_sqlite3.node")) return resolve(request, ...rest)
      throw Object.assign(new Error("Cannot find module '" + request + "'"), { code: "MODULE_NOT_FOUND" })
    }`,
  absent: `
    require("node:module").register("data:text/javascript," + encodeURIComponent(\`
      export const resolve = (specifier, context, next) => {
        if (specifier !== "better-sqlite3") return next(specifier, context)
        throw Object.assign(new Error("Cannot find package 'better-sqlite3' imported from /app/x.js"), { code: "ERR_MODULE_NOT_FOUND" })
      }\`))`
} as const

const run = (fault: keyof typeof faults, args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: unknown; readonly text: string }>((resolve) => {
    const preload = join(directory, `${fault}.cjs`)
    writeFileSync(preload, faults[fault])
    const env = {
      PATH: process.env.PATH,
      ASSAY_DATABASE: `sqlite:${database}`,
      ASSAY_RPC_URLS: "1=http://127.0.0.1:1",
      ASSAY_PORT: "0"
    }
    execFile(
      process.execPath,
      ["--require", preload, bin, ...args],
      { env, timeout: 50_000 },
      (error, output, errors) => resolve({ code: error === null ? 0 : error.code, text: output + errors })
    )
  })

const commands = [
  ["serve"],
  ["keys", "list"],
  ["keys", "create", "label"],
  ["backup", join(directory, "backup.db")],
  ["restore", database, "--database", join(directory, "other.db")],
  ["migrate", "--from", database, "--to", "postgres://u@127.0.0.1:1/d"],
  ["explain", "trade.honeypot", "--execution", "exe_01ARZ3NDEKTSV4RRFFQ69G5FAV"]
] as const

describe.runIf(Tier.landing)("a native module that cannot be loaded", () => {
  it.each([["other"], ["unbuilt"]] as const)(
    "(%s) is one line that says what to do, in each command",
    async (fault) => {
      for (const args of commands) {
        const { code, text } = await run(fault, args)
        assert.strictEqual(code, 1, args.join(" "))
        assert.match(text, /^assay: [^\n]*Run npm rebuild better-sqlite3[^\n]*\n$/, args.join(" "))
      }
    }
  )

  it("is one line also where the package is not installed", async () => {
    for (const args of [["serve"], ["keys", "list"]]) {
      const { code, text } = await run("absent", args)
      assert.deepStrictEqual(
        [code, text],
        [1, "assay: better-sqlite3 is not installed. Run npm install better-sqlite3.\n"]
      )
    }
  })
})
