import { it } from "@effect/vitest"
import { Effect } from "effect"
import { dying } from "../../storage-sql/test/Executing.js"
import * as BlockingPostgres from "./BlockingPostgres.js"
import * as TestPostgres from "./TestPostgres.js"

const database = await TestPostgres.database()

TestPostgres.describeOn(database)("Executions in Postgres", () => {
  it.scoped("whatever store call a process dies at, it is consistent within 150 s", () =>
    Effect.flatMap(BlockingPostgres.storage, dying)
  )
})
