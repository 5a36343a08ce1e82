import child from "node:child_process"
import { syncBuiltinESMExports } from "node:module"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect } from "vitest"

/** The files of `npm test` that may start a process of ours. */
const mayStart: ReadonlyArray<string> = ["packages/server/test/Smoke.test.ts"]

const root = fileURLToPath(new URL("../", import.meta.url))
const isOurs = (command: string): boolean =>
  command
    .replaceAll("\\", "/")
    .split(root)
    .slice(1)
    .some((path) => /^(?:packages|examples|scripts)\//.test(path) && !path.startsWith("testing/sandbox/node_modules"))

type Start = (...args: ReadonlyArray<unknown>) => unknown
const starts = ["spawn", "spawnSync", "fork", "execFile", "execFileSync", "exec", "execSync"] as const

const guarded =
  (start: Start): Start =>
  (...args) => {
    const command = [args[0], ...(Array.isArray(args[1]) ? args[1] : [])].join(" ")
    const file = relative(root, expect.getState().testPath ?? "")
    if (isOurs(command) && !mayStart.includes(file))
      throw new Error(
        `${file} starts a process of ours in \`npm test\`, which runs at landing (test/Tier.ts): ${command}`
      )
    return start(...args)
  }

/**
 * Refuses whatever starts a program of this repository in a test of the smallest tier: it costs the time of a start, and what
 * kills it waits for it. Such tests run at landing (Tier.ts).
 */
export const refuse = (): void => {
  const builtin = child as unknown as Record<(typeof starts)[number], Start>
  for (const name of starts) {
    const original = builtin[name]
    builtin[name] = guarded(original)
    // What `promisify` makes of execFile and exec is another function.
    const promised = (original as { readonly [promisify.custom]?: Start })[promisify.custom]
    if (promised !== undefined) Object.assign(builtin[name], { [promisify.custom]: guarded(promised) })
  }
  syncBuiltinESMExports()
}
