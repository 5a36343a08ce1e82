// Bundles what `npm start`, `npm run targets` and `npm run sandbox` run, straight from the sources. `dist/` belongs to `tsc -b`.
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
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

const sources = {
  name: "sources",
  setup: (build) => {
    build.onResolve({ filter: /^@assay\// }, ({ path: specifier }) => {
      const [, name, ...module] = specifier.split("/")
      const source = `${join(name, "src", ...(module.length > 0 ? module : ["index"]))}.ts`
      // What is published, else what is not.
      const [path = source] = ["packages", "testing"]
        .map((group) => join(Cache.root, group, source))
        .filter((candidate) => existsSync(candidate))
      return { path }
    })
    // What a source reads beside itself, and the packages it finds from there, stay where they are.
    build.onLoad({ filter: /[\\/](?:packages|testing)[\\/][^\\/]+[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8")
      return {
        loader: "ts",
        contents: text.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href))
      }
    })
  }
}

const write = async (folder) => {
  const { build, stop } = await import("esbuild")
  const unfinished = mkdtempSync(`${folder}-`)
  try {
    await build({
      absWorkingDir: Cache.root,
      entryPoints: programs.map((name) => `scripts/start/${name}.mjs`),
      outdir: unfinished,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20.11",
      keepNames: true,
      // CommonJS packages in it require what Node.js has.
      banner: {
        js: 'import { createRequire as createBundleRequire } from "node:module"\nconst require = createBundleRequire(import.meta.url)'
      },
      plugins: [external, sources],
      logLevel: "warning"
    })
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Another start with the same sources may have been quicker.
    if (!existsSync(folder)) throw error
  } finally {
    await stop()
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
