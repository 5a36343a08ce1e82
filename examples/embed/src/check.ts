import { Address, Analyzer, ChainAccess, ChainState, Chains, Check, Checks } from "@assay/core"
import { FetchHttpClient } from "@effect/platform"
import { Console, Effect, Layer, Schema } from "effect"

const rich = Check.make({
  id: "acme.rich",
  code: "ACME-01",
  version: 1,
  targets: ["wallet"],
  claim: "The wallet holds more than 100 units of the native coin",
  polarity: "neutral",
  severity: "info",
  dimension: "account",
  value: Schema.Struct({ balance: Schema.String }),
  run: (target) =>
    Effect.gen(function* () {
      const state = yield* ChainState.ChainState
      const { observation, value } = yield* state.balance(target.address)
      const verdict = value > 100n * 10n ** 18n ? Check.confirmed : Check.refuted
      return [
        verdict({
          value: { balance: value.toString() },
          detail: `it holds ${value} wei`,
          observation: observation()
        })
      ]
    })
})

const Engine = Analyzer.layer([...Checks.all, rich]).pipe(
  Layer.provide(ChainAccess.layerJsonRpc()),
  Layer.provide(FetchHttpClient.layer)
)

const program = Effect.gen(function* () {
  const [endpoint = "", wallet = ""] = process.argv.slice(2)
  const analyzer = yield* Analyzer.Analyzer
  const { evidence } = yield* analyzer.analyze({
    kind: "wallet",
    address: yield* Address.parse(wallet),
    chain: Chains.make({ id: 31337, endpoints: [endpoint], addressBook: 1 })
  })
  for (const item of evidence) if (item.id === rich.id) yield* Console.log(item.state, item.id, item.detail)
})

Effect.runPromise(Effect.provide(program, Engine))
