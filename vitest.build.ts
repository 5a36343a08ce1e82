import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"

const root = fileURLToPath(new URL(".", import.meta.url))

const run = (...args: ReadonlyArray<string>): void => {
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}\n${stdout}${stderr}`)
}

/** Builds the command where its sources have changed: tests run it as a user does (packages/server/test/Bin.ts). */
const build = (): void => {
  run("node_modules/.bin/tsc", "-b", "packages/server")
  run("packages/server/scripts/bundleBin.mjs", "--stale")
}

export default (project: TestProject): void => {
  build()
  project.onTestsRerun(async () => build())
}
