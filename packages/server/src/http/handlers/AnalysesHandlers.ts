import * as KindGuess from "@assay/core/analysis/KindGuess"
import * as Chains from "@assay/core/chain/Chains"
import type * as Address from "@assay/core/domain/Address"
import type * as AnalysisResult from "@assay/core/domain/AnalysisResult"
import type * as Caller from "@assay/core/domain/Caller"
import type * as Execution from "@assay/core/domain/Execution"
import type * as Id from "@assay/core/domain/Id"
import type * as Target from "@assay/core/domain/Target"
import * as Executions from "@assay/core/executions/Executions"
import * as RateLimit from "@assay/core/quota/RateLimit"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Option } from "effect"
import type { AnalysisQuery } from "../../api/AnalysesGroup.js"
import { Api } from "../../api/Api.js"
import { CurrentCaller } from "../../api/Authentication.js"
import * as BasePath from "../../BasePath.js"
import * as IdempotencyKey from "../edge/IdempotencyKey.js"
import * as Policies from "../edge/Policies.js"
import * as Preference from "../representation/Preference.js"
import * as Problems from "../representation/Problems.js"
import * as ResultResponse from "../representation/ResultResponse.js"

/** The execution that a base parameter names; none for `previous`, which is also what its absence means. */
export const baseOf = (base: "previous" | Id.ExecutionId | undefined): Option.Option<Id.ExecutionId> =>
  Option.filter(Option.fromNullable(base), (id): id is Id.ExecutionId => id !== "previous")

type Outcome =
  | { readonly _tag: "Ended"; readonly result: AnalysisResult.AnalysisResult; readonly applied: string | undefined }
  | {
      readonly _tag: "Running"
      readonly stub: Execution.ExecutionStub
      readonly units: number
      readonly applied: string | undefined
    }

/**
 * Starts an execution and waits for as long as its caller prefers. A unit that is given back costs the caller nothing and us
 * an analysis, so it is given back only so often, whether or not the caller waits for it.
 */
export const starting =
  (executions: Executions.Executions["Type"], rateLimit: RateLimit.RateLimit["Type"]) =>
  <E>(
    request: Effect.Effect<Executions.RunRequest, E>,
    caller: Caller.Caller,
    preference: Preference.Preference | undefined
  ): Effect.Effect<Outcome, E | Executions.RunError | RateLimit.RateLimited> => {
    const onMismatch = Effect.ignore(rateLimit.take(caller.id, [Policies.releasedExecutions]))
    return rateLimit.peek(caller.id, [Policies.releasedExecutions]).pipe(
      Effect.zipRight(request),
      Effect.flatMap((wanted) => executions.run({ ...wanted, onMismatch, waitSeconds: preference?.waitSeconds })),
      Effect.map(
        (result): Outcome => ({
          _tag: "Ended",
          result,
          // Nothing was done otherwise because of it.
          applied: preference?.waitSeconds === 0 ? undefined : preference?.applied
        })
      ),
      Effect.catchAll((error) =>
        isLate(error) && preference !== undefined
          ? Effect.map(
              executions.get(caller, error.execution_id),
              (result): Outcome => ({
                _tag: "Running",
                stub: stubOf(result),
                units: error.units,
                applied: preference.applied
              })
            )
          : Effect.fail(error)
      )
    )
  }

const isLate = (error: unknown): error is Executions.DeadlineExceeded => error instanceof Executions.DeadlineExceeded

/** What an execution of a caller shows of itself in a list. */
export const stubOf = (result: AnalysisResult.AnalysisResult): Execution.ExecutionStub => ({
  execution_id: result.execution_id,
  target: result.target,
  address: result.address,
  chain: result.chain,
  status: result.status,
  created_at: result.created_at,
  completed_at: result.completed_at,
  score: result.facts.risk?.score ?? null,
  level: result.facts.risk?.level ?? null,
  watch_id: null,
  content_hash: result.content_hash
})

/** The response that names an execution which goes on, or has ended meanwhile. */
export const accepted = ({
  applied,
  stub,
  units
}: Omit<Extract<Outcome, { readonly _tag: "Running" }>, "_tag">): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeJson(stub, {
    status: 202,
    headers: {
      location: `/api/v1/executions/${stub.execution_id}`,
      "retry-after": "2",
      "units-charged": String(units),
      ...(applied === undefined ? {} : { "preference-applied": applied })
    }
  })

/** The problem of a waiting time that is over: the execution goes on, and keeps the unit that this request reserved for it. */
export const late = (error: Executions.DeadlineExceeded) =>
  Effect.catchAll(Problems.translate(error), (problem) =>
    Effect.map(BasePath.BasePath, (base) =>
      HttpServerResponse.setHeader(Problems.toResponse(problem, base), "units-charged", String(error.units))
    )
  )

export const layer = HttpApiBuilder.group(Api, "analyses", (handlers) =>
  Effect.gen(function* () {
    const chains = yield* Chains.Chains
    const executions = yield* Executions.Executions
    const guess = yield* KindGuess.KindGuess
    const rateLimit = yield* RateLimit.RateLimit

    const start = starting(executions, rateLimit)

    const analyse =
      (kindOf: KindGuess.KindGuess["Type"]["of"]) =>
      (request: {
        readonly path: { readonly address: Address.Address }
        readonly urlParams: typeof AnalysisQuery.Type
        readonly request: HttpServerRequest.HttpServerRequest
      }) =>
        Effect.flatMap(IdempotencyKey.of(request.request), (idempotencyKey) =>
          Effect.all({ caller: CurrentCaller, chain: chains.find(Option.fromNullable(request.urlParams.chain)) }).pipe(
            Effect.flatMap((who) =>
              start(
                Effect.map(kindOf(request.path.address, who.chain), (kind) => ({
                  ...who,
                  kind,
                  address: request.path.address,
                  summary: (request.urlParams.summary ?? true) ? ("wanted" as const) : ("not_requested" as const),
                  compareTo: baseOf(request.urlParams.compare_to),
                  idempotencyKey,
                  maxAgeSeconds: request.urlParams.max_age
                })),
                who.caller,
                Preference.of(request.request)
              )
            ),
            Effect.flatMap((outcome) =>
              outcome._tag === "Running"
                ? Effect.succeed(accepted(outcome))
                : Effect.map(
                    ResultResponse.make(request.request, outcome.result, request.urlParams),
                    HttpServerResponse.setHeaders({
                      "units-charged": String(outcome.result.units),
                      ...(outcome.applied === undefined ? {} : { "preference-applied": outcome.applied })
                    })
                  )
            ),
            Effect.catchTag("DeadlineExceeded", late),
            Problems.translate
          )
        )

    return handlers
      .handle("token", analyse(always("token")))
      .handle("wallet", analyse(always("wallet")))
      .handle("contract", analyse(always("contract")))
      .handle("address", analyse(guess.of))
  })
)

const always = (kind: Target.TargetKind) => () => Effect.succeed(kind)
