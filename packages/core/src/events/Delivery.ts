import { Clock, Duration, Effect, Layer, Option, Queue, Random, Ref, Schedule } from "effect"
import * as FiberSet from "effect/FiberSet"
import * as Event from "../domain/Event.js"
import type { DeliveryError } from "../domain/Webhook.js"
import { Secrets } from "../keys/Secrets.js"
import { type DeliveryClaim, EventStore } from "../storage/EventStore.js"
import * as LeaseToken from "../storage/LeaseToken.js"
import * as Outage from "../storage/Outage.js"
import { patiently, untilCertain } from "../storage/Patience.js"
import { orphans, Processes } from "../storage/Processes.js"
import type { StorageError } from "../storage/StorageError.js"
import { type Attempt, decide, type Outcome, retryAfter } from "./DeliveryAttempt.js"
import { Destinations } from "./Destination.js"
import { EventBell } from "./EventBell.js"
import * as Signature from "./Signature.js"
import * as WebhookPayload from "./WebhookPayload.js"
import { WebhookTransport } from "./WebhookTransport.js"

/**
 * - `concurrency` (16): how many messages are under way at once; at most two of them to one endpoint.
 * - `leaseSeconds` (60): after how long a message is sent again if its sender fell silent. Longer than an attempt
 *   takes.
 * - `intervalSeconds` (1): how often it looks for deliveries that became due, or were appended by another process.
 * - `noticeSeconds` (2): how often it looks for processes that are proven gone, to send their messages again at once.
 * - `graceSeconds` (5): how long messages under way may go on when the layer is closed.
 * - `basePath` (none): the path below which the API of this program is served, with which links in messages begin.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly concurrency?: number | undefined
  readonly leaseSeconds?: number | undefined
  readonly intervalSeconds?: number | undefined
  readonly noticeSeconds?: number | undefined
  readonly graceSeconds?: number | undefined
  readonly basePath?: string | undefined
}

/**
 * What is needed to send messages.
 *
 * @since 0.1.0
 * @category models
 */
export type Requirements = EventStore | Destinations | Secrets | WebhookTransport | EventBell | Processes

/**
 * Sends to the endpoints what the log has for them, for as long as it lives. At least once: whatever ends between the
 * claim of a message and the note of what came of it leads to another attempt.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<never, never, Requirements> =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const store = yield* EventStore
      const { claim, send } = yield* make(options)
      const interval = Duration.toMillis(Duration.seconds(options.intervalSeconds ?? 1))
      const concurrency = options.concurrency ?? 16
      const running = yield* Ref.make(0)
      const freed = yield* Queue.sliding<void>(1)
      const fibers = yield* FiberSet.make<void>()
      yield* Effect.addFinalizer(() =>
        FiberSet.awaitEmpty(fibers).pipe(
          Effect.timeoutOption(Duration.seconds(options.graceSeconds ?? 5)),
          Effect.interruptible
        )
      )
      const rung = yield* (yield* EventBell).listenAll

      const start = (claimed: DeliveryClaim) =>
        Ref.update(running, (count) => count + 1).pipe(
          Effect.zipRight(
            FiberSet.run(
              fibers,
              Effect.ensuring(
                Effect.interruptible(send(claimed)),
                Effect.zipRight(
                  Ref.update(running, (count) => count - 1),
                  Queue.offer(freed, undefined)
                )
              )
            )
          )
        )

      /** How many were begun; what is claimed is begun, also where the layer is closed in between. */
      const begin = Effect.uninterruptible(
        Effect.gen(function* () {
          const free = concurrency - (yield* Ref.get(running))
          if (free === 0) return 0
          const claims = yield* claim(free)
          yield* Effect.forEach(claims, start, { discard: true })
          return claims.length
        })
      )

      /** How long nothing is to be done, in milliseconds. */
      const look = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const next = Option.getOrElse(yield* store.nextDeliveryAt, () => Number.POSITIVE_INFINITY)
        if (next > now) return Math.min(next - now, interval)
        // Due but not claimable: its endpoint has enough deliveries under way, or no slot is free.
        return (yield* begin) === 0 ? interval : 0
      })

      yield* freeOrphans.pipe(
        Outage.surviving("Messages that a dead process was sending could not be freed", 0),
        Effect.repeat(Schedule.spaced(Duration.seconds(options.noticeSeconds ?? 2))),
        Effect.forkScoped
      )
      yield* look.pipe(
        Outage.surviving("Messages to endpoints could not be claimed yet", interval),
        Effect.flatMap((pause) =>
          pause === 0 ? Effect.void : Effect.raceAll([rung, Queue.take(freed), Effect.sleep(pause)])
        ),
        Effect.forever,
        Effect.forkScoped
      )
    })
  )

/**
 * Sends what is due now, and returns the number of messages. After that none is due, except for endpoints with two
 * messages under way elsewhere.
 *
 * @since 0.1.0
 * @category combinators
 */
export const sendDue: (options?: Options) => Effect.Effect<number, StorageError, Requirements> = Effect.fn(
  "Delivery.sendDue"
)(function* (options: Options = {}) {
  const { claim, send } = yield* make(options)
  let sent = 0
  let claims: ReadonlyArray<DeliveryClaim>
  do {
    claims = yield* claim(options.concurrency ?? 16)
    yield* Effect.forEach(claims, send, { concurrency: "unbounded", discard: true })
    sent += claims.length
  } while (claims.length > 0)
  return sent
})

/**
 * Makes the messages due that processes were sending which are proven gone; answers how many.
 *
 * @since 0.1.0
 * @category combinators
 */
export const freeOrphans: Effect.Effect<number, StorageError, EventStore | Processes> = Effect.gen(function* () {
  const store = yield* EventStore
  const left = yield* orphans(yield* store.heldDeliveries, (token) => token)
  return left.length === 0 ? 0 : yield* store.freeDeliveries(left, yield* Clock.currentTimeMillis)
}).pipe(Effect.withSpan("Delivery.freeOrphans"))

const make = (options: Options) =>
  Effect.gen(function* () {
    const store = yield* EventStore
    const processes = yield* Processes
    const destinations = yield* Destinations
    const sealing = yield* Secrets
    const transport = yield* WebhookTransport
    const bell = yield* EventBell
    const lease = Duration.toMillis(Duration.seconds(options.leaseSeconds ?? 60))

    const claim = Effect.fnUntraced(function* (count: number) {
      const now = yield* Clock.currentTimeMillis
      const tokens = yield* Effect.replicateEffect(LeaseToken.make(processes.self), count)
      return yield* untilCertain(store.claimDeliveries({ now, until: now + lease, tokens, perEndpoint }))
    })

    const post = Effect.fnUntraced(function* ({ endpoint, event }: DeliveryClaim, startedAt: number) {
      const destination = yield* Effect.mapError(destinations.check(endpoint.webhook.url), ({ reason }) =>
        unanswered(reason === "unresolvable" ? "dns" : "forbidden_address")
      )
      const body = WebhookPayload.encode(Event.located(event, options.basePath ?? ""))
      const secrets = endpoint.secrets.filter(({ until }) => Option.getOrElse(until, () => Infinity) > startedAt)
      // A store with secrets of another key is refused when it is opened, so this is a defect.
      const opened = yield* Effect.orDie(
        Effect.forEach(secrets, ({ secret }) => sealing.open(secret, endpoint.webhook.id))
      )
      const headers = Signature.headers(opened, { id: event.id, timestamp: Math.floor(startedAt / 1000), body })
      const answer = yield* Effect.mapError(transport.post(destination, { headers, body }), ({ reason }) =>
        unanswered(reason)
      )
      const now = yield* Clock.currentTimeMillis
      return {
        _tag: "Answered" as const,
        status: answer.status,
        retryAfter: Option.flatMap(answer.retryAfter, (header) => retryAfter(header, now))
      }
    })

    /** What goes wrong in here counts as a failed attempt, so that no message is tried for ever. */
    const tryOnce = (claimed: DeliveryClaim, startedAt: number): Effect.Effect<Outcome> =>
      post(claimed, startedAt).pipe(
        Effect.merge,
        Effect.catchAllDefect((defect) =>
          Effect.as(Effect.logError("A message could not be sent", describe(claimed), defect), unanswered("connection"))
        )
      )

    const send = (claimed: DeliveryClaim): Effect.Effect<void> =>
      Effect.gen(function* () {
        const startedAt = yield* Clock.currentTimeMillis
        const jitter = yield* Random.next
        const outcome = yield* tryOnce(claimed, startedAt)
        const { delivery, endpoint, token } = claimed
        const endedAt = yield* Clock.currentTimeMillis
        const attempt: Attempt = { url: endpoint.webhook.url, startedAt, endedAt, outcome, jitter }
        const told = yield* patiently(store.finishDelivery(delivery.id, token, (current) => decide(current, attempt)))
        if (Option.exists(told, (events) => events.length > 0)) yield* bell.ring([endpoint.keyId])
      }).pipe(
        Outage.surviving("What came of a message could not be noted; it will be sent again", undefined),
        Effect.annotateLogs(describe(claimed)),
        Effect.withSpan("Delivery.send")
      )

    return { claim, send }
  })

// Neither URL nor secret: a URL of an endpoint often is one.
const describe = ({ delivery, endpoint }: DeliveryClaim) => ({ delivery: delivery.id, webhook: endpoint.webhook.id })

const unanswered = (error: Exclude<DeliveryError, "status">): Outcome => ({ _tag: "Unanswered", error })

const perEndpoint = 2
