import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../../..", import.meta.url))

const run = (folder: string, command: string, ...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, NODE_OPTIONS: "", npm_config_update_notifier: "false" }
  })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}\n${stdout}${stderr}`)
  return stdout
}

/** Whether this clone has a commit: a shallow one may lack it. */
export const has = (commit: string): boolean =>
  spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root, stdio: "ignore" }).status === 0

/** Builds the server of a commit in a folder, from its own sources and dependencies, and gives its command. */
export const build = (commit: string, folder: string): string => {
  mkdirSync(folder)
  run(root, "git", "archive", "--format=tar", `--output=${folder}.tar`, commit)
  run(folder, "tar", "-xf", `${folder}.tar`)
  run(folder, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
  // Nothing is compiled here: what `npm ci` compiled for this repository is the same release.
  const compiled = "node_modules/better-sqlite3/build"
  cpSync(join(root, compiled), join(folder, compiled), { recursive: true })
  run(folder, "npx", "tsc", "-b", "packages/server")
  run(folder, process.execPath, "packages/server/scripts/bundleBin.mjs")
  return join(folder, "packages/server/bin/assay.js")
}
