import { Context, Effect, Option } from "effect"
import type * as FactSet from "../../src/analysis/FactSet.js"
import type * as Check from "../../src/checks/Check.js"
import * as Checks from "../../src/checks/Checks.js"
import * as Defect from "../../src/facts/Defect.js"

/** What throws: a function of a fact ("Powers.of") or a check ("token.mintable"). */
let failing = Option.none<string>()

let met = new Set<string>()

/** What each fact and each check takes from its context. */
const takes = new Map<string, Set<string>>()

const note = (who: string, taken: ReadonlySet<string>): void => {
  takes.set(who, new Set([...(takes.get(who) ?? []), ...taken]))
}

const throwing = <A, E, R>(name: string, effect: () => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  met.add(name)
  if (Option.contains(failing, name)) throw new RangeError(`injected into ${name}`)
  return effect()
}

/** A context that records which services are taken from it. */
const observed = <R>(context: Context.Context<R>, taken: Set<string>): Context.Context<R> => {
  const services = new Map(context.unsafeMap)
  const get = services.get.bind(services)
  services.get = (key) => {
    taken.add(nameOf(key))
    return get(key)
  }
  return Context.unsafeMake(services)
}

const nameOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1)

export const seam: FactSet.Seam = {
  call: (place) => (effect) => Defect.at(place)(Effect.suspend(() => throwing(place().name, () => effect))),
  build: <A, R>(fact: Effect.Effect<Context.Context<A>, never, R>) =>
    Effect.suspend(() => {
      const taken = new Set<string>()
      return fact.pipe(
        Effect.mapInputContext((context: Context.Context<R>) => observed(context, taken)),
        Effect.tap((built) => Effect.sync(() => [...built.unsafeMap.keys()].map((key) => note(nameOf(key), taken))))
      )
    })
}

/** Every check; it throws at once and not as an effect. */
export const checks = Checks.all.map((check: Check.Check<unknown, Checks.Requirements>) => ({
  ...check,
  run: (target: Parameters<typeof check.run>[0]) =>
    throwing(check.id, () => {
      const taken = new Set<string>()
      return check.run(target).pipe(
        Effect.mapInputContext((context: Context.Context<Checks.Requirements>) => observed(context, taken)),
        Effect.ensuring(Effect.sync(() => note(check.id, taken)))
      )
    })
}))

export const throwIn = (name: Option.Option<string>): void => {
  failing = name
  met = new Set()
}

/** The functions of facts and the checks that were run since. */
export const run = (): ReadonlyArray<string> => [...met].sort()

/** The facts that a check declares, and those that they are built over. */
export const declared = (check: string): ReadonlySet<string> => {
  const found = new Set<string>()
  const open = [check]
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const fact of takes.get(next) ?? []) {
      if (!found.has(fact)) open.push(fact)
      found.add(fact)
    }
  return found
}
