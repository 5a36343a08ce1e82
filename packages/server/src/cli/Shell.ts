import { buffer } from "node:stream/consumers"
import { Context, Deferred, Effect, FiberId, Layer, Option } from "effect"
import * as Terminal from "../Terminal.js"
import type { ExitCode } from "./ExitCode.js"
import * as InputText from "./InputText.js"

/** What a command has of the shell that runs it: settings, streams and the exit code. */
export class Shell extends Context.Tag("@assay/server/cli/Shell")<
  Shell,
  {
    readonly settings: { readonly [name: string]: string | undefined }
    readonly terminal: { readonly output: Terminal.Terminal; readonly errors: Terminal.Terminal }
    /** All of standard input. */
    readonly input: Effect.Effect<string>
    readonly write: (text: string) => Effect.Effect<void>
    readonly writeError: (text: string) => Effect.Effect<void>
    /** Done when standard output takes nothing more, with the code of the system's error. */
    readonly lost: Deferred.Deferred<string>
    /** The code with which the process ends. */
    readonly end: (code: ExitCode | typeof readerLeft) => Effect.Effect<void>
  }
>() {}

/**
 * The exit code where the reader of standard output has left: 128 and the number of SIGPIPE, as of a program that it ended.
 */
export const readerLeft = 141

/** The shell of this process. */
export const layer: Layer.Layer<Shell> = Layer.sync(Shell, () => {
  const lost = Deferred.unsafeMake<string>(FiberId.none)
  const lose = ({ code }: NodeJS.ErrnoException) => Deferred.unsafeDone(lost, Effect.succeed(code ?? "unknown reason"))
  process.stdout.on("error", lose)
  // What a command finds is not less for the reader of standard output.
  process.stderr.on("error", () => {})
  return {
    settings: process.env,
    terminal: {
      output: Terminal.of(process.stdout, process.env),
      errors: Terminal.of(process.stderr, process.env)
    },
    input: Effect.map(
      Effect.promise(() => buffer(process.stdin)),
      InputText.decode
    ),
    // The code is there before the command goes on: by the event alone it could have ended by then.
    write: (written) => writeTo(process.stdout, written, lose),
    writeError: (written) => writeTo(process.stderr, written, () => {}),
    lost,
    end: (code) =>
      Effect.sync(() => {
        process.exitCode = code
      })
  }
})

/**
 * Runs a command for as long as its output is read: no work is done for nobody. A reader that leaves ends it with
 * `readerLeft` and without a word, as `head` expects it. What cannot be written to a disk is an error.
 */
export const whileRead = <E, R>(effect: Effect.Effect<void, E, R>): Effect.Effect<void, E, R | Shell> =>
  Effect.flatMap(Shell, ({ end, lost, terminal, writeError }) =>
    Effect.ensuring(
      Effect.raceFirst(
        // A terminal shows the key that was pressed, and the prompt of the shell would follow it.
        Effect.onInterrupt(effect, () => writeError(terminal.errors.erase)),
        Effect.asVoid(Deferred.await(lost))
      ),
      Effect.flatMap(
        Deferred.poll(lost),
        Option.match({
          onNone: () => Effect.void,
          onSome: Effect.flatMap((code) =>
            left.has(code)
              ? end(readerLeft)
              : Effect.zipRight(writeError(`assay: standard output cannot be written (${code})\n`), end(1))
          )
        })
      )
    )
  )

// Of a pipe, of a socket, and of a terminal that is gone. A stream that failed once says the last.
const left: ReadonlySet<string> = new Set(["EPIPE", "ECONNRESET", "EIO", "ERR_STREAM_DESTROYED"])

/** The settings of a shell that say something: an empty variable is one that is not set. */
export const stated = (settings: Shell["Type"]["settings"]): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(settings).flatMap(([name, value]) =>
      value === undefined || value.trim() === "" ? [] : [[name, value] as const]
    )
  )

/** The same effect, of a command that runs until it is interrupted: Ctrl-C and SIGTERM end it well, with code 0. */
export const untilInterrupted = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Shell> =>
  Effect.flatMap(Shell, ({ end }) => Effect.onInterrupt(effect, () => end(0)))

// A pipe may take a document in parts, and a process that ends drops what it has not taken.
const writeTo = (
  stream: NodeJS.WriteStream,
  written: string,
  onError: (error: NodeJS.ErrnoException) => void
): Effect.Effect<void> =>
  Effect.async((resume) => {
    stream.write(written, (error) => {
      if (error) onError(error)
      resume(Effect.void)
    })
  })
