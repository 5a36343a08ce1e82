#!/usr/bin/env node
// The command of @assay/server under its own name, so that `npx assay` is enough.
import "@assay/server/command"
