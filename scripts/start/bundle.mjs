// Bundles what `npm start`, `npm run targets` and `npm run sandbox` run, and keeps it until the sources change.
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { bundle, inPlace } from "../bundle.mjs"
import * as Cache from "./cache.mjs"

const programs = ["serve", "targets", "sandbox"]

// Native code, WebAssembly, and the two megabytes of the documentation page: read from where they are installed.
const outside = /^(?:better-sqlite3|msgpackr-extract|evmole)$|\/internal\/httpApiSwagger\.js$/

const external = {
  name: "external",
  setup: (build) => {
    build.onResolve({ filter: outside }, async ({ kind, path, pluginData, resolveDir }) => {
      if (pluginData === external) return undefined
      const found = await build.resolve(path, { kind, resolveDir, pluginData: external })
      if (found.errors.length > 0) return found
      // By its whole path, as the bundle may lie where the package is not found by its name.
      return { path: kind === "import-statement" ? pathToFileURL(found.path).href : found.path, external: true }
    })
  }
}

const write = async (folder) => {
  const unfinished = mkdtempSync(`${folder}-`)
  try {
    await bundle({
      entryPoints: programs.map((name) => `scripts/start/${name}.mjs`),
      outdir: unfinished,
      outExtension: { ".js": ".mjs" },
      keepNames: true,
      plugins: [external],
      rewrite: inPlace
    })
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Another start with the same sources may have been quicker.
    if (!existsSync(folder)) throw error
  }
}

/** The bundled program of a name. Bundles first where the sources are new, and calls `onStep` before it does. */
export const load = async (name, onStep) => {
  Cache.tidy()
  if (!existsSync(Cache.bundle)) {
    onStep?.()
    try {
      await write(Cache.bundle)
    } catch ({ message }) {
      console.error(`assay: the sources cannot be bundled: ${message.split("\n")[0]}`)
      process.exit(1)
    }
  }
  return import(pathToFileURL(join(Cache.bundle, `${name}.mjs`)).href)
}
