// Writes packages/core/src/index.ts: one namespace a module, in the order of the import ranks.
// Modules marked `@internal` in their first comment serve their folder only and are left out.
// Of evm/ it also writes the paths that packages/core/package.json exports, one a public module, so that nothing outside
// of core can import another.
// `--check` writes nothing and fails where a committed file differs.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const source = fileURLToPath(new URL("../packages/core/src/", import.meta.url))
const folders = [
  "runtime",
  "domain",
  "domain/facts",
  "evm/bytecode",
  "evm/expression",
  "evm/interpreter",
  "evm/summary/conditions",
  "evm/summary/signatures",
  "evm/summary/writes",
  "evm/summary",
  "evm/patterns",
  "evm/token",
  "evm/powers/transfer",
  "evm/powers/custody",
  "evm/powers/balance",
  "evm/powers/mint",
  "evm/powers",
  "chain",
  "chain/rpc",
  "chain/state",
  "chain/sources",
  "storage",
  "facts",
  "facts/code",
  "facts/venue",
  "facts/control",
  "facts/market",
  "facts/trade",
  "facts/powers",
  "facts/wallet",
  "checks",
  "risk",
  "changes",
  "summary",
  "report",
  "quota",
  "keys",
  "events",
  "analysis",
  "executions",
  "watches"
]

const isInternal = (path) => /^\/\*\* @internal[^/]*\*\//.test(readFileSync(path, "utf8"))

const modules = folders.flatMap((folder) => {
  const names = (() => {
    try {
      return readdirSync(`${source}${folder}`)
    } catch (error) {
      if (error.code === "ENOENT") return []
      throw error
    }
  })()
  return names
    .filter((name) => name.endsWith(".ts") && !isInternal(`${source}${folder}/${name}`))
    .sort()
    .map((name) => ({ folder, name: name.slice(0, -3) }))
})

const twice = modules.filter((module) => modules.some((other) => other !== module && other.name === module.name))
if (twice.length > 0)
  throw new Error(`the same name twice: ${twice.map((module) => `${module.folder}/${module.name}`).join(", ")}`)

const text = modules.map(({ folder, name }) => `export * as ${name} from "./${folder}/${name}.js"\n`).join("")

/** The exports of the package, with one path a public module of evm/ in the place of those that were there. */
const exportsOf = (present) => {
  const enginePaths = modules
    .filter(({ folder }) => folder === "evm" || folder.startsWith("evm/"))
    .map(({ folder, name }) => [
      `./${folder}/${name}`,
      { types: `./dist/${folder}/${name}.d.ts`, import: `./dist/${folder}/${name}.js` }
    ])
  const entries = Object.entries(present)
  const isEngine = ([path]) => path.startsWith("./evm/")
  const place = entries.findIndex(isEngine)
  return Object.fromEntries([
    ...entries.slice(0, place),
    ...enginePaths,
    ...entries.slice(place).filter((entry) => !isEngine(entry))
  ])
}

const manifestPath = fileURLToPath(new URL("../packages/core/package.json", import.meta.url))
const manifest = JSON.parse(readFileSync(manifestPath, "utf8"))
const generated = {
  [`${source}index.ts`]: text,
  [manifestPath]: `${JSON.stringify({ ...manifest, exports: exportsOf(manifest.exports) }, undefined, 2)}\n`
}
for (const [path, wanted] of Object.entries(generated)) {
  if (!process.argv.includes("--check")) writeFileSync(path, wanted)
  else if (readFileSync(path, "utf8") !== wanted) {
    console.error(`${path} is not what the modules of core make: run \`npm run generate\``)
    process.exitCode = 1
  }
}
