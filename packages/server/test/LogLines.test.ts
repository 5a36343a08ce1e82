import { describe, it } from "@effect/vitest"
import { Cause, Effect, FiberId, FiberRef, FiberRefs, HashMap, Layer, List, Logger, LogLevel } from "effect"
import { assert } from "vitest"
import * as LogLines from "../src/LogLines.js"

const circular: { self?: unknown } = {}
circular.self = circular

const some = Effect.gen(function* () {
  yield* Effect.logInfo("request").pipe(
    Effect.annotateLogs({ method: "GET", status: 200, route: null, text: 'a "quote"\n' })
  )
  yield* Effect.logError("it failed", new Error("why"))
  yield* Effect.logInfo(circular)
  yield* Effect.logWarning(new Map([["a", 1]])).pipe(Effect.annotateLogs({ inside: { of: circular, few: [1, 2] } }))
  yield* Effect.withLogSpan(Effect.logInfo("one", "two", 3), "span")
})

describe("LogLines", () => {
  it.effect("lines are those of the JSON logger of Effect", () =>
    Effect.gen(function* () {
      const ours: Array<string> = []
      const theirs: Array<string> = []
      const both = Logger.zip(
        Logger.map(LogLines.line, (line) => ours.push(line)),
        Logger.map(Logger.jsonLogger, (line) => theirs.push(line))
      )
      yield* Effect.provide(some, Logger.replace(Logger.defaultLogger, both))
      assert.lengthOf(ours, 5)
      assert.deepStrictEqual(ours, theirs)
    })
  )

  it.effect("a plain line is that of the logger, but for the order of its annotations", () =>
    Effect.gen(function* () {
      const written: Array<string> = []
      const plain: LogLines.Plain = {
        message: "request",
        logLevel: LogLevel.Info,
        date: new Date(1_700_000_000_000),
        annotations: { method: "GET", status: 200, route: null, text: 'a "quote"\n' }
      }
      yield* Effect.gen(function* () {
        const [logger] = [...(yield* FiberRef.get(FiberRef.currentLoggers))].filter((one) => LogLines.plainOf(one))
        assert.isDefined(logger)
        LogLines.plainOf(logger)?.(plain)
        logger.log({
          ...plain,
          annotations: HashMap.fromIterable(Object.entries(plain.annotations)),
          cause: Cause.empty,
          context: FiberRefs.empty(),
          fiberId: FiberId.none,
          message: [plain.message],
          spans: List.empty()
        })
      }).pipe(Effect.provide(Layer.fresh(LogLines.layer((lines) => written.push(...lines.trimEnd().split("\n"))))))
      const [one, other] = written.map((line) => JSON.parse(line))
      assert.deepStrictEqual(one, other)
      assert.deepStrictEqual(Object.keys(one), Object.keys(other))
      assert.lengthOf(written, 2)
    })
  )

  it.effect("other loggers take no plain lines", () =>
    Effect.sync(() => assert.isUndefined(LogLines.plainOf(Logger.jsonLogger)))
  )

  it.live("the lines of a turn are written at once, in their order, and the last ones at the end", () =>
    Effect.gen(function* () {
      const written: Array<string> = []
      const messages = () =>
        written.map((lines) =>
          lines
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line).message)
        )
      yield* Effect.gen(function* () {
        yield* Effect.logInfo("one")
        yield* Effect.logInfo("two")
        assert.lengthOf(written, 0)
        for (let tries = 0; tries < 1_000 && written.length === 0; tries++) yield* Effect.sleep("20 millis")
        assert.deepStrictEqual(messages(), [["one", "two"]])
        yield* Effect.logInfo("three")
      }).pipe(Effect.provide(Layer.fresh(LogLines.layer((lines) => written.push(lines)))))
      assert.deepStrictEqual(messages(), [["one", "two"], ["three"]])
    })
  )
})
