import * as Analyzer from "@assay/core/analysis/Analyzer"
import * as Chains from "@assay/core/chain/Chains"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Option } from "effect"
import { Api } from "../../api/Api.js"
import type { ListedChain } from "../../api/ListedChain.js"
import * as Problem from "../../api/Problem.js"
import * as BasePath from "../../BasePath.js"
import { ServerConfig } from "../../ServerConfig.js"
import * as Problems from "../representation/Problems.js"
import { Samples } from "../representation/Samples.js"
import { HealthCheck } from "./HealthCheck.js"
import * as LimitList from "./LimitList.js"
import * as ServedOrigin from "./ServedOrigin.js"
import * as WelcomePage from "./WelcomePage.js"

export const layer = HttpApiBuilder.group(Api, "meta", (handlers) =>
  Effect.gen(function* () {
    const analyzer = yield* Analyzer.Analyzer
    const config = yield* ServerConfig
    const health = yield* HealthCheck
    const chains = served(yield* Chains.Chains)
    const samples = yield* Samples
    const { basePath = "" } = config
    const problems = Problem.documents.map((document) => ({
      ...document,
      type: BasePath.located(basePath, document.type)
    }))

    return handlers
      .handle("welcome", ({ request }) =>
        Effect.succeed(
          HttpServerResponse.text(
            WelcomePage.make({
              origin: ServedOrigin.of(request.headers.host),
              basePath,
              chains,
              samples,
              creation: config.keys.creation
            }),
            {
              contentType: "text/html; charset=utf-8",
              headers: { "content-security-policy": WelcomePage.contentSecurityPolicy }
            }
          )
        )
      )
      .handle("chains", () => Effect.succeed(whole(chains)))
      .handle("limits", () => Effect.succeed(whole(LimitList.make(config))))
      .handle("problems", () => Effect.succeed(whole(problems)))
      .handle("problem", ({ path }) =>
        Effect.fromNullable(problems.find(({ type }) => type.endsWith(`/${path.slug}`))).pipe(
          Effect.catchAll(() => Problems.fail("not_found", { detail: "There is no such problem." }))
        )
      )
      .handle("evidenceRules", () => Effect.map(analyzer.ruleset, ({ rules }) => whole(rules)))
      .handle("live", () =>
        Effect.succeed({
          status: "ok" as const,
          checks: { storage: "unchecked" as const, scheduler: "unchecked" as const, upstream: "unchecked" as const },
          cause: null
        })
      )
      .handle("ready", () =>
        Effect.map(health.ready, (report) =>
          HttpServerResponse.unsafeJson(report, { status: report.status === "failed" ? 503 : 200 })
        )
      )
  })
)

const whole = <A>(data: ReadonlyArray<A>) => ({ data, next_cursor: null })

const served = ({ all, default: preferred }: Chains.Chains["Type"]): ReadonlyArray<ListedChain> =>
  all.map((chain) => ({
    id: chain.id,
    name: chain.name,
    currency: Option.getOrNull(Chains.currencyOf(chain)),
    explorer: Option.getOrNull(chain.explorer),
    default: chain.id === preferred.id
  }))
