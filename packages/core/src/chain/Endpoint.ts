/** @internal */

import { Clock, Duration, Effect, Either, Exit, Option, Random, type Scope } from "effect"
import type { BlockRef } from "../domain/BlockRef.js"
import * as Capabilities from "./Capabilities.js"
import * as Expiring from "./Expiring.js"
import * as JsonRpc from "./JsonRpc.js"
import * as Together from "./Together.js"
import type { Transport } from "./Transport.js"

/**
 * Counts what is sent on behalf of one reader. `take` answers whether that many further calls may be sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface Meter {
  readonly take: (calls: number) => boolean
  readonly sent: (requests: number, calls: number) => void
}

/**
 * One URL that serves one chain: it retries, splits what is too much for it, and knows what it was shown to do.
 *
 * @since 0.1.0
 * @category models
 */
export interface Endpoint {
  /** Sends calls as the endpoint takes them and gives one answer a call, in their order. */
  readonly send: (
    calls: ReadonlyArray<JsonRpc.RpcCall>,
    meter: Meter
  ) => Effect.Effect<ReadonlyArray<Either.Either<JsonRpc.RpcAnswer, JsonRpc.Fault>>>
  /** What it can do; fails where it is down or serves another chain. */
  readonly probe: Effect.Effect<Capabilities.Probe, JsonRpc.Fault>
  /** As `probe`, but does not take a failure from before a moment (milliseconds) for an answer. */
  readonly probeSince: (since: number) => Effect.Effect<Capabilities.Probe, JsonRpc.Fault>
  /** The newest block, at most `headTtl` old. */
  readonly head: Effect.Effect<BlockRef, JsonRpc.Fault>
  /** Puts it behind the others for a while. */
  readonly rest: (duration: Duration.Duration) => Effect.Effect<void>
  readonly isResting: Effect.Effect<boolean>
}

/**
 * - `retries`: how often a fault that may pass is tried again at the same endpoint (2; a timeout at most once).
 * - `retryDelay`: the wait before the first retry, doubled for each further one and jittered by half (150 ms);
 *   zero retries at once.
 * - `maxRetryAfter`: the longest wait that an endpoint may ask for; it is given up for now where it asks for more (5 s).
 * - `headTtl`: how long the newest block is taken to be the newest (1 s).
 * - `probeTtl`, `probeFailureTtl`: how long a probe's outcome is kept (10 min, 30 s).
 * - `maxBatch`: calls in one request at most (100).
 *
 * @since 0.1.0
 * @category models
 */
export interface EndpointOptions {
  readonly retries?: number | undefined
  readonly retryDelay?: Duration.DurationInput | undefined
  readonly maxRetryAfter?: Duration.DurationInput | undefined
  readonly headTtl?: Duration.DurationInput | undefined
  readonly probeTtl?: Duration.DurationInput | undefined
  readonly probeFailureTtl?: Duration.DurationInput | undefined
  readonly maxBatch?: number | undefined
}

/**
 * @since 0.1.0
 * @category constructors
 */
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
    const maxBatch = options.maxBatch ?? 100
    let batchLimit = maxBatch
    let restingUntil = 0

    const request = (calls: ReadonlyArray<JsonRpc.RpcCall>, meter: Meter) =>
      Effect.suspend(() => {
        meter.sent(1, calls.length)
        return JsonRpc.exchange(transport, url, calls)
      })

    // What refuses a batch, or a part of it, may take a smaller one; what it takes is remembered.
    const chunk = (
      calls: ReadonlyArray<JsonRpc.RpcCall>,
      meter: Meter
    ): Effect.Effect<ReadonlyArray<Either.Either<JsonRpc.RpcAnswer, JsonRpc.Fault>>> =>
      Effect.flatMap(request(calls, meter), (answers) => {
        const places = calls.length === 1 ? [] : answers.flatMap((answer, place) => (isTooMuch(answer) ? [place] : []))
        if (places.length === 0 || !meter.take(places.length)) return Effect.succeed(answers)
        const half = Math.ceil(calls.length / 2)
        // A single answer that is missing says nothing of the size.
        if (places.length > 1) batchLimit = Math.min(batchLimit, half)
        return Effect.map(
          Together.forEach(chunksOf(places, half), (part) =>
            chunk(
              part.flatMap((place) => calls[place] ?? []),
              meter
            )
          ),
          (parts) => {
            const merged = [...answers]
            for (const [index, answer] of parts.flat().entries()) merged[places[index] ?? 0] = answer
            return merged
          }
        )
      })

    const once = (calls: ReadonlyArray<JsonRpc.RpcCall>, meter: Meter, limit: number) =>
      Effect.suspend(() => {
        if (calls.length > 0 && calls.length <= limit) return chunk(calls, meter)
        return Effect.map(
          // Where every call is a request of its own, a flush must not open a hundred sockets at once.
          Effect.forEach(chunksOf(calls, limit), (part) => chunk(part, meter), { concurrency: 24 }),
          (parts) => parts.flat()
        )
      })

    const sendWhile = (
      calls: ReadonlyArray<JsonRpc.RpcCall>,
      meter: Meter,
      mayPass: (fault: JsonRpc.Fault, attempt: number) => boolean
    ) => {
      const again = (
        answers: ReadonlyArray<Either.Either<JsonRpc.RpcAnswer, JsonRpc.Fault>>,
        attempt: number
      ): Effect.Effect<ReadonlyArray<Either.Either<JsonRpc.RpcAnswer, JsonRpc.Fault>>> => {
        const failed = answers.flatMap((answer, index) =>
          Either.isLeft(answer) && mayPass(answer.left, attempt) ? [{ index, fault: answer.left }] : []
        )
        if (failed.length === 0) return Effect.succeed(answers)
        const asked = Math.max(
          ...failed.map(({ fault }) =>
            Option.match(fault.retryAfter, { onNone: () => 0, onSome: (after) => Duration.toMillis(after) })
          )
        )
        if (asked > maxRetryAfter || !meter.take(failed.length)) return Effect.succeed(answers)
        return Effect.gen(function* () {
          const jitter = yield* Random.nextRange(0.5, 1.5)
          const wait = Math.max(asked, retryDelay * 2 ** attempt * jitter)
          if (wait > 0) yield* Effect.sleep(Duration.millis(wait))
          // One slow call may have taken the others of its batch with it.
          const parts = failed.some(({ fault }) => fault.kind === "timeout") ? 8 : 1
          const retried = yield* once(
            failed.flatMap(({ index }) => calls[index] ?? []),
            meter,
            Math.min(batchLimit, Math.ceil(failed.length / parts))
          )
          const merged = [...answers]
          failed.forEach(({ index }, place) => {
            const answer = retried[place]
            if (answer !== undefined) merged[index] = answer
          })
          return yield* again(merged, attempt + 1)
        })
      }
      return Effect.flatMap(once(calls, meter, batchLimit), (answers) => again(answers, 0))
    }

    const send: Endpoint["send"] = (calls, meter) =>
      sendWhile(
        calls,
        meter,
        (fault, attempt) =>
          fault.retryable &&
          fault.reason !== "log_range_limited" &&
          attempt < (fault.kind === "timeout" ? Math.min(1, retries) : retries)
      )

    const one = (call: JsonRpc.RpcCall) =>
      Effect.map(
        // A probe that is answered "no" is answered; one that times out is not worth two timeouts.
        sendWhile(
          [call],
          unmetered,
          (fault, attempt) => Capabilities.isSilent(fault) && fault.kind !== "timeout" && attempt < retries
        ),
        ([answer]) => answer ?? Either.left(JsonRpc.garbage("no answer"))
      )

    // Without these nothing can be read, so that an odd answer is asked again as a silence is.
    const needed = <A>(
      call: JsonRpc.RpcCall,
      decode: (answer: Either.Either<JsonRpc.RpcAnswer, JsonRpc.Fault>) => Either.Either<A, JsonRpc.Fault>,
      attempt = 0
    ): Effect.Effect<Either.Either<A, JsonRpc.Fault>> =>
      Effect.gen(function* () {
        const decoded = decode(yield* one(call))
        if (Either.isRight(decoded) || attempt >= retries || Capabilities.isSilent(decoded.left)) return decoded
        const wait = retryDelay * 2 ** attempt * (yield* Random.nextRange(0.5, 1.5))
        if (wait > 0) yield* Effect.sleep(Duration.millis(wait))
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
          batch: (calls) => JsonRpc.exchange(transport, url, calls)
        }),
        (found) =>
          Effect.suspend(() => {
            const batches = Either.getOrElse(found.capabilities.batch, () => false)
            if (!batches) batchLimit = 1
            else if (batchLimit === 1) batchLimit = maxBatch
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
      probe: probe.get,
      probeSince: probe.insist,
      head: head.get,
      rest: (duration) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          restingUntil = Math.max(restingUntil, now + Duration.toMillis(duration))
        }),
      isResting: Effect.map(Clock.currentTimeMillis, (now) => now < restingUntil)
    }
  })

/**
 * Counts nothing: probes and heads belong to all analyses, so none pays for them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const unmetered: Meter = { take: () => true, sent: () => {} }

const isTooMuch = (answer: Either.Either<JsonRpc.RpcAnswer, JsonRpc.Fault>): boolean =>
  Either.isLeft(answer) && (answer.left.kind === "refused" || answer.left.kind === "oversized")

const chunksOf = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> => {
  const chunks: Array<ReadonlyArray<A>> = []
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size))
  return chunks
}
