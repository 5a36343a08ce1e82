import { spawn } from "node:child_process"
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import { Effect, Option } from "effect"
import { Refusal } from "./Refusal.js"
import { Shell } from "./Shell.js"

/**
 * Opens a page in the user's browser, from a file of its own in the folder for temporary files, and says where it is: the
 * browser may read it after this process has ended, and a machine without a display has none.
 */
export const open = (page: string): Effect.Effect<void, Refusal, Shell | FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const { settings, writeError } = yield* Shell
    const files = yield* FileSystem.FileSystem
    const file = yield* Effect.gen(function* () {
      const folder = yield* files.makeTempDirectory({ prefix: "assay-" })
      const path = join(folder, "report.html")
      yield* files.writeFileString(path, page, { mode: 0o600 })
      return path
    }).pipe(
      Effect.mapError(
        () => new Refusal({ detail: "the page for --open cannot be written; check the folder for temporary files" })
      )
    )
    const isOpened = yield* Option.match(opener(process.platform, settings), {
      onNone: () => Effect.succeed(false),
      onSome: ([program, ...args]) => started(program, [...args, file], settings)
    })
    yield* writeError(
      isOpened ? `assay: the page is ${file}\n` : `assay: no browser could be opened here; the page is ${file}\n`
    )
  })

/** What opens a file by its type: none on a Unix without a display, where a browser in the terminal would hide the output. */
export const opener = (
  platform: NodeJS.Platform,
  settings: Shell["Type"]["settings"]
): Option.Option<readonly [string, ...ReadonlyArray<string>]> => {
  if (platform === "darwin") return Option.some(["open"])
  // `start` is a command of the shell alone; its first quoted argument is a title.
  if (platform === "win32") return Option.some(["cmd", "/c", "start", "assay"])
  return settings.DISPLAY || settings.WAYLAND_DISPLAY ? Option.some(["xdg-open"]) : Option.none()
}

/** Whether a program could be started. It goes on without this process, and says nothing on its streams. */
const started = (
  program: string,
  args: ReadonlyArray<string>,
  env: Shell["Type"]["settings"]
): Effect.Effect<boolean> =>
  Effect.async((resume) => {
    const child = spawn(program, args, { shell: false, stdio: "ignore", detached: true, env: { ...env } })
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("spawn", () => {
      child.unref()
      resume(Effect.succeed(true))
    })
  })
