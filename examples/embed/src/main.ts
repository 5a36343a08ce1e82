import { Address, Analyzer, ChainAccess, Chains, Checks, Executions, Id, Quota, Storage } from "@assay/core"
import { FetchHttpClient } from "@effect/platform"
import { Console, Effect, Layer, Option } from "effect"

const Engine = Executions.layer().pipe(
  Layer.provide([Analyzer.layer(Checks.all), Quota.layer()]),
  Layer.provide([ChainAccess.layerJsonRpc(), Storage.layerMemory]),
  Layer.provide(FetchHttpClient.layer)
)

const program = Effect.gen(function* () {
  const [endpoint = "", token = ""] = process.argv.slice(2)
  const address = yield* Address.parse(token)
  const executions = yield* Executions.Executions
  const caller = { id: yield* Id.make("key"), dailyQuota: 50, source: Option.none() }
  const chain = Chains.make({ id: 31337, endpoints: [endpoint], addressBook: 1 })
  const request = { caller, kind: "token", address, chain, summary: "not_requested", compareTo: Option.none() } as const
  const { evidence, facts } = yield* executions.run(request)
  yield* Console.log(`${facts.token?.symbol}: ${facts.risk?.score} of 100, ${facts.risk?.level} risk`)
  for (const item of evidence) yield* Console.log(`${item.state.padEnd(9)} ${item.id}: ${item.detail}`)
})

Effect.runPromise(Effect.provide(program, Engine))
