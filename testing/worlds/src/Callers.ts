/** @internal */

import type { Caller } from "@assay/core/domain/Caller"
import { Keys } from "@assay/core/keys/Keys"
import { Cause, Effect, Exit, Option, type Redacted } from "effect"
import type { SeededRandom } from "./SeededRandom.js"
import type { Witness } from "./Witness.js"
import * as Workload from "./Workload.js"
import * as WorldMemory from "./WorldMemory.js"
import type { Process } from "./WorldProcess.js"

/**
 * The owners of keys. Each does one thing after another, through a process that is up, remembers what was acknowledged,
 * and looks whether it is still there.
 */
export interface People {
  /** They begin nothing new. */
  readonly rest: () => void
  readonly areResting: () => boolean
  /** Looks, through this process, at everything that anybody was ever promised. */
  readonly review: (process: Process<Workload.Api>) => void
  readonly isReviewed: () => boolean
}

/** A client with a key, and what was published of the key when it was made. */
export interface Owner {
  readonly caller: Caller
  readonly secret: Redacted.Redacted<string>
}

/**
 * `pace` is the mean time in milliseconds between two actions of a client, `onOutput` sees every answer but those that
 * show a new secret.
 */
export const make = (
  witness: Witness,
  random: SeededRandom,
  world: {
    readonly owners: ReadonlyArray<Owner>
    readonly processes: () => ReadonlyArray<Process<Workload.Api>>
    readonly onOutput: (text: string) => void
    readonly onRemoved: WorldMemory.World["onRemoved"]
    readonly hasUnit: WorldMemory.World["hasUnit"]
    readonly pace: number
  }
): People => {
  const { check, time, trace } = witness
  let isResting = false
  let busy = 0
  let unreviewed = 0

  const ask = <A, E>(
    process: Process<Workload.Api>,
    name: string,
    what: string,
    request: Effect.Effect<A, E, Workload.Api>,
    after: () => void
  ) => {
    trace.note(name, `${what} at ${process.name}`)
    busy++
    process.call(request, (exit) => {
      busy--
      if (Option.isNone(exit)) trace.note(name, `${what}: no answer`)
      else if (Exit.isSuccess(exit.value)) {
        trace.note(name, `${what}: done`)
        if (exit.value.value !== undefined) world.onOutput(JSON.stringify(exit.value.value))
      } else {
        const { cause } = exit.value
        const error = Option.getOrNull(Cause.failureOption(cause))
        check("error", error !== null || Cause.isInterrupted(cause), () => `${what}: ${Cause.pretty(cause)}`)
        const text = JSON.stringify(error)
        trace.note(name, `${what}: ${text}`)
        world.onOutput(text)
      }
      after()
    })
  }

  const live = world.owners.map(({ caller, secret }, index) => {
    const name = `user ${index}`
    const memory = WorldMemory.make(witness, { name, onRemoved: world.onRemoved, hasUnit: world.hasUnit })
    const workload = Workload.make(random, memory)
    const turn = () => {
      if (isResting) return
      const next = () => time.after(random.wait(world.pace), turn)
      const [first, ...others] = world.processes().filter((process) => process.isReady())
      if (first === undefined) return next()
      const [what, action] = workload.next()
      const request = Effect.flatMap(Keys, (keys) => Effect.flatMap(keys.authenticate(secret), action))
      ask(random.pick([first, ...others]), name, what, request, next)
    }
    time.after(random.wait(world.pace / 4), turn)
    return { name, caller, memory }
  })

  return {
    rest: () => {
      isResting = true
    },
    areResting: () => isResting && busy === 0,
    review: (process) => {
      unreviewed = live.length
      for (const { caller, memory, name } of live)
        ask(process, name, "review", memory.review(caller), () => {
          unreviewed--
        })
    },
    isReviewed: () => unreviewed === 0
  }
}
