import * as crypto from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type * as Caller from "@assay/core/domain/Caller"
import * as Timestamp from "@assay/core/domain/Timestamp"
import type * as Usage from "@assay/core/domain/Usage"
import * as Keys from "@assay/core/keys/Keys"
import * as Quota from "@assay/core/quota/Quota"
import * as RateLimit from "@assay/core/quota/RateLimit"
import * as StorageVersion from "@assay/core/storage/StorageVersion"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect, Either, Exit, Layer, Option, Runtime } from "effect"
import { ServerConfig } from "../../ServerConfig.js"
import * as AccessLog from "../observability/AccessLog.js"
import * as RequestId from "../observability/RequestId.js"
import * as Answers from "../representation/Answers.js"
import * as NodeMessage from "../representation/NodeMessage.js"
import * as RateLimitHeaders from "../representation/RateLimitHeaders.js"
import { bearerOf } from "./BearerAuthentication.js"
import * as Compression from "./Compression.js"
import { Front } from "./Front.js"
import * as Policies from "./Policies.js"

/**
 * Sends an answer that the application has made again, as long as it is true: nothing was committed for its key since it was
 * read. The application makes every answer the first time, so its rules are nowhere else. What differs between two requests
 * is made anew each time by the same services: who calls, what the limits say, the request id and the line in the log. A
 * request with anything in doubt is left to the application.
 */
export class Replay extends Context.Tag("@assay/server/Replay")<
  Replay,
  {
    /**
     * Says of the answer to a request that it follows from the request line, the header fields in `keyOf`, the key of
     * the caller and what the stores show to the caller alone (`StorageVersion.ofKey`). Answers without such a
     * statement are never sent again. `again` is called after a commit for the key: the answer is the same as long as
     * its basis is.
     */
    readonly holds: (
      request: HttpServerRequest.HttpServerRequest,
      basis: Basis,
      again: Effect.Effect<Basis, unknown>
    ) => Effect.Effect<void>
    /** Keeps an answer as it is sent, if it may be sent again. */
    readonly keep: (
      request: HttpServerRequest.HttpServerRequest,
      response: HttpServerResponse.HttpServerResponse,
      route: string
    ) => Effect.Effect<void>
  }
>() {}

/**
 * What an answer was made of: a text that is the same only if the answer is, and until when it holds (epoch milliseconds).
 */
export interface Basis {
  readonly mark: string
  readonly until: number
}

/** What holds until it is changed by a commit. */
export const untilCommitted = (mark: string): Basis => ({ mark, until: Number.POSITIVE_INFINITY })

/** `maxBytes` (64 MiB) bounds the answers that are kept. */
export interface Options {
  readonly maxBytes?: number | undefined
}

/** Answers in the memory of this process, mounted at the `Front`, which sees messages of Node only. */
export const layer = (
  options: Options = {}
): Layer.Layer<
  Replay,
  never,
  Keys.Keys | Quota.Quota | RateLimit.RateLimit | ServerConfig | StorageVersion.StorageVersion
> =>
  Layer.scoped(
    Replay,
    Effect.gen(function* () {
      const keys = yield* Keys.Keys
      const quota = yield* Quota.Quota
      const rateLimit = yield* RateLimit.RateLimit
      const stores = yield* StorageVersion.StorageVersion
      const { limits } = yield* ServerConfig
      const front = yield* Front
      const clock = yield* Effect.clock
      const requestId = yield* RequestId.sequence
      const write = yield* AccessLog.writer
      const attempt = Runtime.runSyncExit(yield* Effect.runtime<never>())
      const answers = Answers.make(options.maxBytes ?? 64 * 1024 * 1024)
      // Requests that the application answers now, and that may be answered again.
      const open = new WeakMap<object, Opened>()
      // By a hash, so that no secret stays in memory.
      const admitted = new Map<string, Admitted>()

      const admit = Effect.fnUntraced(function* (authorization: string, version: number) {
        const { caller, until } = yield* keys.admit(yield* bearerOf(authorization))
        const usage = yield* quota.usage(caller)
        const ofKey = yield* stores.ofKey(caller.id)
        // Of another version than what was read before it, if anything was committed since.
        if (!Option.contains(stores.current(), version)) return yield* Option.none()
        return { caller, usage, version, ofKey, until: Math.min(until, Timestamp.toMillis(usage.resets_at)) }
      })

      /** The same at this version, if what was committed since concerns other keys. */
      const renewed = (known: Admitted, version: number): Admitted | undefined => {
        if (known.version === version) return known
        return Option.contains(stores.ofKey(known.caller.id), known.ofKey) ? { ...known, version } : undefined
      }

      const callerOf = (authorization: string, version: number, now: number): Admitted | undefined => {
        const hash = hashOf(authorization)
        const known = admitted.get(hash)
        const still = known !== undefined && now < known.until ? renewed(known, version) : undefined
        if (still !== undefined) {
          if (still !== known) admitted.set(hash, still)
          return still
        }
        admitted.delete(hash)
        const admission = attempt(admit(authorization, version))
        // The application knows what to say to a refused caller, and what to count.
        if (Exit.isFailure(admission)) return undefined
        admitted.set(hash, admission.value)
        for (const oldest of admitted.keys()) {
          if (admitted.size <= maxCallers) break
          admitted.delete(oldest)
        }
        return admission.value
      }

      /** The kept answer, if it is the one of this version of its key. */
      const answerOf = (key: string, version: number): Answers.Answer | undefined => {
        const answer = answers.get(key)
        if (answer === undefined || answer.version === version) return answer
        const basis = attempt(answer.again)
        if (Exit.isFailure(basis) || basis.value.mark !== answer.basis.mark) return undefined
        const same = { ...answer, version, basis: basis.value }
        answers.put(key, same)
        return same
      }

      front.answer = (request, response) => {
        const { authorization } = request.headers
        if (request.method !== "GET" || authorization === undefined || !isPlain(request)) return false
        const version = Option.getOrUndefined(stores.current())
        if (version === undefined) return false
        const now = clock.unsafeCurrentTimeMillis()
        const admission = callerOf(authorization, version, now)
        if (admission === undefined) return false
        const key = keyOf(admission.caller, request)
        const answer = answerOf(key, admission.ofKey)
        if (answer === undefined || answer.basis.until <= now) {
          open.set(request, { key, version, ofKey: admission.ofKey, held: undefined })
          return false
        }
        const subject = Policies.requestsOf(admission.caller, false)
        const taken = rateLimit.takeAt(subject, [Policies.burst(limits, false)], now)
        if (Either.isLeft(taken)) return false
        send(response, answer, admission, taken.right, now)
        return true
      }
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          front.answer = undefined
        })
      )

      const send = (
        response: ServerResponse,
        { body, headers, route, status }: Answers.Answer,
        { caller, usage }: Admitted,
        standings: ReadonlyArray<RateLimit.Standing>,
        now: number
      ): void => {
        const id = requestId(now)
        const told = RateLimitHeaders.encode(RateLimitHeaders.items(Option.some(usage), standings, now))
        const fields = [...headers, RequestId.header, id]
        for (const name of RateLimitHeaders.names) fields.push(name, told[name])
        response.writeHead(status, fields)
        if (body === undefined) response.end()
        else response.end(body, "latin1")
        const millis = clock.unsafeCurrentTimeMillis() - now
        write({ method: "GET", route: Option.some(route), status, millis }, { request_id: id, key_id: caller.id })
      }

      return {
        holds: (request, basis, again) =>
          Effect.sync(() => {
            const source = request.source as object
            const opened = open.get(source)
            if (opened !== undefined) open.set(source, { ...opened, held: { basis, again } })
          }),
        keep: (request, { body, headers, status }, route) =>
          Effect.sync(() => {
            const { held, key, ofKey, version } = open.get(request.source as object) ?? {}
            if (key === undefined || ofKey === undefined || held === undefined) return
            if (status !== 200 && status !== 304) return
            if (body._tag !== "Uint8Array" && body._tag !== "Empty") return
            // Something was committed since: what was read may be of before or after it.
            if (!Option.contains(stores.current(), version)) return
            answers.put(key, {
              ...held,
              version: ofKey,
              route,
              status,
              headers: Object.entries(headers).flatMap(([name, value]) =>
                name === RequestId.header ? [] : [name, value]
              ),
              body: body._tag === "Uint8Array" ? Buffer.from(body.body).toString("latin1") : undefined
            })
          })
      }
    })
  )

interface Opened {
  readonly key: string
  /** Of the stores. */
  readonly version: number
  readonly ofKey: number
  /** Undefined until it is said of the answer that it holds. */
  readonly held: Pick<Answers.Answer, "again" | "basis"> | undefined
}

interface Admitted {
  readonly caller: Caller.Caller
  readonly usage: Usage.Usage
  /** Of the stores. */
  readonly version: number
  readonly ofKey: number
  readonly until: number
}

const maxCallers = 10_000

// `hash` takes half the time of `createHash`. Node.js has it from 20.12 on.
const hashOf: (text: string) => string =
  crypto.hash === undefined
    ? (text) => crypto.createHash("sha256").update(text).digest("base64")
    : (text) => crypto.hash("sha256", text, "base64")

/** All that an answer depends on beside the stores and the time. The quota is read with the caller, not with the answer. */
const keyOf = ({ dailyQuota, id }: Caller.Caller, message: IncomingMessage): string => {
  const { headers } = message
  return [
    id,
    dailyQuota,
    NodeMessage.targetOf(message),
    headers.host,
    headers.accept ?? "",
    Compression.preferred(headers["accept-encoding"]) ?? "",
    headers["if-none-match"] ?? ""
  ].join("\n")
}

/**
 * Whether a request has nothing but a request line and header fields that are in the key or that no answer depends on, each
 * once where twice is refused, and well below the limit of their size.
 */
const isPlain = ({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean => {
  if (httpVersion !== "1.1" || headers.host === undefined) return false
  let size = 0
  let single = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ""
    if (name === "host" || name === "authorization") single++
    else if (!known.has(name)) return false
    size += name.length + (rawHeaders[index + 1]?.length ?? 0)
  }
  return single === 2 && size < 8_192
}

const known = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "connection",
  "dnt",
  "forwarded",
  "if-none-match",
  "keep-alive",
  "origin",
  "pragma",
  "priority",
  "referer",
  "sec-ch-ua",
  "sec-ch-ua-mobile",
  "sec-ch-ua-platform",
  "sec-fetch-dest",
  "sec-fetch-mode",
  "sec-fetch-site",
  "traceparent",
  "tracestate",
  "user-agent",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "x-request-id"
])
