/** @internal */

import { Clock, Deferred, Duration, Effect, FiberId, FiberSet, Option, type Scope } from "effect"
import * as LearntRate from "./LearntRate.js"

/** The priority of a request: an analysis that a caller waits for goes before a scheduled one. */
export type Priority = "interactive" | "scheduled"

/**
 * The place of an analysis among those that an endpoint serves: `since` is when it began and `until` when it waits no
 * longer, in epoch milliseconds.
 */
export interface Turn {
  readonly priority: Priority
  readonly since: number
  readonly until: number
}

/**
 * What became of a request: how many of its calls were answered and how many were refused for their rate, and how long
 * the endpoint demanded to wait. `load` is `"light"` where its latency shows how busy the endpoint is, `"lost"` where
 * there was no answer in time.
 */
export interface Outcome {
  readonly passed: number
  readonly limited: number
  readonly retryAfter: Option.Option<Duration.Duration>
  readonly load: "light" | "heavy" | "lost"
}

/** Leave to send `calls` calls in one request now. `end` must be called once, with the outcome. */
export interface Admission {
  readonly calls: number
  readonly end: (outcome: Outcome) => Effect.Effect<void>
}

/**
 * The pace of one endpoint, which all analyses share: how many calls and requests a second it takes, how many requests
 * at once, and who goes next.
 */
export interface Pace {
  /** Waits for its turn; none where its time is over first. Fewer calls than wanted may be let go at once. */
  readonly admit: (turn: Turn, wanted: number) => Effect.Effect<Option.Option<Admission>>
  /** As `admit`, for calls that have to be in one request. */
  readonly admitWhole: (turn: Turn, calls: number) => Effect.Effect<Option.Option<Admission>>
  /** The expected wait in milliseconds of a call that is queued now. */
  readonly backlog: Effect.Effect<number>
}

/** Rates of an endpoint that are known beforehand: it is never sent more in any second. */
export interface StatedRates {
  readonly callsPerSecond?: number | undefined
  readonly requestsPerSecond?: number | undefined
}

/**
 * How long a scheduled analysis lets interactive ones go first. One that began so long ago is as good as any that begins
 * now, so that nobody waits for ever.
 */
export const scheduledAfter = Duration.minutes(1)

// Requests at once: at the start, at most, and at least.
const width = { first: 64, most: 256, least: 4 }
// The wait after so many refusals without an answer between them, doubled for each further one.
const pause = { after: 4, first: 250, most: 10_000 }

// Whatever wait an endpoint demands, it is tried again after ten minutes.
const longestRest = 600_000

interface Waiter {
  readonly rank: number
  readonly wanted: number
  readonly whole: boolean
  readonly deferred: Deferred.Deferred<number>
  state: "waiting" | "admitted" | "gone"
  /** When it was let go, and how many calls. */
  at: number
  calls: number
}

/** Makes the pace of one endpoint. It waits in the scope of this effect. */
export const make = (stated: StatedRates = {}): Effect.Effect<Pace, never, Scope.Scope> =>
  Effect.gen(function* () {
    const callRate = LearntRate.make(stated.callsPerSecond)
    const requestRate = LearntRate.make(stated.requestsPerSecond)
    const fork = yield* FiberSet.makeRuntime<never>()
    // By rank, then by arrival.
    const queue: Array<Waiter> = []
    let waiting = 0
    let flying = 0
    let restsUntil = Number.NEGATIVE_INFINITY
    // The end of the wait that the endpoint demanded.
    let askedUntil = Number.NEGATIVE_INFINITY
    // What was sent before the last limit says nothing about the pace that it led to.
    let limitedAt = Number.NEGATIVE_INFINITY
    let refusals = 0
    // A batch was refused, and requests got the blame.
    let isSuspect = false
    const crowd = makeCrowd()
    let wake: { readonly at: number; readonly fiber: ReturnType<typeof fork> } | undefined

    // A request takes what comes in a third of a second, so that others come between; but no less than what is needed to
    // use the calls where requests are scarce too.
    const most = () => {
      const calls = callRate.rate()
      if (calls === Number.POSITIVE_INFINITY) return calls
      return Math.max(1, Math.floor(Math.max((calls * 3) / 10, calls / requestRate.rate())))
    }

    const wakeAt = (at: number, now: number) => {
      if (wake !== undefined && wake.at <= at) return
      wake?.fiber.unsafeInterruptAsFork(FiberId.none)
      const fiber = fork(
        Effect.zipRight(
          Effect.sleep(Duration.millis(Math.max(1, at - now))),
          Effect.map(Clock.currentTimeMillis, (woken) => {
            wake = undefined
            admitNext(woken)
          })
        )
      )
      wake = { at, fiber }
    }

    const admitNext = (now: number): void => {
      while (true) {
        const first = queue[0]
        if (first === undefined || flying >= crowd.width()) return
        const rest = restsUntil - now
        const calls = first.whole ? first.wanted : Math.min(first.wanted, most())
        const wait = Math.max(rest, callRate.wait(calls, now), requestRate.wait(1, now))
        if (wait > 0) {
          wakeAt(now + wait, now)
          return
        }
        if (calls < first.wanted) callRate.want()
        queue.shift()
        waiting -= first.wanted
        callRate.take(calls, now)
        requestRate.take(1, now)
        flying++
        first.state = "admitted"
        first.at = now
        first.calls = calls
        Deferred.unsafeDone(first.deferred, Effect.succeed(calls))
      }
    }

    const enqueue = (waiter: Waiter) => {
      let low = 0
      let high = queue.length
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((queue[middle]?.rank ?? 0) <= waiter.rank) low = middle + 1
        else high = middle
      }
      queue.splice(low, 0, waiter)
      waiting += waiter.wanted
    }

    // A waiter that leaves frees its place, admitted or not.
    const leave = (waiter: Waiter) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (waiter.state === "waiting") {
          queue.splice(queue.indexOf(waiter), 1)
          waiting -= waiter.wanted
        } else if (waiter.state === "admitted") {
          flying--
          callRate.untake(waiter.calls, waiter.at)
          requestRate.untake(1, waiter.at)
        }
        waiter.state = "gone"
        admitNext(now)
      })

    // Whether too many calls or too many requests were sent. For a single call, the limit that was exceeded is the one
    // of which more was sent than ever passed in a second. A refused batch means too many calls, but where requests
    // were scarce too, the batch size is tried once more.
    const blame = (calls: number, { limited, passed }: Outcome, now: number) => {
      const ofRequests =
        passed === 0 &&
        (calls === 1
          ? requestRate.strain(1, now) >= callRate.strain(1, now)
          : !isSuspect && (requestRate.lately(now) + 1) / requestRate.rate() >= 0.5)
      isSuspect = ofRequests && calls > 1
      if (ofRequests) {
        requestRate.refused(1, now)
        callRate.absolve()
      } else {
        callRate.refused(limited, now)
        requestRate.absolve()
      }
    }

    const limited = (calls: number, outcome: Outcome, sentAt: number, now: number) => {
      const asked = Option.match(outcome.retryAfter, { onNone: () => 0, onSome: Duration.toMillis })
      const rest = Math.min(asked, longestRest)
      askedUntil = Math.max(askedUntil, now + rest)
      if (sentAt > limitedAt) {
        blame(calls, outcome, now)
        limitedAt = now
        if (outcome.passed === 0) refusals++
      }
      const growing = refusals < pause.after ? 0 : Math.min(pause.most, pause.first * 2 ** (refusals - pause.after))
      const until = now + Math.max(rest, growing)
      if (until > restsUntil && until > now) {
        restsUntil = until
        callRate.rest(until, now)
        requestRate.rest(until, now)
      }
    }

    const end = (waiter: Waiter, outcome: Outcome) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (waiter.state !== "admitted") return
        waiter.state = "gone"
        const crowded = flying
        flying--
        if (outcome.passed > 0) {
          refusals = 0
          if (waiter.calls > 1) isSuspect = false
          callRate.passed(outcome.passed, waiter.at, now)
          requestRate.passed(1, waiter.at, now)
        }
        if (outcome.limited > 0) limited(waiter.calls, outcome, waiter.at, now)
        else crowd.ended(outcome.load, now - waiter.at, crowded, now)
        admitNext(now)
      })

    const enter = (turn: Turn, wanted: number, whole: boolean) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const waiter: Waiter = {
            rank: turn.since + (turn.priority === "scheduled" ? Duration.toMillis(scheduledAfter) : 0),
            wanted,
            whole,
            deferred: Deferred.unsafeMake(FiberId.none),
            state: "waiting",
            at: now,
            calls: 0
          }
          // Who has to go before anything may leave need not wait for that.
          if (askedUntil > now && askedUntil >= turn.until) return Effect.succeedNone
          enqueue(waiter)
          admitNext(now)
          const admission = () =>
            Option.some<Admission>({ calls: waiter.calls, end: (outcome) => end(waiter, outcome) })
          if (isAdmitted(waiter)) return Effect.succeed(admission())
          const patience = turn.until - now
          if (patience <= 0) return Effect.as(leave(waiter), Option.none<Admission>())
          const wait = Deferred.await(waiter.deferred)
          return restore(
            Number.isFinite(patience) ? Effect.timeoutOption(wait, Duration.millis(patience)) : Effect.asSome(wait)
          ).pipe(
            Effect.onInterrupt(() => leave(waiter)),
            // It may have been let go in the moment in which its time was over.
            Effect.flatMap(() =>
              isAdmitted(waiter) ? Effect.succeed(admission()) : Effect.as(leave(waiter), Option.none<Admission>())
            )
          )
        })
      )

    return {
      admit: (turn, wanted) => enter(turn, wanted, false),
      admitWhole: (turn, calls) => enter(turn, calls, true),
      backlog: Effect.map(Clock.currentTimeMillis, (now) =>
        Math.max(
          0,
          restsUntil - now,
          callRate.wait(1, now),
          requestRate.wait(1, now),
          (waiting * 1_000) / callRate.rate(),
          (queue.length * 1_000) / requestRate.rate()
        )
      )
    }
  })

/** A pace that holds nobody back and learns nothing, for tests and for who paces requests by other means. */
export const unlimited: Pace = {
  admit: (_, calls) => Effect.succeedSome({ calls, end: () => Effect.void }),
  admitWhole: (_, calls) => Effect.succeedSome({ calls, end: () => Effect.void }),
  backlog: Effect.succeed(0)
}

// The queue changes the waiter while its fiber waits.
const isAdmitted = (waiter: Waiter): boolean => waiter.state === "admitted"

/** How many requests an endpoint serves at once before it slows down: more while it does not, fewer when it does. */
const makeCrowd = () => {
  let most: number = width.first
  let quickest = Number.POSITIVE_INFINITY
  let usual = 0
  let narrowedAt = Number.NEGATIVE_INFINITY
  const narrow = (flying: number, now: number) => {
    // Requests already in flight at that time report the same condition again.
    if (now - narrowedAt <= usual) return
    narrowedAt = now
    most = Math.max(width.least, Math.min(most, flying) * 0.6)
  }
  return {
    width: () => most,
    ended: (load: Outcome["load"], latency: number, flying: number, now: number) => {
      if (load === "lost") narrow(flying, now)
      if (load === "light") {
        quickest = latency < quickest ? latency : quickest + (latency - quickest) / 64
        usual = usual === 0 ? latency : usual + (latency - usual) / 8
        if (usual > 4 * quickest + 400) return narrow(flying, now)
      }
      if (load !== "lost" && flying >= most * 0.8) most = Math.min(width.most, most + 1)
    }
  }
}
