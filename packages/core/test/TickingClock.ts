import { Clock } from "effect"

/** A clock on which each look takes so many nanoseconds. */
export const make = (nanos: bigint): Clock.Clock => {
  const clock = Clock.make()
  let now = 0n
  return Object.assign(Object.create(clock), { unsafeCurrentTimeNanos: () => (now += nanos) })
}
