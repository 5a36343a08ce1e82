import { buffer } from "node:stream/consumers"
import { Context, Effect, Layer } from "effect"
import type { ExitCode } from "./ExitCode.js"
import * as InputText from "./InputText.js"

/**
 * What a command has of the shell that runs it: settings, streams and the exit code.
 *
 * @since 0.1.0
 * @category services
 */
export class Shell extends Context.Tag("@assay/server/cli/Shell")<
  Shell,
  {
    readonly settings: { readonly [name: string]: string | undefined }
    readonly isTerminal: { readonly output: boolean; readonly errors: boolean }
    /** All of standard input. */
    readonly input: Effect.Effect<string>
    readonly write: (text: string) => Effect.Effect<void>
    readonly writeError: (text: string) => Effect.Effect<void>
    /** The code with which the process ends. */
    readonly end: (code: ExitCode) => Effect.Effect<void>
  }
>() {}

/**
 * The shell of this process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Shell> = Layer.sync(Shell, () => ({
  settings: process.env,
  isTerminal: { output: process.stdout.isTTY === true, errors: process.stderr.isTTY === true },
  input: Effect.map(
    Effect.promise(() => buffer(process.stdin)),
    InputText.decode
  ),
  write: (written) => writeTo(process.stdout, written),
  writeError: (written) => writeTo(process.stderr, written),
  end: (code) =>
    Effect.sync(() => {
      process.exitCode = code
    })
}))

/**
 * The settings of a shell that say something: an empty variable is one that is not set.
 *
 * @since 0.1.0
 * @category combinators
 */
export const stated = (settings: Shell["Type"]["settings"]): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(settings).flatMap(([name, value]) =>
      value === undefined || value.trim() === "" ? [] : [[name, value] as const]
    )
  )

/**
 * The same effect, of a command that runs until it is interrupted: Ctrl-C and SIGTERM end it well, with code 0.
 *
 * @since 0.1.0
 * @category combinators
 */
export const untilInterrupted = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Shell> =>
  Effect.flatMap(Shell, ({ end }) => Effect.onInterrupt(effect, () => end(0)))

// A pipe may take a document in parts, and a process that ends drops what it has not taken.
const writeTo = (stream: NodeJS.WriteStream, written: string): Effect.Effect<void> =>
  Effect.async((resume) => {
    stream.write(written, () => resume(Effect.void))
  })
