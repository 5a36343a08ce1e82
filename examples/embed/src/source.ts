import {
  Address,
  Analyzer,
  ChainAccess,
  type ChainError,
  ChainState,
  Chains,
  Check,
  Checks,
  HttpSource,
  SourceReading
} from "@assay/core"
import { FetchHttpClient } from "@effect/platform"
import { Console, Context, Effect, Either, Layer, Option, Schema } from "effect"

/** The reports that a registry has of an address. */
class Registry extends Context.Tag("acme/Registry")<
  Registry,
  {
    readonly reports: (
      at: SourceReading.Asked,
      address: Address.Address
    ) => Effect.Effect<SourceReading.SourceReading<number>, ChainError.ChainError>
  }
>() {}

const layerRegistry = (url: string) =>
  Layer.scoped(
    Registry,
    Effect.map(HttpSource.make("Acme registry", { perSecond: 2, keep: "5 minutes" }), (source) => ({
      reports: (at, address) =>
        Effect.map(source.get({ url: `${url}/${at.chain.id}/${address}` }, decode), (answer) =>
          SourceReading.fromAnswer(answer, at)
        )
    }))
  )

const Answer = Schema.Struct({ reports: Schema.NonNegativeInt })

// The registry answers 404 for an address that nobody reported.
const decode: HttpSource.Decode<number> = (body, status) => {
  if (status === 404) return Either.right(0)
  return Either.mapBoth(Schema.decodeUnknownEither(Answer)(body), {
    onLeft: () => ({ reason: "source_unavailable", detail: "its answer is not what its documentation says" }) as const,
    onRight: ({ reports }) => reports
  })
}

const reported = Check.make({
  id: "acme.reported",
  code: "ACME-02",
  version: 1,
  targets: ["token", "wallet", "contract"],
  claim: "The Acme registry has reports of fraud about the address",
  polarity: "risk",
  severity: "high",
  dimension: "identity",
  value: Schema.Struct({ reports: Schema.Int }),
  run: ({ address }) =>
    Effect.gen(function* () {
      const state = yield* ChainState.ChainState
      const registry = yield* Registry
      const { observation, recipe, value: reports } = yield* registry.reports(state, address)
      const [url] = recipe.params
      const verdict = reports > 0 ? Check.confirmed : Check.refuted
      return [
        verdict({
          value: { reports },
          detail: `the registry has ${reports} reports`,
          observation: observation(),
          consulted: [
            { name: "Acme registry", url: String(url), kind: "service", answered: true, recipe: Option.some(recipe) }
          ],
          // The registry says so; nobody checked it.
          verified: false
        })
      ]
    })
})

const [endpoint = "", registry = "", text = ""] = process.argv.slice(2)

const Engine = Analyzer.layer([...Checks.all, reported]).pipe(
  Layer.provide([ChainAccess.layerJsonRpc(), layerRegistry(registry)]),
  Layer.provide(FetchHttpClient.layer)
)

const program = Effect.gen(function* () {
  const analyzer = yield* Analyzer.Analyzer
  const { evidence } = yield* analyzer.analyze({
    kind: "token",
    address: yield* Address.parse(text),
    chain: Chains.make({ id: 31337, endpoints: [endpoint], addressBook: 1 })
  })
  for (const item of evidence)
    if (item.id === reported.id) yield* Console.log(item.state, item.id, item.reason ?? "-", item.detail)
})

Effect.runPromise(Effect.provide(program, Engine))
