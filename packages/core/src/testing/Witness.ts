/** @internal */

import { Context, Effect, Layer } from "effect"
import { Violation } from "./Guarantee.js"

/** The method that was called last. */
export interface Calls {
  last: string | undefined
}

/**
 * The same store, and its calls are noted. A member that is missing, or gives something else than an effect, is said in one
 * line when it is used.
 */
export const layer = <I, S extends object, E>(
  tag: Context.Tag<I, S>,
  name: string,
  store: Layer.Layer<I, E>,
  calls: Calls
): Layer.Layer<I, E> =>
  Layer.map(store, (context) => Context.make(tag, witnessed(name, Context.get(context, tag), calls)))

const witnessed = <S extends object>(name: string, store: S, calls: Calls): S =>
  new Proxy(store, {
    get: (target, member) => {
      const value: unknown = Reflect.get(target, member, target)
      if (typeof member !== "string") return value
      const method = `${name}.${member}`
      if (value === undefined) throw wrong(method, "is missing")
      if (typeof value !== "function") {
        calls.last = method
        return effectOf(method, value)
      }
      return (...given: ReadonlyArray<unknown>) => {
        calls.last = method
        return effectOf(method, Reflect.apply(value, target, given))
      }
    }
  })

const effectOf = (method: string, value: unknown): unknown => {
  if (!Effect.isEffect(value))
    throw wrong(method, isPromise(value) ? "gave a Promise; give an Effect, as by Effect.promise" : "gave no Effect")
  return Effect.tap(value, (answer) =>
    isPromise(answer) ? Effect.fail(wrong(method, "gave an Effect of a Promise; use Effect.promise")) : Effect.void
  )
}

const isPromise = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

const wrong = (method: string, what: string): Violation => new Violation({ what: `${method} ${what}` })
