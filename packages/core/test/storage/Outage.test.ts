import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger, LogLevel, Schedule, TestClock } from "effect"
import * as Outage from "../../src/storage/Outage.js"
import { StorageError } from "../../src/storage/StorageError.js"

const away = new StorageError({ reason: "unavailable", operation: "WatchStore.nextDueAt", detail: "ECONNREFUSED" })

/** What is logged, a line each, by a program that knows of no other outage. */
const logged = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      lines.push(
        `${logLevel.label} ${[message]
          .flat()
          .filter((part) => typeof part === "string")
          .join(" ")}`
      )
    })
    yield* self.pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Logger.withMinimumLogLevel(LogLevel.Info),
      Effect.provideService(Outage.Outages, { open: new Map() })
    )
    return lines
  })

describe("Outage", () => {
  it.effect("is a line at once, a line a minute with how much failed, and a line with how long it lasted", () =>
    Effect.gen(function* () {
      const lines = yield* logged(
        Effect.gen(function* () {
          let isAway = true
          const loop = (what: string, seconds: number) =>
            Effect.suspend(() => (isAway ? away : Effect.void)).pipe(
              Outage.surviving(what, undefined),
              Effect.repeat(Schedule.spaced(`${seconds} seconds`)),
              Effect.fork
            )
          yield* loop("Due watches could not be claimed", 15)
          yield* loop("Left-over runs could not be finished", 5)
          yield* loop("Events could not be relayed yet", 2)
          yield* TestClock.adjust("5 minutes")
          isAway = false
          yield* TestClock.adjust("2 minutes")
        })
      )
      assert.lengthOf(lines, 7)
      assert.strictEqual(lines[0], "WARN Due watches could not be claimed")
      // 4, 12 and 30 of them a minute.
      for (const [minutes, line] of lines.slice(1, 6).entries())
        assert.match(
          line,
          new RegExp(
            `^WARN .*; 4\\d calls of the stores failed since the last such line, the first of them ${(minutes + 1) * 60} s ago$`
          )
        )
      assert.match(
        lines[6] ?? "",
        /^INFO Over after 300 s: 23\d calls of the stores failed, the last of them 3\d s ago$/
      )
    })
  )

  it.effect("of a store that answers some calls goes on, and begins only once", () =>
    Effect.gen(function* () {
      const lines = yield* logged(
        Effect.gen(function* () {
          yield* Effect.repeat(
            Effect.zipRight(
              Outage.surviving("A lease could not be renewed", undefined)(away),
              Outage.surviving("Events could not be relayed yet", undefined)(Effect.void)
            ),
            Schedule.spaced("1 seconds")
          ).pipe(Effect.fork)
          yield* TestClock.adjust("59 seconds")
        })
      )
      assert.deepStrictEqual(lines, ["WARN A lease could not be renewed"])
    })
  )

  it.effect("of something else than the stores is one of its own, and an interruption is none", () =>
    Effect.gen(function* () {
      const lines = yield* logged(
        Effect.gen(function* () {
          yield* Outage.note("A", Cause.die("a"))
          yield* Outage.note("B", Cause.die("b"))
          yield* Outage.note("A", Cause.die("a"))
          yield* Outage.note("C", Cause.fail(away))
          yield* Outage.note("D", Cause.empty)
          yield* TestClock.adjust("31 seconds")
          yield* Outage.over("A")
        })
      )
      assert.deepStrictEqual(lines, [
        "WARN A",
        "WARN B",
        "WARN C",
        "INFO Over after 0 s: 1 calls of the stores failed, the last of them 31 s ago",
        "INFO Over after 0 s: 2 times the same failed, the last of them 31 s ago"
      ])
    })
  )
})
