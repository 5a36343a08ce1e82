// Writes targets.json: of each target of the chain a hash of its code, and of what is true of it. Tests that take a part of
// the targets take those that changed lately as well.
import { writeFileSync } from "node:fs"
import { Fingerprints, Sandbox } from "../dist/index.js"

const sandbox = await Sandbox.start()
try {
  const found = await Fingerprints.of(sandbox)
  writeFileSync(new URL("../targets.json", import.meta.url), `${JSON.stringify(found, null, 2)}\n`)
} finally {
  await sandbox.stop()
}
