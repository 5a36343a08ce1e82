import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Effect, Stream } from "effect"
import { build } from "vite"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const directory = join(root, "node_modules", ".cache", "storage-sqlite-worker")

/** Makes a program of the worker, from the sources that are tested. */
export const compile: Effect.Effect<string> = Effect.promise(() =>
  build({
    configFile: join(root, "vitest.config.ts"),
    logLevel: "error",
    ssr: { noExternal: [/^@assay\//] },
    build: {
      ssr: fileURLToPath(new URL("./WorkerProgram.ts", import.meta.url)),
      outDir: directory,
      emptyOutDir: true,
      minify: false,
      rollupOptions: { output: { entryFileNames: "worker.mjs" } }
    }
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
