import { createRequire } from "node:module"
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads"
import * as Processes from "@assay/core/storage/Processes"
import { Reactivity } from "@effect/experimental"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, Redacted, Stream } from "effect"
import * as PgEventStore from "../src/PgEventStore.js"
import * as PgExecutionStore from "../src/PgExecutionStore.js"
import * as PgKeyStore from "../src/PgKeyStore.js"
import * as PgQuotaStore from "../src/PgQuotaStore.js"
import * as PgStorage from "../src/PgStorage.js"
import * as PgWatchStore from "../src/PgWatchStore.js"
import * as TestPostgres from "./TestPostgres.js"

/**
 * A client of a database that has its answer before it goes on: statements run on another thread, which this one stands
 * still for. So a store call is one step of a simulated world, whose time does not go on meanwhile.
 */
export const layer = (url: string): Layer.Layer<SqlClient.SqlClient> =>
  Layer.scoped(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const ask = yield* thread(url)
      const connection = (session: Session): Connection => {
        const run = (text: string, params: ReadonlyArray<unknown>) =>
          Effect.suspend(() => {
            const answer = ask({ session, text, params })
            return "code" in answer
              ? Effect.fail(new SqlError({ cause: { code: answer.code }, message: answer.message }))
              : Effect.succeed(answer.results)
          })
        const rows = (text: string, params: ReadonlyArray<unknown>) =>
          Effect.map(run(text, params), (results) => results.at(-1)?.rows ?? [])
        const none = Effect.dieMessage("no store asks in this way")
        return {
          execute: rows,
          executeUnprepared: rows,
          executeRaw: (text, params) => run(text, params),
          executeValues: () => none,
          executeStream: () => Stream.fromEffect(none)
        }
      }
      return yield* SqlClient.make({
        acquirer: Effect.succeed(connection("outside")),
        transactionAcquirer: Effect.succeed(connection("reserved")),
        compiler: PgClient.makeCompiler(),
        spanAttributes: []
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))

const stores = Layer.mergeAll(
  PgExecutionStore.layer,
  PgKeyStore.layer,
  PgQuotaStore.layer,
  PgWatchStore.layer,
  PgEventStore.layer,
  Processes.layerUnknown
)

/** The stores of a new database for as long as the test runs, each call of which is one step. */
export const storage = Effect.gen(function* () {
  const found = yield* Effect.acquireRelease(
    Effect.promise(() => TestPostgres.database()),
    (found) => Effect.promise(async () => found?.drop())
  )
  const url = found?.url ?? ""
  yield* Effect.scoped(Layer.build(PgStorage.layerClient({ url: Redacted.make(url), connections: 1 })))
  return yield* Layer.build(Layer.provide(stores, layer(url)))
})

/** A statement that is to be in a transaction and is not is seen as one by another session. */
type Session = "outside" | "reserved"
interface Question {
  readonly session: Session
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}
type Answer =
  | { readonly results: ReadonlyArray<{ readonly command: string; readonly rows: ReadonlyArray<object> }> }
  | { readonly code: string; readonly message: string }

const thread = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const { port1, port2 } = new MessageChannel()
        const answered = new Int32Array(new SharedArrayBuffer(4))
        const pg = createRequire(import.meta.url).resolve("pg")
        const worker = new Worker(asking, {
          eval: true,
          workerData: { url, pg, port: port2, answered },
          transferList: [port2]
        })
        return { worker, port: port1, answered }
      }),
      ({ port, worker }) =>
        Effect.promise(async () => {
          port.close()
          await worker.terminate()
        })
    ),
    ({ answered, port }) =>
      (question: Question): Answer => {
        Atomics.store(answered, 0, 0)
        port.postMessage(question)
        if (Atomics.wait(answered, 0, 0, 60_000) === "timed-out") throw new Error(`No answer to ${question.text}`)
        return receiveMessageOnPort(port)?.message
      }
  )

const asking = `
const { workerData: { url, pg, port, answered } } = require("node:worker_threads")
const { Client, types } = require(pg)
types.setTypeParser(types.builtins.INT8, Number)
const open = async () => {
  const client = new Client({ connectionString: url, application_name: "simulation" })
  await client.connect()
  return client
}
const sessions = { outside: open(), reserved: open() }
port.on("message", async ({ session, text, params }) => {
  let answer
  try {
    const result = await (await sessions[session]).query(text, params.length === 0 ? undefined : params)
    answer = { results: [result].flat().map(({ command, rows }) => ({ command, rows })) }
  } catch (error) {
    answer = { code: String(error.code), message: String(error.message) }
  }
  port.postMessage(answer)
  Atomics.store(answered, 0, 1)
  Atomics.notify(answered, 0)
})
`
