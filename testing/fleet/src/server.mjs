// One process of the server as it is, but for its analyser: that waits, and answers what was recorded, or it is the engine
// where nothing was. What a fleet is measured with runs here and nowhere else: `FLEET_RESULTS` names the file of the answers,
// `FLEET_SECONDS` is how long one takes, `FLEET_SINCE` when the benchmark began. Each analysis is two lines of the log, its
// beginning and its end. After SIGUSR2 those that begin do not end, so that the process can be killed in the middle of them.
import * as Analyzer from "@assay/core/analysis/Analyzer"
import * as Version from "@assay/core/analysis/Version"
import * as Checks from "@assay/core/checks/Checks"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Duration, Effect, Layer } from "effect"
import * as Deployment from "../../../packages/server/dist/Deployment.js"
import { answers, read } from "./results.mjs"

const { FLEET_RESULTS, FLEET_SECONDS, FLEET_SINCE } = process.env
const results = read(FLEET_RESULTS)
const { answer } = answers(results)
let holds = false
process.on("SIGUSR2", () => {
  holds = true
})
const held = (address) => Effect.zipRight(Effect.logInfo(`analysis of ${address} is held`), Effect.never)
const told = (address, analysis) =>
  Effect.zipRight(
    Effect.logInfo(`analysis of ${address} begins`),
    Effect.suspend(() => (holds ? held(address) : analysis))
  ).pipe(Effect.ensuring(Effect.logInfo(`analysis of ${address} ends`)))
const no = () => Effect.dieMessage("no analysis of this kind is asked for by a watch")

const recorded = Layer.succeed(Analyzer.Analyzer, {
  analyze: ({ address }) =>
    told(
      address,
      Effect.gen(function* () {
        yield* Effect.sleep(Duration.seconds(Number(FLEET_SECONDS)))
        const at = yield* Clock.currentTimeMillis
        // The first hour of the benchmark is not the one in which the watches were made.
        return answer(Number(BigInt(address)), { at, hour: 1 + Math.floor((at - Number(FLEET_SINCE)) / 3_600_000) })
      })
    ),
  analyzeMany: no,
  verify: no,
  ruleset: Effect.succeed(results.ruleset),
  engineVersion: Version.engine
})

const engine = Layer.effect(
  Analyzer.Analyzer,
  Effect.map(Analyzer.Analyzer, (analyzer) => ({
    ...analyzer,
    analyze: (request) => told(request.address, analyzer.analyze(request))
  }))
).pipe(Layer.provide(Analyzer.layer(Checks.all)))

const analyzer = results.targets === undefined ? recorded : engine

NodeRuntime.runMain(
  Effect.catchTag(Deployment.serve(undefined, Deployment.layerOver({ analyzer })), "StartRefused", ({ detail }) =>
    Effect.sync(() => {
      process.stderr.write(`${detail}\n`)
      process.exitCode = 1
    })
  ),
  { disablePrettyLogger: true }
)
