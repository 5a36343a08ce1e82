import type { Database, Row } from "./Database.js"

/** What must agree with each other in the rows of a server, at any moment of it. */
export interface Books {
  readonly executions: ReadonlyArray<Row>
  readonly units: ReadonlyArray<Row>
  readonly buckets: ReadonlyArray<Row>
  readonly runs: ReadonlyArray<Row>
  readonly events: ReadonlyArray<Row>
  readonly outbox: ReadonlyArray<Row>
  readonly sequences: ReadonlyArray<Row>
}

/** Reads them. What changes meanwhile would be seen half: of a copy, or where nothing runs. */
export const read = async (database: Database): Promise<Books> => ({
  executions: await database.rows("SELECT id, key_id, status FROM execution"),
  units: (await database.rows("SELECT id, key_id, day, state, buckets FROM reservation")).map((row) => ({
    ...row,
    buckets: JSON.parse(row.buckets)
  })),
  buckets: await database.rows("SELECT bucket, day, taken FROM bucket_day"),
  runs: (await database.rows("SELECT id, status, execution_id, document FROM watch_run")).map((row) => ({
    ...row,
    ...JSON.parse(row.document)
  })),
  events: (await database.rows("SELECT id, key_id, sequence, body FROM event ORDER BY key_id, sequence")).map(
    (row) => ({ ...row, execution: JSON.parse(row.body).data?.execution_id ?? null })
  ),
  outbox: (await database.rows("SELECT id, event FROM outbox")).map(({ event, id }) => ({
    id,
    execution: JSON.parse(event).body.data?.execution_id ?? null
  })),
  sequences: await database.rows("SELECT key_id, last FROM event_sequence")
})

const isStored = ({ status }: Row): boolean => status === "complete" || status === "partial"

/** Everything that does not agree, of watches that report every check; nothing where all does. */
export const disagreements = (books: Books): ReadonlyArray<string> => {
  const executions = new Map(books.executions.map((row) => [row.id, row]))
  const unitOf = new Map(books.units.map((row) => [row.id, row]))
  const taken = new Map<string, number>()
  for (const { buckets, day, state } of books.units)
    if (state !== "released")
      for (const name of buckets) taken.set(`${name} ${day}`, (taken.get(`${name} ${day}`) ?? 0) + 1)
  const counted = new Map(books.buckets.map(({ bucket, day, taken: number }) => [`${bucket} ${day}`, number]))
  const logged = new Map<string, number>()
  for (const { execution } of books.events) logged.set(execution, (logged.get(execution) ?? 0) + 1)
  const waiting = new Set(books.outbox.map(({ execution }) => execution))
  const last = new Map(books.sequences.map((row) => [row.key_id, row.last]))
  const lengths = new Map<string, number>()
  return [
    // A unit is settled after its result is stored, so it may still be reserved, and never given back.
    ...books.executions.flatMap((row) => {
      const state = unitOf.get(row.id)?.state ?? "none"
      const allowed = isStored(row)
        ? ["reserved", "committed"]
        : row.status === "running"
          ? ["none", "reserved"]
          : ["none", "reserved", "released"]
      return allowed.includes(state) ? [] : [`${row.id} is ${row.status}, and its unit ${state}`]
    }),
    ...books.units.flatMap(({ id, key_id, state }) =>
      executions.get(id)?.key_id === key_id ? [] : [`the unit of ${id}, ${state}, is of nothing`]
    ),
    ...[...new Set([...taken.keys(), ...counted.keys()])].flatMap((name) =>
      (taken.get(name) ?? 0) === (counted.get(name) ?? 0)
        ? []
        : [`${name}: ${counted.get(name) ?? 0} counted, ${taken.get(name) ?? 0} taken`]
    ),
    ...books.runs.flatMap(({ execution_id, id, status }) => {
      if (status !== "succeeded") return []
      const execution = executions.get(execution_id)
      const times = logged.get(execution_id) ?? 0
      return [
        ...(execution !== undefined && isStored(execution) ? [] : [`${id} succeeded without a result`]),
        ...(times === 1 || (times === 0 && waiting.has(execution_id))
          ? []
          : [`${id} is in the log ${times} times, and ${waiting.has(execution_id) ? "" : "not "}in the outbox`])
      ]
    }),
    ...books.events.flatMap(({ id, key_id, sequence }) => {
      const place = (lengths.get(key_id) ?? 0) + 1
      lengths.set(key_id, place)
      return sequence === place ? [] : [`event ${id} has the number ${sequence} at the place ${place}`]
    }),
    ...[...lengths].flatMap(([key, length]) =>
      last.get(key) === length ? [] : [`the log of ${key} has ${length} events, and ${last.get(key)} numbers`]
    )
  ]
}
