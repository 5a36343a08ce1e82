import * as KindGuess from "@assay/core/analysis/KindGuess"
import * as Chains from "@assay/core/chain/Chains"
import type * as Address from "@assay/core/domain/Address"
import type * as Caller from "@assay/core/domain/Caller"
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
import * as IdempotencyKey from "../edge/IdempotencyKey.js"
import * as Policies from "../edge/Policies.js"
import * as Problems from "../representation/Problems.js"
import * as ResultResponse from "../representation/ResultResponse.js"

/** The execution that a base parameter names; none for `previous`, which is also what its absence means. */
export const baseOf = (base: "previous" | Id.ExecutionId | undefined): Option.Option<Id.ExecutionId> =>
  Option.filter(Option.fromNullable(base), (id): id is Id.ExecutionId => id !== "previous")

export const layer = HttpApiBuilder.group(Api, "analyses", (handlers) =>
  Effect.gen(function* () {
    const chains = yield* Chains.Chains
    const executions = yield* Executions.Executions
    const guess = yield* KindGuess.KindGuess
    const rateLimit = yield* RateLimit.RateLimit

    /** A unit that is given back costs the caller nothing and us an analysis, so it is given back only so often. */
    const bounded = <A, E extends { readonly _tag: string }>({ id }: Caller.Caller, run: Effect.Effect<A, E>) =>
      Effect.zipRight(
        rateLimit.peek(id, [Policies.releasedExecutions]),
        Effect.tapError(run, (error) =>
          error._tag === "TargetMismatch"
            ? Effect.ignore(rateLimit.take(id, [Policies.releasedExecutions]))
            : Effect.void
        )
      )

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
              bounded(
                who.caller,
                Effect.flatMap(kindOf(request.path.address, who.chain), (kind) =>
                  executions.run({
                    ...who,
                    kind,
                    address: request.path.address,
                    summary: (request.urlParams.summary ?? true) ? "wanted" : "not_requested",
                    compareTo: baseOf(request.urlParams.compare_to),
                    idempotencyKey
                  })
                )
              )
            ),
            Effect.flatMap((result) =>
              Effect.map(
                ResultResponse.make(request.request, result, request.urlParams),
                HttpServerResponse.setHeader("units-charged", String(result.units))
              )
            ),
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
