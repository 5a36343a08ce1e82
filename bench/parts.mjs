import { Effect, FiberRef, Supervisor } from "effect"
import * as FactSet from "../packages/core/dist/analysis/FactSet.js"
import * as Rules from "../packages/core/dist/evm/powers/rules/Rules.js"

/*
 * The own time of each part of an analysis: checks, functions of facts, and rules that read code. Parts are measured from
 * outside: a check's `run` and a rule's functions are wrapped, and facts have a seam (FactSet.seam).
 *
 * Fibers of all parts take turns on one thread. So each fiber carries the part that it is at work for, which its children
 * inherit, and a supervisor moves the clock to that part whenever the fiber goes on.
 */

/** A clock for all fibers of a runtime that is made with its `layer`. */
export const makeClock = () => {
  const times = new Map()
  const calls = new Map()
  // Each fiber can start another one, which runs at once, before it goes on itself.
  const interrupted = []
  let current = outside
  let since = performance.now()

  const go = (part) => {
    const now = performance.now()
    times.set(current, (times.get(current) ?? 0) + now - since)
    current = part
    since = now
  }

  class Turns extends Supervisor.AbstractSupervisor {
    value = Effect.void
    onResume(fiber) {
      interrupted.push(current)
      go(fiber.getFiberRef(partOfFiber))
    }
    onSuspend() {
      go(interrupted.pop() ?? outside)
    }
  }

  /** The time until the effect ends is that of the part, but for what other parts take of it. */
  const within = (partOf) => (effect) =>
    Effect.withFiberRuntime((fiber) => {
      // The name of a fact may cost the hash of a code.
      go(measuring)
      const part = partOf()
      calls.set(part, (calls.get(part) ?? 0) + 1)
      const before = fiber.getFiberRef(partOfFiber)
      fiber.setFiberRef(partOfFiber, part)
      go(part)
      return Effect.onExit(effect, () =>
        Effect.sync(() => {
          fiber.setFiberRef(partOfFiber, before)
          go(before)
        })
      )
    })

  /** The same of a computation in slices. */
  const slicesWithin = (part, start) =>
    function* (...args) {
      calls.set(part, (calls.get(part) ?? 0) + 1)
      const slices = start(...args)
      for (;;) {
        const before = current
        go(part)
        let next
        try {
          next = slices.next()
        } finally {
          go(before)
        }
        if (next.done) return next.value
        yield undefined
      }
    }

  return {
    layer: Supervisor.addSupervisor(new Turns()),
    within,
    slicesWithin,
    /** Forgets what was measured. */
    reset: () => {
      go(current)
      times.clear()
      calls.clear()
    },
    /** What was measured, the longest first. */
    parts: () => {
      go(current)
      const own = [...times].filter(([part]) => part !== outside && part !== measuring)
      return own.map(([name, ms]) => ({ name, ms, calls: calls.get(name) ?? 0 })).sort((a, b) => b.ms - a.ms)
    }
  }
}

/** The checks, each a part of its own. */
export const measuredChecks = (checks, { within }) =>
  checks.map((check) => ({ ...check, run: (target) => within(() => `check ${check.id}`)(check.run(target)) }))

/** Runs an effect with every fact and every rule a part of its own. */
export const measured = (effect, clock) =>
  Effect.suspend(() => {
    const { slicesWithin, within } = clock
    const originals = Rules.all.map((rule) => ({ rule, ...rule }))
    for (const { doubts, find, id, rule } of originals) {
      if (find !== undefined) rule.find = slicesWithin(`rule ${id}`, find)
      if (doubts !== undefined) rule.doubts = slicesWithin(`rule ${id}`, doubts)
    }
    const restore = Effect.sync(() => {
      for (const { doubts, find, rule } of originals) {
        if (find !== undefined) rule.find = find
        if (doubts !== undefined) rule.doubts = doubts
      }
    })
    return Effect.flatMap(FiberRef.get(FactSet.seam), (seam) =>
      effect.pipe(
        within(() => engine),
        Effect.locally(FactSet.seam, {
          call: (place) => (called) => seam.call(place)(within(() => `fact ${place().name}`)(called)),
          build: (fact) => within(() => "facts, built")(seam.build(fact))
        }),
        Effect.ensuring(restore)
      )
    )
  })

/** What is read of the chain for an analysis: the requests and answers of its queue. */
export const reading = "chain, read"

const engine = "engine, else"
const outside = "outside of fibers"
const measuring = "measuring"

const partOfFiber = FiberRef.unsafeMake(engine, { join: (parent) => parent })
