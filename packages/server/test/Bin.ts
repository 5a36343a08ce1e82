import { fileURLToPath } from "node:url"

/** The `assay` command as it is published: a launcher of the bundle, which a test run makes anew where its sources have changed. */
export const bin = fileURLToPath(new URL("../bin/assay.js", import.meta.url))
