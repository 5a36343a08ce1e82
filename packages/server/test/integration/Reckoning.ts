import { Webhook } from "standardwebhooks"
import { assert } from "vitest"
import type { Database, Row } from "./Database.js"
import type { FickleReceiver } from "./FickleReceiver.js"
import { eventually, type ServerProcess } from "./ServerProcess.js"

/** A key with its account: what it has, and what the service sent it. */
export interface Account {
  readonly key: string
  readonly secret: string
  readonly webhook: string
  readonly watches: Array<string>
  /** Runs that were acknowledged; a test adds to them as it goes. */
  readonly runs: Set<string>
}

/** Every element of a list, over all pages, as it is ordered there. */
export const all = async (server: ServerProcess, path: string, key: string): Promise<ReadonlyArray<Row>> => {
  const found: Array<Row> = []
  let cursor: string | null = null
  do {
    const page: Row = await server.send(
      `${path}?limit=100${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
      { key }
    )
    assert.strictEqual(page.status, 200, page.text)
    found.push(...page.json.data)
    cursor = page.json.next_cursor
  } while (cursor !== null)
  return found
}

/** The whole log of a key, oldest first. */
export const log = async (server: ServerProcess, key: string): Promise<ReadonlyArray<Row>> => {
  const events: Array<Row> = []
  let after = ""
  for (;;) {
    const { json } = await server.send(`events?limit=100${after}`, { key })
    events.push(...json.data)
    if (json.data.length === 0) return events
    after = `&after=${encodeURIComponent(json.next_after)}`
  }
}

/** Resolves when nothing is left to be done; what is left for ever is what the test fails with. */
export const quiet = (file: Database): Promise<unknown> =>
  eventually(
    () => file.unfinished(),
    (left) => Object.values(left).every((count) => count === 0),
    120
  )

const sorted = (values: Iterable<string>): ReadonlyArray<string> => [...values].sort()

/**
 * What holds of an account once nothing is left to be done, however often its server was killed: every run has ended, a
 * unit was charged for every stored result and for nothing else, every run with news reported it once, and all reports
 * arrived and can be verified.
 */
export const assertBalanced = async (
  server: ServerProcess,
  file: Database,
  receiver: FickleReceiver,
  account: Account
): Promise<void> => {
  const { key, secret, watches, webhook } = account
  assert.deepInclude(await file.mostAtOnce(), { runs: 0, executions: 0 })

  const executions = new Map<string, Row>()
  for (const { execution_id } of await server.executions(key))
    executions.set(execution_id, (await server.send(`executions/${execution_id}`, { key })).json)
  const stored = [...executions.values()].filter(({ error }) => error === null)
  for (const { error, status, units } of executions.values())
    assert.include(
      ["complete 1 none", "partial 1 none", "failed 0 lease_lost"],
      `${status} ${units} ${error?.code ?? "none"}`
    )

  const runs: Array<Row> = []
  for (const id of watches) {
    const { json: watch } = await server.send(`watches/${id}`, { key })
    const ofWatch = await all(server, `watches/${id}/runs`, key)
    runs.push(...ofWatch)
    assert.isFalse(watch.running)
    assert.deepInclude(watch.counts, {
      checks: ofWatch.length,
      changes: ofWatch.filter(({ change_status }) => change_status === "changed").length,
      failures: ofWatch.filter(({ status }) => status === "failed").length
    })
    assert.notInclude(
      ofWatch.map(({ finished_at }) => finished_at),
      null
    )
    assert.isString(watch.last_checked_at)
  }
  assert.includeMembers(
    runs.map(({ id }) => id),
    [...account.runs]
  )
  for (const { error_code, execution_id, status, units } of runs) {
    assert.strictEqual(units, status === "succeeded" ? 1 : 0)
    assert.strictEqual(error_code, status === "succeeded" ? null : "lease_lost")
    if (execution_id !== null) assert.isTrue(executions.has(execution_id), `there is no ${execution_id}`)
  }
  const succeeded = runs.filter(({ status }) => status === "succeeded")
  assert.deepStrictEqual(
    sorted(succeeded.map(({ execution_id }) => execution_id)),
    sorted(stored.map(({ execution_id }) => execution_id))
  )

  const units = await file.rows("SELECT id, state, kind FROM reservation")
  assert.deepStrictEqual(
    sorted(units.flatMap(({ id, state }) => (state === "committed" ? [id] : []))),
    sorted(stored.map(({ execution_id }) => execution_id))
  )
  assert.notInclude(
    units.map(({ state }) => state),
    "reserved"
  )
  assert.deepInclude(await server.usage(key), { used: stored.length, reserved: 0 })

  const events = await log(server, key)
  assert.deepStrictEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1)
  )
  const news = ({ change_status, max_severity }: Row) =>
    change_status === "changed" && max_severity !== "info" ? "watch.changed" : "watch.checked"
  assert.deepStrictEqual(
    sorted(events.map(({ data, type }) => `${type} ${data.execution_id}`)),
    sorted(succeeded.map((run) => `${news(run)} ${run.execution_id}`))
  )

  const deliveries = await all(server, `webhooks/${webhook}/deliveries`, key)
  assert.deepStrictEqual(
    sorted(deliveries.map(({ event_id, status }) => `${event_id} ${status}`)),
    sorted(events.map(({ id }) => `${id} delivered`))
  )
  const told = new Map<string, Row>(events.map((event) => [event.id, event]))
  for (const { body, headers } of receiver.received) {
    const id = String(headers["webhook-id"])
    // Not `verify`, which refuses what came more than five minutes ago.
    const sentAt = new Date(Number(headers["webhook-timestamp"]) * 1_000)
    const signature = new Webhook(secret).sign(id, sentAt, body)
    assert.include(String(headers["webhook-signature"]).split(" "), signature)
    assert.deepStrictEqual(JSON.parse(body), told.get(id))
  }
  const arrived = new Set(receiver.received.map(({ headers }) => String(headers["webhook-id"])))
  assert.deepStrictEqual(sorted(arrived), sorted(told.keys()))
}

/**
 * {@link assertBalanced} once nothing is left to be done. Checks that were missed begin at moments of their own: where one
 * began while the account was read, it is read again.
 */
export const assertBalancedWhenStill = async (...args: Parameters<typeof assertBalanced>): Promise<void> => {
  const [, file] = args
  for (let tries = 1; ; tries++) {
    await quiet(file)
    const before = await file.version()
    try {
      return await assertBalanced(...args)
    } catch (error) {
      if ((await file.version()) === before || tries === 10) throw error
    }
  }
}
