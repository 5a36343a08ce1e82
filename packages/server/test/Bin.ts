import { fileURLToPath } from "node:url"

/** The `assay` command as it is published: the bundle, which a test run makes anew where its sources have changed. */
export const bin = fileURLToPath(new URL("../dist/bin/assay.js", import.meta.url))
