import { type AnalysisResult, Chains, Executions, type Id, type Target } from "@assay/core"
import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect, Option } from "effect"
import type { AnalysisQuery } from "../api/AnalysesGroup.js"
import { Api } from "../api/Api.js"
import { CurrentCaller } from "../api/Authentication.js"
import * as Problems from "./Problems.js"

/**
 * The execution that a base parameter names; none for `previous`, which is also what its absence means.
 *
 * @since 0.1.0
 * @category combinators
 */
export const baseOf = (base: "previous" | Id.ExecutionId | undefined): Option.Option<Id.ExecutionId> =>
  Option.filter(Option.fromNullable(base), (id): id is Id.ExecutionId => id !== "previous")

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = HttpApiBuilder.group(Api, "analyses", (handlers) =>
  Effect.gen(function* () {
    const chains = yield* Chains.Chains
    const executions = yield* Executions.Executions

    const analyse =
      (kind: Target.TargetKind) =>
      (request: {
        readonly path: { readonly address: AnalysisResult.AnalysisResult["address"] }
        readonly urlParams: typeof AnalysisQuery.Type
      }) =>
        Effect.all({ caller: CurrentCaller, chain: chains.find(Option.fromNullable(request.urlParams.chain)) }).pipe(
          Effect.flatMap((who) =>
            executions.run({
              ...who,
              kind,
              address: request.path.address,
              summary: request.urlParams.summary ?? true,
              compareTo: baseOf(request.urlParams.compare_to)
            })
          ),
          Effect.map((result) =>
            HttpServerResponse.unsafeJson(result, { headers: { "units-charged": String(result.units) } })
          ),
          Problems.translate
        )

    return handlers
      .handle("token", analyse("token"))
      .handle("wallet", analyse("wallet"))
      .handle("contract", analyse("contract"))
  })
)
