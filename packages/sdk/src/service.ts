import type { IncomingMessage, ServerResponse } from "node:http"
import * as ChainAccess from "@assay/core/chain/ChainAccess"
import type { Caller } from "@assay/core/domain/Caller"
import type * as Id from "@assay/core/domain/Id"
import * as Executions from "@assay/core/executions/Executions"
import * as Keys from "@assay/core/keys/Keys"
import * as Outage from "@assay/core/storage/Outage"
import type * as CoreStorage from "@assay/core/storage/Storage"
import * as Watches from "@assay/core/watches/Watches"
import { Deployment, Server, ServerConfig } from "@assay/server"
import { Array as Arr, Cause, Context, Effect, Either, Layer, Option, Redacted } from "effect"
import * as Assay from "./Assay.js"
import * as AssayErrors from "./AssayError.js"
import { AssayError } from "./AssayError.js"
import * as Calls from "./Calls.js"
import * as ChainOptions from "./ChainOptions.js"
import * as CustomCheck from "./CustomCheck.js"
import type { AnalysisResult, ApiKey, CreatedKey, ExecutionStub, Watch, WatchRun } from "./Documents.js"
import * as Logging from "./Logging.js"
import * as Storage from "./Storage.js"
import * as Targets from "./Targets.js"
import * as Watching from "./Watching.js"

/**
 * - `basePath`: the path of the other program below which the API is served, such as `/risk`.
 * - `secretsKeys`: 32 bytes each, the first encrypts the secrets of webhooks; required with a storage that lasts.
 * - `dailyQuota`: the units of a new key a day, 50 by default.
 * - `scheduling`: whether watches are checked and webhooks sent by this process, true by default.
 * - `sourceOf`: the address of the client of a web request, for the limits per source. Without it all web requests are one
 *   source; a request of Node.js has its own.
 */
export interface ServiceOptions extends Assay.AssayOptions {
  readonly basePath?: string | undefined
  readonly secretsKeys?: readonly [Uint8Array, ...ReadonlyArray<Uint8Array>] | undefined
  readonly dailyQuota?: number | undefined
  readonly scheduling?: boolean | undefined
  readonly sourceOf?: ((request: Request) => string | undefined) | undefined
}

/** A page of a list; `next_cursor` is the cursor of the next one, null after the last. */
export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly next_cursor: string | null
}

/** Which page of a list: 20 at most by default, from the newest on. */
export interface PageOptions {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/**
 * What ends a call with a key: it is rejected with `aborted`. What was written stays, as where a client of the HTTP API goes away.
 */
export type Abortable = Pick<Assay.CallOptions, "signal">

/**
 * The use-cases of the server in this process, for callers with keys and quotas, and the server's API as a function. The first
 * argument of a method is the secret of an API key.
 */
export interface Service extends Assay.Assay {
  readonly keys: {
    /** Only this answer contains the secret. */
    readonly create: (
      options: {
        readonly label: string
        readonly expiresInSeconds?: number | undefined
      },
      call?: Abortable
    ) => Promise<CreatedKey>
    readonly get: (key: string, call?: Abortable) => Promise<ApiKey>
    readonly rename: (key: string, label: string, call?: Abortable) => Promise<ApiKey>
    /**
     * Makes a new secret, which only this answer contains. `key` stays valid for `overlapSeconds` (86,400) more, and every other
     * secret of the key ends at once.
     */
    readonly rotate: (
      key: string,
      options?: { readonly overlapSeconds?: number | undefined },
      call?: Abortable
    ) => Promise<CreatedKey>
    /** Ends the key for good. */
    readonly revoke: (key: string, call?: Abortable) => Promise<void>
  }
  readonly executions: {
    /** Analyses for one unit, stores the result and says what changed since the previous one. */
    readonly run: (key: string, target: string | Targets.TargetInput, call?: Abortable) => Promise<AnalysisResult>
    readonly get: (key: string, id: string, call?: Abortable) => Promise<AnalysisResult>
    readonly list: (key: string, page?: PageOptions, call?: Abortable) => Promise<Page<ExecutionStub>>
  }
  readonly watches: {
    readonly create: (
      key: string,
      target: string | Targets.TargetInput,
      options: { readonly label: string; readonly everySeconds: number },
      call?: Abortable
    ) => Promise<Watch>
    readonly get: (key: string, id: string, call?: Abortable) => Promise<Watch>
    readonly list: (key: string, page?: PageOptions, call?: Abortable) => Promise<Page<Watch>>
    readonly remove: (key: string, id: string, call?: Abortable) => Promise<void>
    readonly runs: (key: string, id: string, page?: PageOptions, call?: Abortable) => Promise<Page<WatchRun>>
  }
  /** For Hono, Next and whatever else has web requests. */
  readonly handler: (request: Request) => Promise<Response>
  /** For Express, Fastify (`reply.hijack()`) and `node:http`. */
  readonly nodeHandler: (request: IncomingMessage, response: ServerResponse) => void
}

/**
 * Makes a {@link Service}. Nothing is read and no storage is opened before the first call or request.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http"
 * import { createService } from "@assay/sdk/service"
 *
 * const service = createService({ chains: { ethereum: "https://rpc.example" }, basePath: "/risk" })
 * createServer(service.nodeHandler).listen(8080)
 * ```
 */
export const createService = (options: ServiceOptions): Service => {
  const readable = ChainOptions.parse(options.chains)
  const checks = CustomCheck.toChecks(options.checks ?? [])
  const calls = Calls.make(layerOf(options, configOf(options, readable), readable, checks))
  const { run } = calls

  const as = <A, E, R>(key: string, use: (caller: Caller) => Effect.Effect<A, E, R>) =>
    Effect.flatMap(Keys.Keys, (keys) => Effect.flatMap(keys.authenticate(Redacted.make(key)), use))
  const executions = <A, E>(
    key: string,
    call: Abortable | undefined,
    use: (caller: Caller, service: Executions.Executions["Type"]) => Effect.Effect<A, E>
  ) =>
    run(
      as(key, (caller) => Effect.flatMap(Executions.Executions, (service) => use(caller, service))),
      call?.signal
    )
  const watches = <A, E>(
    key: string,
    call: Abortable | undefined,
    use: (caller: Caller, service: Watches.Watches["Type"]) => Effect.Effect<A, E>
  ) =>
    run(
      as(key, (caller) => Effect.flatMap(Watches.Watches, (service) => use(caller, service))),
      call?.signal
    )
  const targetOf = (target: string | Targets.TargetInput) => Targets.find(readable.chains, target)

  return {
    ...Assay.over(calls, readable, options),
    keys: {
      create: ({ expiresInSeconds, label }, call) =>
        run(
          Effect.flatMap(Keys.Keys, (keys) =>
            keys.create({
              label,
              expiresInSeconds: Option.fromNullable(expiresInSeconds),
              source: Option.none()
            })
          ),
          call?.signal
        ),
      get: (key, call) =>
        run(
          as(key, ({ id }) => Effect.flatMap(Keys.Keys, (keys) => keys.self(id))),
          call?.signal
        ),
      rename: (key, label, call) =>
        run(
          as(key, ({ id }) => Effect.flatMap(Keys.Keys, (keys) => keys.rename(id, label))),
          call?.signal
        ),
      rotate: (key, { overlapSeconds = 86_400 } = {}, call) =>
        run(
          Effect.flatMap(Keys.Keys, (keys) => keys.rotate({ presented: Redacted.make(key), overlapSeconds })),
          call?.signal
        ),
      revoke: (key, call) =>
        run(
          as(key, ({ id }) => Effect.flatMap(Keys.Keys, (keys) => keys.revoke(id))),
          call?.signal
        )
    },
    executions: {
      run: (key, target, call) =>
        run(
          as(key, (caller) =>
            Effect.gen(function* () {
              const { address, chain, kind } = yield* targetOf(target)
              const service = yield* Executions.Executions
              return yield* service.run({
                caller,
                address,
                chain,
                kind,
                summary: "not_requested",
                compareTo: Option.none()
              })
            })
          ),
          call?.signal
        ),
      get: (key, id, call) => executions(key, call, (caller, service) => service.get(caller, id as Id.ExecutionId)),
      list: (key, page, call) =>
        executions(key, call, (caller, service) => service.list(caller, anyExecution, pageOf(page)))
    },
    watches: {
      create: (key, target, { everySeconds, label }, call) =>
        run(
          as(key, (caller) =>
            Effect.gen(function* () {
              const { address, chain, kind } = yield* targetOf(target)
              const service = yield* Watches.Watches
              const { value } = yield* service.create(caller, {
                address,
                chain,
                kind,
                label,
                intervalSeconds: everySeconds,
                options: {},
                paused: false
              })
              return value
            })
          ),
          call?.signal
        ),
      get: (key, id, call) =>
        watches(key, call, (caller, service) =>
          Effect.map(service.get(caller, id as Id.WatchId), ({ value }) => value)
        ),
      list: (key, page, call) => watches(key, call, (caller, service) => service.list(caller, anyWatch, pageOf(page))),
      remove: (key, id, call) => watches(key, call, (caller, service) => service.remove(caller, id as Id.WatchId)),
      runs: (key, id, page, call) =>
        watches(key, call, (caller, service) => service.runs(caller, id as Id.WatchId, pageOf(page)))
    },
    handler: (request) =>
      run(Effect.map(Handlers, ({ web }) => web)).then(
        (handle) => handle(request),
        (error: AssayError) => refused(error, options)
      ),
    nodeHandler: (request, response) => {
      run(Effect.map(Handlers, ({ node }) => node)).then(
        (handle) => handle(request, response),
        (error: AssayError) =>
          refused(error, options).then((answer) =>
            answer
              .text()
              .then((text) => response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text))
          )
      )
    }
  }
}

/** What a client gets while the service cannot be opened, or once it is closed. The logger of the program gets the reason. */
const refused = (error: AssayError, { basePath, logger }: ServiceOptions): Promise<Response> =>
  Effect.runPromise(
    problemOf(error, basePath).pipe(
      Effect.zipLeft(
        error.code === "closed" ? Effect.void : Outage.note("The service could not be opened", Cause.fail(error))
      ),
      Effect.provide(Logging.layer(logger))
    )
  )

const problemOf = ({ code, message }: AssayError, basePath: string | undefined): Effect.Effect<Response> => {
  switch (code) {
    case "closed":
      return Server.problem("draining", { basePath, detail: message, retryAfterSeconds: 5 })
    case "invalid_option":
      return Server.problem("misconfigured", { basePath, detail: message })
    case "storage_corrupt":
    case "storage_unavailable":
    case "storage_uncertain":
      return Server.problem("storage_unavailable", {
        basePath,
        detail: "The storage cannot be opened. Nothing was changed. Repeat the request.",
        retryAfterSeconds: 5
      })
    default:
      return Server.problem("internal_error", {
        basePath,
        detail: "The service could not be opened. Its log says why.",
        retryAfterSeconds: 5
      })
  }
}

/** The configuration of the server; throws an `AssayError` that names the option that is wrong. */
const configOf = (
  { basePath, dailyQuota, scheduling = true, secretsKeys, storage }: ServiceOptions,
  readable: ChainOptions.Readable
): ServerConfig.ServerConfig["Type"] => {
  if (secretsKeys === undefined && storage !== undefined && Storage.isLasting(storage))
    throw AssayError.make(
      "invalid_option",
      "secretsKeys is missing: a storage that lasts keeps the secrets of webhooks, encrypted with a key that is yours to keep, such as [randomBytes(32)]."
    )
  if (secretsKeys?.some(({ byteLength }) => byteLength !== 32))
    throw AssayError.make("invalid_option", "secretsKeys are keys of 32 bytes each.")
  if (dailyQuota !== undefined && !(Number.isSafeInteger(dailyQuota) && dailyQuota >= 0))
    throw AssayError.make("invalid_option", "dailyQuota is a number of units, 0 or more.")
  return Either.getOrThrowWith(
    Effect.runSync(
      Effect.either(
        ServerConfig.make({
          chains: readable.chains,
          endpoints: readable.settings,
          basePath,
          limits: dailyQuota === undefined ? {} : { dailyQuota },
          scheduling: scheduling ? {} : { state: "off" },
          secretsKeys: secretsKeys === undefined ? undefined : Arr.map(secretsKeys, (key) => Redacted.make(key))
        })
      )
    ),
    AssayErrors.of
  )
}

const anyExecution = {
  kind: Option.none(),
  address: Option.none(),
  chainId: Option.none(),
  watchId: Option.none(),
  since: Option.none()
}

const anyWatch = { state: Option.none(), kind: Option.none(), address: Option.none(), failing: Option.none() }

const pageOf = ({ cursor, limit = 20 }: PageOptions = {}) => ({ limit, cursor: Option.fromNullable(cursor) })

class Handlers extends Context.Tag("@assay/sdk/Handlers")<
  Handlers,
  {
    readonly web: (request: Request) => Promise<Response>
    readonly node: (request: IncomingMessage, response: ServerResponse) => void
  }
>() {}

const layerOf = (
  options: ServiceOptions,
  config: ServerConfig.ServerConfig["Type"],
  readable: ChainOptions.Readable,
  checks: ReturnType<typeof CustomCheck.toChecks>
) => {
  const { fetch, logger, sourceOf, storage } = options
  const handlers = Layer.scoped(
    Handlers,
    Effect.all({ web: Server.webHandler(sourceOf === undefined ? {} : { sourceOf }), node: Server.nodeHandler() })
  )
  return Layer.merge(handlers, Watching.layer(Layer.context<CoreStorage.Storage>())).pipe(
    Layer.provideMerge(
      Deployment.layerServices({
        analyzer: Assay.analyzer(checks, options.sources ?? {}),
        chainAccess: Layer.provide(ChainAccess.layerTransport({ endpoints: readable.settings }), readable.transport),
        httpClient: Assay.httpClient(fetch),
        storage: storage === undefined || !Storage.isLasting(storage) ? undefined : Storage.layerOf(storage)
      })
    ),
    Layer.provideMerge(Layer.provide(readable.transport, Assay.httpClient(fetch))),
    Layer.provideMerge(Layer.succeed(ServerConfig.ServerConfig, config)),
    Layer.provide(Logging.layer(logger)),
    Layer.provide(Layer.setTracerEnabled(false))
  )
}
