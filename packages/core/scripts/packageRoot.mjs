import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

const require = createRequire(import.meta.url)

/** The folder of an installed package: not every one exports its package.json or a main file. */
export const packageRoot = (name) => {
  const root = require.resolve
    .paths(name)
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, "package.json")))
  if (root === undefined) throw new Error(`${name} is not installed`)
  return root
}
