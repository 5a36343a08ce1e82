// Bundles programs straight from the sources, for `npm start` and for what is published. `dist/` belongs to `tsc -b`.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** What `imports` of the core's package.json names, as it is under Node.js. */
const twins = [
  [/^#sha256$/, "domain/Sha256.ts"],
  [/^#evmole$/, "evm/bytecode/EvmolePackage.ts"]
]

const sources = (rewrite) => ({
  name: "sources",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^@assay\// }, ({ path: specifier }) => {
      const [, name, ...module] = specifier.split("/")
      const source = join(name, "src", ...module)
      // What is published, else what is not; a module, else a folder of them.
      const [path = source] = ["packages", "testing"]
        .flatMap((group) => [`${join(root, group, source)}.ts`, join(root, group, source, "index.ts")])
        .filter((candidate) => existsSync(candidate))
      return { path }
    })
    for (const [filter, source] of twins)
      onResolve({ filter }, () => ({ path: join(root, "packages/core/src", source) }))
    onLoad({ filter: /[\\/](?:packages|testing)[\\/][^\\/]+[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
      loader: "ts",
      contents: rewrite(readFileSync(path, "utf8"), path)
    }))
  }
})

/** For a bundle that is not beside its sources: what a source reads beside itself stays where it is. */
export const inPlace = (text, path) => text.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href))

/**
 * For a bundle of several files: a module of Effect's index keeps everything of the index that any module uses in the first
 * file, so our modules import the modules themselves.
 */
export const direct = async () => {
  const { default: ts } = await import("typescript")
  const importsOf = ({ elements }) =>
    elements
      .filter(({ isTypeOnly }) => !isTypeOnly)
      .map(({ name: { text: local }, propertyName: { text: name } = { text: local } }) =>
        /^[a-z]/.test(name)
          ? `import { ${name} as ${local} } from "effect/Function";`
          : `import * as ${local} from "effect/${name}";`
      )
      .join("")
  return (text, path) => {
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022)
    return file.statements
      .filter((each) => ts.isImportDeclaration(each) && each.moduleSpecifier.text === "effect")
      .filter(({ importClause: { isTypeOnly, namedBindings } }) => !isTypeOnly && namedBindings?.elements !== undefined)
      .reduceRight(
        (rest, { end, importClause, pos }) =>
          `${rest.slice(0, pos)}\n${importsOf(importClause.namedBindings)}${rest.slice(end)}`,
        text
      )
  }
}

/** Bundles for Node.js, with what esbuild takes besides, and gives its record of it. */
export const bundle = async ({ plugins = [], rewrite = (text) => text, ...options }) => {
  const { build, stop } = await import("esbuild")
  try {
    const { metafile } = await build({
      absWorkingDir: root,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20.11",
      metafile: true,
      // CommonJS packages in it require what Node.js has.
      banner: {
        js: 'import { createRequire as createBundleRequire } from "node:module";const require = createBundleRequire(import.meta.url);'
      },
      plugins: [...plugins, sources(rewrite)],
      logLevel: "warning",
      ...options
    })
    return metafile
  } finally {
    await stop()
  }
}
