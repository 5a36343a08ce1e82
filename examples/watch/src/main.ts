import {
  Address,
  Analyzer,
  Bell,
  ChainAccess,
  Chains,
  Checks,
  Entropy,
  EventBell,
  Events,
  Executions,
  Keys,
  Quota,
  Reaper,
  Relay,
  RunReaper,
  Scheduler,
  Storage,
  Watches
} from "@assay/core"
import { FetchHttpClient } from "@effect/platform"
import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer, Option, Redacted, Stream } from "effect"

const [endpoint = "", token = ""] = process.argv.slice(2)
const chain = Chains.make({ id: 31337, endpoints: [endpoint], addressBook: 1 })

const Engine = Layer.mergeAll(
  Watches.layer(),
  Scheduler.layer(),
  RunReaper.layer(),
  Reaper.layer(),
  Events.layer()
).pipe(
  Layer.provide([Executions.layer(), Relay.layer(), Bell.layer]),
  Layer.provideMerge(Keys.layer()),
  Layer.provide([Analyzer.layer(Checks.all), Quota.layer(), Entropy.layer, EventBell.layer]),
  Layer.provide([ChainAccess.layerJsonRpc(), Chains.layer([chain]), Storage.layerMemory]),
  Layer.provide(FetchHttpClient.layer)
)

const program = Effect.gen(function* () {
  const keys = yield* Keys.Keys
  const watches = yield* Watches.Watches
  const events = yield* Events.Events
  const { key } = yield* keys.create({ label: "watch", expiresInSeconds: Option.none(), source: Option.none() })
  const caller = yield* keys.authenticate(Redacted.make(key))
  const watch = yield* watches.create(caller, {
    kind: "token",
    address: yield* Address.parse(token),
    chain,
    label: "my token",
    intervalSeconds: 3600,
    options: { notify_unchanged: true },
    paused: false
  })
  yield* watches.runNow(caller, watch.value.id)
  const told = yield* events.stream(caller, { after: Option.none(), types: [], watchId: Option.none() })
  yield* Stream.runForEach(told, ({ event: { data, timestamp, type } }) =>
    Console.log(timestamp, type, "changes" in data ? data.changes.map(({ title }) => title).join("; ") : "")
  )
})

NodeRuntime.runMain(Effect.provide(program, Engine))
