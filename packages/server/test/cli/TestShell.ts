import { Deferred, Effect, FiberId } from "effect"
import * as Commands from "../../src/cli/Commands.js"
import type { ExitCode } from "../../src/cli/ExitCode.js"
import { Shell } from "../../src/cli/Shell.js"
import * as Terminal from "../../src/Terminal.js"

export interface Ended {
  readonly code: ExitCode | 141 | undefined
  readonly output: string
  readonly errors: string
}

/** The command in this process, with these settings and nothing of the environment. */
export const assay = async (
  args: ReadonlyArray<string>,
  options: { readonly settings?: Readonly<Record<string, string>>; readonly input?: string } = {}
): Promise<Ended> => {
  let output = ""
  let errors = ""
  let code: ExitCode | 141 | undefined
  await Commands.run(["node", "assay", ...args]).pipe(
    Effect.provideService(Shell, {
      settings: options.settings ?? {},
      terminal: { output: Terminal.none, errors: Terminal.none },
      input: Effect.succeed(options.input ?? ""),
      write: (text) =>
        Effect.sync(() => {
          output += text
        }),
      writeError: (text) =>
        Effect.sync(() => {
          errors += text
        }),
      lost: Deferred.unsafeMake<string>(FiberId.none),
      end: (ended) =>
        Effect.sync(() => {
          code = ended
        })
    }),
    Effect.runPromise
  )
  return { code, output, errors }
}
