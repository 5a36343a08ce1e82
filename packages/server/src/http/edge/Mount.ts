import type { IncomingMessage, ServerResponse } from "node:http"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Deferred, Duration, Effect, Fiber, FiberId, Option, type Scope, Stream } from "effect"
import * as NodeMessage from "../representation/NodeMessage.js"
import * as Problems from "../representation/Problems.js"
import * as Edge from "./Edge.js"
import type { Front } from "./Front.js"

/**
 * The life of a handler that another program calls. Once it `closing` completes, new requests are refused as draining and
 * streams end; what is in flight has the time of grace, and is then ended too.
 */
export interface Mount {
  readonly closing: Effect.Effect<void>
  /** The application, for as long as the handler lives. `peer` is the address of the client of a request, if it is known. */
  readonly app: <E, R>(
    app: HttpApp.Default<E, R>,
    peer: (request: HttpServerRequest.HttpServerRequest) => string | undefined
  ) => HttpApp.Default<E, R | Scope.Scope>
}

/** A handler that closes with its scope. */
export const make = (options: {
  readonly basePath: string
  readonly graceSeconds: number
}): Effect.Effect<Mount, never, Scope.Scope> =>
  Effect.gen(function* () {
    const closing = yield* Deferred.make<void>()
    const idle = yield* Deferred.make<void>()
    const open = new Set<Effect.Effect<unknown>>()

    const settle = Effect.suspend(() => (open.size === 0 ? Deferred.succeed(idle, undefined) : Effect.void))
    const within = (seconds: number) =>
      Effect.interruptible(Effect.timeoutOption(Deferred.await(idle), Duration.seconds(seconds)))
    yield* Effect.addFinalizer(() =>
      Deferred.succeed(closing, undefined).pipe(
        Effect.zipRight(settle),
        Effect.zipRight(within(options.graceSeconds)),
        Effect.zipRight(Effect.suspend(() => Effect.all([...open], { discard: true }))),
        Effect.zipRight(within(lastWordsSeconds))
      )
    )

    // In the scope of the request, which a stream keeps until it is over.
    const enter = (cut: Effect.Effect<unknown>) =>
      Effect.acquireRelease(
        Effect.sync(() => open.add(cut)),
        () =>
          Effect.sync(() => open.delete(cut)).pipe(Effect.zipRight(Effect.whenEffect(settle, Deferred.isDone(closing))))
      )

    const drained = Problems.beforeEdge("draining", drainingOccurrence, options.basePath)

    return {
      closing: Deferred.await(closing),
      app: (app, peer) =>
        Effect.gen(function* () {
          if (yield* Deferred.isDone(closing)) return yield* drained
          const fiber = yield* current
          const cut = yield* Deferred.make<void>()
          let isAnswered = false
          yield* enter(
            Effect.zipRight(
              Deferred.succeed(cut, undefined),
              Effect.suspend(() => (isAnswered ? Effect.void : Fiber.interruptAsFork(fiber, FiberId.none)))
            )
          )
          const original = yield* HttpServerRequest.HttpServerRequest
          const remoteAddress = peer(original)
          const response = yield* Effect.provideService(
            app,
            HttpServerRequest.HttpServerRequest,
            remoteAddress === undefined ? original : original.modify({ remoteAddress })
          )
          const wasCut = yield* Deferred.isDone(cut)
          isAnswered = true
          // The application answers nobody whom it was interrupted for.
          if (wasCut && response.status === Edge.abandoned.status) return yield* drained
          const { body } = response
          return body._tag === "Stream"
            ? HttpServerResponse.setBody(
                response,
                HttpBody.stream(
                  Stream.interruptWhen(body.stream, Deferred.await(cut)),
                  body.contentType,
                  body.contentLength
                )
              )
            : response
        })
    }
  })

const current = Effect.withFiberRuntime<Fiber.RuntimeFiber<unknown, unknown>>((fiber) =>
  Effect.succeed(fiber as Fiber.RuntimeFiber<unknown, unknown>)
)

const drainingOccurrence = { detail: "This service is being closed and starts nothing new.", retryAfterSeconds: 5 }

/** How long what was cut off may take to be sent. */
const lastWordsSeconds = 1

/** A web-standard handler over an application. */
export const web = <E>(
  mount: Mount,
  app: HttpApp.Default<E>,
  sourceOf: (request: Request) => string | undefined
): Effect.Effect<(request: Request) => Promise<Response>> =>
  Effect.map(Effect.runtime<never>(), (runtime) =>
    // Only a web request comes here.
    HttpApp.toWebHandlerRuntime(runtime)(mount.app(app, ({ source }) => sourceOf(source as Request)))
  )

/** A handler of Node's messages over an application, behind a front. */
export const node = <E>(
  mount: Mount,
  app: HttpApp.Default<E>,
  front: Front["Type"],
  sourceOf: (message: IncomingMessage) => string | undefined
): Effect.Effect<(request: IncomingMessage, response: ServerResponse) => void> =>
  Effect.map(
    NodeHttpServer.makeHandler(
      mount.app(app, (request) => Option.getOrUndefined(Option.map(NodeMessage.of(request), sourceOf)))
    ),
    (handle) => (request, response) => {
      if (front.answer?.(request, response) !== true) handle(request, response)
    }
  )
