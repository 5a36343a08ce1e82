import { Address, Analyzer, ChainAccess, Chains, Checks, Failure, KindGuess, Report, ReportText } from "@assay/core"
import { FetchHttpClient } from "@effect/platform"
import { Clock, Console, Effect, Layer, Option } from "effect"

const Engine = Analyzer.layer(Checks.all).pipe(
  Layer.provideMerge(ChainAccess.layerJsonRpc()),
  Layer.provide(FetchHttpClient.layer)
)

const program = Effect.gen(function* () {
  const [endpoint = "", text = ""] = process.argv.slice(2)
  const address = yield* Address.parse(text)
  const chain = Chains.make({ id: 31337, endpoints: [endpoint], addressBook: 1 })
  const kind = yield* KindGuess.make(address, chain, Option.none())
  const analyzer = yield* Analyzer.Analyzer
  const deadline = (yield* Clock.currentTimeMillis) + 60_000
  const analysis = yield* analyzer.analyze({ kind, address, chain, deadline })
  yield* Console.log(ReportText.plain(Report.make(analysis)))
})

program.pipe(
  Effect.catchAll((failure) => {
    const { code, message, retryable } = Failure.describe(failure)
    return Console.error(`${code}: ${message}${retryable ? " It may work later." : ""}`)
  }),
  Effect.provide(Engine),
  Effect.runPromise
)
