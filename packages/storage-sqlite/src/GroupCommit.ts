import * as Group from "@assay/storage-sql/Group"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import { Cause, Context, Effect, Exit, Option, Runtime } from "effect"

/** How many transactions share a commit at most. */
export const defaultSize = 64

/**
 * Runs statements in one transaction, which is committed together with the others that wait at that moment: a commit waits
 * for the disk, and one wait is enough for all of them. Each has a savepoint of its own, so that one that fails changes
 * nothing and the others go on. Every one waits for the commit; if it fails, all of them do.
 *
 * Statements inside must not wait for anything but the database.
 */
export const transaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.contextWithEffect((context: Context.Context<R>) =>
      // Inside of another transaction it is a part of that.
      Option.isSome(Context.getOption(context, SqlClient.TransactionConnection))
        ? sql.withTransaction(self)
        : Effect.async<A, E | SqlError>((resume) => {
            const { runtime, group } = groupOf(sql)
            let result: Option.Option<Exit.Exit<A, E>> = Option.none()
            const member: Member = {
              run: (connection) =>
                Effect.provideService(self, SqlClient.TransactionConnection, [connection, 0]).pipe(
                  Effect.provide(context),
                  Effect.exit,
                  Effect.map((exit) => {
                    result = Option.some(exit)
                    return exit
                  })
                ),
              end: (committed) => {
                // Whoever failed by itself hears of that, the others of the commit.
                const own = Option.filter(result, (exit) => Exit.isFailure(exit) || Exit.isSuccess(committed))
                if (Option.isSome(own)) return resume(own.value)
                resume(
                  Exit.isFailure(committed)
                    ? Effect.failCause(committed.cause)
                    : Effect.dieMessage("a transaction was left out")
                )
              }
            }
            // A fiber that yields inside the transaction would hold the database while others take their turns, and one of
            // these that waits for the database would block this fiber.
            group.join(member, (lead) =>
              Runtime.runFork(runtime)(Effect.withMaxOpsBeforeYield(lead, Number.MAX_SAFE_INTEGER))
            )
            // Once it runs it is committed, or not, with the others.
            return Effect.sync(() => group.leave(member))
          })
    )

/** Prepares a client for transactions of this runtime, of which at most `size` share a commit. */
export const prepare = (size: number): Effect.Effect<void, never, SqlClient.SqlClient> =>
  Effect.zipWith(SqlClient.SqlClient, Effect.runtime<never>(), (sql, runtime) => {
    groups.set(sql, groupOn(sql, size, runtime))
  })

/** What has to hold before a group writes, looked at while nobody else can write. Where it fails, so does the group. */
export const guard = (sql: SqlClient.SqlClient, holds: Effect.Effect<void, SqlError>): void => {
  groupOf(sql).holds = holds
}

interface Member {
  readonly run: (connection: Connection) => Effect.Effect<Exit.Exit<unknown, unknown>>
  readonly end: (committed: Exit.Exit<void, SqlError>) => void
}

interface Client {
  readonly runtime: Runtime.Runtime<never>
  readonly group: Group.Group<Member>
  holds: Effect.Effect<void, SqlError>
}

const groups = new WeakMap<SqlClient.SqlClient, Client>()

const groupOf = (sql: SqlClient.SqlClient): Client => {
  const known = groups.get(sql) ?? groupOn(sql, defaultSize, Runtime.defaultRuntime)
  groups.set(sql, known)
  return known
}

/** Commits one group after another for as long as any transaction waits. */
const groupOn = (sql: SqlClient.SqlClient, size: number, runtime: Runtime.Runtime<never>): Client => {
  const client: Client = {
    runtime,
    group: Group.make(size, (members) =>
      Effect.map(Effect.exit(together(sql, members, client.holds)), (committed) => {
        for (const member of members) member.end(committed)
      })
    ),
    holds: Effect.void
  }
  return client
}

const together = (
  sql: SqlClient.SqlClient,
  members: ReadonlyArray<Member>,
  holds: Client["holds"]
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    if (members.length === 0) return
    const connection = yield* sql.reserve
    const execute = (text: string) => connection.executeRaw(text, [])
    yield* execute("BEGIN IMMEDIATE")
    let failure = Option.none<SqlError>()
    yield* Effect.gen(function* () {
      yield* holds
      for (const member of members) {
        yield* execute("SAVEPOINT member")
        const exit = yield* member.run(connection)
        if (Exit.isFailure(exit)) {
          failure = Option.orElse(sqlErrorOf(exit.cause), () => failure)
          yield* execute("ROLLBACK TO member")
        }
        yield* execute("RELEASE member")
      }
      yield* execute("COMMIT")
    }).pipe(
      Effect.catchAll((error) =>
        Effect.zipRight(
          // A full disk ends the transaction, so that there is nothing to roll back, and no savepoint
          // (https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction).
          Effect.ignore(execute("ROLLBACK")),
          Effect.fail(Option.getOrElse(failure, () => error))
        )
      )
    )
  }).pipe(
    Effect.scoped,
    Effect.catchAllDefect((defect) => new SqlError({ cause: defect, message: "The group failed" }))
  )

const sqlErrorOf = (cause: Cause.Cause<unknown>): Option.Option<SqlError> =>
  Option.fromNullable([...Cause.failures(cause)].find((error) => error instanceof SqlError))
