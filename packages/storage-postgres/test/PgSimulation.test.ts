import { Simulation } from "@assay/worlds"
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Tier from "../../../test/Tier.js"
import * as BlockingPostgres from "./BlockingPostgres.js"
import * as TestPostgres from "./TestPostgres.js"

const database = await TestPostgres.database()

// A world of hours, where a process is killed and executions, runs and events are made; four of two days in `npm run test:all`.
const worlds = [{ seed: 2, days: 0.1 }, ...[1, 2, 3, 4].map((seed) => ({ seed, days: 2 }))]

/** All of them, so that the first difference is shown. */
const lines = 1_000_000

TestPostgres.describeOn(database)("a simulated world on Postgres", () => {
  for (const [index, world] of worlds.entries()) {
    const runs = Tier.all || index === 0
    it.scopedLive.runIf(runs)(
      Tier.title(runs, `keeps every promise and is the one in memory to the last step, ${JSON.stringify(world)}`),
      () =>
        Effect.gen(function* () {
          const { stackTraceLimit } = Error
          yield* Effect.addFinalizer(() =>
            Effect.sync(() => {
              Error.stackTraceLimit = stackTraceLimit
            })
          )
          // As in the tests of the simulation: nobody reads the stacks of errors that are part of the world.
          Error.stackTraceLimit = 0
          const here = Simulation.run({ ...world, lines, storage: yield* BlockingPostgres.storage })
          const inMemory = Simulation.run({ ...world, lines })
          if (Option.isSome(here.breach))
            assert.fail(`${here.breach.value.law}: ${here.breach.value.detail}\n${here.trace.slice(-200).join("\n")}`)
          for (const what of ["executions", "units", "watches", "runs", "events"])
            assert.isAbove(here.counts[what] ?? 0, 0, what)
          const first = here.trace.findIndex((line, place) => line !== inMemory.trace[place])
          const around = (trace: ReadonlyArray<string>) =>
            first < 0 ? [] : trace.slice(Math.max(0, first - 20), first + 5)
          assert.deepStrictEqual(around(here.trace), around(inMemory.trace))
          assert.deepStrictEqual([here.hash, here.counts], [inMemory.hash, inMemory.counts])
        }),
      { timeout: 1_200_000 }
    )
  }
})
