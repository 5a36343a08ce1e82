import type * as AnalysisResult from "@assay/core/domain/AnalysisResult"
import type * as Execution from "@assay/core/domain/Execution"
import type * as Id from "@assay/core/domain/Id"
import {
  type Tool as Listed,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server
} from "@modelcontextprotocol/server"
import { Duration, Effect, Either, Fiber, Ref, type Runtime } from "effect"
import * as RuntimeModule from "effect/Runtime"
import type { Violation } from "../api/Violation.js"
import { BasePath } from "../BasePath.js"
import * as Problems from "../http/representation/Problems.js"
import type { ApiExchange, ApiRequest, ApiResponse, Unreachable } from "./ApiExchange.js"
import * as Prompts from "./Prompts.js"
import * as Resources from "./Resources.js"
import type * as Tool from "./Tool.js"
import type * as Tools from "./Tools.js"
import * as Untrusted from "./Untrusted.js"

/** What a server of the Model Context Protocol offers, and how it calls the API. */
export interface Options {
  readonly exchange: ApiExchange
  readonly offer: Tools.Offer
  /** The id that a problem of this server names, where no request of the API was made. */
  readonly requestId: Effect.Effect<Id.RequestId>
  readonly runtime: Runtime.Runtime<never>
  /** How often the progress of a long call is looked up; a second, which is also the least. */
  readonly progressEvery?: Duration.DurationInput | undefined
}

/**
 * A server of the Model Context Protocol over the HTTP API, to be connected to a transport. A call that its client cancels
 * ends its wait. The API decides what becomes of the execution then (`Executions.Options`).
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28
 */
export const make = ({ exchange, offer, progressEvery = "1 second", requestId, runtime }: Options): Server => {
  const server = new Server(
    { name: "assay", version: "0.1.0" },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: offer.instructions }
  )
  const run = <A, E>(effect: Effect.Effect<A, E>, signal: AbortSignal): Promise<A> =>
    RuntimeModule.runPromise(runtime)(effect, { signal })

  server.setRequestHandler("tools/list", () => ({ tools: offer.tools.map(listed) }))
  server.setRequestHandler("tools/call", ({ params }, { mcpReq: { _meta, notify, signal } }) => {
    const tool = offer.tools.find(({ name }) => name === params.name)
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${JSON.stringify(params.name)}`)
    const token = _meta?.progressToken
    const tell =
      token === undefined
        ? undefined
        : ({ done, message, total }: Tool.Progress) =>
            Effect.ignore(
              Effect.tryPromise(() =>
                notify({
                  method: "notifications/progress",
                  params: { progressToken: token, progress: done, message, ...(total === undefined ? {} : { total }) }
                })
              )
            )
    const call = tool.call(params.arguments)
    return run(
      Effect.map(
        call._tag === "Refused" ? refusing(call.violations, requestId) : calling(exchange, call, progressEvery, tell),
        resultOf
      ),
      signal
    )
  })
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: Resources.templates }))
  server.setRequestHandler("resources/list", (_, { mcpReq: { signal } }) =>
    run(
      Effect.map(Resources.list(exchange), (resources) => ({ resources: [...resources] })),
      signal
    )
  )
  server.setRequestHandler("resources/read", ({ params }, { mcpReq: { signal } }) =>
    // Thrown outside of the fiber: a failure of it would have no code of the protocol.
    run(Resources.read(exchange, params.uri), signal).then((contents) => {
      if (contents === null)
        throw new ResourceNotFoundError(params.uri, `there is no resource ${JSON.stringify(params.uri)}`)
      return { contents: [contents] }
    })
  )
  server.setRequestHandler("prompts/list", () => ({ prompts: [Prompts.isItSafe.listed] }))
  server.setRequestHandler("prompts/get", ({ params }) => {
    const text = params.name === Prompts.isItSafe.listed.name ? Prompts.isItSafe.write(params.arguments ?? {}) : null
    if (text === null)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `there is no prompt ${JSON.stringify(params.name)} for these arguments`
      )
    return { messages: [{ role: "user", content: { type: "text", text } }] }
  })
  return server
}

// The library has a type of JSON, which is this schema too.
const listed = ({ description, effect, input, name, output, title }: Tool.Tool): Listed => ({
  name,
  title,
  description,
  inputSchema: input as Listed["inputSchema"],
  ...(output === undefined ? {} : { outputSchema: { ...output } }),
  annotations: {
    readOnlyHint: effect === "reads" || effect === "spends",
    destructiveHint: effect === "deletes",
    // What is analysed again is read again; a watch or a key is made again.
    idempotentHint: effect !== "writes" && effect !== "spends",
    openWorldHint: effect === "spends"
  }
})

/** The problem that the API has for a request that is not valid. */
const refusing = (
  violations: ReadonlyArray<Violation>,
  requestId: Effect.Effect<Id.RequestId>
): Effect.Effect<Tool.Answer> =>
  Effect.zipWith(requestId, BasePath, (id, basePath) => ({
    texts: [
      Untrusted.json(
        Problems.located(Problems.make("validation_failed", id, Problems.ofViolations(violations)), basePath),
        Untrusted.mostOfProblem
      )
    ],
    failed: true
  }))

const calling = (
  exchange: ApiExchange,
  call: Extract<Tool.Call, { readonly _tag: "Asks" }>,
  every: Duration.DurationInput,
  tell: ((progress: Tool.Progress) => Effect.Effect<void>) | undefined
): Effect.Effect<Tool.Answer> =>
  Effect.gen(function* () {
    const first = exchange(call.first)
    const answered = yield* tell === undefined || call.running === undefined
      ? first
      : telling(first, exchange, call.running, every, tell)
    const others = answered.status < 300 ? (call.follow?.(answered) ?? []) : []
    const further = yield* Effect.forEach(others, exchange, { concurrency: "unbounded" })
    return call.answer([answered, ...further])
  }).pipe(Effect.catchAll(({ detail }: Unreachable) => Effect.succeed<Tool.Answer>({ texts: [detail], failed: true })))

/** Reports the progress of the execution while its result is waited for. */
const telling = (
  first: Effect.Effect<ApiResponse, Unreachable>,
  exchange: ApiExchange,
  running: ApiRequest,
  every: Duration.DurationInput,
  tell: (progress: Tool.Progress) => Effect.Effect<void>
): Effect.Effect<ApiResponse, Unreachable> =>
  Effect.gen(function* () {
    const told = yield* Ref.make(0)
    const step = Effect.gen(function* () {
      yield* Effect.sleep(Duration.max(Duration.decode(every), Duration.seconds(1)))
      const progress = yield* Effect.either(progressOf(exchange, running))
      // The number has to rise with each message, whatever is known of the work.
      if (Either.isRight(progress) && progress.right !== null) {
        const { done, message, total } = progress.right
        const number = yield* Ref.updateAndGet(told, (last) => (done > last ? done : last + 0.001))
        yield* tell({ done: number, total, message })
      }
    })
    const ticking = yield* Effect.fork(Effect.forever(step))
    return yield* Effect.ensuring(first, Fiber.interrupt(ticking))
  })

const progressOf = (exchange: ApiExchange, running: ApiRequest): Effect.Effect<Tool.Progress | null, Unreachable> =>
  Effect.gen(function* () {
    const { body } = yield* exchange(running)
    const [stub] = (body as { readonly data?: ReadonlyArray<Execution.ExecutionStub> } | null)?.data ?? []
    if (stub?.status !== "running") return null
    const result = yield* exchange({ method: "GET", path: `/executions/${stub.execution_id}` })
    const found = (result.body as Partial<AnalysisResult.AnalysisResult> | null)?.progress ?? null
    return {
      done: found?.done ?? 0,
      total: found?.total ?? undefined,
      message: `execution ${stub.execution_id}${found === null ? "" : `: ${found.step}`}`
    }
  })

const resultOf = ({ data, failed, texts }: Tool.Answer) => ({
  content: texts.map((text) => ({ type: "text" as const, text })),
  ...(data === undefined ? {} : { structuredContent: data }),
  ...(failed === true ? { isError: true } : {})
})
