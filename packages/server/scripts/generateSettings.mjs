// Writes the table of settings into packages/server/README.md: `tsc -b && node packages/server/scripts/generateSettings.mjs`.
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Settings from "../dist/Settings.js"

const path = fileURLToPath(new URL("../README.md", import.meta.url))
writeFileSync(
  path,
  readFileSync(path, "utf8").replace(/^\| Setting \|.*\n(?:\|.*\n)+/m, () => Settings.markdown())
)
