import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"

/**
 * What was last told of an execution's target where it is not what is last known. Those from before told all they knew.
 * And a way to those that ended first, for retention.
 */
export const reported = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`ALTER TABLE execution ADD COLUMN reported TEXT NOT NULL DEFAULT '{}'`
  yield* sql`CREATE INDEX execution_ended ON execution (completed_at, seq) WHERE completed_at IS NOT NULL`
})
