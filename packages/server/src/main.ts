#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

const usage = `assay serve    serves the HTTP API; settings come from the environment

  ASSAY_RPC_URLS   JSON-RPC endpoints per chain id, such as 1=https://…|https://…,8453=https://…  (required)
  ASSAY_HOST       address to listen on (default 127.0.0.1)
  ASSAY_PORT       port to listen on (default 8787)
  ASSAY_DATABASE   sqlite:<path> or memory: (default sqlite:./data/assay.db)

The README of @assay/server lists all settings.`

const refuse = (line: string, exitCode: number) =>
  Effect.zipRight(
    Console.error(line),
    Effect.sync(() => {
      process.exitCode = exitCode
    })
  )

// The whole engine: loaded where it is needed, so that the other commands answer at once.
const serve = Effect.flatMap(
  Effect.promise(() => import("./Deployment.js")),
  (Deployment) => Effect.catchTag(Deployment.serve(), "StartRefused", ({ detail }) => refuse(`assay: ${detail}`, 1))
)

const command = (name: string | undefined): Effect.Effect<void> => {
  switch (name) {
    case "serve":
      return serve
    case undefined:
    case "help":
    case "--help":
    case "-h":
      return Console.log(usage)
    default:
      return refuse(`assay: unknown command ${JSON.stringify(name)}\n\n${usage}`, 2)
  }
}

NodeRuntime.runMain(command(process.argv[2]), { disablePrettyLogger: true })
