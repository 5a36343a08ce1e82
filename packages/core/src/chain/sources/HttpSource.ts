import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Clock, Duration, Effect, Either, Exit, Option, Redacted, Scope } from "effect"
import type { BlockRef } from "../../domain/BlockRef.js"
import * as CanonicalJson from "../../domain/CanonicalJson.js"
import type { Observation } from "../../domain/Evidence.js"
import type { Hex } from "../../domain/Hex.js"
import type { Recipe } from "../../domain/Recipe.js"
import * as Expiring from "../../runtime/Expiring.js"
import { ChainError } from "../ChainError.js"
import * as Outbound from "../rpc/Outbound.js"

/**
 * A web service that answers GET with JSON. Its timeout, retries, rate limit and cache are here.
 *
 * @since 0.1.0
 * @category models
 */
export interface HttpSource {
  /**
   * Decodes the response of a GET by `decode`. Fails with `rate_limited` or `source_unavailable` if there was no usable
   * response. The same URL must always be decoded in the same way.
   */
  readonly get: <A>(request: HttpRequest, decode: Decode<A>) => Effect.Effect<HttpAnswer<A>, ChainError>
}

/**
 * `url` is what readers may see and request too; `secrets` are added to its query when it is sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface HttpRequest {
  readonly url: string
  readonly secrets?: { readonly [parameter: string]: Redacted.Redacted<string> } | undefined
}

/**
 * Decodes a JSON body with status 200 or 404, or returns what is wrong with it.
 *
 * @since 0.1.0
 * @category models
 */
export type Decode<A> = (body: unknown, status: 200 | 404) => Either.Either<A, HttpFault>

/**
 * Why there is no usable response, for readers; never in the words of the service.
 *
 * @since 0.1.0
 * @category models
 */
export interface HttpFault {
  readonly reason: "rate_limited" | "source_unavailable"
  readonly detail: string
}

/**
 * What the service answered, how it was observed, and how to repeat the request.
 *
 * @since 0.1.0
 * @category models
 */
export interface HttpAnswer<out A> {
  readonly value: A
  /** Sources outside the chain have no block; the block is that of the requesting analysis. */
  readonly observation: (block: BlockRef) => Observation
  readonly recipe: Recipe
}

/**
 * The limits for a service.
 *
 * - `timeout`: for a request with its body (4 s).
 * - `maxBodyBytes`: the maximum size of a response (1 MiB).
 * - `retries`, `retryDelay`: how often and after how long a temporary failure is retried (1, 250 ms).
 * - `concurrency`, `perSecond`: how many requests run at once (4) and start per second (4). A request that would wait
 *   longer than `timeout` for its turn is not sent.
 * - `keep`: how long a response is cached (1 min).
 * - `rest`: how long a service that failed gets no request (10 s), or longer if it demands that.
 *
 * @since 0.1.0
 * @category models
 */
export interface HttpSourceOptions {
  readonly timeout?: Duration.DurationInput | undefined
  readonly maxBodyBytes?: number | undefined
  readonly retries?: number | undefined
  readonly retryDelay?: Duration.DurationInput | undefined
  readonly concurrency?: number | undefined
  readonly perSecond?: number | undefined
  readonly keep?: Duration.DurationInput | undefined
  readonly rest?: Duration.DurationInput | undefined
}

interface Failure extends HttpFault {
  readonly passing: boolean
  readonly restMillis: number
}

/**
 * A source that lives as long as its scope; `name` is the name of the service for readers.
 *
 * @example
 * ```ts
 * import { HttpSource } from "@assay/core"
 * import { FetchHttpClient } from "@effect/platform"
 * import { Effect, Either } from "effect"
 *
 * export const isListed = (address: string) =>
 *   Effect.gen(function* () {
 *     const source = yield* HttpSource.make("Acme registry", { perSecond: 2 })
 *     const { value } = yield* source.get({ url: `https://registry.example/${address}` }, (_, status) =>
 *       Either.right(status === 200)
 *     )
 *     return value
 *   }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer))
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  name: string,
  options: HttpSourceOptions = {}
): Effect.Effect<HttpSource, never, HttpClient.HttpClient | Scope.Scope> =>
  Effect.gen(function* () {
    const client = Outbound.client(yield* HttpClient.HttpClient, options.maxBodyBytes ?? 1024 * 1024)
    const scope = yield* Effect.scope
    const slots = yield* Effect.makeSemaphore(options.concurrency ?? 4)
    const timeout = Duration.toMillis(options.timeout ?? "4 seconds")
    const pace = 1000 / (options.perSecond ?? 4)
    const retries = options.retries ?? 1
    const retryDelay = Duration.toMillis(options.retryDelay ?? "250 millis")
    const keep = Duration.toMillis(options.keep ?? "1 minute")
    const rest = Duration.toMillis(options.rest ?? "10 seconds")

    const kept = new Map<string, Effect.Effect<HttpAnswer<unknown>, ChainError>>()
    let nextTurn = 0
    let resting: { readonly until: number; readonly because: Failure } | undefined

    const unavailable = (detail: string, passing: boolean): Failure => ({
      reason: "source_unavailable",
      detail,
      passing,
      restMillis: passing ? rest : 0
    })

    const turn = Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<void, Failure> => {
      const wait = Math.max(0, nextTurn - now)
      if (wait > timeout)
        return Effect.fail({
          reason: "rate_limited",
          detail: "too much was asked of it at once",
          passing: false,
          restMillis: 0
        })
      nextTurn = now + wait + pace
      return pause(wait)
    })

    const exchange = (request: HttpRequest) =>
      client.execute(withSecrets(request)).pipe(
        Effect.flatMap((response) => Effect.map(response.text, (text) => ({ response, text }))),
        Effect.mapError(() => unavailable("it could not be reached, or answered too much", true)),
        Effect.timeoutFail({ duration: timeout, onTimeout: () => unavailable("it did not answer in time", true) })
      )

    const read = <A>(request: HttpRequest, decode: Decode<A>): Effect.Effect<HttpAnswer<A>, Failure> =>
      Effect.flatMap(exchange(request), ({ response, text }): Effect.Effect<HttpAnswer<A>, Failure> => {
        const { status } = response
        if (status === 429)
          return Effect.fail({
            reason: "rate_limited",
            detail: "it answered 429",
            passing: false,
            restMillis: Math.max(rest, retryAfterMillis(response))
          })
        if (status !== 200 && status !== 404) return Effect.fail(unavailable(`it answered ${status}`, status >= 500))
        return Option.match(parse(text), {
          onNone: () => Effect.fail(unavailable(`its answer (${status}) is no JSON`, false)),
          onSome: ({ body, hash }) =>
            Either.match(decode(body, status), {
              onLeft: (fault) =>
                Effect.fail({ ...fault, passing: false, restMillis: fault.reason === "rate_limited" ? rest : 0 }),
              onRight: (value) => Effect.succeed(answer(request.url, value, hash))
            })
        })
      })

    // Every request to a service that is down costs an analysis the whole timeout, so the service rests for a while.
    const leaveAlone = (because: Failure) =>
      because.restMillis === 0
        ? Effect.void
        : Effect.map(Clock.currentTimeMillis, (now) => {
            resting = { until: now + because.restMillis, because }
          })

    const attempt = <A>(request: HttpRequest, decode: Decode<A>): Effect.Effect<HttpAnswer<A>, Failure> =>
      Effect.zipRight(
        turn,
        slots.withPermits(1)(
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            // Checked last, so that callers that waited beside a failed request do not wait for the same failure again.
            resting !== undefined && now < resting.until
              ? Effect.fail({ ...resting.because, passing: false, restMillis: 0 })
              : read(request, decode)
          )
        )
      )

    const insist = <A>(request: HttpRequest, decode: Decode<A>, left: number): Effect.Effect<HttpAnswer<A>, Failure> =>
      Effect.catchAll(attempt(request, decode), (failure) =>
        failure.passing && left > 0
          ? Effect.zipRight(pause(retryDelay), insist(request, decode, left - 1))
          : Effect.zipRight(leaveAlone(failure), Effect.fail(failure))
      )

    const find = <A>(request: HttpRequest, decode: Decode<A>): Effect.Effect<HttpAnswer<A>, ChainError> =>
      insist(request, decode, retries).pipe(
        Effect.mapError(
          ({ detail, passing, reason }) =>
            new ChainError({ reason, method: `GET ${name}`, retryable: passing || reason === "rate_limited", detail })
        )
      )

    const shared = <A>(request: HttpRequest, decode: Decode<A>) =>
      Effect.suspend(() => {
        const known = kept.get(request.url)
        if (known !== undefined) return known
        return Effect.flatMap(
          Effect.provideService(
            Expiring.make(find(request, decode), (exit) => (Exit.isSuccess(exit) ? keep : 0)),
            Scope.Scope,
            scope
          ),
          (made) => {
            const first = kept.get(request.url) ?? made.get
            kept.set(request.url, first)
            for (const oldest of kept.keys()) {
              if (kept.size <= mostKept) break
              kept.delete(oldest)
            }
            return first
          }
        )
      })

    return {
      // Each URL has one decoder, so the cached value is an A.
      get: <A>(request: HttpRequest, decode: Decode<A>) =>
        shared(request, decode) as Effect.Effect<HttpAnswer<A>, ChainError>
    }
  })

const mostKept = 256

const pause = (millis: number): Effect.Effect<void> => (millis === 0 ? Effect.void : Effect.sleep(millis))

const withSecrets = ({ secrets, url }: HttpRequest): HttpClientRequest.HttpClientRequest =>
  Object.entries(secrets ?? {}).reduce(
    (request, [parameter, secret]) => HttpClientRequest.setUrlParam(request, parameter, Redacted.value(secret)),
    HttpClientRequest.acceptJson(HttpClientRequest.get(url))
  )

const answer = <A>(url: string, value: A, answerHash: Hex): HttpAnswer<A> => {
  const recipe: Recipe = { method: "GET", params_hash: CanonicalJson.hash([url]), params: [url] }
  return {
    value,
    observation: (block) => ({
      method: recipe.method,
      params_hash: recipe.params_hash,
      block_hash: block.hash,
      answer_hash: answerHash
    }),
    recipe
  }
}

// Also what is nested so deep that nothing can walk through it is no JSON to us.
const parse = (text: string): Option.Option<{ readonly body: unknown; readonly hash: Hex }> => {
  try {
    const body: unknown = JSON.parse(text)
    return Option.some({ body, hash: CanonicalJson.hash(body) })
  } catch {
    return Option.none()
  }
}

const longestRest = 10 * 60 * 1000

const retryAfterMillis = (response: HttpClientResponse.HttpClientResponse): number => {
  const seconds = Number(response.headers["retry-after"])
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, longestRest) : 0
}
