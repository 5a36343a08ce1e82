/** @internal */

import { Processes } from "@assay/core/storage/Processes"
import type { Storage } from "@assay/core/storage/Storage"
import { StorageError } from "@assay/core/storage/StorageError"
import {
  Cause,
  Context,
  Effect,
  Exit,
  GlobalValue,
  Layer,
  Logger,
  LogLevel,
  Option,
  Random,
  Runtime,
  RuntimeFlags
} from "effect"
import type { SeededRandom } from "./SeededRandom.js"
import type { Witness } from "./Witness.js"
import * as WorldStorage from "./WorldStorage.js"

/**
 * What goes wrong at one store call, before its effect or after it, when the answer is lost: `fails` is a `StorageError`,
 * `crashes` ends the process, `freezes` stops it for a while.
 */
export interface CallFault {
  readonly kind: "fails" | "crashes" | "freezes"
  readonly moment: "before" | "after"
}

/**
 * A process of the service, from its start to its end. What it runs on and what it stores to is simulated, the program
 * is the real one.
 */
export interface Process<R> {
  readonly name: string
  readonly isReady: () => boolean
  readonly isGone: () => boolean
  /** Runs a request; none is answered where the process dies under it. */
  readonly call: <A, E>(effect: Effect.Effect<A, E, R>, done: (exit: Option.Option<Exit.Exit<A, E>>) => void) => void
  /** Ends at once, with nothing finished. */
  readonly kill: () => void
  /** Ends after its finalizers. */
  readonly stop: () => void
  /** When it last began to run after it stood still, infinity while it does. */
  readonly thawedAt: () => number
}

/**
 * What a process is started in.
 *
 * - `stores`: what all processes share. `faultOf` decides at every store call, `latencyOf` how long it takes,
 *   `frozenFor` how long a process stands still that froze.
 * - `processes`: what a process knows of others that are gone.
 * - `onLog`: all that it logs. `onDeath`: it is gone, with nothing finished or everything.
 */
export interface Surroundings {
  readonly witness: Witness
  readonly random: SeededRandom
  readonly stores: Context.Context<Storage>
  readonly processes: (self: string) => Context.Tag.Service<Processes>
  readonly faultOf: (process: string, operation: string) => Option.Option<CallFault>
  readonly latencyOf: () => number
  readonly frozenFor: () => number
  readonly onLog: (text: string) => void
  readonly onDeath: (process: string, how: "killed" | "stopped") => void
}

/** Starts the program `app` as a new process. */
export const start = <R>(
  name: string,
  app: Layer.Layer<R, never, Storage>,
  { random, faultOf, frozenFor, latencyOf, onDeath, onLog, processes, stores, witness }: Surroundings
): Process<R> => {
  const processor = witness.time.processor()
  const waiting = new Set<() => void>()
  let ready: Option.Option<Runtime.Runtime<R>> = Option.none()

  const end = (how: "killed" | "stopped") => {
    if (processor.isHalted()) return
    processor.halt()
    witness.bury(name)
    ready = Option.none()
    witness.trace.note(name, how)
    onDeath(name, how)
    // The caller hears of it as a connection that broke, which takes a moment.
    for (const lost of waiting) witness.time.after(1, lost)
    waiting.clear()
  }

  const crash = Effect.suspend(() => {
    end("killed")
    return forever
  })

  let thawedAt = 0
  const freeze = Effect.suspend(() => {
    thawedAt = Number.POSITIVE_INFINITY
    processor.freeze()
    witness.time.after(frozenFor(), () => {
      thawedAt = witness.time.now()
      witness.trace.note(name, "thawed")
      processor.thaw()
    })
    return Effect.yieldNow()
  })

  const broken = WorldStorage.around(Context.add(stores, Processes, processes(name)), (operation, effect) => {
    const done = Effect.suspend(() => {
      witness.act(name)
      return effect
    })
    return Effect.suspend(() => {
      const latency = latencyOf()
      const slowly =
        latency === 0 ? done : Effect.zipLeft(Effect.zipRight(Effect.sleep(latency), done), Effect.sleep(latency))
      const fault = faultOf(name, operation)
      if (Option.isNone(fault)) return slowly
      const { kind, moment } = fault.value
      witness.trace.note(name, `${operation} ${kind} ${moment} its effect`)
      if (kind === "freezes")
        return moment === "before" ? Effect.zipRight(freeze, slowly) : Effect.zipLeft(slowly, freeze)
      const failure =
        kind === "crashes"
          ? crash
          : new StorageError({
              reason: moment === "before" ? "unavailable" : "uncertain",
              operation,
              detail: "the simulation broke it"
            })
      return moment === "before" ? failure : Effect.zipRight(slowly, failure)
    })
  })

  const logger = Logger.make(({ cause, message }) => {
    const words = Array.isArray(message) ? message : [message]
    onLog([...words.map(String), Cause.isEmpty(cause) ? "" : Cause.pretty(cause)].join(" "))
  })
  const root = Layer.toRuntime(app.pipe(Layer.provide(Layer.succeedContext(broken)))).pipe(
    Effect.flatMap((runtime) => {
      ready = Option.some(Runtime.disableRuntimeFlag(runtime, RuntimeFlags.RuntimeMetrics))
      witness.trace.note(name, "ready")
      return forever
    }),
    Effect.scoped,
    Effect.withTracerEnabled(false),
    Effect.withClock(processor.clock),
    Effect.withRandom(Random.make(random.between(0, 2 ** 31))),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
    Logger.withMinimumLogLevel(LogLevel.Info)
  )
  witness.trace.note(name, "starts")
  const fiber = Runtime.runFork(plain)(root, { scheduler: processor.scheduler, immediate: false })
  fiber.addObserver((exit) => {
    witness.check("error", Exit.isInterrupted(exit), () => `${name} ended by itself: ${exit}`)
    end("stopped")
  })

  return {
    name,
    isReady: () => Option.isSome(ready),
    isGone: () => processor.isHalted(),
    call: (effect, done) => {
      if (Option.isNone(ready)) return done(Option.none())
      const lost = () => done(Option.none())
      waiting.add(lost)
      Runtime.runFork(ready.value)(effect, { scheduler: processor.scheduler, immediate: false }).addObserver((exit) => {
        if (waiting.delete(lost)) done(Option.some(exit))
      })
    },
    kill: () => end("killed"),
    stop: () => {
      ready = Option.none()
      witness.trace.note(name, "is stopped")
      fiber.unsafeInterruptAsFork(fiber.id())
    },
    thawedAt: () => thawedAt
  }
}

/**
 * Forgets what processes left behind that were started meanwhile. A fiber that never ends is kept by Effect for as long
 * as the machine runs, and a killed process ends none: a thousand worlds would fill the memory.
 */
export const forgetting = <A>(run: () => A): A => {
  const others = new Set(kept.roots)
  try {
    return run()
  } finally {
    for (const fiber of Array.from(kept.roots)) if (!others.has(fiber)) kept.roots.delete(fiber)
  }
}

// What `Fiber.roots` reads.
const kept = GlobalValue.globalValue(Symbol.for("effect/FiberScope/Global"), () => ({ roots: new Set<unknown>() }))

// `Effect.never` holds a timer of the machine that the simulation runs on.
const forever = Effect.async<never>(() => {})

const plain = Runtime.disableRuntimeFlag(Runtime.defaultRuntime, RuntimeFlags.RuntimeMetrics)
