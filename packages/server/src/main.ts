#!/usr/bin/env node
import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect } from "effect"
import * as Deployment from "./Deployment.js"

const usage = `assay serve    serves the HTTP API; settings come from the environment

  ASSAY_RPC_URLS   the chains to read, as 1=https://…|https://…,8453=https://…  (required)
  ASSAY_HOST       where to listen, 127.0.0.1
  ASSAY_PORT       8787
  ASSAY_DATABASE   sqlite:./data/assay.db, or memory:

The README of @assay/server lists the others.`

const refuse = (line: string, exitCode: number) =>
  Effect.zipRight(
    Console.error(line),
    Effect.sync(() => {
      process.exitCode = exitCode
    })
  )

const command = (name: string | undefined): Effect.Effect<void> => {
  switch (name) {
    case "serve":
      return Effect.catchTag(Deployment.serve(), "StartRefused", ({ detail }) => refuse(`assay: ${detail}`, 1))
    case undefined:
    case "help":
    case "--help":
    case "-h":
      return Console.log(usage)
    default:
      return refuse(`assay: there is no command ${JSON.stringify(name)}\n\n${usage}`, 2)
  }
}

NodeRuntime.runMain(command(process.argv[2]), { disablePrettyLogger: true })
