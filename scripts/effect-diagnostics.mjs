// A floating Effect compiles and does nothing; only Effect's language service tells.
import { spawnSync } from "node:child_process"

// The server's project holds the sources of the packages below it too.
const projects = ["packages/server", "examples/embed", "examples/watch"]
let failed = false
for (const project of projects) {
  const { status } = spawnSync(
    "npx",
    ["effect-language-service", "diagnostics", "--project", `${project}/tsconfig.json`, "--format", "text"],
    { stdio: "inherit" }
  )
  failed ||= status !== 0
}
process.exit(failed ? 1 : 0)
