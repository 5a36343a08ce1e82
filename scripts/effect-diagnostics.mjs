// A floating Effect compiles and does nothing; only Effect's language service tells. One project holds all sources, so that
// each is looked at once.
import { spawnSync } from "node:child_process"

const { status } = spawnSync(
  "npx",
  ["effect-language-service", "diagnostics", "--project", "tsconfig.effects.json", "--format", "text"],
  { stdio: "inherit" }
)
process.exit(status ?? 1)
