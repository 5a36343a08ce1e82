// What `npm start` runs. Where no chain is configured it starts the sandbox chain and reads that one.
import { Deployment, Samples } from "@assay/server"
import * as OrphanSignal from "@assay/server/cli/OrphanSignal"
import { NodeRuntime } from "@effect/platform-node"
import { ConfigProvider, Console, Effect, Layer } from "effect"
import * as TargetGroups from "./targetGroups.mjs"

const configured = [process.env.ASSAY_RPC_URLS, process.env.ASSAY_RPC_URLS_FILE].some((value) => value?.trim())

const steps = {
  build: "Building the sandbox chain (31337), once for these sources…",
  load: "Loading the sandbox chain (31337)…"
}

// The sandbox stands below the server: it ends after the last request has been answered, however the server ends.
const sandbox = (state) =>
  Effect.gen(function* () {
    const { Sandbox, Targets } = yield* Effect.promise(() => import("@assay/sandbox"))
    const chain = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () => Sandbox.start({ state, onStep: (step) => console.log(steps[step]) }),
        catch: ({ message }) => `the sandbox chain: ${message}`
      }),
      ({ stop }) => Effect.promise(stop)
    )
    const groups = TargetGroups.of(chain.targets)
    return { chain, first: Targets.first.map((name) => chain.targets[name]), groups }
  })

const curl = (path) => `curl -s -H "$AUTH" -H accept:text/plain $API/${path}`

const beginning = (origin) => [
  "",
  `Documentation: ${origin}/api/v1/docs`,
  "",
  "Make a key for 50 units a day:",
  `API=${origin}/api/v1`,
  `KEY=$(curl -s $API/keys -H 'content-type: application/json' -d '{"label":"me"}' |`,
  `  sed 's/.*"key":"\\([^"]*\\)".*/\\1/')`,
  'AUTH="authorization: Bearer $KEY"',
  "",
  "Analyse, one unit each (without the accept field the answer is JSON with all evidence):"
]

// With what is printed before it, and the two lines of the server's log, it is to stay below 25 lines of 100 columns.
const screen = (origin, { chain, first }) => [
  ...beginning(origin),
  ...first.flatMap(({ address, description, kind, name }) => [`${name}: ${description}`, curl(`${kind}/${address}`)]),
  "",
  `All ${Object.keys(chain.targets).length} targets: ${origin} in a browser, or npm run targets`,
  "Real chains in place of the sandbox: set ASSAY_RPC_URLS, see README.md",
  "All settings: packages/server/README.md"
]

const screenOfConfigured = (origin) => [
  ...beginning(origin),
  curl("address/0x…"),
  "",
  "All settings: packages/server/README.md"
]

// The chain is the sandbox also where the variable is there and empty; what else is set stays.
const settings = (chain) =>
  ConfigProvider.fromMap(new Map([["ASSAY_RPC_URLS", `${chain.chainId}=${chain.url}`]])).pipe(
    ConfigProvider.orElse(() => ConfigProvider.fromEnv()),
    ConfigProvider.orElse(() => ConfigProvider.fromMap(new Map([["ASSAY_DATABASE", "sqlite:./data/sandbox.db"]])))
  )

const main = (state) =>
  Effect.scoped(
    Effect.gen(function* () {
      if (configured) return yield* Deployment.serve((origin) => Console.log(screenOfConfigured(origin).join("\n")))
      const { chain, first, groups } = yield* sandbox(state)
      const ended = Effect.flatMap(
        Effect.promise(() => chain.ended),
        () => Effect.fail("the sandbox chain has ended")
      )
      const serve = Deployment.serve(
        (origin) => Console.log(screen(origin, { chain, first }).join("\n")),
        Layer.provide(Deployment.layer, Layer.succeed(Samples.Samples, groups))
      )
      return yield* Effect.raceFirst(serve, ended).pipe(Effect.provide(Layer.setConfigProvider(settings(chain))))
    })
  )

/** Serves until a signal stops it; `state` is where the sandbox chain is kept. */
export const serve = ({ state }) => {
  OrphanSignal.follow(["start"])
  NodeRuntime.runMain(
    Effect.catchAll(main(state), (error) =>
      Effect.zipRight(
        Console.error(`assay: ${typeof error === "string" ? error : error.detail}`),
        Effect.sync(() => {
          process.exitCode = 1
        })
      )
    ),
    { disablePrettyLogger: true }
  )
}
