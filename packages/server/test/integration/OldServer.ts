import { execFile, spawnSync } from "node:child_process"
import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("../../../..", import.meta.url))

/** It takes minutes, in which the test goes on to report to its runner. What fails is an error with all that was printed. */
const run = async (folder: string, command: string, ...args: ReadonlyArray<string>): Promise<void> => {
  await promisify(execFile)(command, args, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, NODE_OPTIONS: "", npm_config_update_notifier: "false" }
  }).catch((error: Error & { readonly stdout?: string; readonly stderr?: string }) => {
    throw new Error(`${error.message}\n${error.stdout}`)
  })
}

/** Whether this clone has a commit: a shallow one may lack it. */
export const has = (commit: string): boolean =>
  spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root, stdio: "ignore" }).status === 0

/** Builds the server of a commit in a folder, from its own sources and dependencies, and gives its command. */
export const build = async (commit: string, folder: string): Promise<string> => {
  mkdirSync(folder)
  await run(root, "git", "archive", "--format=tar", `--output=${folder}.tar`, commit)
  await run(folder, "tar", "-xf", `${folder}.tar`)
  await run(folder, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
  // Nothing is compiled here: what `npm ci` compiled for this repository is the same release.
  const compiled = "node_modules/better-sqlite3/build"
  cpSync(join(root, compiled), join(folder, compiled), { recursive: true })
  await run(folder, "npx", "tsc", "-b", "packages/server")
  await run(folder, process.execPath, "packages/server/scripts/bundleBin.mjs")
  return join(folder, "packages/server/bin/assay.js")
}
