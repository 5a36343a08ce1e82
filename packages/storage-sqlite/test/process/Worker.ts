import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Effect, Stream } from "effect"
// @ts-expect-error: a script without types.
import { bundle, inPlace } from "../../../../scripts/bundle.mjs"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const directory = join(root, "node_modules", ".cache", "storage-sqlite-worker")

/** Makes a program of the worker, from the sources that are tested: one file, so that each start opens no thousand of them. */
export const compile: Effect.Effect<string> = Effect.promise(() =>
  bundle({
    entryPoints: { worker: fileURLToPath(new URL("./WorkerProgram.ts", import.meta.url)) },
    outdir: directory,
    outExtension: { ".js": ".mjs" },
    external: ["better-sqlite3", "evmole"],
    rewrite: inPlace
  })
).pipe(Effect.as(join(directory, "worker.mjs")))

/** A running worker, killed at the latest with the scope. */
export const start = (program: string, args: ReadonlyArray<string>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(
        (): ChildProcess => spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => ({
      kill: Effect.sync(() => child.kill("SIGKILL")),
      signal: (signal: NodeJS.Signals) => Effect.sync(() => child.kill(signal)),
      /** What it said, line by line, until its end. */
      lines: Stream.fromAsyncIterable(
        createInterface({ input: child.stdout ?? process.stdin }),
        (error) => new Error(`the worker's output broke: ${error}`)
      )
    })
  )
