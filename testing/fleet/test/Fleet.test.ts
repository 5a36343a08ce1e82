import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Documents } from "@assay/core/testing"
import { afterAll, assert, beforeAll, it } from "vitest"
import * as TestPostgres from "../../../packages/storage-postgres/test/TestPostgres.js"
// @ts-expect-error: a script without types.
import * as untyped from "../src/ledger.mjs"

// biome-ignore lint/suspicious/noExplicitAny: rows of any table, which a test changes.
type Row = any
type Ledger = Row
interface Verdict {
  readonly promise: string
  readonly broken: ReadonlyArray<string>
}
const { isLost, judge, waits } = untyped as {
  readonly judge: (ledger: Ledger) => ReadonlyArray<Verdict>
  readonly waits: (ledger: Ledger) => { readonly lost: ReadonlyArray<Row> }
  readonly isLost: (run: Row) => boolean
}

const fleet = fileURLToPath(new URL("../src/fleet.mjs", import.meta.url))

const database = await TestPostgres.databaseAtLanding()
afterAll(() => database?.drop())

/** A token as it was, and with a claim that is new. */
const recorded = () => {
  const analysis = (state: "confirmed" | "refuted") =>
    Documents.analysis(
      Documents.token(0xabcdef),
      Array.from({ length: 12 }, (_, index) =>
        Documents.evidence(`token.claim-${index}`, index === 5 ? state : "confirmed")
      ),
      21_000_000
    )
  return {
    ruleset: { rules: [], optional: [], version: "2026.11.1" },
    analyses: [
      {
        quiet: analysis("refuted"),
        changed: { ...analysis("confirmed"), content_hash: `sha256:${"1".repeat(64)}` }
      }
    ]
  }
}

TestPostgres.describeAtLanding(database)("servers on one Postgres, one of which is killed", () => {
  let directory: string
  let ledger: Ledger
  let output = ""
  let code: number | null

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "assay-fleet-"))
    const [results, file] = [join(directory, "results.json"), join(directory, "ledger.json")]
    writeFileSync(results, JSON.stringify(recorded()))
    const options = {
      minutes: 0.1,
      watches: 40,
      keys: 4,
      processes: 2,
      "kill-every": 3,
      analysis: 0.5,
      spread: 0.08
    }
    const args = [
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
      ...["--hasten", "--results", results, "--ledger", file]
    ]
    const script = `import { fleet } from ${JSON.stringify(fleet)}; await fleet(${JSON.stringify(args)})`
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      env: { PATH: process.env.PATH, ASSAY_TEST_POSTGRES_URL: database?.url },
      stdio: ["ignore", "pipe", "pipe"]
    })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
      })
    code = (await once(child, "close"))[0]
    ledger = JSON.parse(readFileSync(file, "utf8"))
  })

  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  it("keep every promise: no check twice at once or lost, no unit or event lost or doubled", () => {
    assert.strictEqual(code, 0, output)
    assert.deepStrictEqual(
      judge(ledger).flatMap(({ broken }) => broken),
      [],
      output
    )
    // What was not put to the test was not kept.
    const { events, runs } = ledger.stores
    assert.isNotEmpty(waits(ledger).lost, output)
    assert.isNotEmpty(runs.filter((run: Row) => run.change_status === "changed"))
    assert.includeMembers(
      events.map(({ type }: Row) => type),
      ["watch.changed", "watch.checked"]
    )
    assert.isAbove(runs.filter(({ status }: Row) => status === "succeeded").length, 40)
  })

  const breakages: ReadonlyArray<readonly [string, string, (ledger: Ledger) => void]> = [
    [
      "a run that began before the one before it ended",
      "no watch runs twice at once",
      ({ stores }) => {
        const lost = stores.runs.find(isLost)
        stores.runs.find((run: Row) => run.watch_id === lost.watch_id && run.started_at > lost.started_at).started_at =
          lost.started_at
      }
    ],
    [
      "an analysis beside another one of its address",
      "no watch runs twice at once",
      ({ processes }) => {
        const { lines } = processes[0]
        const begun = lines.find(({ text }: Row) => text.endsWith(" begins"))
        processes[1].lines.push({ ...begun, at: begun.at + 1 })
      }
    ],
    [
      "a run without an end",
      "no watch runs twice at once",
      ({ stores }) => {
        stores.runs[0].status = "running"
      }
    ],
    [
      "a check that was claimed too late",
      "no check waits for more than 150 s",
      ({ stores }) => {
        stores.runs[0].scheduled_for = new Date(Date.parse(stores.runs[0].started_at) - 150_001).toISOString()
      }
    ],
    [
      "a lost check that was not made again",
      "no check waits for more than 150 s",
      (ledger) => {
        const lost = ledger.stores.runs.find(isLost)
        ledger.stores.runs = ledger.stores.runs.filter(
          (run: Row) => run.watch_id !== lost.watch_id || run.started_at <= lost.started_at
        )
        ledger.stoppedAt += 200_000
      }
    ],
    [
      "a unit that was counted twice",
      "no unit of quota is lost or counted twice",
      ({ stores }) => {
        stores.buckets[0].taken += 1
      }
    ],
    [
      "a unit that was paid for a check that was lost",
      "no unit of quota is lost or counted twice",
      ({ stores }) => {
        stores.units.find(({ state }: Row) => state === "released").state = "committed"
      }
    ],
    [
      "a result without a unit",
      "no unit of quota is lost or counted twice",
      ({ stores }) => {
        stores.units.splice(
          stores.units.findIndex(({ state }: Row) => state === "committed"),
          1
        )
      }
    ],
    [
      "an event that is not in the log",
      "every event is in the log exactly once",
      ({ stores }) => {
        stores.events.pop()
      }
    ],
    [
      "an event that is in the log twice",
      "every event is in the log exactly once",
      ({ stores }) => {
        stores.events.push(stores.events[0])
      }
    ],
    [
      "an event that no reader was given",
      "a reader with a cursor is given every event, in order",
      ({ readers }) => {
        const given: Array<Row> = Object.values<Array<Row>>(readers).find(({ length }) => length > 1) ?? []
        given.splice(0, 1)
      }
    ],
    [
      "events in another order",
      "a reader with a cursor is given every event, in order",
      ({ readers }) => {
        Object.values<Array<Row>>(readers)
          .find(({ length }) => length > 1)
          ?.reverse()
      }
    ],
    [
      "an error in a log",
      "no process reports an error or ends unasked",
      ({ processes }) => {
        processes[0].lines.push({ at: 0, level: "ERROR", text: "A check failed unexpectedly" })
      }
    ],
    [
      "a process that ended by itself",
      "no process reports an error or ends unasked",
      ({ processes }) => {
        processes[0].end = "SIGABRT"
      }
    ]
  ]
  for (const [what, promise, change] of breakages)
    it(`are found out by ${what}`, () => {
      const changed = structuredClone(ledger)
      change(changed)
      assert.include(
        judge(changed).flatMap(({ broken, promise }) => (broken.length > 0 ? [promise] : [])),
        promise
      )
    })
})
