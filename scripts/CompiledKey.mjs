// The key of what solc compiled, and whether it still fits: it covers all that decides the bytes.
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"

/**
 * `settings` is everything but files, the compiler's version too; `sources` are paths of files, `imports` those that they
 * import by the name of a package, found by `require`.
 */
export const of = ({ imports, require, settings, sources }) => {
  const hash = createHash("sha256").update(JSON.stringify(settings))
  for (const path of sources) hash.update(readFileSync(path))
  for (const name of imports) hash.update(`\n${name}\n`).update(readFileSync(require.resolve(name)))
  return hash.digest("hex")
}

/** Whether a JSON file with a `key` and the `imports` behind it was made of what is there now. */
export const fits = (file, keyOf) => {
  if (!existsSync(file)) return false
  const { imports, key } = JSON.parse(readFileSync(file, "utf8"))
  try {
    return key === keyOf(imports)
  } catch (error) {
    // An import that is gone.
    if (error.code === "MODULE_NOT_FOUND" || error.code === "ENOENT") return false
    throw error
  }
}
