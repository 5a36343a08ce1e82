#!/usr/bin/env node
// The command of @assay/server under its own name, so that `npx assay` is enough.
await import(new URL("bin/assay.js", import.meta.resolve("@assay/server/package.json")).href)
