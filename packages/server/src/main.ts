import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as MissingPackage from "./cli/MissingPackage.js"
import * as OrphanSignal from "./cli/OrphanSignal.js"
import * as Shell from "./cli/Shell.js"

// A server starts without the parser of the other commands.
const program =
  process.argv[2] === "serve" && process.argv.length === 3
    ? Effect.flatMap(
        Effect.promise(() => import("./Deployment.js")),
        (deployment) =>
          Effect.catchTag(Shell.untilInterrupted(deployment.serve()), "StartRefused", ({ detail }) =>
            Effect.flatMap(Shell.Shell, (shell) =>
              Effect.zipRight(shell.writeError(`assay: ${detail}\n`), shell.end(1))
            )
          )
      )
    : Effect.flatMap(
        Effect.promise(() => import("./cli/Commands.js")),
        (commands) => commands.run(process.argv)
      )

const told = Effect.catchSomeDefect(program, (defect) =>
  Option.map(MissingPackage.of(defect), (line) =>
    Effect.flatMap(Shell.Shell, (shell) => Effect.zipRight(shell.writeError(`assay: ${line}\n`), shell.end(1)))
  )
)

// 128 and the number of the signal, as of a program that the signal ended.
let interrupted: number | undefined
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143]
] as const)
  process.once(signal, () => {
    interrupted ??= code
  })

OrphanSignal.follow(["npx"])
NodeRuntime.runMain(Effect.provide(told, Shell.layer), {
  disablePrettyLogger: true,
  // What runs until it is interrupted has set its code by then.
  teardown: (exit, onExit) => {
    if (Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause)) return onExit(1)
    onExit(interrupted === undefined ? 0 : Number(process.exitCode ?? (Exit.isSuccess(exit) ? 0 : interrupted)))
  }
})
