import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"

type Hashes = Readonly<Record<string, string>>

const path = "testing/sandbox/targets.json"
const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** The file of some commits ago; none without git, or where there was none. */
const before = (): Hashes | undefined => {
  try {
    const args = ["show", `HEAD~20:${path}`]
    return JSON.parse(execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
  } catch {
    return undefined
  }
}

const now: Hashes = JSON.parse(readFileSync(new URL(path, `file://${root}`), "utf8"))
const known = Tier.landing ? undefined : before()

/**
 * Whether this run analyses a target: before landing one in five, which take turns by their name and the draw, and
 * those with changed code or changed truths since twenty commits ago.
 */
export const has = (name: string): boolean =>
  Tier.landing || Draw.placeOf(name, 5) === 0 || (known !== undefined && known[name] !== now[name])
