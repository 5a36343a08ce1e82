// Where `npm start` keeps what it made, and under which names: a name changes with what the thing is made of.
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

// Tests name a folder of their own, so that they neither find nor change what this checkout has.
const folder = process.env.ASSAY_CACHE?.trim() || join(root, "node_modules/.cache/assay")

const filesIn = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .sort()
        .flatMap((name) => filesIn(join(path, name)))
    : [path]

const fingerprint = (paths) => {
  // The root is part of it: a bundle names the files that it reads by their whole path.
  const hash = createHash("sha256").update(root)
  for (const file of paths.flatMap((path) => filesIn(join(root, path))))
    hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file))
  return hash.digest("hex").slice(0, 16)
}

// A package may have no sources of its own.
const packages = ["packages", "testing"].flatMap((group) =>
  readdirSync(join(root, group))
    .map((name) => `${group}/${name}/src`)
    .filter((path) => existsSync(join(root, path)))
)

const place = (kind, paths) => join(folder, `${kind}-${fingerprint(paths)}`)

/** The bundle of these sources, whether it is there yet or not. */
export const bundle = place("bundle", [
  ...packages,
  "scripts/bundle.mjs",
  "scripts/start",
  "package-lock.json",
  "tsconfig.base.json"
])

/** The built chain of these sources, whether it is there yet or not. */
export const chain = place("chain", [
  "testing/sandbox/src",
  "testing/sandbox/contracts/compiled.json",
  "package-lock.json"
])

const anHour = 3_600_000

/** Removes what was made of other sources, and what was left unfinished. */
export const tidy = () => {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const isOld = /^(?:bundle|chain)-[0-9a-f]{16}$/.test(name)
      ? path !== bundle && path !== chain
      : /^(?:bundle|chain)-[0-9a-f]{16}-/.test(name) && Date.now() - statSync(path).mtimeMs > anHour
    if (isOld) rmSync(path, { recursive: true, force: true })
  }
}
