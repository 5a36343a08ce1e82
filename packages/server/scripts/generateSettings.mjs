// Writes the table of settings into packages/server/README.md, and that of metrics into docs/guides/operate-the-server.md:
// `tsc -b && node packages/server/scripts/generateSettings.mjs`.
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Settings from "../dist/Settings.js"
import * as Families from "../dist/telemetry/Families.js"

const rewrite = (relative, pattern, text) => {
  const path = fileURLToPath(new URL(relative, import.meta.url))
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace(pattern, () => text)
  )
}

rewrite("../README.md", /^\| Setting \|.*\n(?:\|.*\n)+/m, Settings.markdown())
rewrite("../../../docs/guides/operate-the-server.md", /^\| Metric \|.*\n(?:\|.*\n)+/m, Families.markdown())
