#!/usr/bin/env node
// The `assay` command. npm links commands when it installs, in a clone before anything is built: so this file is committed,
// and what it runs is the bundle.
import { existsSync } from "node:fs"

const bundle = new URL("../dist/bin/assay.js", import.meta.url)

if (existsSync(bundle)) await import(bundle.href)
else {
  process.stderr.write("assay: the command is not built yet; run: npm run build\n")
  process.exitCode = 1
}
