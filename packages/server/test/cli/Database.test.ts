import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Chains, Entropy, Executions, Keys, Quota } from "@assay/core"
import { Documents, ScriptedAnalyzer } from "@assay/core/testing"
import { SqliteStorage } from "@assay/storage-sqlite"
import { Effect, Either, Layer, Option, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { assay } from "./TestShell.js"

describe("a command on a database", () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-database-"))
  const filename = join(folder, "assay.db")
  const of = (...args: ReadonlyArray<string>) => assay([...args, "--database", filename])
  afterAll(() => rmSync(folder, { recursive: true }))

  const refusal = (secret: string) =>
    Effect.flatMap(Keys.Keys, (keys) => Effect.either(keys.authenticate(Redacted.make(secret)))).pipe(
      Effect.map(Either.match({ onLeft: (error) => JSON.stringify(error), onRight: () => "accepted" })),
      Effect.provide(Keys.layer()),
      Effect.provide(Layer.merge(SqliteStorage.layer({ filename }), Entropy.layer)),
      Effect.runPromise
    )

  let secret: string
  let id: string
  beforeAll(async () => {
    const { code, errors, output } = await of("keys", "create", "--quota", "7", "--json", "my bot")
    assert.strictEqual(errors, "")
    assert.strictEqual(code, 0)
    secret = JSON.parse(output).key
    id = JSON.parse((await of("keys", "list", "--json")).output).id
  })

  it("creates a key that the server accepts, and lists it without its secret", async () => {
    assert.strictEqual(await refusal(secret), "accepted")
    const { code, output } = await of("keys", "list")
    assert.match(output, new RegExp(`^${id} active +7/day, (?:never used|used .*): my bot\\n$`))
    assert.notInclude(output, secret)
    assert.strictEqual(code, 0)
  })

  it("changes the quota and the state of a key, and a revoked one is not enabled again", async () => {
    assert.deepInclude(JSON.parse((await of("keys", "set-quota", id, "9", "--json")).output), { daily_quota: 9 })
    assert.deepInclude(JSON.parse((await of("keys", "disable", "--json", id)).output), { state: "disabled" })
    assert.include(await refusal(secret), "key_disabled")
    assert.strictEqual((await of("keys", "enable", id)).code, 0)
    assert.strictEqual(await refusal(secret), "accepted")
    assert.deepInclude(JSON.parse((await of("keys", "revoke", "--json", id)).output), { state: "revoked" })
    assert.include(await refusal(secret), "key_revoked")
    const enabled = await of("keys", "enable", id)
    assert.match(enabled.errors, /was revoked, which is final/)
    assert.strictEqual(enabled.code, 1)
  })

  it("makes an invitation, shows it once, lists it, ends it, and refuses what it cannot make", async () => {
    const { code, output } = await of("keys", "invite", "--uses", "2", "--json", "the team")
    const { id: made, invitation } = JSON.parse(output)
    assert.match(invitation, /^asi_[0-9A-Za-z]{32}$/)
    assert.strictEqual(code, 0)
    const listed = (await of("keys", "invitations")).output
    assert.match(listed, new RegExp(`^${made} 0 of 2 used, ends [0-9TZ:.-]+: the team\\n$`))
    assert.notInclude(listed, invitation)
    assert.match((await of("keys", "end-invitation", made)).output, new RegExp(`^${made} 0 of 2 used, ended `))
    for (const [args, line] of [
      [["invite", "--ends-in-days", "91", "x"], /--ends-in-days takes 1 to 90/],
      [["invite", "--uses", "0", "x"], /--uses takes 1 to 10000/],
      [["invite", "--plan", "Team", "x"], /"Team" is no name of a plan/],
      [["invite", " "], /a label has 1 to 100 characters/],
      [["end-invitation", "key_1"], /is no id of an invitation/],
      [["plan", id, "none "], /is no name of a plan/]
    ] as const) {
      const refused = await of("keys", ...args)
      assert.match(refused.errors, line)
      assert.match(refused.errors, /^assay: [^\n]+\n$/)
      assert.strictEqual(refused.code, 1)
    }
  })

  it("copies the database without the key of its secrets, and says so", async () => {
    const file = join(folder, "backup.db")
    const { code, errors, output } = await of("backup", file)
    assert.strictEqual(errors, "")
    assert.match(output, /The key of webhook secrets is not in it: keep a copy of .*assay\.db\.secrets-key/)
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    assert.strictEqual(code, 0)
    await of("keys", "create", "after the backup")
    const restored = await of("restore", file, "--json")
    assert.strictEqual(restored.errors, "")
    assert.isTrue(existsSync(JSON.parse(restored.output).replaced))
    assert.notInclude((await of("keys", "list")).output, "after the backup")
  })

  it("restores nothing over a database that a process uses", async () => {
    const file = join(folder, "second.db")
    await of("backup", file)
    const restored = await Layer.build(SqliteStorage.layer({ filename })).pipe(
      Effect.zipRight(Effect.promise(() => of("restore", file))),
      Effect.scoped,
      Effect.runPromise
    )
    assert.match(restored.errors, /^assay: a process uses ".*assay\.db"; stop every server on it[^\n]*\n$/)
    assert.strictEqual(restored.code, 1)
  })

  it("names pg_dump for Postgres", async () => {
    const { code, errors } = await assay(["backup", join(folder, "pg"), "--database", "postgres://127.0.0.1/assay"])
    assert.match(errors, /pg_dump/)
    assert.notInclude(errors, "127.0.0.1")
    assert.strictEqual(code, 1)
  })

  it("is on the database of a server with the same settings, also where a file holds the setting", async () => {
    const file = join(folder, "database-setting")
    writeFileSync(file, `sqlite:${filename}\n`)
    for (const settings of [{ ASSAY_DATABASE: `sqlite:${filename}` }, { ASSAY_DATABASE_FILE: file }])
      assert.include((await assay(["keys", "list", "--json"], { settings })).output, id)
    const cases: ReadonlyArray<readonly [settings: Record<string, string>, line: RegExp]> = [
      [{ ASSAY_DATABASE: filename }, /ASSAY_DATABASE: expected sqlite:<path>, postgres:/],
      [{ ASSAY_DATABASE: "memory:" }, /memory: keeps nothing/],
      [{ ASSAY_DATABASE_FILE: join(folder, "absent") }, /ASSAY_DATABASE_FILE: the file could not be read/],
      [{ ASSAY_DATABASE: "postgres://127.0.0.1:1/assay" }, /The Postgres server cannot be reached/]
    ]
    for (const [settings, line] of cases) {
      const { code, errors } = await assay(["keys", "list"], { settings })
      assert.match(errors, line)
      assert.match(errors, /^assay: [^\n]+\n$/)
      assert.strictEqual(code, 1)
    }
  })

  it("explains and compares the executions of every key", async () => {
    let block = 0
    const analyzer = ScriptedAnalyzer.layer(({ address, chain, kind }) =>
      Effect.sync(() => {
        block++
        return Documents.analysis(
          { kind, address, chain: { id: chain.id, name: chain.name } },
          [Documents.evidence("token.mintable", block === 1 ? "refuted" : "confirmed")],
          block
        )
      })
    )
    const [first, second] = await Effect.gen(function* () {
      const keys = yield* Keys.Keys
      const executions = yield* Executions.Executions
      const { key } = yield* keys.create({ label: "other", expiresInSeconds: Option.none(), source: Option.none() })
      const caller = yield* keys.authenticate(Redacted.make(key))
      const request = {
        caller,
        kind: "token",
        address: Documents.address(1),
        chain: Chains.make({ id: 1, endpoints: ["http://127.0.0.1:1"] }),
        summary: "not_requested",
        compareTo: Option.none()
      } as const
      const one = yield* executions.run(request)
      return [one, yield* executions.run(request)] as const
    }).pipe(
      Effect.provide(Layer.merge(Executions.layer(), Keys.layer())),
      Effect.provide(Layer.merge(analyzer, Quota.layer())),
      Effect.provide(Layer.merge(SqliteStorage.layer({ filename }), Entropy.layer)),
      Effect.runPromise
    )
    const explained = await of("explain", "token.mintable", "--json", "--execution", second.execution_id)
    assert.strictEqual(explained.errors, "")
    assert.deepInclude(JSON.parse(explained.output).item, { id: "token.mintable", state: "confirmed" })
    const diff = await of("diff", "--json", first.execution_id, second.execution_id)
    assert.strictEqual(diff.errors, "")
    assert.strictEqual(JSON.parse(diff.output).head.execution_id, second.execution_id)
    assert.strictEqual(diff.code, 2)
  })

  it("refuses what it cannot do in one line, and writes over no file", async () => {
    const other = join(folder, "text.db")
    writeFileSync(other, "no database, but a text that is long enough to be taken for a header of one".repeat(4))
    const absent = join(folder, "absent.db")
    const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, line: RegExp]> = [
      [["keys", "list", "--database", absent], /there is no database ".*absent\.db"/],
      [["keys", "list", "--database", other], /the database cannot be used/],
      [["keys", "revoke", "me", "--database", filename], /"me" is no id of a key/],
      [["keys", "revoke", "key_01JDVX7Z3W8K5T2M9Q4R6B0ACD", "--database", filename], /has no key/],
      [["keys", "create", "--quota", "-1", "x", "--database", filename], /daily quota|--quota/],
      [["backup", other, "--database", filename], /is there already/],
      [["backup", join(folder, "x"), "--database", absent], /there is no database/],
      [["restore", other, "--database", absent], /is no database of Assay/],
      [["restore", absent, "--database", filename], /there is no file/],
      [["explain", "token.mintable", "--execution", "exe_1", "--database", filename], /is no id of an execution/],
      [["diff", "exe_01JDVX7Z3W8K5T2M9Q4R6B0ACD", other, "--database", filename], /has no execution/]
    ]
    for (const [args, line] of cases) {
      const { code, errors, output } = await assay(args)
      assert.match(errors, line)
      assert.match(errors, /^assay: [^\n]+\n$/)
      assert.strictEqual(output, "")
      assert.strictEqual(code, 1)
    }
    assert.isFalse(existsSync(absent))
  })
})
