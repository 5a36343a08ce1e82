import { Clock, Context, Effect, Either, Layer, Schema } from "effect"
import * as SlidingWindow from "./SlidingWindow.js"
import * as TokenBucket from "./TokenBucket.js"

/**
 * A limit on how often a subject may do something. `smooth` is a token bucket: bursts up to `limit`, then a steady
 * rate. `strict` allows at most `limit` events in any window of `windowSeconds`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Policy {
  readonly name: string
  readonly shape: "smooth" | "strict"
  readonly limit: number
  readonly windowSeconds: number
}

/**
 * The state of a subject under a policy: what is left, and in how many whole seconds there is more (a full bucket, or
 * the oldest event out of the window).
 *
 * @since 0.1.0
 * @category schemas
 */
export const Standing = Schema.Struct({
  policy: Schema.String,
  limit: Schema.NonNegativeInt,
  window_seconds: Schema.NonNegativeInt,
  remaining: Schema.NonNegativeInt,
  reset_seconds: Schema.NonNegativeInt
}).annotations({ identifier: "RateLimitStanding" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Standing extends Schema.Schema.Type<typeof Standing> {}

/**
 * Limits how often a subject (a key, a network) does something, in this process and in memory. These limits protect the
 * service. They are no meter, and a restart resets them.
 *
 * @since 0.1.0
 * @category services
 */
export class RateLimit extends Context.Tag("@assay/core/RateLimit")<
  RateLimit,
  {
    /** Counts one event under every policy, or under none if one of them is exhausted. */
    readonly take: (
      subject: string,
      policies: ReadonlyArray<Policy>
    ) => Effect.Effect<ReadonlyArray<Standing>, RateLimited>
    /** As `take`, at a time in epoch milliseconds and at once, for those who count thousands of events a second. */
    readonly takeAt: (
      subject: string,
      policies: ReadonlyArray<Policy>,
      now: number
    ) => Either.Either<ReadonlyArray<Standing>, RateLimited>
    /** Answers as `take` would, and counts nothing: for events that count only if they fail. */
    readonly peek: (
      subject: string,
      policies: ReadonlyArray<Policy>
    ) => Effect.Effect<ReadonlyArray<Standing>, RateLimited>
  }
>() {}

/**
 * `maxEntries` (100,000) bounds the memory: beyond it, the least recently used subject is dropped.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly maxEntries?: number | undefined
}

/**
 * Limits in the memory of this process, for the lifetime of the layer.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<RateLimit> =>
  Layer.sync(RateLimit, () => {
    const maxEntries = options.maxEntries ?? 100_000
    // Insertion order is order of use: every write removes an entry and appends it again.
    const meters = new Map<string, Meter>()

    const read = (subject: string, policy: Policy, now: number): Entry => {
      const key = keyOf(subject, policy)
      return { key, meter: advance(meters.get(key) ?? fresh(policy, now), now) }
    }

    const write = ({ key, meter }: Entry): void => {
      meters.delete(key)
      meters.set(key, meter)
    }

    const forget = (now: number): void => {
      for (const [key, meter] of meters) {
        if (meters.size <= maxEntries && !isUntouched(advance(meter, now))) return
        meters.delete(key)
      }
    }

    const judge = (subject: string, policies: ReadonlyArray<Policy>, now: number) => {
      const current = policies.map((policy) => read(subject, policy, now))
      const violated = current.filter(({ meter }) => remaining(meter) < 1)
      return violated.length === 0
        ? Either.right(current)
        : Either.left(
            new RateLimited({
              violated: violated.map(({ meter }) => standing(meter, now)),
              retry_after_seconds: Math.max(
                ...violated.map(({ meter }) => Math.ceil(millisUntilOne(meter, now) / 1000))
              )
            })
          )
    }

    const takeAt = (subject: string, policies: ReadonlyArray<Policy>, now: number) =>
      Either.map(judge(subject, policies, now), (current) => {
        const standings = current.map(({ key, meter }) => {
          const taken = takeOne(meter, now)
          write({ key, meter: taken })
          return standing(taken, now)
        })
        forget(now)
        return standings
      })

    return {
      takeAt,
      take: Effect.fn("RateLimit.take")((subject: string, policies: ReadonlyArray<Policy>) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => takeAt(subject, policies, now))
      ),
      peek: Effect.fn("RateLimit.peek")(function* (subject: string, policies: ReadonlyArray<Policy>) {
        const now = yield* Clock.currentTimeMillis
        return (yield* judge(subject, policies, now)).map(({ meter }) => standing(meter, now))
      })
    }
  })

type Meter =
  | { readonly shape: "smooth"; readonly policy: Policy; readonly bucket: TokenBucket.TokenBucket }
  | { readonly shape: "strict"; readonly policy: Policy; readonly window: SlidingWindow.SlidingWindow }

interface Entry {
  readonly key: string
  readonly meter: Meter
}

const keyOf = (subject: string, policy: Policy): string => `${policy.name} ${subject}`

const rate = (policy: Policy): TokenBucket.Rate => ({
  limit: policy.limit,
  windowMillis: policy.windowSeconds * 1000
})

// Written out, not spread: these are made for every request.
const smooth = (policy: Policy, bucket: TokenBucket.TokenBucket): Meter => ({ shape: "smooth", policy, bucket })
const strict = (policy: Policy, window: SlidingWindow.SlidingWindow): Meter => ({ shape: "strict", policy, window })

const fresh = (policy: Policy, now: number): Meter =>
  policy.shape === "smooth" ? smooth(policy, TokenBucket.full(rate(policy), now)) : strict(policy, [])

const advance = (meter: Meter, now: number): Meter =>
  meter.shape === "smooth"
    ? smooth(meter.policy, TokenBucket.refill(meter.bucket, rate(meter.policy), now))
    : strict(meter.policy, SlidingWindow.slide(meter.window, rate(meter.policy), now))

const takeOne = (meter: Meter, now: number): Meter =>
  meter.shape === "smooth"
    ? smooth(meter.policy, TokenBucket.take(meter.bucket))
    : strict(meter.policy, SlidingWindow.take(meter.window, now))

const remaining = (meter: Meter): number =>
  meter.shape === "smooth"
    ? TokenBucket.remaining(meter.bucket)
    : SlidingWindow.remaining(meter.window, rate(meter.policy))

const millisUntilOne = (meter: Meter, now: number): number =>
  meter.shape === "smooth"
    ? TokenBucket.millisUntil(meter.bucket, rate(meter.policy), 1)
    : SlidingWindow.millisUntilOldestLeaves(meter.window, rate(meter.policy), now)

const millisUntilReset = (meter: Meter, now: number): number =>
  meter.shape === "smooth"
    ? TokenBucket.millisUntil(meter.bucket, rate(meter.policy), meter.policy.limit)
    : SlidingWindow.millisUntilOldestLeaves(meter.window, rate(meter.policy), now)

const isUntouched = (meter: Meter): boolean => remaining(meter) === meter.policy.limit

const standing = (meter: Meter, now: number): Standing => ({
  policy: meter.policy.name,
  limit: meter.policy.limit,
  window_seconds: meter.policy.windowSeconds,
  remaining: remaining(meter),
  reset_seconds: Math.ceil(millisUntilReset(meter, now) / 1000)
})

/**
 * Too many requests. Names every exhausted policy; `retry_after_seconds` is when all of them have room again.
 *
 * @since 0.1.0
 * @category errors
 */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  violated: Schema.Array(Standing),
  retry_after_seconds: Schema.NonNegativeInt
}) {}
