// Writes packages/core/src/index.ts: one namespace a module, in the order of the import ranks.
// Modules marked `@internal` in their first comment serve their folder only and are left out.
// `--check` writes nothing and fails where the committed file differs.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const source = fileURLToPath(new URL("../packages/core/src/", import.meta.url))
const folders = [
  "domain",
  "domain/facts",
  "evm",
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

const path = `${source}index.ts`
if (process.argv.includes("--check")) {
  if (readFileSync(path, "utf8") !== text) {
    console.error("packages/core/src/index.ts is not what its modules make: run `npm run generate`")
    process.exit(1)
  }
} else {
  writeFileSync(path, text)
}
