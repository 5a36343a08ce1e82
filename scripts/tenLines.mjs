// The bundle of the ten lines of @assay/sdk, as esbuild makes it for a page of what `npx tsc -b` built.
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))

/**
 * Bundles what imports `createAssay` into a folder, minified, a file for each part that is loaded with its first use.
 * `imported` are the files that the import loads, `analyzed` those that one analysis on Ethereum has loaded, `wasm` the
 * WebAssembly that it loads too. `partsOf` gives the bytes of each package and folder of core in some of the files.
 */
export const tenLines = async (outdir) => {
  const { metafile } = await build({
    stdin: { contents: 'export { createAssay } from "@assay/sdk"', resolveDir: join(root, "examples/sdk") },
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    outdir,
    metafile: true,
    logLevel: "error"
  })
  const outputs = Object.entries(metafile.outputs)
  const starting = (source) => {
    const found = outputs.find(([, { entryPoint }]) => entryPoint === source)
    if (found === undefined) throw new Error(`no file of the bundle starts with ${source}`)
    return found[0]
  }
  const withImports = (files) => {
    const all = new Set(files)
    for (const file of all)
      for (const { kind, path } of metafile.outputs[file].imports) if (kind === "import-statement") all.add(path)
    return [...all]
  }
  const paths = (files) => files.map((file) => join(root, file))
  const [imported, analyzed] = [["<stdin>"], ["<stdin>", ...loadedByAnalysis]].map((sources) =>
    withImports(sources.map(starting))
  )
  return {
    imported: paths(imported),
    analyzed: paths(analyzed),
    wasm: [join(root, "node_modules/evmole/dist/evmole_bg.wasm")],
    partsOf: (files) => {
      const found = new Map()
      for (const [file, { inputs }] of outputs)
        if (files.includes(join(root, file)))
          for (const [source, { bytesInOutput }] of Object.entries(inputs))
            found.set(partOf(source), (found.get(partOf(source)) ?? 0) + bytesInOutput)
      return [...found].sort(([, a], [, b]) => b - a)
    }
  }
}

// What `analyze` imports when it is called.
const loadedByAnalysis = [
  "packages/sdk/dist/Engine.js",
  "packages/core/dist/analysis/Engine.js",
  "packages/core/dist/data/chains/Chain1.js",
  "node_modules/evmole/dist/evmole.mjs"
]

const partOf = (source) =>
  /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ??
  /packages\/(\w+)\/dist\/([^/.]+)/.exec(source)?.slice(1).join("/") ??
  source
