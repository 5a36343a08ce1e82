// `npm start`: the server on this machine. Where no chain is configured it starts the sandbox chain and reads that one.
import { Deployment } from "@assay/server"
import { NodeRuntime } from "@effect/platform-node"
import { ConfigProvider, Console, Effect, Layer } from "effect"

const configured = [process.env.ASSAY_RPC_URLS, process.env.ASSAY_RPC_URLS_FILE].some((value) => value?.trim())

// The sandbox stands below the server: it ends after the last request has been answered, however the server ends.
const sandbox = Effect.gen(function* () {
  const { Sandbox } = yield* Effect.promise(() => import("@assay/sandbox"))
  const chain = yield* Effect.acquireRelease(
    Effect.tryPromise({ try: () => Sandbox.start(), catch: ({ message }) => `the sandbox chain: ${message}` }),
    ({ stop }) => Effect.promise(stop)
  )
  yield* Console.log("No ASSAY_RPC_URLS, so this reads a sandbox chain (31337) that lives and ends with this process.")
  return chain
})

const curl = (origin, path) => `curl -s -H "authorization: Bearer $KEY" ${origin}/api/v1/${path}`

// Below the basic ones, each in one line: what to put in the place of `token/0x…`.
const headings = [
  ["trap", "Tokens with rules of their own about trading"],
  ["power", "Tokens that somebody has power over"],
  ["honest", "Their honest twins"],
  ["liquidity", "Tokens by who has the shares of their pool"],
  ["control", "Tokens by who controls them"],
  ["wallet", "Wallets"]
]

const lines = (origin, targets) => [
  "",
  `Documentation: ${origin}/api/v1/docs`,
  "",
  "Make a key:",
  `KEY=$(curl -s -X POST ${origin}/api/v1/keys -H 'content-type: application/json' -d '{"label":"me"}' | sed 's/.*"key":"\\([^"]*\\)".*/\\1/')`,
  "",
  ...(targets.length > 0
    ? [
        "Analyse, each for one of the key's 50 units a day:",
        ...targets
          .filter(({ group }) => group === "basic")
          .flatMap(({ address, description, kind, name }) => [
            `${name}: ${description}`,
            `  ${curl(origin, `${kind}/${address}`)}`
          ]),
        ...headings.flatMap(([group, heading]) => [
          "",
          `${heading}:`,
          ...targets
            .filter((target) => target.group === group)
            .map(({ address, description, kind, name }) => `  ${kind}/${address}  ${name}: ${description}`)
        ])
      ]
    : ["Analyse:", curl(origin, "token/0x…")]),
  "",
  "See what was found, and what changed:",
  curl(origin, "executions"),
  ""
]

// The chain is the sandbox also where the variable is there and empty; what else is set stays.
const settings = (chain) =>
  ConfigProvider.fromMap(new Map([["ASSAY_RPC_URLS", `${chain.chainId}=${chain.url}`]])).pipe(
    ConfigProvider.orElse(() => ConfigProvider.fromEnv()),
    ConfigProvider.orElse(() => ConfigProvider.fromMap(new Map([["ASSAY_DATABASE", "sqlite:./data/sandbox.db"]])))
  )

const main = Effect.scoped(
  Effect.gen(function* () {
    if (configured) return yield* Deployment.serve((origin) => Console.log(lines(origin, []).join("\n")))
    const chain = yield* sandbox
    const ended = Effect.flatMap(
      Effect.promise(() => chain.ended),
      () => Effect.fail("the sandbox chain has ended")
    )
    const serve = Deployment.serve((origin) => Console.log(lines(origin, Object.values(chain.targets)).join("\n")))
    return yield* Effect.raceFirst(serve, ended).pipe(Effect.provide(Layer.setConfigProvider(settings(chain))))
  })
)

NodeRuntime.runMain(
  Effect.catchAll(main, (error) =>
    Effect.zipRight(
      Console.error(`assay: ${typeof error === "string" ? error : error.detail}`),
      Effect.sync(() => {
        process.exitCode = 1
      })
    )
  ),
  { disablePrettyLogger: true }
)
