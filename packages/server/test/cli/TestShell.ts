import { Effect } from "effect"
import * as Commands from "../../src/cli/Commands.js"
import type { ExitCode } from "../../src/cli/ExitCode.js"
import { Shell } from "../../src/cli/Shell.js"

export interface Ended {
  readonly code: ExitCode | undefined
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
  let code: ExitCode | undefined
  await Commands.run(["node", "assay", ...args]).pipe(
    Effect.provideService(Shell, {
      settings: options.settings ?? {},
      isTerminal: { output: false, errors: false },
      input: Effect.succeed(options.input ?? ""),
      write: (text) =>
        Effect.sync(() => {
          output += text
        }),
      writeError: (text) =>
        Effect.sync(() => {
          errors += text
        }),
      end: (ended) =>
        Effect.sync(() => {
          code = ended
        })
    }),
    Effect.runPromise
  )
  return { code, output, errors }
}
