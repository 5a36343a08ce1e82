/** @internal */

import { Clock, Duration, Effect, Either, Exit, Fiber, Option, Random, type Scope } from "effect"
import type { BlockRef } from "../../domain/BlockRef.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import * as Expiring from "../../runtime/Expiring.js"
import * as Together from "../../runtime/Together.js"
import { traced } from "../../runtime/Traced.js"
import * as Capabilities from "./Capabilities.js"
import * as JsonRpc from "./JsonRpc.js"
import * as Pace from "./Pace.js"
import * as RpcValue from "./RpcValue.js"
import type { Transport } from "./Transport.js"

/**
 * Counts what is sent on behalf of one reader. `take` answers whether that many further calls may be sent; `turn` is
 * its place among all who read from the endpoint. `together` requires its calls to be in one request as far as the
 * endpoint allows, and is called with each request that was not refused for its rate.
 */
export interface Meter {
  readonly take: (calls: number) => boolean
  readonly sent: (requests: number, calls: number) => void
  readonly turn: Pace.Turn
  readonly together?: { readonly answered: () => void } | undefined
}

/**
 * One URL that serves one chain: it retries, splits what is too much for it, keeps to its pace, and knows what it was
 * shown to do.
 */
export interface Endpoint {
  /** Sends calls as the endpoint takes them and gives one answer a call, in their order. */
  readonly send: (
    calls: ReadonlyArray<JsonRpc.RpcCall>,
    meter: Meter
  ) => Effect.Effect<ReadonlyArray<Either.Either<JsonRpc.RpcAnswer, JsonRpc.Fault>>>
  /** The id of the chain that it says it serves. */
  readonly chainId: Effect.Effect<number, JsonRpc.Fault>
  /** What it can do; fails where it is down or serves another chain. */
  readonly probe: Effect.Effect<Capabilities.Probe, JsonRpc.Fault>
  /** As `probe`, but does not take a failure from before a moment (milliseconds) for an answer. */
  readonly probeSince: (since: number) => Effect.Effect<Capabilities.Probe, JsonRpc.Fault>
  /** As `probe`, but made after a moment: one at a block that was replaced shows less than there is. */
  readonly probeAfter: (moment: number) => Effect.Effect<Capabilities.Probe, JsonRpc.Fault>
  /** The newest block, at most `headTtl` old. */
  readonly head: Effect.Effect<BlockRef, JsonRpc.Fault>
  /** As `head`, but read after a moment (milliseconds). */
  readonly headSince: (moment: number) => Effect.Effect<BlockRef, JsonRpc.Fault>
  /** Puts it behind the others for a while. */
  readonly rest: (duration: Duration.Duration) => Effect.Effect<void>
  readonly isResting: Effect.Effect<boolean>
  /** Waits before a further attempt, as its own retries do: longer with each attempt, for some seconds at most. */
  readonly pause: (attempt: number) => Effect.Effect<void>
  /** How many milliseconds a further call would wait for its turn. */
  readonly backlog: Effect.Effect<number>
  /** Blocks that one scan of events may read, where that is known beforehand. */
  readonly logBlocks: Option.Option<number>
}

/**
 * Limits of an endpoint that an operator knows: calls and requests a second, calls in a batch (1 for none), and blocks in
 * one `eth_getLogs`. Each at least 1; what is absent is found out.
 */
export interface Limits extends Pace.StatedRates {
  readonly batch?: number | undefined
  readonly logBlocks?: number | undefined
}

/**
 * - `retries`: how often a fault that may pass is tried again at the same endpoint (2; a timeout at most once).
 * - `retryDelay`: the wait before the first retry, doubled for each further one and jittered by half (150 ms);
 *   zero retries at once.
 * - `maxRetryAfter`: the longest wait that an endpoint which is down may demand; with a longer one it is given up for
 *   now (5 s).
 * - `headTtl`: how long the newest block is taken to be the newest (1 s).
 * - `probeTtl`, `probeFailureTtl`: how long a probe's outcome is kept (10 min, 30 s).
 * - `patience`: for how long probes and heads that are refused for their rate are sent again (3 min).
 * - `maxBatch`: calls in one request at most (100).
 * - `limits`: what is known of this endpoint beforehand.
 * - `secrets`: texts that must never appear in what is repeated of its answers, besides parts of its URL.
 * - `pace`: another pace than the one that adapts to the endpoint.
 * - `place`: the name of its chain and its place among the endpoints of it, from 1: what it is called without its URL.
 * - `onRequest`: called with every request once it has its answers, or was interrupted.
 */
export interface EndpointOptions {
  readonly retries?: number | undefined
  readonly retryDelay?: Duration.DurationInput | undefined
  readonly maxRetryAfter?: Duration.DurationInput | undefined
  readonly headTtl?: Duration.DurationInput | undefined
  readonly probeTtl?: Duration.DurationInput | undefined
  readonly probeFailureTtl?: Duration.DurationInput | undefined
  readonly patience?: Duration.DurationInput | undefined
  readonly maxBatch?: number | undefined
  readonly limits?: Limits | undefined
  readonly secrets?: ReadonlyArray<string> | undefined
  readonly pace?: Pace.Pace | undefined
  readonly place?: Place | undefined
  readonly onRequest?: ((sent: Sent) => void) | undefined
}

/** What an endpoint is called without its URL. */
export interface Place {
  readonly chain: string
  readonly endpoint: number
}

/**
 * One request to an endpoint: the method of each call, why each one has no answer (null where it has one, none of them where
 * the request was interrupted), how long it waited for its turn, and how long its answer took, in milliseconds.
 */
export interface Sent extends Place {
  readonly methods: ReadonlyArray<string>
  readonly faults: ReadonlyArray<UnknownReason | null>
  readonly waitedMillis: number
  readonly tookMillis: number
}

export const make = (
  transport: Transport["Type"],
  url: string,
  chainId: number,
  options: EndpointOptions = {}
): Effect.Effect<Endpoint, never, Scope.Scope> =>
  Effect.gen(function* () {
    const retries = options.retries ?? 2
    const retryDelay = Duration.toMillis(options.retryDelay ?? "150 millis")
    const maxRetryAfter = Duration.toMillis(options.maxRetryAfter ?? "5 seconds")
    const headTtl = Duration.toMillis(options.headTtl ?? "1 second")
    const probeTtl = Duration.toMillis(options.probeTtl ?? "10 minutes")
    const probeFailureTtl = Duration.toMillis(options.probeFailureTtl ?? "30 seconds")
    const patienceMillis = Duration.toMillis(options.patience ?? patience)
    const { batch, logBlocks, ...rates } = options.limits ?? {}
    const maxBatch = Math.min(batch ?? Number.POSITIVE_INFINITY, options.maxBatch ?? 100)
    const clean = JsonRpc.redact(url, options.secrets)
    // A batch of two is tried only where it may be sent at all.
    const mayBatch = Math.min(maxBatch, rates.callsPerSecond ?? maxBatch) >= 2
    const pace = options.pace ?? (yield* Pace.make(rates))
    let batchLimit = maxBatch
    let restingUntil = 0
    const clock = yield* Effect.clock
    const place = options.place ?? { chain: String(chainId), endpoint: 1 }

    // Sends calls in one request as soon as their turn is there; fewer than wanted where the pace divides them.
    const begin = (
      wanted: ReadonlyArray<JsonRpc.RpcCall>,
      meter: Meter,
      admit: Pace.Pace["admit"],
      use: (calls: ReadonlyArray<JsonRpc.RpcCall>, answers: Answers) => Effect.Effect<Answers>
    ) =>
      Effect.uninterruptibleMask((restore) => {
        const queued = clock.unsafeCurrentTimeMillis()
        return Effect.flatMap(
          restore(admit(meter.turn, wanted.length)),
          Effect.transposeMapOption(({ calls: count, end }) => {
            const calls = wanted.slice(0, count)
            const methods = calls.map(({ method }) => method)
            const began = clock.unsafeCurrentTimeMillis()
            meter.sent(1, calls.length)
            const exchange = JsonRpc.exchange(transport, url, calls, clean).pipe(
              traced("Endpoint.request", () => ({
                kind: "client",
                attributes: {
                  ...place,
                  calls: count,
                  methods: [...new Set(methods)].join(" "),
                  waited_ms: began - queued
                }
              }))
            )
            // An interruption frees its place as well.
            const answered = Effect.onExit(restore(exchange), (exit) => {
              const answers = Exit.isSuccess(exit) ? exit.value : []
              options.onRequest?.({
                ...place,
                methods,
                faults: answers.map((answer) => (Either.isLeft(answer) ? answer.left.reason : null)),
                waitedMillis: began - queued,
                tookMillis: clock.unsafeCurrentTimeMillis() - began
              })
              if (Exit.isSuccess(exit) && !exit.value.every(isLimited)) meter.together?.answered()
              return end(Exit.isSuccess(exit) ? outcomeOf(calls, exit.value) : aborted)
            })
            return Effect.map(
              Effect.fork(Effect.flatMap(answered, (answers) => restore(use(calls, answers)))),
              (fiber) => ({ count, fiber })
            )
          })
        )
      })

    // As many requests as the pace and `size` divide them into.
    const paced = (
      calls: ReadonlyArray<JsonRpc.RpcCall>,
      meter: Meter,
      size: number,
      refusals = 0
    ): Effect.Effect<Answers> =>
      Effect.gen(function* () {
        const parts: Array<Fiber.RuntimeFiber<Answers>> = []
        let sent = 0
        while (sent < calls.length) {
          const wanted = calls.slice(sent, sent + Math.min(size, batchLimit))
          const admit = meter.together === undefined || !mayBatch ? pace.admit : pace.admitWhole
          const begun = yield* begin(wanted, meter, admit, (part, answers) => sendAgain(part, answers, meter, refusals))
          if (Option.isNone(begun)) break
          sent += begun.value.count
          parts.push(begun.value.fiber)
        }
        const got = yield* Effect.forEach(parts, Fiber.join)
        return [...got.flat(), ...calls.slice(sent).map(() => Either.left(outOfTime))]
      })

    // Calls that were refused for their rate are sent again as long as the reader has time, and requests that were too
    // large in smaller ones.
    const sendAgain = (calls: ReadonlyArray<JsonRpc.RpcCall>, answers: Answers, meter: Meter, refusals: number) =>
      Effect.gen(function* () {
        const limited = answers.flatMap((answer, place) => (isLimited(answer) ? [place] : []))
        if (limited.length > 0) {
          const now = yield* Clock.currentTimeMillis
          if (now + longestWait(answers) >= meter.turn.until) return answers
          // Some endpoints say so of a batch that is too large for ever.
          const isWhole = refusals < (meter.together === undefined ? 1 : 4)
          const size = isWhole ? limited.length : Math.ceil(limited.length / 2)
          const again = yield* paced(
            limited.flatMap((place) => calls[place] ?? []),
            meter,
            size,
            refusals + 1
          )
          return merged(answers, limited, again)
        }
        // An endpoint that refuses a batch, or a part of it, may accept a smaller one, and the accepted size is
        // remembered. A refused batch did no work, so only responses that were too large count against the reader's
        // budget.
        const isOf = (kind: JsonRpc.Fault["kind"]) => (answer: Answers[number]) =>
          Either.isLeft(answer) && answer.left.kind === kind
        const oversized = answers.filter(isOf("oversized")).length
        const places = answers.flatMap((answer, place) =>
          isOf("refused")(answer) || isOf("oversized")(answer) ? [place] : []
        )
        if (calls.length === 1 || places.length === 0 || !meter.take(oversized)) return answers
        const half = Math.ceil(calls.length / 2)
        // The refusal of a single call says nothing about the size.
        if (places.length > 1) batchLimit = Math.min(batchLimit, half)
        const again = yield* paced(
          places.flatMap((place) => calls[place] ?? []),
          meter,
          half
        )
        return merged(answers, places, again)
      })

    // A batch that is refused for its rate so often, while single calls pass, is not found out now.
    const undivided = (calls: ReadonlyArray<JsonRpc.RpcCall>, meter: Meter, refusals = 0): Effect.Effect<Answers> =>
      Effect.gen(function* () {
        const begun = yield* begin(calls, meter, pace.admitWhole, (_, got) => Effect.succeed(got))
        if (Option.isNone(begun)) return calls.map(() => Either.left(outOfTime))
        const answers = yield* Fiber.join(begun.value.fiber)
        const now = yield* Clock.currentTimeMillis
        const isOver = refusals >= 8 || now + longestWait(answers) >= meter.turn.until
        return answers.some(isLimited) && !isOver ? yield* undivided(calls, meter, refusals + 1) : answers
      })

    const sendWhile = (
      calls: ReadonlyArray<JsonRpc.RpcCall>,
      meter: Meter,
      mayPass: (fault: JsonRpc.Fault, attempt: number) => boolean
    ) => {
      const again = (answers: Answers, attempt: number): Effect.Effect<Answers> => {
        const failed = answers.flatMap((answer, index) =>
          Either.isLeft(answer) && mayPass(answer.left, attempt) ? [{ index, fault: answer.left }] : []
        )
        if (failed.length === 0) return Effect.succeed(answers)
        const asked = longestWait(failed.map(({ fault }) => Either.left(fault)))
        if (asked > maxRetryAfter || !meter.take(failed.length)) return Effect.succeed(answers)
        return Effect.gen(function* () {
          const jitter = yield* Random.nextRange(0.5, 1.5)
          const wait = Math.max(asked, retryDelay * 2 ** attempt * jitter)
          if (wait > 0) yield* Effect.sleep(Duration.millis(wait))
          // One slow call may have taken the others of its batch with it: the likeliest go alone, the rest in parts.
          const isSlow = failed.some(({ fault }) => fault.kind === "timeout")
          const places = failed.map(({ index }) => index)
          const isLone = (place: number) => isSlow && isConstructor(calls[place])
          const groups = [
            { group: places.filter(isLone), parts: places.length },
            { group: places.filter((place) => !isLone(place)), parts: isSlow ? 8 : 1 }
          ].filter(({ group }) => group.length > 0)
          const retried = yield* Together.forEach(groups, ({ group, parts }) =>
            Effect.map(
              paced(
                group.flatMap((place) => calls[place] ?? []),
                meter,
                Math.ceil(group.length / parts)
              ),
              (got) => ({ group, got })
            )
          )
          const all = retried.reduce((known, { got, group }) => merged(known, group, got), answers)
          return yield* again(all, attempt + 1)
        })
      }
      return Effect.flatMap(paced(calls, meter, maxBatch), (answers) => again(answers, 0))
    }

    const send: Endpoint["send"] = (calls, meter) =>
      sendWhile(
        calls,
        meter,
        (fault, attempt) =>
          fault.retryable &&
          // A request refused for its rate has already been retried until no time was left; one that is too large is
          // split.
          fault.reason !== "rate_limited" &&
          fault.reason !== "log_range_limited" &&
          attempt < (fault.kind === "timeout" ? Math.min(1, retries) : retries)
      )

    const patiently = Effect.map(
      Clock.currentTimeMillis,
      (now): Meter => ({ ...unmetered, turn: { ...unmetered.turn, until: now + patienceMillis } })
    )

    const one = (call: JsonRpc.RpcCall) =>
      Effect.flatMap(patiently, (meter) =>
        Effect.map(
          // A probe that is answered "no" is answered; one that times out is not worth two timeouts.
          sendWhile(
            [call],
            meter,
            (fault, attempt) =>
              Capabilities.isSilent(fault) &&
              fault.reason !== "rate_limited" &&
              fault.kind !== "timeout" &&
              attempt < retries
          ),
          ([answer]) => answer ?? Either.left(JsonRpc.garbage("no answer"))
        )
      )

    const pause: Endpoint["pause"] = (attempt) =>
      Effect.flatMap(Random.nextRange(0.5, 1.5), (jitter) => {
        const wait = retryDelay * Math.min(2 ** attempt, longestPause) * jitter
        return wait > 0 ? Effect.sleep(Duration.millis(wait)) : Effect.void
      })

    // Nothing can be read without these, so a malformed answer is retried as a missing one is.
    const needed = <A>(
      call: JsonRpc.RpcCall,
      decode: (answer: Either.Either<JsonRpc.RpcAnswer, JsonRpc.Fault>) => Either.Either<A, JsonRpc.Fault>,
      attempt = 0
    ): Effect.Effect<Either.Either<A, JsonRpc.Fault>> =>
      Effect.gen(function* () {
        const decoded = decode(yield* one(call))
        if (Either.isRight(decoded) || attempt >= retries || Capabilities.isSilent(decoded.left)) return decoded
        yield* pause(attempt)
        return yield* needed(call, decode, attempt + 1)
      })

    const head = yield* Expiring.make(Effect.flatten(needed(Capabilities.latestBlock, Capabilities.headOf)), (exit) =>
      Exit.isSuccess(exit) ? headTtl : 0
    )
    const probe = yield* Expiring.make(
      Effect.tap(
        Capabilities.probe({
          chainId,
          one,
          needed,
          batch: (calls) =>
            mayBatch
              ? Effect.flatMap(patiently, (meter) => undivided(calls, meter))
              : Effect.succeed(calls.map(() => Either.left(noBatch)))
        }),
        (found) =>
          Effect.suspend(() => {
            const batches = Either.getOrElse(found.capabilities.batch, () => false)
            // A refused size is tried again with each probe: limits change.
            batchLimit = batches ? maxBatch : 1
            return head.put(found.head)
          })
      ),
      (exit) =>
        Exit.isSuccess(exit) && Object.values(exit.value.capabilities).every(Either.isRight)
          ? probeTtl
          : probeFailureTtl
    )

    return {
      send,
      chainId: Effect.flatten(needed(Capabilities.chainIdCall, Capabilities.chainIdOf)),
      probe: probe.get,
      probeSince: probe.insist,
      probeAfter: probe.since,
      head: head.get,
      headSince: head.since,
      rest: (duration) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          restingUntil = Math.max(restingUntil, now + Duration.toMillis(duration))
        }),
      isResting: Effect.map(Clock.currentTimeMillis, (now) => now < restingUntil),
      pause,
      backlog: pace.backlog,
      logBlocks: Option.fromNullable(logBlocks)
    }
  })

/** For how long a call that is refused for its rate is sent again where nobody says otherwise. */
export const patience: Duration.Duration = Duration.minutes(3)

/** Counts nothing and goes before everybody: probes and heads belong to all analyses, so none pays for them. */
export const unmetered: Meter = {
  take: () => true,
  sent: () => {},
  turn: { priority: "interactive", since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }
}

// A multiple of the first pause: with the default, a new block has about a second to reach all nodes of an endpoint.
const longestPause = 8

type Answers = ReadonlyArray<Either.Either<JsonRpc.RpcAnswer, JsonRpc.Fault>>

const isLimited = (answer: Answers[number]): boolean => Either.isLeft(answer) && answer.left.reason === "rate_limited"

const longestWait = (answers: Answers): number =>
  Math.max(
    0,
    ...answers.map((answer) =>
      Option.match(
        Option.flatMap(Either.getLeft(answer), ({ retryAfter }) => retryAfter),
        {
          onNone: () => 0,
          onSome: Duration.toMillis
        }
      )
    )
  )

const merged = (answers: Answers, places: ReadonlyArray<number>, others: Answers): Answers => {
  const all = [...answers]
  places.forEach((place, index) => {
    const other = others[index]
    if (other !== undefined) all[place] = other
  })
  return all
}

const noBatch = JsonRpc.fault({
  reason: "method_unsupported",
  detail: "the endpoint takes one call a request, as stated"
})

const outOfTime = JsonRpc.fault({
  reason: "rate_limited",
  retryable: true,
  detail: "the endpoint limits the rate, and there was no time left to wait for it"
})

/** Whether a call runs its data as init code, as many reads in one are made. */
const isConstructor = (call: JsonRpc.RpcCall | undefined): boolean =>
  call?.method === "eth_call" && Option.exists(RpcValue.parseRecord(call.params[0]), ({ to }) => to === undefined)

// The latency of these calls depends on their parameters, so it does not show how busy an endpoint is.
const heavy: ReadonlySet<string> = new Set(["eth_call", "eth_simulateV1", "eth_getLogs"])

const outcomeOf = (calls: ReadonlyArray<JsonRpc.RpcCall>, answers: Answers): Pace.Outcome => {
  const limited = answers.filter(isLimited)
  const faults = answers.flatMap((answer) => Option.toArray(Either.getLeft(answer)))
  const isWhole = faults.length === answers.length && faults.every(({ spread }) => spread === "endpoint")
  return {
    // No call of a request passed if the request failed as a whole, for any reason.
    passed: isWhole ? 0 : answers.length - limited.length,
    limited: limited.length,
    retryAfter: Option.liftPredicate(Duration.millis(longestWait(limited)), Duration.greaterThan(0)),
    load: calls.some(({ method }) => heavy.has(method))
      ? "heavy"
      : faults.some(({ kind }) => kind === "timeout")
        ? "lost"
        : "light"
  }
}

const aborted: Pace.Outcome = { passed: 0, limited: 0, retryAfter: Option.none(), load: "heavy" }
