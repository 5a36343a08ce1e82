/** @internal */

/**
 * How many units (calls or requests) a second an endpoint takes: stated by an operator, learnt from what it refused, or
 * unlimited until it refuses something. It is a token bucket, so that units are spread over the second, and where a rate
 * is stated a sliding window as well, so that no second ever has more. Times are epoch milliseconds.
 */
export interface LearntRate {
  /** Units a second that are sent now at most; infinite where nothing is known. */
  readonly rate: () => number
  /** Milliseconds until `units` may leave together, 0 where they may now. */
  readonly wait: (units: number, now: number) => number
  readonly take: (units: number, now: number) => void
  /** Gives back units that were taken at a time and not used. */
  readonly untake: (units: number, takenAt: number) => void
  /** Units that were sent at a moment have been answered. */
  readonly passed: (units: number, sentAt: number, now: number) => void
  /** Units answered in the last second. */
  readonly lately: (now: number) => number
  /** How far beyond what is known to pass `units` more were: at most 1 where as many have passed in one second. */
  readonly strain: (units: number, now: number) => number
  /** More units than it takes were sent. */
  readonly refused: (units: number, now: number) => void
  /** What was refused before was not refused for this rate, as it turned out. */
  readonly absolve: () => void
  /** More would be sent if the rate were higher. */
  readonly want: () => void
  /** Nothing is sent until a moment; what this brings may be used then. */
  readonly rest: (until: number, now: number) => void
}

// What a bucket holds: as many units as come in so many milliseconds, or one.
const burstMillis = 300
// Multiplicative decrease: at most and at least this part of the rate is left.
const leastDecrease = 0.9
const mostDecrease = 0.5
// Additive increase, in parts of the rate that was refused last, a second: below nine tenths of it, and around it. Beyond
// it, where the limit must be another one, the rate doubles in a second.
const increase = { below: 0.5, around: 0.05 }
const around = 1.1
const lowestRate = 0.1

/** Starts with an unknown rate, or with a stated maximum. */
export const make = (stated: number = Number.POSITIVE_INFINITY): LearntRate => {
  let rate = stated
  // The rate at which the last refusal came.
  let refusedAt = stated
  let decreasedAt = Number.NEGATIVE_INFINITY
  let grownAt = Number.NEGATIVE_INFINITY
  let held = Math.max(1, (stated * burstMillis) / 1_000)
  let filledAt = Number.NEGATIVE_INFINITY
  // Whether something has waited for it since it last grew: a rate that nobody needs is not tried.
  let needed = false
  let proven = 0
  const sent = window()
  const answered = window()

  const capacity = () => Math.max(1, (rate * burstMillis) / 1_000)

  const fill = (now: number, most: number) => {
    if (now > filledAt) {
      held = Math.max(held, Math.min(most, held + ((now - filledAt) * rate) / 1_000))
      filledAt = now
    }
  }

  const untilFilled = (units: number, now: number) => {
    // The whole of a batch that must not be divided may be more than a burst.
    fill(now, Math.max(capacity(), units))
    return held >= units ? 0 : Math.ceil(((units - held) * 1_000) / rate)
  }

  const grow = (now: number) => {
    const millis = Math.min(1_000, now - grownAt)
    grownAt = now
    if (!needed || rate >= stated || millis <= 0) return
    needed = false
    const seconds = millis / 1_000
    const part = rate < leastDecrease * refusedAt ? increase.below : increase.around
    const raised = rate < around * refusedAt ? rate + Math.max(1, refusedAt) * part * seconds : rate * 2 ** seconds
    rate = Math.min(stated, raised)
  }

  return {
    rate: () => rate,
    wait: (units, now) => {
      if (rate === Number.POSITIVE_INFINITY) return 0
      const wait = Math.max(
        untilFilled(units, now),
        stated === Number.POSITIVE_INFINITY ? 0 : sent.untilAtMost(stated - units, now)
      )
      if (wait > 0) needed = true
      return wait
    },
    take: (units, now) => {
      sent.add(units, now)
      if (rate !== Number.POSITIVE_INFINITY) held -= units
    },
    untake: (units, takenAt) => {
      sent.add(-units, takenAt)
      if (rate !== Number.POSITIVE_INFINITY) held = Math.min(capacity(), held + units)
    },
    passed: (units, sentAt, now) => {
      answered.add(units, now)
      const lately = answered.sum(now)
      proven = Math.max(proven, lately)
      if (rate === Number.POSITIVE_INFINITY) return
      // Sent with what was refused, and answered after it: it takes as much as this.
      if (sentAt <= decreasedAt && lately > rate) rate = Math.min(stated, lately)
      else grow(now)
    },
    lately: answered.sum,
    strain: (units, now) => (answered.sum(now) + units) / Math.max(1, proven),
    refused: (units, now) => {
      const lately = answered.sum(now)
      refusedAt = Math.min(rate, lately + units)
      const decreased =
        rate === Number.POSITIVE_INFINITY
          ? Math.max(lately, (lately + units) / 2)
          : Math.min(rate * leastDecrease, Math.max(lately, rate * mostDecrease))
      rate = Math.max(lowestRate, decreased)
      proven = Math.max(lately, proven * leastDecrease)
      decreasedAt = now
      grownAt = now
      needed = false
      // It has nothing left either.
      held = 0
      filledAt = now
    },
    absolve: () => {
      refusedAt = 0
    },
    want: () => {
      needed = true
    },
    rest: (until, now) => {
      if (rate === Number.POSITIVE_INFINITY || until <= now) return
      // At least one: an endpoint that names a wait expects a retry.
      held = Math.max(held, 1, Math.min(rate, (rate * (until - now)) / 1_000) * leastDecrease)
      filledAt = until
    }
  }
}

// The last second, in slots of equal length, so that it takes the same memory however much is sent.
const slotMillis = 20
const slots = 1_000 / slotMillis + 1

interface Window {
  readonly add: (units: number, at: number) => void
  /** Of the last second, and up to a slot more. */
  readonly sum: (now: number) => number
  /** Milliseconds until the sum is at most so much. */
  readonly untilAtMost: (most: number, now: number) => number
}

const window = (): Window => {
  const counts = new Float64Array(slots)
  let newest = 0
  let total = 0
  // Slots that have left the second are emptied; a clock that went back stays in the newest one.
  const slide = (at: number) => {
    const slot = Math.floor(at / slotMillis)
    for (let next = Math.max(newest + 1, slot - slots + 1); next <= slot; next++) {
      total -= counts[next % slots] ?? 0
      counts[next % slots] = 0
    }
    newest = Math.max(newest, slot)
  }
  return {
    add: (units, at) => {
      slide(at)
      const slot = Math.min(newest, Math.max(Math.floor(at / slotMillis), newest - slots + 1))
      const count = counts[slot % slots] ?? 0
      const kept = Math.max(0, count + units)
      counts[slot % slots] = kept
      total += kept - count
    },
    sum: (now) => {
      slide(now)
      return total
    },
    untilAtMost: (most, now) => {
      slide(now)
      let left = total
      for (let slot = newest - slots + 1; slot <= newest && left > most; slot++) {
        left -= counts[slot % slots] ?? 0
        if (left <= most) return Math.max(1, Math.ceil((slot + slots) * slotMillis - now))
      }
      return left <= most ? 0 : Number.POSITIVE_INFINITY
    }
  }
}
