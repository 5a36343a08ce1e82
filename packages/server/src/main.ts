#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Shell from "./cli/Shell.js"

// A server starts without the parser of the other commands.
const program =
  process.argv[2] === "serve" && process.argv.length === 3
    ? Effect.flatMap(
        Effect.promise(() => import("./Deployment.js")),
        (deployment) =>
          Effect.catchTag(deployment.serve(), "StartRefused", ({ detail }) =>
            Effect.flatMap(Shell.Shell, (shell) =>
              Effect.zipRight(shell.writeError(`assay: ${detail}\n`), shell.end(1))
            )
          )
      )
    : Effect.flatMap(
        Effect.promise(() => import("./cli/Commands.js")),
        (commands) => commands.run(process.argv.length === 2 ? [...process.argv, "--help"] : process.argv)
      )

NodeRuntime.runMain(Effect.provide(program, Shell.layer), { disablePrettyLogger: true })
