import * as WatchRows from "@assay/core/storage/WatchRows"

/*
 * What a fleet left in its database, in its logs and in the hands of its readers, and whether that is what was promised.
 */

/** How long a check may wait, in seconds: the lease of the one before it that was lost, and two looks of 15 s. */
export const patience = 150

/** What is in the database once nothing runs. `query` answers the rows of a statement. */
export const readStores = async (query) => ({
  watches: await query(`
    SELECT id, key_id, address, live, next_due_at::float8 AS due, options::jsonb ->> 'min_severity' AS min_severity,
      (options::jsonb ->> 'notify_unchanged')::boolean AS notifies
    FROM watch`),
  runs: await readRuns(query),
  executions: await query("SELECT id, key_id, watch_id, status FROM execution"),
  units: await query("SELECT id, key_id, day, state, buckets::jsonb AS buckets FROM reservation"),
  buckets: await query("SELECT bucket, day, taken::int AS taken FROM bucket_day"),
  events: await query(`
    SELECT id, key_id, sequence::int AS sequence, type, body::jsonb #>> '{data,execution_id}' AS execution_id
    FROM event ORDER BY key_id, sequence`),
  outbox: await query("SELECT id FROM outbox")
})

/** Every run, as its owner sees it, with the watch that it is of. */
export const readRuns = async (query) =>
  (await query("SELECT id AS run_id, watch_id, status, execution_id, document::json AS document FROM watch_run")).map(
    (row) => ({ ...WatchRows.runOf(row), watch_id: row.watch_id })
  )

/**
 * The promises of a fleet, each with what breaks it: nothing, where it was kept.
 *
 * `stores` is what `readStores` answers; `processes` the lines that each process wrote, with when and how it ended, in
 * epoch milliseconds; `readers` the events that the reader of each key was given, in that order; `stoppedAt` when the
 * fleet was stopped.
 */
export const judge = (ledger) => [
  { promise: "no watch runs twice at once", broken: [...overlapping(ledger), ...doubled(ledger)] },
  { promise: `no check waits for more than ${patience} s`, broken: late(ledger) },
  { promise: "no unit of quota is lost or counted twice", broken: miscounted(ledger) },
  { promise: "every event is in the log exactly once", broken: mistold(ledger) },
  { promise: "a reader with a cursor is given every event, in order", broken: misread(ledger) },
  { promise: "no process reports an error or ends unasked", broken: faults(ledger) }
]

/** In the database: a run of a watch that began before the one before it had ended, or that never ends. */
const overlapping = ({ stores }) => [
  ...runsOfWatches(stores.runs).flatMap((runs) =>
    pairs(runs).flatMap(([one, next]) =>
      next.startedAt >= one.finishedAt ? [] : [`${next.id} of ${next.watch_id} began before ${one.id} ended`]
    )
  ),
  ...stores.runs.filter(({ status }) => status === "running").map(({ id }) => `${id} still runs`),
  ...stores.watches.filter(({ live }) => live !== null).map(({ id }) => `${id} is still held by a run`)
]

/** In the logs: an analysis that began while another one of the same address went on, in this process or another. */
const doubled = ({ processes }) =>
  [...groups(processes.flatMap(analyses), ({ address }) => address).values()].flatMap((all) =>
    pairs(all.toSorted((a, b) => a.began - b.began)).flatMap(([one, next]) =>
      next.began >= one.ended ? [] : [`process ${next.process} analyses ${next.address} beside process ${one.process}`]
    )
  )

/** The analyses that a process wrote of: one that has no end ended with its process. */
export const analyses = ({ endedAt, lines, name }) => {
  const open = new Map()
  const all = []
  for (const { at, text } of lines) {
    const [, address, step] = /^analysis of (\w+) (begins|ends)$/.exec(text) ?? []
    if (step === "begins") {
      const begun = { process: name, address, began: at, ended: endedAt ?? Number.POSITIVE_INFINITY }
      all.push(begun)
      open.set(address, [...(open.get(address) ?? []), begun])
    } else if (step === "ends") {
      const [first, ...others] = open.get(address) ?? []
      if (first !== undefined) first.ended = at
      open.set(address, others)
    }
  }
  return all
}

/**
 * The waits in seconds: from the due time of a check to its claim, and from the end of the process that a check was lost
 * with to the next claim of its watch; where the logs do not say which process that was, from the claim of the lost one. What
 * was not claimed waited until the fleet stopped.
 */
export const waits = ({ processes, stoppedAt, stores }) => {
  const cut = groups(
    processes.flatMap((each) => analyses(each).filter(({ ended }) => ended === each.endedAt)),
    ({ address }) => address
  )
  const addressOf = new Map(stores.watches.map(({ address, id }) => [id, address]))
  const lostAt = (run, until) =>
    cut.get(addressOf.get(run.watch_id))?.find(({ began }) => began >= run.startedAt && began < until)?.ended ??
    run.startedAt
  const due = stores.runs
    .map(timed)
    .filter(({ trigger }) => trigger !== "manual")
    .map(({ id, scheduledFor, startedAt }) => ({
      what: id,
      at: scheduledFor,
      seconds: (startedAt - scheduledFor) / 1000
    }))
  const unclaimed = stores.watches
    .filter(({ due }) => due !== null && due < stoppedAt)
    .map(({ due, id }) => ({ what: `${id}, which was not claimed`, at: due, seconds: (stoppedAt - due) / 1000 }))
  const lost = runsOfWatches(stores.runs).flatMap((runs) =>
    runs.flatMap((run, index) => {
      if (!isLost(run)) return []
      const next = runs[index + 1]?.startedAt ?? stoppedAt
      return [{ what: `${run.watch_id} after ${run.id}, which was lost`, seconds: (next - lostAt(run, next)) / 1000 }]
    })
  )
  return { due: [...due, ...unclaimed], lost }
}

const late = (ledger) => {
  const { due, lost } = waits(ledger)
  return [...due, ...lost]
    .filter(({ seconds }) => !(seconds <= patience))
    .map(({ seconds, what }) => `${what} waited for ${seconds.toFixed(1)} s`)
}

/** Units by what they were taken for: a stored result costs one, anything else none, and each bucket says how many. */
const miscounted = ({ stores }) => {
  const { buckets, executions, runs, units } = stores
  const isStored = ({ status }) => status === "complete" || status === "partial"
  const unitOf = new Map(units.map((unit) => [unit.id, unit]))
  const stored = new Set(executions.filter(isStored).map(({ id }) => id))
  const known = new Map(executions.map((execution) => [execution.id, execution]))
  const taken = new Map()
  for (const { buckets: names, day, state } of units)
    if (state !== "released")
      for (const name of names) taken.set(`${name} ${day}`, (taken.get(`${name} ${day}`) ?? 0) + 1)
  const counted = new Map(buckets.map(({ bucket, day, taken }) => [`${bucket} ${day}`, taken]))
  const succeeded = runs.filter(({ status }) => status === "succeeded")
  const paid = groups(succeeded, ({ execution_id }) => execution_id)
  return [
    ...executions.flatMap(({ id, status }) => {
      const state = unitOf.get(id)?.state ?? "none"
      if (status === "running") return [`${id} still runs`]
      return (state === "committed") === stored.has(id) ? [] : [`${id} is ${status}, and its unit ${state}`]
    }),
    ...units.flatMap(({ id, key_id, state }) => {
      if (state === "reserved") return [`the unit of ${id} is still reserved`]
      if (state === "committed" && known.get(id)?.key_id !== key_id) return [`the unit of ${id} paid for nothing`]
      return []
    }),
    ...[...new Set([...taken.keys(), ...counted.keys()])].flatMap((name) =>
      (taken.get(name) ?? 0) === (counted.get(name) ?? 0)
        ? []
        : [`${name}: ${counted.get(name) ?? 0} counted, ${taken.get(name) ?? 0} taken`]
    ),
    ...[...stored].flatMap((id) => {
      const number = paid.get(id)?.length ?? 0
      return number === 1 ? [] : [`${id} is the result of ${number} runs`]
    }),
    ...succeeded.flatMap(({ execution_id, id, units }) =>
      stored.has(execution_id) && units === 1 ? [] : [`${id} succeeded, with ${units} units and no result`]
    )
  ]
}

const severities = ["info", "low", "medium", "high", "critical"]

/** What each run had to report, against what the log has. */
const mistold = ({ stores }) => {
  const { events, outbox, runs, watches } = stores
  const watchOf = new Map(watches.map((watch) => [watch.id, watch]))
  const expected = new Map()
  for (const run of runs.filter(({ status }) => status === "succeeded")) {
    const watch = watchOf.get(run.watch_id)
    const isNews =
      run.change_status === "changed" && severities.indexOf(run.max_severity) >= severities.indexOf(watch.min_severity)
    if (isNews || watch.notifies)
      expected.set(`${watch.key_id} ${isNews ? "watch.changed" : "watch.checked"} ${run.execution_id}`, 0)
  }
  const strange = []
  for (const { execution_id, id, key_id, type } of events) {
    const name = `${key_id} ${type} ${execution_id}`
    if (expected.has(name)) expected.set(name, expected.get(name) + 1)
    else strange.push(`${id} (${type} of ${execution_id}) is of no run`)
  }
  return [
    ...[...expected].flatMap(([name, times]) => (times === 1 ? [] : [`${name} is in the log ${times} times`])),
    ...strange,
    ...outbox.map(({ id }) => `${id} is still in the outbox`)
  ]
}

/** The log of each key is counted from 1 on, and its reader has just that. */
const misread = ({ readers, stores }) => {
  const logs = groups(stores.events, ({ key_id }) => key_id)
  return Object.entries(readers).flatMap(([key, given]) => {
    const log = (logs.get(key) ?? []).toSorted((a, b) => a.sequence - b.sequence)
    const gap = log.findIndex(({ sequence }, index) => sequence !== index + 1)
    if (gap >= 0) return [`${key}: event ${gap + 1} of its log has the number ${log[gap].sequence}`]
    const other = log.findIndex(({ id }, index) => given[index]?.id !== id)
    if (other >= 0) return [`${key}: event ${other + 1} is ${log[other].id}, and ${given[other]?.id} was given`]
    return given.length === log.length
      ? []
      : [`${key}: ${given.length} events were given, ${log.length} are in the log`]
  })
}

const faults = ({ processes }) =>
  processes.flatMap(({ end, lines, name }) => [
    ...(end === "asked" || end === "killed" ? [] : [`process ${name} ended by itself: ${end}`]),
    ...lines.filter(({ level }) => level === "ERROR" || level === "FATAL").map(({ text }) => `process ${name}: ${text}`)
  ])

/** The same with its moments in epoch milliseconds. */
const timed = (run) => ({
  ...run,
  scheduledFor: Date.parse(run.scheduled_for),
  startedAt: Date.parse(run.started_at),
  finishedAt: run.finished_at === null ? Number.POSITIVE_INFINITY : Date.parse(run.finished_at)
})

/** A run that lost its process. One that its process gave back at its stop is none. */
export const isLost = ({ error_code, status }) => status === "abandoned" && error_code === "lease_lost"

/** The runs of each watch, in the order in which they began. */
export const runsOfWatches = (runs) =>
  [...groups(runs.map(timed), ({ watch_id }) => watch_id).values()].map((all) =>
    all.toSorted((a, b) => a.startedAt - b.startedAt)
  )

const pairs = (all) => all.slice(1).map((next, index) => [all[index], next])

const groups = (all, keyOf) => {
  const found = new Map()
  for (const each of all) {
    const key = keyOf(each)
    const group = found.get(key)
    if (group === undefined) found.set(key, [each])
    else group.push(each)
  }
  return found
}
